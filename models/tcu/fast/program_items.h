// Instructions of a program as the fast engine takes them in sequences: what they do to data, and
// their *shape*, which determines their timing.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/tcu/accesses.h"
#include "isa/tcu/architecture.h"
#include "models/tcu/channels.h"
#include "models/tcu/decoder/local_order.h"

namespace tactus {

/// The vectors address + i * step for i = 0..size, masked to the memory's addresses. Reverse: from
/// the last to the first.
struct Walk {
  std::uint64_t address = 0;
  std::uint64_t step = 1;
};

struct ProgramItem {
  using Kind = tcu::Action;
  enum class LocalUse : std::uint8_t { none, reads, writes };
  [[nodiscard]] bool moves_dram() const { return kind == Kind::from_dram || kind == Kind::to_dram; }
  Kind kind = Kind::undefined;  ///< undefined: cannot be taken in a sequence
  LocalUse local_use = LocalUse::none;
  bool zeroes = false;
  bool read = false, write = false, accumulate = false;  ///< of accumulators
  bool strided = false;                                  ///< of DRAM
  bool activated = false;  ///< vectors pass the activation unit on their way from the accumulators
  std::uint8_t port = 0;   ///< DRAM port
  std::uint8_t table = 0;  ///< number of the table that is loaded
  std::uint8_t opcode = 0, flags = 0;
  std::uint64_t size = 0;  ///< vectors minus one
  Walk local, accumulator, dram;
  std::uint64_t read_address = 0;  ///< SIMD only
  AluOperation alu;
  // First and last address in the accumulators, if the instruction accesses them.
  bool accesses = false;
  std::uint64_t first = 0, last = 0;
};

/// Reads the items of a program.
class ProgramItems {
 public:
  explicit ProgramItems(const tcu::Architecture& architecture);

  [[nodiscard]] unsigned instruction_bytes() const { return layout_.instruction_bytes(); }
  [[nodiscard]] tcu::Instruction decode(const std::uint8_t* bytes) const {
    return tcu::decode(layout_, bytes);
  }
  /// Reads an instruction. Its kind is `undefined` if it is illegal, waits for something that never
  /// comes, wraps around the end of a memory, or affects more than data.
  void read(const tcu::Instruction& raw, ProgramItem& item) const;

  /// What all instructions of a shape have in common.
  struct Key {
    std::uint64_t what, where;
    bool operator==(const Key& o) const { return what == o.what && where == o.where; }
  };
  /// `meets`: the instruction's first access to the accumulators is at the address of the last
  /// access before it. `ending`, below 2^15: a number for the distance of the program's end, 0 if
  /// it is far.
  [[nodiscard]] Key key(const ProgramItem& item, bool meets, const LocalOrder& order,
                        std::uint64_t ending) const;

 private:
  [[nodiscard]] bool can_take(ProgramItem& item, const tcu::VectorFlow& flow) const;
  [[nodiscard]] bool can_take(ProgramItem& item, const tcu::VectorWalk& walk) const;
  [[nodiscard]] bool can_take_simd(ProgramItem& item, const tcu::Instruction& raw,
                                   const tcu::VectorFlow& flow) const;
  [[nodiscard]] bool can_look_up(const tcu::SimdFields& fields) const;
  [[nodiscard]] bool fits(const Walk& walk, std::uint64_t size, tcu::VectorMemory memory) const;

  const tcu::Architecture architecture_;
  const tcu::InstructionLayout layout_;
  const bool has_order_;  ///< see LocalOrder
};

/// The numbers of shapes.
class ShapeNumbers {
 public:
  using Key = ProgramItems::Key;
  /// The shape's place in the table; *place is ~0 if the shape has no number yet.
  [[nodiscard]] std::uint32_t* place(const Key& key);

 private:
  struct Entry {
    Key key{~std::uint64_t{0}, 0};
    std::uint32_t shape = ~std::uint32_t{0};
  };
  [[nodiscard]] static Entry& entry(std::vector<Entry>& table, const Key& key);

  std::vector<Entry> table_ = std::vector<Entry>(1024);
  std::size_t taken_ = 0;
};

}  // namespace tactus
