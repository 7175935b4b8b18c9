// vector_layout: gives tensors layouts of whole vectors, as a compute unit needs them.
//
// Each buffer gets a vector dimension: for operands of a multiply-add the summed one or that of the
// results, for all others the contiguous one. It has stride 1, and all other strides are whole
// vectors. Buffers of the block are also padded with zeros until sums and results of multiply-adds
// are whole vectors; buffers of other blocks are copied for this. Buffers of the entry block belong
// to the user: they keep their sizes and only get the layout.
#include <algorithm>
#include <set>
#include <tuple>

#include "firmware/compiler/stripe/hardware_model.h"
#include "firmware/compiler/stripe/passes/cache.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

/// The indexes of a multiply-add that run along vectors.
struct Vectors {
  std::string sum;     ///< along vectors of the activations
  std::string result;  ///< along vectors of weights and results
  const Refinement *activations = nullptr, *weights = nullptr, *results = nullptr;
};

/// The dimension that the index alone walks through, from its first element to its last.
std::optional<std::size_t> walked(const Refinement& ref, const Index& idx) {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < ref.access.size(); ++d) {
    if (!ref.access[d].uses(idx.name)) continue;
    if (found || ref.access[d] != Affine(idx.name) || ref.shape.dims[d].size != 1) {
      return std::nullopt;
    }
    found = d;
  }
  return found;
}

bool uses_index(const Refinement& ref, const std::string& name) {
  return std::any_of(ref.access.begin(), ref.access.end(),
                     [&name](const Affine& access) { return access.uses(name); });
}

/// Finds the vector indexes of a multiply-add of two operands; empty for other blocks, and if there
/// are none.
std::optional<Vectors> vectors_of(const Statement& stmt) {
  const Block* block = stmt.block();
  if (block == nullptr || !stmt.has_tag("agg_op_add") || !stmt.has_tag("comb_op_mul")) {
    return std::nullopt;
  }
  const auto ins = block->refs_of(Direction::in);
  auto outs = block->refs_of(Direction::out);
  if (outs.empty()) outs = block->refs_of(Direction::inout);
  if (ins.size() != 2 || outs.size() != 1) return std::nullopt;
  Vectors best;
  std::tuple<bool, bool, std::uint64_t, std::uint64_t> rank;
  for (std::size_t way = 0; way < 2; ++way) {
    Vectors found;
    found.activations = ins[way];
    found.weights = ins[1 - way];
    found.results = outs[0];
    for (const Index& n : block->indexes) {
      if (n.is_computed() || uses_index(*found.activations, n.name)) continue;
      const auto column = walked(*found.results, n);
      if (!column || !walked(*found.weights, n)) continue;
      for (const Index& k : block->indexes) {
        if (k.is_computed() || uses_index(*found.results, k.name)) continue;
        const auto row = walked(*found.activations, k);
        if (!row || !walked(*found.weights, k)) continue;
        // Prefers a contiguous dimension, then a long one.
        const std::tuple candidate(found.results->shape.dims[*column].stride == 1,
                                   found.activations->shape.dims[*row].stride == 1, k.range,
                                   n.range);
        if (!best.sum.empty() && candidate <= rank) continue;
        rank = candidate;
        best = found;
        best.sum = k.name;
        best.result = n.name;
      }
    }
  }
  if (best.sum.empty()) return std::nullopt;
  return best;
}

class Layout {
 public:
  Layout(Block& block, const AliasMap& map, std::uint64_t vector)
      : block_(block), map_(map), vector_(vector), is_entry_(map.depth() == 1) {}

  void run() {
    find_fixed();
    for (auto& [into, ref] : block_.refs) {
      if (ref.direction != Direction::none && is_entry_) fixed_.insert(into);
    }
    choose(block_);
    for (const auto& [into, ref] : block_.refs) {
      if (!ref.shape.dims.empty() && vector_dim_.count(into) == 0) {
        vector_dim_[into] = contiguous(ref.shape);
      }
    }
    if (!is_entry_) {
      for (Statement& stmt : block_.statements) widen(stmt);
      for (const auto& [into, dim] : vector_dim_) want(into, dim, whole(size_of(into, dim)));
      copy_foreign();
    }
    for (auto& [into, ref] : block_.refs) {
      if (ref.direction == Direction::none && fixed_.count(into) == 0) lay_out(ref);
    }
    for (const std::string& into : grown_) fill(into);
  }

 private:
  [[nodiscard]] std::uint64_t whole(std::uint64_t size) const {
    return multiply_up(divide_up(size, vector_));
  }
  [[nodiscard]] std::uint64_t multiply_up(std::uint64_t count) const {
    return static_cast<std::uint64_t>(
        multiply_checked(static_cast<std::int64_t>(count), static_cast<std::int64_t>(vector_)));
  }
  [[nodiscard]] std::uint64_t size_of(const std::string& into, std::size_t dim) const {
    return block_.ref_at(into).shape.dims[dim].size;
  }

  static std::size_t contiguous(const TensorShape& shape) {
    for (std::size_t d = shape.dims.size(); d-- > 0;) {
      if (shape.dims[d].stride == 1) return d;
    }
    return shape.dims.size() - 1;
  }

  /// Finds buffers that cannot be padded: operations on whole buffers would see the padding, and
  /// partial writes keep other elements.
  void find_fixed() {
    for (const Statement& stmt : block_.statements) {
      if (stmt.as<Special>() != nullptr) fixed_.merge(buffers_of(stmt));
    }
    for (const auto& [into, ref] : block_.refs) {
      if (ref.direction == Direction::inout || ref.bank_dim) fixed_.insert(into);
    }
  }

  /// Chooses vector dimensions by the uses of buffers in multiply-adds, including those of inner
  /// blocks.
  void choose(Block& block) {
    for (Statement& stmt : block.statements) {
      const auto vectors = vectors_of(stmt);
      if (vectors) {
        const Block& kernel = *stmt.block();
        vote(block, *vectors->activations, *kernel.index(vectors->sum));
        vote(block, *vectors->weights, *kernel.index(vectors->result));
        vote(block, *vectors->results, *kernel.index(vectors->result));
      }
      if (is_entry_ && stmt.block() != nullptr) choose(*stmt.block());
    }
  }

  /// Counts a vote. `around` is the block that contains the kernel; its views show the whole
  /// buffer.
  void vote(const Block& around, const Refinement& ref, const Index& idx) {
    std::string into = ref.from;
    if (&around != &block_) {
      const Refinement& view = around.ref_at(into);
      if (view.direction == Direction::none || block_.ref(view.from) == nullptr) return;
      into = view.from;
    }
    vector_dim_.emplace(into, *walked(ref, idx));
  }

  /// Extends a multiply-add to whole vectors: the padding is zero, and so are its products.
  void widen(Statement& stmt) {
    const auto vectors = vectors_of(stmt);
    if (!vectors) return;
    Block& kernel = *stmt.block();
    for (const std::string& name : {vectors->sum, vectors->result}) {
      Index& idx = *kernel.index(name);
      const std::uint64_t range = whole(idx.range);
      if (range == idx.range || !may_widen(kernel, idx)) continue;
      for (const auto& [into, ref] : kernel.refs) {
        if (uses_index(ref, name)) want(ref.from, *walked(ref, idx), range);
      }
      idx.range = range;
    }
  }

  [[nodiscard]] bool may_widen(const Block& kernel, const Index& idx) const {
    for (const Affine& constraint : kernel.constraints) {
      if (constraint.uses(idx.name)) return false;
    }
    for (const Statement& stmt : kernel.statements) {
      if (stmt.block() != nullptr || stmt.as<LoadIndex>() != nullptr) return false;
    }
    for (const auto& [into, ref] : kernel.refs) {
      if (!uses_index(ref, idx.name)) continue;
      const auto dim = walked(ref, idx);
      if (ref.direction == Direction::none || !dim || fixed_.count(ref.from) != 0 ||
          size_of(ref.from, *dim) != idx.range) {
        return false;
      }
    }
    return true;
  }

  void want(const std::string& into, std::size_t dim, std::uint64_t size) {
    if (fixed_.count(into) != 0) return;
    std::uint64_t& wanted = sizes_[into][dim];
    wanted = std::max({wanted, size, size_of(into, dim)});
  }

  void copy_foreign() {
    for (const auto& entry : sizes_) {
      const auto& [into, dims] = entry;
      const Refinement& ref = block_.ref_at(into);
      if (ref.direction == Direction::none) continue;
      const bool fits = std::all_of(dims.begin(), dims.end(),
                                    [&](const auto& dim) {
                                      return dim.second == size_of(entry.first, dim.first);
                                    }) &&
                        in_vectors(ref, vector_dim_.at(into));
      if (fits) {
        fixed_.insert(into);
        continue;
      }
      CacheOptions options;
      options.memory = ref.location;
      options.load_tags = options.store_tags = {"kernel", "eltwise", "eltwise_layout"};
      cache_refinement(map_, block_, into, ref.direction, options);
    }
  }

  [[nodiscard]] bool in_vectors(const Refinement& ref, std::size_t dim) const {
    for (std::size_t d = 0; d < ref.shape.dims.size(); ++d) {
      const Dimension& one = ref.shape.dims[d];
      if (one.size == 1) continue;
      if (d == dim ? one.stride != 1 : one.stride % static_cast<std::int64_t>(vector_) != 0) {
        return false;
      }
    }
    return true;
  }

  /// The vector dimension innermost, the others in the order that they have.
  void lay_out(Refinement& ref) {
    std::vector<Dimension>& dims = ref.shape.dims;
    const auto vector_dim = vector_dim_.find(ref.into);
    if (vector_dim == vector_dim_.end()) return;
    const auto wanted = sizes_.find(ref.into);
    if (wanted != sizes_.end()) {
      for (const auto& [dim, size] : wanted->second) {
        if (size > dims[dim].size) grown_.insert(ref.into);
        dims[dim].size = size;
      }
    }
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (d != vector_dim->second) order.push_back(d);
    }
    std::stable_sort(order.begin(), order.end(), [&dims](std::size_t a, std::size_t b) {
      return dims[a].stride > dims[b].stride;
    });
    dims[vector_dim->second].stride = 1;
    std::uint64_t stride = whole(dims[vector_dim->second].size);
    for (std::size_t i = order.size(); i-- > 0;) {
      dims[order[i]].stride = static_cast<std::int64_t>(stride);
      stride = static_cast<std::uint64_t>(multiply_checked(
          static_cast<std::int64_t>(stride), static_cast<std::int64_t>(dims[order[i]].size)));
    }
    fix_up(block_, ref.into);
  }

  void fill(const std::string& into) {
    Statement zero;
    zero.op = Special{"zero", {}, {into}, {}, {}};
    block_.insert(0, std::move(zero));
  }

  Block& block_;
  const AliasMap& map_;
  const std::uint64_t vector_;
  const bool is_entry_;
  std::set<std::string> fixed_;  ///< neither grow nor move
  /// Vector dimension by buffer.
  std::map<std::string, std::size_t> vector_dim_;
  std::map<std::string, std::map<std::size_t, std::uint64_t>> sizes_;  ///< wanted, by dimension
  std::set<std::string> grown_;
};

class VectorLayout : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks whose buffers are laid out");
    v.number("vector_size", vector_size_, "elements of a vector; 0: the model's ARRAY_SIZE");
  }

  void bind(const HardwareModel* model) override {
    if (vector_size_ != 0) return;
    const auto* value = model == nullptr ? nullptr : find_parameter(*model, "ARRAY_SIZE");
    if (value == nullptr || *value == 0) {
      user_error("vector_size is missing, and no hardware model says ARRAY_SIZE");
    }
    vector_size_ = *value;
  }

  void run(Program& program) const override {
    if (vector_size_ > max_vector) {
      user_error("vector_size: {} is out of range; allowed are 1 to {}", vector_size_, max_vector);
    }
    on_blocks(program, reqs_, [this](const AliasMap& map, Statement& stmt) {
      Layout(*stmt.block(), map, vector_size_).run();
    });
  }

 private:
  static constexpr std::uint64_t max_vector = 65536;
  static const std::uint64_t* find_parameter(const HardwareModel& model, const std::string& name) {
    const auto it = model.params.find(name);
    return it == model.params.end() ? nullptr : &it->second;
  }

  Tags reqs_;
  std::uint64_t vector_size_ = 0;
};

}  // namespace

std::unique_ptr<Pass> make_vector_layout() { return std::make_unique<VectorLayout>(); }

}  // namespace tactus::stripe
