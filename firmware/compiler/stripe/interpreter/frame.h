// A Stripe program prepared for the interpreter: its blocks as frames, with names resolved.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"

namespace tactus::stripe::interpreter {

/// An affine over the values of a block's indexes, by number.
struct Compiled {
  std::int64_t constant = 0;
  std::vector<std::pair<std::size_t, std::int64_t>> terms;

  /// The value, without checks for overflow; for accesses known to be inside a buffer.
  [[nodiscard]] std::int64_t at(const std::vector<std::int64_t>& values) const {
    auto sum = static_cast<std::uint64_t>(constant);
    for (const auto& [index, factor] : terms) {
      sum += static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(values[index]);
    }
    return static_cast<std::int64_t>(sum);
  }
  [[nodiscard]] std::int64_t evaluate(const std::vector<std::int64_t>& values) const {
    std::int64_t sum = constant;
    for (const auto& [index, factor] : terms) {
      std::int64_t product = 0;
      if (__builtin_mul_overflow(factor, values[index], &product) ||
          __builtin_add_overflow(sum, product, &sum)) {
        user_error("an affine does not fit 64 bits at this position");
      }
    }
    return sum;
  }
};

/// Values with a mark each that says whether they were written since the last clear().
class Elements {
 public:
  void resize(std::size_t size) {
    values_.resize(size);
    marks_.resize(size, 0);
  }
  void clear() {
    touched_.clear();
    if (++mark_ == 0) {
      std::fill(marks_.begin(), marks_.end(), 0);
      mark_ = 1;
    }
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool has(std::size_t at) const { return marks_[at] == mark_; }
  [[nodiscard]] const Scalar& at(std::size_t at) const { return values_[at]; }
  void set(std::size_t at, const Scalar& value) {
    values_[at] = value;
    if (marks_[at] == mark_) return;
    marks_[at] = mark_;
    touched_.push_back(at);
  }
  [[nodiscard]] const std::vector<std::size_t>& touched() const { return touched_; }

 private:
  std::vector<Scalar> values_;
  std::vector<std::uint32_t> marks_;
  std::vector<std::size_t> touched_;
  std::uint32_t mark_ = 1;
};

/// Storage of one allocation. Elements are stored row-major by their coordinates; results of a
/// program do not depend on strides.
struct Buffer {
  std::vector<std::int64_t> sizes, strides;
  std::string name;
  Elements data;
};

struct Frame;

struct View {
  const Refinement* ref = nullptr;
  Frame* frame = nullptr;
  View* parent = nullptr;  ///< null: an allocation, or a buffer from outside
  Aggregation op = Aggregation::none;
  DataType type = DataType::unknown;  ///< type of the allocation
  std::vector<Compiled> access;
  std::unique_ptr<Buffer> own;
  Buffer* buffer = nullptr;
  std::vector<std::int64_t> origin;  ///< coordinates of the origin in the allocation
  Compiled flat;                     ///< element of the buffer, from the parent's on
  std::int64_t parent_flat = 0;
  std::size_t element = 0;  ///< first element of the view, if all positions are known to fit
  /// The nearest view, from this one outwards, that stores written values.
  View* holder = nullptr;
  /// Elements written by the block's positions, until the block ends; null if they can be passed to
  /// the parent directly.
  std::unique_ptr<Elements> pending;
};

enum class StepKind { load, store, load_index, constant, function, lookup, special, block };

struct Step {
  StepKind kind = StepKind::block;
  const Statement* statement = nullptr;
  std::vector<std::size_t> inputs, outputs;  ///< numbers of scalars
  std::vector<View*> read, written;
  Compiled affine;
  ScalarFunction function = nullptr;
  const Buffer* table = nullptr;          ///< table of a lookup, in place of a function
  DataType type = DataType::unknown;      ///< type of the function's inputs
  bool is_choice = false, whole = false;  ///< a cond; a product that is not rounded
  std::unique_ptr<Frame> nested;
};

/// The positions, counted from 1, that have read and written an element in this run of a block.
struct Access {
  std::uint64_t writer = 0;
  std::uint64_t reader = 0;
  static constexpr std::uint64_t several = ~std::uint64_t{0};
};

/// A block, prepared once and run many times.
struct Frame {
  const Block* block = nullptr;
  std::vector<std::uint64_t> ranges;
  std::vector<Compiled> computed;    ///< over the parent's indexes; empty terms for ordinary ones
  std::vector<std::size_t> counted;  ///< ordinary indexes of range > 1
  std::vector<Compiled> constraints;
  std::vector<std::int64_t> values;  ///< values of the indexes
  std::map<std::string, View, std::less<>> views;
  std::map<std::string, std::size_t> scalars;
  std::vector<Scalar> scalar_values;
  std::vector<Step> steps;
  std::uint64_t positions = 1;
  std::uint64_t position = 0;  ///< number of the current position, from 1
  bool fused = false;          ///< products are whole until they are summed up
  bool is_leaf = true;         ///< statements are loads, functions and stores
  bool direct = false;         ///< this run is of a leaf all of whose positions fit the buffers
  std::vector<View*> in_order;
  /// Views that a counted index moves, by its place in `counted`, and how many elements a step is.
  std::vector<std::vector<std::pair<View*, std::int64_t>>> moved;
  std::unordered_map<std::uint64_t, Access> accesses;
};

/// Prepares the program's block and all blocks in it. Throws UserError, naming the block, for
/// operations that the interpreter does not have.
[[nodiscard]] std::unique_ptr<Frame> prepare(const Block& entry, const InterpretOptions& options);

/// UserError that names the frame's block.
[[noreturn]] void fail(const Frame& frame, const std::string& what);

}  // namespace tactus::stripe::interpreter
