// The blocks of a program, prepared for lowering: positions, views, and addresses in vectors.
//
// Every buffer has addresses in one of the unit's memories. Its last dimension, the one of stride
// 1, runs along the lanes and is padded to whole vectors; the others keep their order. A program's
// results do not depend on strides, so this layout of the unit's own is used.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/targets/tcu/memory/address.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::stripe_tcu {

struct Buffer {
  std::string name;
  stripe::TensorShape shape;
  std::vector<std::size_t> order;     ///< dimensions from the outermost in memory to the lanes
  std::vector<std::int64_t> strides;  ///< stride of each dimension, in scalars
  std::int64_t lane_size = 1;         ///< size of the dimension along the lanes
  std::optional<std::size_t> lane_dim;
  Tag memory = Tag::dram0;
  std::uint64_t base = 0, vectors = 0;
  std::string agg_op;
  /// Vectors that have been written: since the buffer was made or, in DRAM, since the kernel began.
  std::vector<bool> written;

  [[nodiscard]] Address address(std::uint64_t vector) const { return {memory, 0, base + vector}; }
};

/// An affine over the indexes of a block, by number.
struct Linear {
  std::int64_t constant = 0;
  std::vector<std::int64_t> factors;

  [[nodiscard]] std::int64_t at(const std::vector<std::int64_t>& values) const {
    std::int64_t sum = constant;
    for (std::size_t i = 0; i < factors.size(); ++i) sum += factors[i] * values[i];
    return sum;
  }
};

struct View {
  const stripe::Refinement* ref = nullptr;
  Buffer* buffer = nullptr;
  const View* parent = nullptr;
  bool made_here = false;  ///< an allocation of this block
  /// Offset from the parent's origin in scalars, and the part of it along the lanes.
  Linear flat, lane;
  std::int64_t origin = 0, lane_origin = 0;
};

struct Nest {
  const stripe::Statement* statement = nullptr;
  const stripe::Block* block = nullptr;
  Nest* parent = nullptr;
  /// Affine over the parent's indexes; without factors for ordinary indexes.
  std::vector<Linear> computed;
  std::vector<std::size_t> ordinary;
  std::vector<Linear> constraints;
  std::map<std::string, View, std::less<>> views;
  std::vector<std::unique_ptr<Nest>> children;  ///< by statement; null: no block
  std::vector<std::int64_t> values;             ///< current value of each index
  /// Vectors used by this block and the blocks around it.
  std::uint64_t local_used = 0, accumulators_used = 0;

  [[nodiscard]] bool is_leaf() const;
  /// Device of the block's location; empty: it has none.
  [[nodiscard]] std::string device() const;
  /// True for an index of range > 1 that is not computed.
  [[nodiscard]] bool counted(std::size_t index) const {
    return factors_of(index) == nullptr && range(index) > 1;
  }
  [[nodiscard]] std::uint64_t range(std::size_t index) const;
  [[nodiscard]] const Linear* factors_of(std::size_t index) const;

  /// Computes indexes and origins from the position of the enclosing block.
  void enter();
  /// Computes the origins of the views for `values`.
  void place();
  [[nodiscard]] bool allowed() const;
  /// Calls `visit` for every position that the constraints allow, in order, with views placed.
  template <typename Visit>
  void each_position(Visit&& visit);
  template <typename Visit>
  void each_position_of(const std::vector<std::size_t>& indexes, Visit&& visit);
};

/// All blocks from the entry on.
class Nests {
 public:
  /// `fixed` has the memories of buffers of the entry block, by name. Throws UserError for buffers
  /// that do not fit.
  Nests(const stripe::Program& program, const tcu::Architecture& architecture,
        const std::map<std::string, Tag>& fixed);

  [[nodiscard]] Nest& main() { return *main_; }
  [[nodiscard]] std::list<Buffer>& buffers() { return buffers_; }
  /// A buffer of the entry block.
  [[nodiscard]] Buffer& entry_buffer(const std::string& name) {
    return *entry_->views.at(name).buffer;
  }
  [[nodiscard]] std::uint64_t dram0_used() const { return dram0_used_; }
  [[nodiscard]] std::uint64_t dram1_used() const { return dram1_used_; }
  /// Room for data that the lowering itself needs.
  [[nodiscard]] std::uint64_t take_dram1(std::uint64_t vectors);
  [[nodiscard]] std::uint64_t local_used() const {
    return local_used_ + architecture_.local_depth - local_limit_;
  }
  /// One past the vectors of local memory that kernels may use; temporaries of main that stay in
  /// local memory are behind them.
  [[nodiscard]] std::uint64_t local_limit() const { return local_limit_; }
  [[nodiscard]] std::uint64_t accumulators_used() const { return accumulators_used_; }

 private:
  std::unique_ptr<Nest> prepare(const stripe::Statement& statement, Nest* parent);
  void prepare_view(Nest& nest, const stripe::Refinement& ref);
  Buffer& make_buffer(const Nest& nest, const stripe::Refinement& ref);
  void lay_out(Buffer& buffer, const stripe::Block& block, const stripe::Refinement& ref) const;
  void place(Buffer& buffer, const Nest& nest, const stripe::Refinement& ref);
  void place_buffers(const std::map<std::string, Tag>& fixed);
  void place_temporaries();

  tcu::Architecture architecture_;
  std::list<Buffer> buffers_;
  std::unique_ptr<Nest> entry_;
  Nest* main_ = nullptr;
  std::uint64_t dram0_used_ = 0, dram1_used_ = 0, local_used_ = 0, accumulators_used_ = 0;
  std::uint64_t local_limit_ = 0;
};

template <typename Visit>
void Nest::each_position_of(const std::vector<std::size_t>& indexes, Visit&& visit) {
  for (const std::size_t i : indexes) {
    values[i] = 0;
    if (range(i) == 0) return;
  }
  for (;;) {
    visit();
    std::size_t digit = indexes.size();
    for (;;) {
      if (digit == 0) return;
      const std::size_t i = indexes[--digit];
      if (static_cast<std::uint64_t>(++values[i]) < range(i)) break;
      values[i] = 0;
    }
  }
}

template <typename Visit>
void Nest::each_position(Visit&& visit) {
  each_position_of(ordinary, [&] {
    if (!allowed()) return;
    place();
    visit();
  });
}

[[noreturn]] void fail(const stripe::Block& block, const std::string& what);

}  // namespace tactus::compiler::stripe_tcu
