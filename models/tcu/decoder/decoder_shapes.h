// Shapes of instructions. A *shape* is an instruction without the parts of addresses that do not
// affect timing. With Clock::timing_only the decoder takes shapes in place of instructions; their
// addresses are arbitrary.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tcu/decoder/decoding.h"

namespace tactus {

class DecoderShapes : private DecoderItems {
 public:
  struct Shape {
    Decoded item;
    bool meets;  ///< its first access to the accumulators has the address of the last one before it
  };
  /// Shapes and their numbers. Decoders of the same architecture may use the same.
  struct Table {
    std::vector<Shape> shapes;
    std::vector<AccumulatorItem> forms;  ///< the different accumulator items, without addresses
  };

  DecoderShapes(const Decoding& decoding, std::uint64_t accumulator_mask)
      : decoding_(decoding), accumulator_mask_(accumulator_mask) {}

  /// Uses these shapes, and adds to them. Null: no others than those after reset().
  void use(Table* table) { table_ = table != nullptr ? table : &own_; }
  /// Adds the shape of an instruction and returns its number.
  [[nodiscard]] std::uint32_t add(const tcu::Instruction& instruction, bool meets,
                                  const LocalOrder& order);
  [[nodiscard]] const Decoded& item(std::uint32_t shape) const {
    return table_->shapes[shape].item;
  }
  [[nodiscard]] const AccumulatorItem& form(std::uint32_t form) const {
    return table_->forms[form];
  }
  /// Sets the shape of the instruction that enters next.
  void expect(std::uint32_t shape) { next_ = shape; }
  /// Makes an instruction of that shape.
  void enter(Decoded& d) { enter(next_, d); }
  void enter(std::uint32_t shape, Decoded& d);
  /// The address of the accumulators from which other addresses are counted.
  [[nodiscard]] std::uint64_t& last_access() { return last_access_; }
  /// Leaves one shape, that of an empty slot.
  void reset();

 private:
  [[nodiscard]] std::uint32_t form_of(AccumulatorItem item);

  const Decoding& decoding_;
  const std::uint64_t accumulator_mask_;  ///< mask of addresses
  Table own_;                             ///< the shape of an empty slot
  Table* table_ = &own_;
  std::uint32_t next_ = 0;
  std::uint64_t last_access_ = 0;
};

}  // namespace tactus
