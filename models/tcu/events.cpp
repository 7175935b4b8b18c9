#include "models/tcu/events.h"

#include "isa/tcu/arithmetic.h"

namespace tactus {
namespace {

void append_lane(std::string& text, const TcuEventFormat& format, const std::uint8_t* vector,
                 unsigned i) {
  append_number(text, tcu::lane(format.data_type, vector, i));
}

void append_lanes(std::string& text, const TcuEventFormat& format, const std::uint8_t* vector,
                  char separator) {
  for (unsigned i = 0; i < format.array_size; ++i) {
    if (i > 0) text += separator;
    append_lane(text, format, vector, i);
  }
}

/// First, two middle and last lane: 0, 3, 4, 7 on an array of 8.
void append_sampled_lanes(std::string& text, const TcuEventFormat& format,
                          const std::uint8_t* vector) {
  const unsigned n = format.array_size;
  append_lane(text, format, vector, 0);
  for (const unsigned i : {n / 2 - 1, n / 2, n - 1}) {
    text += ',';
    append_lane(text, format, vector, i);
  }
}

void append_data(std::string& text, const TcuEventFormat& format, const Event& e) {
  switch (e.kind) {
    case TcuEvent::instruction_accepted:
      return append_hex(text, e.data, format.instruction_bytes);
    case TcuEvent::axi_write_data:
      return append_hex(text, e.data, format.beat_bytes);
    case TcuEvent::dram_out:
      // The rig behind the logs shows the whole vector on port 0 only.
      if (e.port == 0) return append_lanes(text, format, e.data, ' ');
      break;
    case TcuEvent::local_write_b:
      return append_sampled_lanes(text, format, e.data);
    case TcuEvent::accumulator_write_a:
      return append_lanes(text, format, e.data, ',');
    default:
      break;
  }
  append_lane(text, format, e.data, 0);
}

/// Event kinds in the order of TcuEvent::Kind.
std::vector<EventInfo> kinds(EventStyle style) {
  using Operand = EventField::Operand;
  constexpr auto hexadecimal = EventField::Radix::hexadecimal;
  const EventField address{"a", Operand::a, "address of a vector"};
  const EventField first_lane{"v0", Operand::data, "its first lane"};
  std::vector<EventField> local_b{address}, accumulators{address};
  if (style == EventStyle::bare) {
    accumulators.push_back({"v", Operand::data, "its lanes"});
  } else {
    local_b.push_back({"v", Operand::data, "its first, two middle and last lane"});
  }
  return {
      {"IFIRE", "the decoder accepts an instruction", {{"", Operand::data, "its bytes"}}},
      {"DEC",
       "an instruction leaves the decoder",
       {{"op", Operand::a, "opcode", hexadecimal},
        {"fl", Operand::b, "flags", hexadecimal},
        {"pc", Operand::c, "program counter before the instruction"}}},
      {"D*C",
       "a request to a DRAM port of the bare TCU",
       {{"w", Operand::a, "1: a write"},
        {"a", Operand::b, "address of a vector"},
        {"s", Operand::c, "size field: vectors - 1"}}},
      {"D*I", "a vector from a DRAM port of the bare TCU", {}},
      {"D*O", "a vector to a DRAM port of the bare TCU", {{"", Operand::data, "its lanes"}}},
      axi_read_address_info(),
      axi_write_address_info(),
      axi_write_data_info(),
      axi_read_data_info(),
      axi_write_response_info(),
      {"LRA", "port A of local memory takes a read", {address}},
      {"LWA", "port A of local memory writes a vector", {address, first_lane}},
      {"LRB", "port B of local memory takes a read", {address}},
      {"LWB", "port B of local memory writes a vector", std::move(local_b)},
      {"LOAD", "a weight vector enters the array", {}},
      {"RUN", "an input vector, or zeroes, enters the array", {}},
      {"DAIS", "a sample enters a DAIS block", {{"b", Operand::a, "number of the block"}}},
      {"LUT",
       "a vector of entries enters a lookup table",
       {{"t", Operand::a, "number of the table"},
        {"i", Operand::b, "which of the table's vectors, from 0 on"}}},
      {"ALU", "the ALUs take an operation", {}},
      {"ARA", "port A of the accumulators takes a read", {address}},
      {"AWA", "port A of the accumulators writes a vector", std::move(accumulators)},
      {"ARB", "port B of the accumulators takes a read", {address}},
      {"TIMEOUT", "the decoder's timeout output is high", {}},
  };
}

}  // namespace

EventFormat tcu_event_format(const TcuEventFormat& format) {
  return {kinds(format.style),
          [format](std::string& text, const Event& event) { append_data(text, format, event); }};
}

}  // namespace tactus
