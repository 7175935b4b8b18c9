#include "firmware/compiler/stripe/interpret.h"

#include <cstddef>
#include <memory>
#include <numeric>

#include "firmware/compiler/stripe/interpreter/frame.h"
#include "firmware/compiler/stripe/interpreter/memory.h"
#include "firmware/compiler/stripe/interpreter/numbers.h"
#include "firmware/compiler/stripe/lookup.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace interpreter {
namespace {

class Interpreter {
 public:
  Interpreter(const Program& program, const InterpretOptions& options)
      : options_(options),
        numbers_(options.fixed_point),
        root_(prepare(program.block(), options)),
        memory_(*root_, numbers_, options.check_conflicts),
        random_state_(options.shuffle_seed.value_or(0)) {}

  Tensors run(const Program& program, const Tensors& inputs) {
    const auto users = user_buffers(program);
    std::map<std::string, const Tensor*> untouched;
    for (const auto& [name, tensor] : inputs) {
      const auto user = users.find(name);
      if (user == users.end()) {
        std::string known;
        for (const auto& [n, shape] : users) known += (known.empty() ? "" : ", ") + n;
        user_error("the program has no buffer {} of the user's; it has {}", quote(name), known);
      }
      if (tensor.size() != user->second.elements()) {
        user_error("buffer {} has {} elements, {} were given", quote(name), user->second.elements(),
                   tensor.size());
      }
      // An aggregation without old contents starts from its identity.
      const View& view = root_->views.at(name);
      if (view.ref->direction == Direction::out && view.op != Aggregation::none) {
        untouched.emplace(name, &tensor);
      } else {
        fill(*view.buffer, tensor, user->second.type);
      }
    }
    run_block(*root_);
    Tensors outputs;
    for (const auto& [name, shape] : users) {
      const auto before = untouched.find(name);
      outputs.emplace(name, contents(*root_->views.at(name).buffer,
                                     before != untouched.end() ? before->second : nullptr));
    }
    return outputs;
  }

 private:
  // ---- blocks ----

  void run_block(Frame& frame) {
    if (frame.positions > options_.max_positions - done_) {
      fail(frame, fmt::format("the program has more than {} positions", options_.max_positions));
    }
    done_ += frame.positions;
    if (options_.check_conflicts) frame.accesses.clear();
    frame.direct = frame.is_leaf && &frame != root_.get() && all_positions_fit(frame);
    if (options_.shuffle_seed) {
      run_shuffled(frame);
    } else {
      run_in_order(frame);
    }
    for (auto& [into, view] : frame.views) {
      if (view.pending != nullptr) memory_.hand_over(view);
    }
  }

  /// Prepares the views. Returns true if all positions, without regard to constraints, are inside
  /// the buffers.
  static bool all_positions_fit(Frame& frame) {
    for (View* view : frame.in_order) {
      if (view->parent == nullptr) {
        for (const std::int64_t size : view->buffer->sizes) {
          if (size == 0) return false;
        }
        if (view->ref->direction != Direction::none) return false;
        view->parent_flat = 0;
        continue;
      }
      const std::size_t missing = view->origin.size() - view->access.size();
      std::int64_t flat = 0;
      for (std::size_t i = 0; i < view->origin.size(); ++i) {
        std::int64_t low = view->parent->origin[i];
        flat += low * view->buffer->strides[i];
        std::int64_t high = low;
        if (i >= missing && !widen(frame, view->access[i - missing], low, high)) return false;
        if (low < 0 || high >= view->buffer->sizes[i]) return false;
      }
      view->parent_flat = flat;
    }
    return true;
  }

  /// Adds the least and the largest value of an affine. False if that does not fit 64 bits.
  static bool widen(const Frame& frame, const Compiled& affine, std::int64_t& low,
                    std::int64_t& high) {
    bool fits = !__builtin_add_overflow(low, affine.constant, &low) &&
                !__builtin_add_overflow(high, affine.constant, &high);
    for (const auto& [index, factor] : affine.terms) {
      const bool fixed = frame.block->indexes[index].is_computed();
      const std::int64_t last =
          fixed ? frame.values[index] : static_cast<std::int64_t>(frame.ranges[index]) - 1;
      std::int64_t reach = 0;
      fits = fits && !__builtin_mul_overflow(factor, last, &reach);
      if (fixed || reach < 0) fits = fits && !__builtin_add_overflow(low, reach, &low);
      if (fixed || reach > 0) fits = fits && !__builtin_add_overflow(high, reach, &high);
    }
    return fits;
  }

  void run_in_order(Frame& frame) {
    for (const std::size_t i : frame.counted) frame.values[i] = 0;
    if (frame.direct) place_elements(frame);
    for (std::uint64_t number = 1;; ++number) {
      frame.position = number;
      run_position(frame);
      std::size_t digit = frame.counted.size();
      while (digit-- > 0) {
        const std::size_t i = frame.counted[digit];
        const bool on = static_cast<std::uint64_t>(frame.values[i]) + 1 < frame.ranges[i];
        const std::int64_t by = on ? 1 : -frame.values[i];
        frame.values[i] += by;
        if (frame.direct) {
          for (const auto& [view, step] : frame.moved[digit]) {
            view->element += static_cast<std::size_t>(by * step);
          }
        }
        if (on) break;
        if (digit == 0) return;
      }
      if (frame.counted.empty()) return;
    }
  }

  /// Number n of the positions is (n * step + start) mod count, with a step that has no divisor in
  /// common with the count.
  void run_shuffled(Frame& frame) {
    const std::uint64_t count = frame.positions;
    const std::uint64_t start = random() % count;
    std::uint64_t step = 1 + random() % count;
    while (std::gcd(step, count) != 1) step = step % count + 1;
    std::uint64_t at = start;
    for (std::uint64_t n = 0; n < count; ++n) {
      std::uint64_t rest = at;
      frame.position = rest + 1;
      for (std::size_t digit = frame.counted.size(); digit-- > 0;) {
        const std::size_t i = frame.counted[digit];
        frame.values[i] = static_cast<std::int64_t>(rest % frame.ranges[i]);
        rest /= frame.ranges[i];
      }
      if (frame.direct) place_elements(frame);
      run_position(frame);
      at = at >= count - step ? at - (count - step) : at + step;
    }
  }

  std::uint64_t random() {
    // splitmix64
    std::uint64_t z = (random_state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  static void place_elements(Frame& frame) {
    for (View* view : frame.in_order) {
      view->element = static_cast<std::size_t>(view->parent_flat + view->flat.at(frame.values));
    }
  }

  void run_position(Frame& frame) {
    for (const Compiled& constraint : frame.constraints) {
      if (constraint.evaluate(frame.values) < 0) return;
    }
    if (frame.direct) {
      for (View* view : frame.in_order) {
        if (view->parent == nullptr) view->buffer->data.clear();
      }
    } else {
      for (View* view : frame.in_order) place(*view);
    }
    for (Step& step : frame.steps) {
      if (step.nested != nullptr) {
        Frame& nested = *step.nested;
        for (std::size_t i = 0; i < nested.computed.size(); ++i) {
          if (!nested.block->indexes[i].is_computed()) continue;
          nested.values[i] = nested.computed[i].evaluate(frame.values);
        }
        run_block(nested);
      } else {
        try {
          run_step(frame, step);
        } catch (const UserError& error) {
          const std::string what = error.what();
          if (what.substr(0, 6) == "block ") throw;
          fail(frame, what);
        }
      }
    }
  }

  void place(View& view) {
    const std::vector<std::int64_t>& values = view.frame->values;
    if (view.parent == nullptr) {
      if (view.frame != root_.get()) view.buffer->data.clear();
      // A view of the program's own buffer may have an origin.
      for (std::size_t i = 0; i < view.access.size(); ++i) {
        view.origin[i] =
            view.ref->direction == Direction::none ? 0 : view.access[i].evaluate(values);
      }
      return;
    }
    const std::size_t missing = view.origin.size() - view.access.size();
    for (std::size_t i = 0; i < view.origin.size(); ++i) {
      view.origin[i] = view.parent->origin[i];
      if (i < missing) continue;
      view.origin[i] = add_checked(view.origin[i], view.access[i - missing].evaluate(values));
    }
  }

  [[nodiscard]] static std::size_t element(const Frame& frame, const View& view) {
    return frame.direct ? view.element : Memory::address(view);
  }

  void run_step(Frame& frame, Step& step) {
    std::vector<Scalar>& scalars = frame.scalar_values;
    switch (step.kind) {
      case StepKind::load:
        scalars[step.outputs[0]] = memory_.load(*step.read[0], element(frame, *step.read[0]));
        break;
      case StepKind::store:
        memory_.store(*step.written[0], element(frame, *step.written[0]), scalars[step.inputs[0]]);
        break;
      case StepKind::load_index:
        scalars[step.outputs[0]] = Scalar::of(step.affine.evaluate(frame.values));
        break;
      case StepKind::function:
      case StepKind::lookup:
        arguments_.clear();
        for (const std::size_t i : step.inputs) {
          arguments_.push_back(cast_input(scalars[i], step, arguments_.size()));
        }
        scalars[step.outputs[0]] = result_of(step);
        break;
      case StepKind::special:
        run_special(memory_, frame, step);
        break;
      case StepKind::constant:  // there since the block was prepared
      case StepKind::block:
        break;
    }
  }

  /// The result for arguments_.
  [[nodiscard]] Scalar result_of(const Step& step) const {
    if (step.table != nullptr) return look_up(*step.table);
    const Scalar result = step.function(arguments_);
    return step.whole ? result : numbers_.rounded(result);
  }

  [[nodiscard]] Scalar look_up(const Buffer& table) const {
    const auto entries = static_cast<std::size_t>(table.sizes[1]);
    const TableKey key = table_key(arguments_[0].as_real(), arguments_[1].as_real(), entries);
    const auto rounded = [this](double value) {
      return numbers_.rounded(Scalar::of_real(value)).real;
    };
    const double slope = table.data.at(key.entry).as_real();
    const double height = table.data.at(entries + key.entry).as_real();
    return Scalar::of_real(rounded(rounded(rounded(key.difference) * slope) + height));
  }

  /// The condition of `cond` is no number that has to fit the type.
  Scalar cast_input(const Scalar& value, const Step& step, std::size_t number) const {
    if (step.type == DataType::boolean || (step.is_choice && number == 0)) return value;
    return numbers_.to_type(value, step.type);
  }

  // ---- user's buffers ----

  void fill(Buffer& buffer, const Tensor& tensor, DataType type) const {
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      buffer.data.set(i, numbers_.to_type(Scalar::of_real(tensor[i]), type));
    }
  }

  static Tensor contents(const Buffer& buffer, const Tensor* before) {
    Tensor result = before != nullptr ? *before : Tensor(buffer.data.size(), 0.0);
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (buffer.data.has(i)) result[i] = buffer.data.at(i).as_real();
    }
    return result;
  }

  const InterpretOptions& options_;
  const Numbers numbers_;
  const std::unique_ptr<Frame> root_;
  Memory memory_;
  std::vector<Scalar> arguments_;
  std::uint64_t done_ = 0;
  std::uint64_t random_state_;
};

}  // namespace
}  // namespace interpreter

Tensors interpret(const Program& program, const Tensors& inputs, const InterpretOptions& options) {
  return interpreter::Interpreter(program, options).run(program, inputs);
}

}  // namespace tactus::stripe
