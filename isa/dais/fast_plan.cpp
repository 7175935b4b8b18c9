#include "isa/dais/fast_plan.h"

#include <algorithm>

#include "isa/support/error.h"

namespace tactus::dais {
namespace {

/// Numbers of the values that a step reads.
struct Operands {
  std::uint32_t ids[3] = {};
  unsigned count = 0;
  void add(std::uint32_t id) { ids[count++] = id; }
};

Operands operands_of(const Step& step) {
  Operands operands;
  if (step.kind == StepKind::copy || step.kind == StepKind::constant) return operands;
  operands.add(step.id0);
  if (step.has_id1) operands.add(step.id1);
  if (step.kind == StepKind::mux) operands.add(step.condition);
  return operands;
}

class Planner {
 public:
  Planner(const Steps& steps, const std::vector<OpRange>& ranges, unsigned lane_bits)
      : steps_(steps), ranges_(ranges), lane_bits_(lane_bits) {}

  FastPlan run() {
    find_readers();
    group_outputs();
    slot_.resize(steps_.steps.size());
    for (const std::uint32_t i : execution_order()) {
      slot_[i] = take_slot();
      add_step(i);
      for (const std::uint32_t output : outputs_of(i)) add_output(i, output);
      const Operands operands = operands_of(steps_.steps[i]);
      for (unsigned k = 0; k < operands.count; ++k) drop_reader(operands.ids[k]);
      // ends the use by the operation itself, see find_readers()
      if (--readers_[i] == 0) free_.push_back(slot_[i]);
    }
    add_zero_outputs();
    return std::move(plan_);
  }

 private:
  /// Counts the readers of each value. A live operation counts as a reader of its own value.
  void find_readers() {
    const std::vector<Step>& steps = steps_.steps;
    readers_.assign(steps.size(), 0);
    for (const OutputStep& output : steps_.outputs) {
      if (output.index >= 0) readers_[static_cast<std::size_t>(output.index)] = 1;
    }
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (steps[i].kind == StepKind::lookup) readers_[i] = std::max<std::size_t>(readers_[i], 1);
      if (readers_[i] == 0) continue;
      const Operands operands = operands_of(steps[i]);
      for (unsigned k = 0; k < operands.count; ++k) {
        // The first reader makes the operation live.
        std::size_t& count = readers_[operands.ids[k]];
        count += count == 0 ? 2 : 1;
      }
    }
  }

  /// Orders the live operations, each right after its operands. Programs are written level by
  /// level; in that order whole levels would wait in slots.
  [[nodiscard]] std::vector<std::uint32_t> execution_order() const {
    std::vector<std::uint32_t> order;
    std::vector<bool> placed(readers_.size());
    std::vector<std::uint32_t> stack;
    const auto place = [&](std::uint32_t root) {
      stack.push_back(root);
      while (!stack.empty()) {
        const std::uint32_t id = stack.back();
        const Operands operands = operands_of(steps_.steps[id]);
        const std::size_t depth = stack.size();
        // Operands are pushed so that the latest one is placed first: it ends the longest chain.
        for (unsigned k = 0; k < operands.count && !placed[id]; ++k) {
          if (!placed[operands.ids[k]]) stack.push_back(operands.ids[k]);
        }
        std::sort(stack.begin() + static_cast<std::ptrdiff_t>(depth), stack.end());
        if (stack.size() > depth) continue;
        stack.pop_back();
        if (!placed[id]) order.push_back(id);
        placed[id] = true;
      }
    };
    for (const OutputStep& output : steps_.outputs) {
      if (output.index >= 0) place(static_cast<std::uint32_t>(output.index));
    }
    // A lookup without readers is kept, since it may still fail.
    for (std::uint32_t i = 0; i < readers_.size(); ++i) {
      if (readers_[i] != 0 && !placed[i]) place(i);
    }
    return order;
  }

  void group_outputs() {
    const std::size_t count = steps_.outputs.size();
    first_output_.assign(steps_.steps.size() + 1, 0);
    for (const OutputStep& output : steps_.outputs) {
      if (output.index >= 0) ++first_output_[static_cast<std::size_t>(output.index) + 1];
    }
    for (std::size_t i = 1; i < first_output_.size(); ++i) first_output_[i] += first_output_[i - 1];
    by_value_.resize(first_output_.back());
    std::vector<std::size_t> next = first_output_;
    for (std::size_t j = 0; j < count; ++j) {
      const std::int32_t index = steps_.outputs[j].index;
      if (index >= 0) {
        by_value_[next[static_cast<std::size_t>(index)]++] = static_cast<std::uint32_t>(j);
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> outputs_of(std::size_t value) const {
    const auto begin = by_value_.begin();
    return {begin + static_cast<std::ptrdiff_t>(first_output_[value]),
            begin + static_cast<std::ptrdiff_t>(first_output_[value + 1])};
  }

  std::uint32_t take_slot() {
    if (free_.empty()) return static_cast<std::uint32_t>(plan_.slots++);
    // Takes the slot that was freed last: it is most likely still in the cache.
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }

  void drop_reader(std::uint32_t id) {
    if (--readers_[id] == 0) free_.push_back(slot_[id]);
  }

  void set_cut(const Step& step, bool needed, FastStep& fast) const {
    fast.cuts = needed && step.cuts;
    if (!fast.cuts) return;
    fast.mask = from_bits(low_mask(step.width));
    fast.sign = from_bits(sign_bit(step.width, step.is_signed));
  }

  void add_step(std::size_t index) {
    const Step& step = steps_.steps[index];
    FastStep fast;
    fast.to = slot_[index];
    const Operands operands = operands_of(step);
    if (operands.count > 0) fast.from0 = slot_[step.id0];
    if (step.has_id1) fast.from1 = slot_[step.id1];
    fast.negate0 = step.negate0;
    fast.negate1 = step.negate1;
    fast.left0 = step.left0;
    fast.left1 = step.left1;
    // Bits beyond the lane are copies of the sign, so longer shifts give the same.
    fast.right = std::min<std::uint8_t>(step.right, static_cast<std::uint8_t>(lane_bits_ - 1));
    fast.constant = step.constant;
    set_cut(step, !ranges_[index].fits_type, fast);
    set_code(step, fast);
    plan_.steps.push_back(fast);
    if (step.kind == StepKind::add && step.right > 0) {
      // The kernel has no sum with a shift: a second step shifts, in a slot of its own.
      const std::uint32_t sum = slot_[index];
      slot_[index] = take_slot();
      free_.push_back(sum);
      FastStep drop;
      drop.code = FastCode::right;
      drop.from0 = sum;
      drop.to = slot_[index];
      drop.right = fast.right;
      plan_.steps.push_back(drop);
    }
  }

  void set_code(const Step& step, FastStep& fast) const {
    switch (step.kind) {
      case StepKind::copy:
        fast.code = FastCode::copy;
        fast.port = step.id0;
        fast.scale = step.scale;
        return;
      case StepKind::add:
        fast.code = sum_code(step);
        return;
      case StepKind::relu:
        fast.code = FastCode::relu;
        return;
      case StepKind::quantise:
        fast.code = FastCode::quantise;
        return;
      case StepKind::constant:
        fast.code = FastCode::fill;
        return;
      case StepKind::mux:
        return set_mux(step, fast);
      case StepKind::multiply:
        fast.code = FastCode::multiply;
        return;
      case StepKind::lookup:
        fast.code = FastCode::lookup;
        fast.table = steps_.tables[step.condition].entries.data();
        fast.table_size = steps_.tables[step.condition].entries.size();
        return;
      case StepKind::bit_not:
        fast.code = FastCode::bit_not;
        return;
      case StepKind::bit_any:
        fast.code = FastCode::bit_any;
        return;
      case StepKind::bit_all:
        fast.code = FastCode::bit_all;
        return;
      case StepKind::bit_and:
        fast.code = FastCode::bit_and;
        return;
      case StepKind::bit_or:
        fast.code = FastCode::bit_or;
        return;
      case StepKind::bit_xor:
        fast.code = FastCode::bit_xor;
        return;
    }
    internal_error("step of kind {}", static_cast<int>(step.kind));
  }

  static FastCode sum_code(const Step& step) {
    if (!step.has_id1) return FastCode::add_constant;
    if (step.left0 > 0) return step.negate1 ? FastCode::subtract_left0 : FastCode::add_left0;
    if (step.left1 > 0) return step.negate1 ? FastCode::subtract_left1 : FastCode::add_left1;
    return step.negate1 ? FastCode::subtract : FastCode::add;
  }

  void set_mux(const Step& step, FastStep& fast) const {
    fast.condition = slot_[step.condition];
    fast.code = FastCode::mux_bit;
    if (step.tests_bit) {
      const unsigned bit = std::min<unsigned>(step.test_bit, lane_bits_ - 1);
      fast.left = static_cast<std::uint8_t>(lane_bits_ - 1 - bit);
      return;
    }
    fast.code = FastCode::mux_compare;
    fast.constant = std::max(step.constant, range_of_type(lane_bits_, true).low);
  }

  void add_output(std::size_t value, std::uint32_t output) {
    FastStep fast;
    fast.code = FastCode::output;
    fast.from0 = slot_[value];
    fast.port = output;
    fast.negate0 = steps_.outputs[output].negative;
    fast.scale = steps_.outputs[output].scale;
    plan_.steps.push_back(fast);
  }

  void add_zero_outputs() {
    std::uint32_t zero = 0;
    bool made = false;
    for (std::size_t j = 0; j < steps_.outputs.size(); ++j) {
      if (steps_.outputs[j].index >= 0) continue;
      if (!made) {
        made = true;
        zero = take_slot();
        FastStep fill;
        fill.to = zero;
        plan_.steps.push_back(fill);
      }
      FastStep fast;
      fast.code = FastCode::output;
      fast.from0 = zero;
      fast.port = static_cast<std::uint32_t>(j);
      plan_.steps.push_back(fast);
    }
  }

  const Steps& steps_;
  const std::vector<OpRange>& ranges_;
  unsigned lane_bits_;
  std::vector<std::size_t> readers_;
  std::vector<std::size_t> first_output_;
  std::vector<std::uint32_t> by_value_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> free_;
  FastPlan plan_;
};

}  // namespace

unsigned narrowest_lane(const Steps& steps, const std::vector<OpRange>& ranges, unsigned at_least) {
  for (const unsigned bits : {16U, 32U}) {
    if (bits < at_least) continue;
    const MantissaRange lane = range_of_type(bits, true);
    bool fits = true;
    for (std::size_t i = 0; i < ranges.size() && fits; ++i) {
      const Step& step = steps.steps[i];
      fits = ranges[i].inner.within(lane) && ranges[i].value.within(lane) && step.left0 < bits &&
             step.left1 < bits;
      // A mux compares its condition in the lane's type.
      if (step.kind == StepKind::mux && !step.tests_bit && step.constant > lane.high) fits = false;
    }
    if (fits) return bits;
  }
  return 64;
}

FastPlan make_plan(const Steps& steps, const std::vector<OpRange>& ranges, unsigned lane_bits) {
  return Planner(steps, ranges, lane_bits).run();
}

}  // namespace tactus::dais
