// The payload fields of the channels of the TCU, for waveforms.
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

/// A payload of `count` bytes that are no vector, shown as one number.
struct ByteCount {
  unsigned count;
};
inline void describe_payload(Payload& p, const std::uint8_t* const& bytes, ByteCount size) {
  p.bytes("bits", size.count,
          [&bytes, size](std::uint64_t* words) { pack_bytes(bytes, size.count, words); });
}

inline void describe_payload(Payload& p, const MemoryRequest& r, unsigned address_bits) {
  p.field("write", 1, [&r] { return r.write; });
  p.field(
      "address", address_bits, [&r] { return r.address; }, Radix::decimal);
}

inline void describe_payload(Payload& p, const Dataflow& d) {
  const bool has_dais = layout_of(p).dais_block_count > 0;
  const bool activates = layout_of(p).activation_unit;
  p.field(
      "kind", activates ? 4 : 3, [&d] { return d.kind; }, Radix::decimal,
      activates  ? dataflow_activation_note
      : has_dais ? dataflow_dais_note
                 : dataflow_note);
  p.field(
      "size", std::max(1U, layout_of(p).local_address), [&d] { return d.size; }, Radix::decimal);
  if (!has_dais) return;
  p.field(
      "results", std::max(1U, layout_of(p).local_address), [&d] { return d.results; },
      Radix::decimal);
}

inline void describe_payload(Payload& p, const HostDataflow& d) {
  p.field("dram", 1, [&d] { return d.dram; });
  p.field("to_dram", 1, [&d] { return d.to_dram; });
}

inline void describe_payload(Payload& p, const ArrayControl& c) {
  p.field("load", 1, [&c] { return c.load; });
  p.field("zeroes", 1, [&c] { return c.zeroes; });
}

inline void describe_payload(Payload& p, const DaisControl& c) {
  p.field(
      "block", 3, [&c] { return c.block; }, Radix::decimal);
}

/// `get` returns the AluOperation.
template <typename Get>
void describe_operation(Payload& p, Get get) {
  const unsigned selector = std::max(1U, layout_of(p).simd_selector);
  const bool tables = layout_of(p).lookup_table_count > 0;
  p.field(
      "op", layout_of(p).simd_op, [get] { return get().op; }, Radix::hexadecimal,
      tables ? simd_tables_note : simd_note);
  p.field(
      "left", selector, [get] { return get().left; }, Radix::decimal);
  p.field(
      "right", selector, [get] { return get().right; }, Radix::decimal);
  p.field(
      "dest", selector, [get] { return get().dest; }, Radix::decimal);
}

inline void describe_payload(Payload& p, const AluOperation& o) {
  describe_operation(p, [&o] { return o; });
}

inline void describe_payload(Payload& p, const AccumulatorRequest& r) {
  const unsigned address = std::max(1U, layout_of(p).accumulator_address);
  p.field("write", 1, [&r] { return r.write; });
  p.field("accumulate", 1, [&r] { return r.accumulate; });
  p.field(
      "address", address, [&r] { return r.address; }, Radix::decimal);
}

/// `get` returns a reference to the AccumulatorControl.
template <typename Get>
void describe_accumulator_control(Payload& p, Get get) {
  const unsigned address = std::max(1U, layout_of(p).accumulator_address);
  describe_operation(p, [get] { return get().alu; });
  p.field("read", 1, [get] { return get().read; });
  p.field("write", 1, [get] { return get().write; });
  p.field("accumulate", 1, [get] { return get().accumulate; });
  if (layout_of(p).lookup_table_count > 0) {
    p.field(
        "table", 4, [get] { return get().table; }, Radix::decimal,
        "0 none, k entries for lookup table k-1, counted by read_address");
  }
  p.field(
      "read_address", address, [get] { return get().read_address; }, Radix::decimal);
  p.field(
      "write_address", address, [get] { return get().write_address; }, Radix::decimal);
}

inline void describe_payload(Payload& p, const AccumulatorControl& c) {
  describe_accumulator_control(p, [&c]() -> const AccumulatorControl& { return c; });
}

inline void describe_payload(Payload& p, const DramRequest& r, unsigned port) {
  const tcu::InstructionLayout& layout = layout_of(p);
  const unsigned bits = std::max(1U, port == 0 ? layout.dram0_address : layout.dram1_address);
  p.field("write", 1, [&r] { return r.write; });
  p.field(
      "address", bits, [&r] { return r.address; }, Radix::decimal);
  p.field(
      "size", bits, [&r] { return r.size; }, Radix::decimal);
}

}  // namespace tactus::trace
