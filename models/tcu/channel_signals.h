// The payload fields of the channels of the TCU, for waveforms and for pins.
//
// for_each_field(visit, PayloadOf<T>{}, widths, arguments...) names the fields of payload T, most
// significant first, as the public RTL packs its bundles: visit(name, width, access, radix, note)
// for each, where access(payload) is the field.
#pragma once

#include <algorithm>

#include "models/sim/trace/signals.h"
#include "models/tcu/accumulators/accumulator.h"
#include "models/tcu/channels.h"
#include "models/tcu/widths.h"

namespace tactus::trace {

inline constexpr const char* dataflow_note =
    "0 none, 1 local->weights, 2 local->array->acc, 3 array->acc, 4 acc->local, 5 local->acc";
inline constexpr const char* dataflow_dais_note =
    "0 none, 1 local->weights, 2 local->array->acc, 3 array->acc, 4 acc->local, 5 local->acc, "
    "6 local->DAIS->acc";
inline constexpr const char* dataflow_activation_note =
    "0 none, 1 local->weights, 2 local->array->acc, 3 array->acc, 4 acc->local, 5 local->acc, "
    "6 local->DAIS->acc, 7 acc->activation->local, 8 local->activation";
inline constexpr const char* simd_note =
    "0 NoOp 1 Zero 2 Move 3 Not 4 And 5 Or 6 Increment 7 Decrement 8 Add 9 Subtract a Multiply "
    "b Abs c GreaterThan d GreaterThanEqual e Min f Max";

inline constexpr const char* simd_tables_note =
    "0 NoOp 1 Zero 2 Move 3 Not 4 And 5 Or 6 Increment 7 Decrement 8 Add 9 Subtract a Multiply "
    "b Abs c GreaterThan d GreaterThanEqual e Min f Max 10 Lookup";

inline void describe_payload(Payload& p, const VectorRef& vector) { p.vector("bits", &vector); }

inline void describe_payload(Payload& p, const std::uint8_t* const& bytes, ByteCount size) {
  p.bytes("bits", size.count,
          [&bytes, size](std::uint64_t* words) { pack_bytes(bytes, size.count, words); });
}

inline const tcu::InstructionLayout& layout_in(const Widths& widths) {
  return dynamic_cast<const TcuWidths&>(widths).layout;
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<MemoryRequest> /*payload*/, const Widths& /*widths*/,
                    unsigned address_bits) {
  visit(
      "write", 1, [](auto& r) -> auto& { return r.write; });
  visit(
      "address", address_bits, [](auto& r) -> auto& { return r.address; }, Radix::decimal);
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<Dataflow> /*payload*/, const Widths& widths) {
  const tcu::InstructionLayout& layout = layout_in(widths);
  const bool has_dais = layout.dais_block_count > 0;
  const unsigned size = std::max(1U, layout.local_address);
  visit(
      "kind", 4, [](auto& d) -> auto& { return d.kind; }, Radix::decimal,
      layout.activation_unit ? dataflow_activation_note
      : has_dais             ? dataflow_dais_note
                             : dataflow_note);
  visit(
      "size", size, [](auto& d) -> auto& { return d.size; }, Radix::decimal);
  if (!has_dais) return;
  visit(
      "results", size, [](auto& d) -> auto& { return d.results; }, Radix::decimal);
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<HostDataflow> /*payload*/, const Widths& /*widths*/) {
  visit(
      "dram", 1, [](auto& d) -> auto& { return d.dram; });
  visit(
      "to_dram", 1, [](auto& d) -> auto& { return d.to_dram; });
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<ArrayControl> /*payload*/, const Widths& /*widths*/) {
  visit(
      "load", 1, [](auto& c) -> auto& { return c.load; });
  visit(
      "zeroes", 1, [](auto& c) -> auto& { return c.zeroes; });
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<DaisControl> /*payload*/, const Widths& /*widths*/) {
  visit(
      "block", 3, [](auto& c) -> auto& { return c.block; }, Radix::decimal);
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<AluOperation> /*payload*/, const Widths& widths) {
  const tcu::InstructionLayout& layout = layout_in(widths);
  const unsigned selector = std::max(1U, layout.simd_selector);
  visit(
      "op", layout.simd_op, [](auto& o) -> auto& { return o.op; }, Radix::hexadecimal,
      layout.lookup_table_count > 0 ? simd_tables_note : simd_note);
  visit(
      "left", selector, [](auto& o) -> auto& { return o.left; }, Radix::decimal);
  visit(
      "right", selector, [](auto& o) -> auto& { return o.right; }, Radix::decimal);
  visit(
      "dest", selector, [](auto& o) -> auto& { return o.dest; }, Radix::decimal);
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<AccumulatorRequest> /*payload*/,
                    const Widths& widths) {
  const unsigned address = std::max(1U, layout_in(widths).accumulator_address);
  visit(
      "write", 1, [](auto& r) -> auto& { return r.write; });
  visit(
      "accumulate", 1, [](auto& r) -> auto& { return r.accumulate; });
  visit(
      "address", address, [](auto& r) -> auto& { return r.address; }, Radix::decimal);
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<AccumulatorControl> /*payload*/,
                    const Widths& widths) {
  const tcu::InstructionLayout& layout = layout_in(widths);
  const unsigned address = std::max(1U, layout.accumulator_address);
  const auto operation = [&visit](const char* name, unsigned width, auto access, Radix radix,
                                  const char* note = "") {
    visit(
        name, width, [access](auto& c) -> auto& { return access(c.alu); }, radix, note);
  };
  for_each_field(operation, PayloadOf<AluOperation>{}, widths);
  if (layout.lookup_table_count > 0) {
    visit(
        "table", 4, [](auto& c) -> auto& { return c.table; }, Radix::decimal,
        "0 none, k entries for lookup table k-1, counted by read_address");
  }
  visit(
      "read_address", address, [](auto& c) -> auto& { return c.read_address; }, Radix::decimal);
  visit(
      "write_address", address, [](auto& c) -> auto& { return c.write_address; }, Radix::decimal);
  visit(
      "accumulate", 1, [](auto& c) -> auto& { return c.accumulate; });
  visit(
      "write", 1, [](auto& c) -> auto& { return c.write; });
  visit(
      "read", 1, [](auto& c) -> auto& { return c.read; });
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<DramRequest> /*payload*/, const Widths& widths,
                    unsigned port) {
  const tcu::InstructionLayout& layout = layout_in(widths);
  const unsigned bits = std::max(1U, port == 0 ? layout.dram0_address : layout.dram1_address);
  visit(
      "write", 1, [](auto& r) -> auto& { return r.write; });
  visit(
      "address", bits, [](auto& r) -> auto& { return r.address; }, Radix::decimal);
  visit(
      "size", bits, [](auto& r) -> auto& { return r.size; }, Radix::decimal);
}

template <typename Visit>
void for_each_field(Visit&& visit, PayloadOf<Sample> /*payload*/, const Widths& /*widths*/) {
  visit(
      "word", 64, [](auto& s) -> auto& { return s.word; });
  visit(
      "last", 1, [](auto& s) -> auto& { return s.last; });
}

/// Describes the fields of the payload that `get` returns a reference to.
template <typename T, typename Get, typename... Arguments>
void describe_fields(Payload& p, Get get, Arguments... arguments) {
  const auto describe = [&p, get](const char* name, unsigned width, auto access,
                                  Radix radix = Radix::hexadecimal, const char* note = "") {
    p.field(
        name, width, [get, access] { return access(get()); }, radix, note);
  };
  for_each_field(describe, PayloadOf<T>{}, p.widths(), arguments...);
}

struct AnyField {
  template <typename... Parts>
  void operator()(const Parts&... /*parts*/) const {}
};
template <typename T, typename... Arguments>
auto describe_payload(Payload& p, const T& payload, Arguments... arguments)
    -> decltype(for_each_field(AnyField{}, PayloadOf<T>{}, p.widths(), arguments...)) {
  describe_fields<T>(
      p, [&payload]() -> const T& { return payload; }, arguments...);
}

}  // namespace tactus::trace
