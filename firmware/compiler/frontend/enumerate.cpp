#include "firmware/compiler/frontend/enumerate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "firmware/compiler/frontend/operators/matrices.h"

namespace tactus::compiler {
namespace {

// ---- products -----------------------------------------------------------------------------------

class ProductEnumeration {
 public:
  ProductEnumeration(Emitter& e, const LoopNest& nest)
      : e_(e),
        nest_(nest),
        shape_{nest.tap_count(), nest.inputs(), nest.outputs()},
        spaced_(std::any_of(nest.operands[0].places.begin(), nest.operands[0].places.end(),
                            [](const Place1D& place) { return place.divisor != 1; })) {
    const std::vector<LoopNumber> loops = nest.result_loops();
    const auto first = loops.begin() + static_cast<std::ptrdiff_t>(nest.batches);
    batches_.assign(loops.begin(), first);
    pairs_.assign(first, loops.end());
  }

  void write() {
    const bool computed = nest_.operands.size() == 2;
    if (!computed) {
      const Weights& w = nest_.weights;
      if (!w.bias.empty()) bias_ = e_.row(w.bias_name, w.bias);
      weights_ = weights_constant(e_, w.name, shape_, w.fill);
    }
    source_ = e_.variable(nest_.operands[0].value);
    const Addresses matrices = computed ? e_.variable(nest_.operands[1].value) : Addresses{};
    const std::size_t of_batch =
        static_cast<std::size_t>(nest_.size_of(pairs_)) * shape_.output_blocks(e_.array_size());
    result_ = e_.allocate(static_cast<std::size_t>(nest_.size_of(batches_)) * of_batch);
    Point point(nest_.loops.size(), 0);
    std::size_t batch = 0;
    do {
      if (computed) weights_ = matrix(matrices, point);
      std::int64_t tap = 0;
      do {
        write_tap(point, tap++, batch * of_batch);
      } while (nest_.next(point, nest_.taps));
      ++batch;
    } while (nest_.next(point, batches_));
    e_.result(nest_.result.value, result_);
  }

 private:
  /// The vectors of a computed matrix; rows beyond its inputs are zeroes.
  [[nodiscard]] Addresses matrix(const Addresses& all, const Point& point) const {
    const std::uint32_t n = e_.array_size();
    const std::size_t blocks = shape_.output_blocks(n);
    const std::int64_t row = *nest_.operands[1].run(point);
    const auto first = all.begin() + row * static_cast<std::ptrdiff_t>(blocks);
    Addresses weights(first, first + shape_.inputs * static_cast<std::ptrdiff_t>(blocks));
    weights.resize(shape_.vectors_of_tap(n), Address::zeroes());
    return weights;
  }

  /// Writes the product of one tap. `next`: the first vector of the batch in the result.
  void write_tap(Point& point, std::int64_t tap, std::size_t next) {
    const std::size_t ci = shape_.input_blocks(e_.array_size());
    const std::size_t co = shape_.output_blocks(e_.array_size());
    const auto blocks_of_run = static_cast<std::ptrdiff_t>(
        (nest_.operands[0].sizes.back() + e_.array_size() - 1) / e_.array_size());
    Addresses inputs, outputs;
    inputs.reserve(static_cast<std::size_t>(nest_.size_of(pairs_)) * ci);
    do {
      const std::optional<std::int64_t> run = nest_.operands[0].run(point);
      const auto to = result_.begin() + static_cast<std::ptrdiff_t>(next);
      next += co;
      // Between spaced pixels most products would be with zeroes. They are left out except for the
      // first tap, which initialises the sums.
      if (!run && tap > 0 && spaced_) continue;
      outputs.insert(outputs.end(), to, to + static_cast<std::ptrdiff_t>(co));
      if (!run) {
        inputs.insert(inputs.end(), ci, Address::zeroes());
        continue;
      }
      const auto first = source_.begin() + *run * blocks_of_run;
      inputs.insert(inputs.end(), first, first + static_cast<std::ptrdiff_t>(ci));
    } while (nest_.next(point, pairs_));
    if (inputs.empty()) return;
    hir::MatMul product =
        product_of_tap(e_, shape_, tap, weights_, std::move(inputs), std::move(outputs));
    product.true_macs = nest_.macs;
    if (tap == 0) product.bias = bias_;
    e_.hir().add(std::move(product));
  }

  Emitter& e_;
  const LoopNest& nest_;
  WeightShape shape_;
  bool spaced_;
  std::vector<LoopNumber> batches_, pairs_;
  Addresses bias_, weights_, source_, result_;
};

// ---- sums and maxima over windows ---------------------------------------------------------------

class WindowEnumeration {
 public:
  WindowEnumeration(Emitter& e, const LoopNest& nest) : e_(e), nest_(nest) {}

  void write() {
    collect();
    std::vector<Last> last;
    for (auto& [key, group] : groups_) {
      if (nest_.work == NestWork::maximum) {
        last.push_back({hir::Kind::max_pool, std::move(group.taps)});
        continue;
      }
      const bool weighs = nest_.weight != 1 || group.factors.empty();
      last.push_back(sums(group, weighs ? std::optional(constant(nest_.weight)) : std::nullopt));
    }
    // Operations of one kind are computed in the order of their results.
    const Addresses y = e_.allocate(vectors_);
    std::size_t number = 0;
    for (const auto& [key, group] : groups_) {
      Addresses results;
      for (const std::size_t at : group.results) results.push_back(y[at]);
      e_.hir().add(last[number].kind, std::move(last[number].operands), std::move(results));
      ++number;
    }
    e_.result(nest_.result.value, y);
  }

 private:
  /// Vectors of all windows that are computed in the same way.
  struct Group {
    std::vector<Addresses> taps;
    std::vector<Addresses> factors;
    std::vector<std::size_t> results;  ///< their places in the output
  };
  /// The operation that makes a group's results.
  struct Last {
    hir::Kind kind = hir::Kind::max_pool;
    std::vector<Addresses> operands;
  };

  Address constant(float value) {
    const auto [found, is_new] = constants_.emplace(value, Address::invalid());
    if (is_new) found->second = e_.load(e_.splat(value)).front();
    return found->second;
  }

  void collect() {
    const Access& source = nest_.operands[0];
    const std::int64_t blocks = (source.sizes.back() + e_.array_size() - 1) / e_.array_size();
    const Addresses x = e_.temps(source.value);
    const std::vector<LoopNumber> windows = nest_.result_loops();
    Point point(nest_.loops.size(), 0);
    std::size_t window = 0;
    do {
      std::vector<std::int64_t> runs;
      do {
        if (const auto run = source.run(point)) runs.push_back(*run);
      } while (nest_.next(point, nest_.taps));
      const std::vector<float> own = nest_.factors.empty()
                                         ? std::vector<float>{}
                                         : nest_.factors[window % nest_.factors.size()];
      ++window;
      Group& group = groups_[{runs.size(), own}];
      group.taps.resize(std::max<std::size_t>(runs.size(), 1));
      group.factors.resize(own.size());
      for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::size_t k = 0; k < runs.size(); ++k) {
          group.taps[k].push_back(x[static_cast<std::size_t>(runs[k] * blocks + block)]);
        }
        if (runs.empty()) group.taps[0].push_back(constant(0));
        for (std::size_t k = 0; k < own.size(); ++k) {
          group.factors[k].push_back(constant(own[k]));
        }
        group.results.push_back(vectors_++);
      }
    } while (nest_.next(point, windows));
  }

  /// Writes the sums, and a multiplication for each factor, except for the last of these
  /// operations, which is returned. `weighing` multiplies each value before it is added; without
  /// it the first factor is part of the sums' operation.
  Last sums(Group& group, std::optional<Address> weighing) {
    const std::size_t count = group.results.size();
    std::size_t next = 0;
    Last last{hir::Kind::average_pool, std::move(group.taps)};
    if (!weighing) {
      last.operands.push_back(std::move(group.factors[next++]));
    } else {
      Last weighted{hir::Kind::interpolate, {}};
      for (Addresses& tap : last.operands) {
        weighted.operands.push_back(std::move(tap));
        weighted.operands.emplace_back(count, *weighing);
      }
      last = std::move(weighted);
    }
    for (; next < group.factors.size(); ++next) {
      Addresses results = e_.allocate(count);
      e_.hir().add(last.kind, std::move(last.operands), results);
      last = {hir::Kind::average_pool, {std::move(results), std::move(group.factors[next])}};
    }
    return last;
  }

  Emitter& e_;
  const LoopNest& nest_;
  std::map<float, Address> constants_;
  std::map<std::pair<std::size_t, std::vector<float>>, Group> groups_;
  std::size_t vectors_ = 0;
};

}  // namespace

void enumerate(Emitter& e, const LoopNest& nest) {
  if (nest.work == NestWork::product) {
    ProductEnumeration(e, nest).write();
  } else {
    WindowEnumeration(e, nest).write();
  }
}

void enumerate(Emitter& e, const Renaming& nest) {
  if (e.is_temp(nest.value)) {
    e.result(nest.result, e.temps(nest.value));
  } else {
    e.alias(nest.result, e.variable(nest.value), {nest.value});
  }
}

}  // namespace tactus::compiler
