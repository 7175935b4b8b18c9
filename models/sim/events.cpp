#include "models/sim/events.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "isa/tcu/arithmetic.h"

namespace tactus {
namespace {

/// A little-endian byte string as one hexadecimal number.
std::string hex_word(const std::uint8_t* bytes, unsigned count) {
  std::string text;
  text.reserve(2 * count);
  for (unsigned i = count; i-- > 0;) fmt::format_to(std::back_inserter(text), "{:02x}", bytes[i]);
  return text;
}

std::string lanes(const EventFormat& format, const std::uint8_t* vector, char separator) {
  std::string text;
  for (unsigned i = 0; i < format.array_size; ++i) {
    if (i > 0) text += separator;
    text += std::to_string(tcu::lane(format.data_type, vector, i));
  }
  return text;
}

/// First, two middle and last lane: 0, 3, 4, 7 on an array of 8.
std::string sampled_lanes(const EventFormat& format, const std::uint8_t* vector) {
  const unsigned n = format.array_size;
  const auto at = [&](unsigned i) { return tcu::lane(format.data_type, vector, i); };
  return fmt::format("{},{},{},{}", at(0), at(n / 2 - 1), at(n / 2), at(n - 1));
}

}  // namespace

std::string format_event(const EventFormat& format, const Event& e) {
  const bool bare = format.style == EventStyle::bare;
  switch (e.kind) {
    case EventKind::instruction_accepted:
      return "IFIRE " + hex_word(e.data, format.instruction_bytes);
    case EventKind::retired:
      return fmt::format("DEC op={:x} fl={:x} pc={}", e.a, e.b, e.c);
    case EventKind::dram_control:
      return fmt::format("D{}C w={} a={} s={}", e.port, e.a, e.b, e.c);
    case EventKind::dram_in:
      return fmt::format("D{}I", e.port);
    case EventKind::dram_out:
      // The rig behind the logs shows the whole vector on port 0 only.
      if (e.port != 0) return fmt::format("D1O {}", tcu::lane(format.data_type, e.data, 0));
      return "D0O " + lanes(format, e.data, ' ');
    case EventKind::axi_read_address:
      return fmt::format("AR{} a={:x} l={} c={:x}", e.port, e.a, e.b, e.c);
    case EventKind::axi_write_address:
      return fmt::format("AW{} a={:x} l={}", e.port, e.a, e.b);
    case EventKind::axi_write_data:
      return fmt::format("W{} {} l={}", e.port, hex_word(e.data, format.beat_bytes), e.a);
    case EventKind::axi_read_data:
      return fmt::format("R{}", e.port);
    case EventKind::axi_write_response:
      return fmt::format("B{}", e.port);
    case EventKind::local_read_a:
      return fmt::format("LRA a={}", e.a);
    case EventKind::local_write_a:
      return fmt::format("LWA a={} v0={}", e.a, tcu::lane(format.data_type, e.data, 0));
    case EventKind::local_read_b:
      return fmt::format("LRB a={}", e.a);
    case EventKind::local_write_b:
      if (bare) return fmt::format("LWB a={}", e.a);
      return fmt::format("LWB a={} v={}", e.a, sampled_lanes(format, e.data));
    case EventKind::load:
      return "LOAD";
    case EventKind::run:
      return "RUN";
    case EventKind::dais:
      return fmt::format("DAIS b={}", e.a);
    case EventKind::alu:
      return "ALU";
    case EventKind::accumulator_read_a:
      return fmt::format("ARA a={}", e.a);
    case EventKind::accumulator_write_a:
      if (!bare) return fmt::format("AWA a={}", e.a);
      return fmt::format("AWA a={} v={}", e.a, lanes(format, e.data, ','));
    case EventKind::accumulator_read_b:
      return fmt::format("ARB a={}", e.a);
    case EventKind::timeout:
      return "TIMEOUT";
  }
  return {};
}

void EventLines::event(const Event& event) {
  pending_.push_back(
      {static_cast<unsigned>(event.kind) * 2 + event.port, format_event(format_, event)});
}

void EventLines::end_of_cycle(Cycle cycle) {
  if (pending_.empty()) return;
  std::sort(pending_.begin(), pending_.end(), [](const Line& x, const Line& y) {
    return x.key != y.key ? x.key < y.key : x.text < y.text;
  });
  sorted_.clear();
  for (Line& line : pending_) sorted_.push_back(std::move(line.text));
  pending_.clear();
  lines(cycle, sorted_);
}

}  // namespace tactus
