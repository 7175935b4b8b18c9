#include "firmware/compiler/stripe/interpret.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "firmware/compiler/stripe/lookup.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

/// Elements of all buffers and accumulations together.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 28;

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

class Interpreter {
 public:
  explicit Interpreter(const InterpretOptions& options)
      : options_(options), random_state_(options.shuffle_seed.value_or(0)) {
    if (!options.fixed_point) return;
    const FixedPoint& format = *options.fixed_point;
    units_ = std::ldexp(1.0, static_cast<int>(format.binary_point));
    unit_ = 1 / units_;
    half_range_ = std::ldexp(1.0, static_cast<int>(format.width_bits) - 1);
  }

  Tensors run(const Program& program, const Tensors& inputs) {
    const Block& entry = program.block();
    frame_ = std::make_unique<Frame>();
    prepare(entry, nullptr, *frame_);
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
      const View& view = frame_->views.at(name);
      if (view.ref->direction == Direction::out && view.op != Aggregation::none) {
        untouched.emplace(name, &tensor);
      } else {
        fill(*view.buffer, tensor, user->second.type);
      }
    }
    keep_entry_buffers_ = true;
    run_block(*frame_);
    Tensors outputs;
    for (const auto& [name, shape] : users) {
      const auto before = untouched.find(name);
      outputs.emplace(name, contents(*frame_->views.at(name).buffer,
                                     before != untouched.end() ? before->second : nullptr));
    }
    return outputs;
  }

 private:
  // ---- preparation ----

  static Compiled compile(const Affine& affine, const Block* block) {
    Compiled result;
    result.constant = affine.constant();
    for (const Affine::Term& term : affine.terms()) {
      std::size_t at = 0;
      const std::size_t count = block != nullptr ? block->indexes.size() : 0;
      while (at < count && block->indexes[at].name != term.first) ++at;
      if (at == count) internal_error("no index {}", quote(term.first));
      result.terms.emplace_back(at, term.second);
    }
    return result;
  }

  void claim_elements(std::uint64_t count, const std::string& name) {
    if (count > most_elements - elements_) {
      user_error("buffer {}: the interpreter holds at most {} elements in all", quote(name),
                 most_elements);
    }
    elements_ += count;
  }

  void prepare(const Block& block, Frame* parent, Frame& frame) {
    frame.block = &block;
    frame.positions = block.positions();
    frame.fused = options_.fixed_point && !block.location.empty() &&
                  block.location.devices.back().name == options_.fixed_point->fused_at;
    frame.values.assign(block.indexes.size(), 0);
    for (std::size_t i = 0; i < block.indexes.size(); ++i) {
      const Index& idx = block.indexes[i];
      frame.ranges.push_back(idx.range);
      frame.computed.push_back(compile(idx.affine, parent != nullptr ? parent->block : nullptr));
      if (!idx.is_computed() && idx.range != 1) frame.counted.push_back(i);
    }
    for (const Affine& constraint : block.constraints) {
      frame.constraints.push_back(compile(constraint, &block));
    }
    for (const auto& [into, ref] : block.refs) {
      View& view = frame.views[into];
      view.frame = &frame;
      prepare(ref, parent, view);
      frame.in_order.push_back(&view);
    }
    for (const std::size_t i : frame.counted) {
      frame.moved.emplace_back();
      for (View* view : frame.in_order) {
        for (const auto& [index, factor] : view->flat.terms) {
          if (index == i) frame.moved.back().emplace_back(view, factor);
        }
      }
    }
    for (const Statement& stmt : block.statements) {
      frame.steps.emplace_back();
      prepare(stmt, frame, frame.steps.back());
    }
    frame.scalar_values.resize(frame.scalars.size());
    for (const Step& step : frame.steps) {
      frame.is_leaf =
          frame.is_leaf && step.kind != StepKind::block && step.kind != StepKind::special;
      if (step.kind != StepKind::constant) continue;
      const auto& value = step.statement->as<Constant>()->value;
      const auto* integer = std::get_if<std::int64_t>(&value);
      frame.scalar_values[step.outputs[0]] =
          integer != nullptr ? Scalar::of(*integer) : Scalar::of_real(std::get<double>(value));
    }
  }

  void prepare(const Refinement& ref, Frame* parent, View& view) {
    view.ref = &ref;
    view.op = aggregation_of(ref.agg_op);
    view.type = ref.shape.type;
    for (const Affine& access : ref.access) {
      view.access.push_back(compile(access, view.frame->block));
    }
    view.origin.assign(ref.shape.dims.size(), 0);
    if (ref.direction == Direction::none || parent == nullptr) {
      view.own = std::make_unique<Buffer>();
      view.own->name = ref.into;
      std::int64_t stride = 1;
      view.own->strides.assign(ref.shape.dims.size(), 1);
      for (std::size_t i = ref.shape.dims.size(); i-- > 0;) {
        view.own->strides[i] = stride;
        stride = multiply_checked(stride, static_cast<std::int64_t>(ref.shape.dims[i].size));
      }
      for (const Dimension& dim : ref.shape.dims) {
        view.own->sizes.push_back(static_cast<std::int64_t>(dim.size));
      }
      claim_elements(ref.shape.elements(), ref.into);
      view.own->data.resize(ref.shape.elements());
      view.buffer = view.own.get();
      view.holder = &view;
      return;
    }
    view.parent = &parent->views.at(ref.from);
    // Fragments may leave out leading dimensions of size 1.
    const std::size_t rank = view.parent->origin.size();
    if (ref.access.size() > rank) {
      fail(*view.frame, fmt::format("refinement {} has {} dimensions for {}", quote(ref.into),
                                    ref.access.size(), rank));
    }
    view.origin.assign(rank, 0);
    view.buffer = view.parent->buffer;
    view.type = view.parent->type;
    const bool own_sum = view.frame->fused && view.op != Aggregation::none;
    if (writes(ref.direction) && (view.op != view.parent->op || own_sum)) {
      claim_elements(view.buffer->data.size(), ref.into);
      view.pending = std::make_unique<Elements>();
      view.pending->resize(view.buffer->data.size());
    }
    view.holder = view.pending != nullptr ? &view : view.parent->holder;
    const std::size_t missing = rank - view.access.size();
    for (std::size_t i = 0; i < view.access.size(); ++i) {
      const std::int64_t stride = view.buffer->strides[i + missing];
      // An overflow is found when origins are compared with sizes.
      const auto times = [stride](std::int64_t factor) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(factor) *
                                         static_cast<std::uint64_t>(stride));
      };
      view.flat.constant = wrapping_sum(view.flat.constant, times(view.access[i].constant));
      for (const auto& [index, factor] : view.access[i].terms) {
        view.flat.terms.emplace_back(index, times(factor));
      }
    }
  }

  static std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }

  static std::size_t scalar(Frame& frame, const std::string& name) {
    return frame.scalars.emplace(name, frame.scalars.size()).first->second;
  }

  void prepare(const Statement& stmt, Frame& frame, Step& step) {
    step.statement = &stmt;
    if (const Block* nested = stmt.block()) {
      step.nested = std::make_unique<Frame>();
      prepare(*nested, &frame, *step.nested);
      return;
    }
    const Uses uses = uses_of(stmt);
    for (const std::string& n : uses.scalar_uses) step.inputs.push_back(scalar(frame, n));
    for (const std::string& n : uses.scalar_defs) step.outputs.push_back(scalar(frame, n));
    for (const std::string& n : uses.buffer_reads) step.read.push_back(&frame.views.at(n));
    for (const std::string& n : uses.buffer_writes) step.written.push_back(&frame.views.at(n));
    step.kind = stmt.as<Load>() != nullptr       ? StepKind::load
                : stmt.as<Store>() != nullptr    ? StepKind::store
                : stmt.as<Constant>() != nullptr ? StepKind::constant
                                                 : StepKind::special;
    if (const auto* load = stmt.as<LoadIndex>()) {
      step.kind = StepKind::load_index;
      step.affine = compile(load->from, frame.block);
    }
    if (const auto* op = stmt.as<Intrinsic>()) {
      step.kind = table_of(*op) ? StepKind::lookup : StepKind::function;
      step.type = op->type;
      step.is_choice = op->name == "cond";
      step.whole = frame.fused && op->name == "mul";
      if (const auto table = table_of(*op)) {
        step.table = frame_->views.at(*table).buffer;
        return;
      }
      bool known = false;
      step.function = find_function(op->name, op->inputs.size(), known);
      if (step.function == nullptr || op->outputs.size() != 1) {
        fail(frame, known ? fmt::format("{} with {} inputs and {} outputs", quote(op->name),
                                        op->inputs.size(), op->outputs.size())
                          : "the interpreter has no function " + quote(op->name));
      }
    }
  }

  [[noreturn]] static void fail(const Frame& frame, const std::string& what) {
    user_error("block {}: {}", quote(frame.block->name), what);
  }

  // ---- elements ----

  /// Address of the element at `offset` in the view.
  static std::size_t address(const View& view, const std::vector<std::int64_t>& offset = {}) {
    const Buffer& buffer = *view.buffer;
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < view.origin.size(); ++i) {
      std::int64_t at = view.origin[i];
      if (!offset.empty() && i + offset.size() >= view.origin.size()) {
        at += offset[i + offset.size() - view.origin.size()];
      }
      if (at < 0 || at >= buffer.sizes[i]) {
        fail(*view.frame,
             fmt::format("refinement {} is at {} in dimension {} of buffer {}, which has {}",
                         quote(view.ref->into), at, i, quote(buffer.name), buffer.sizes[i]));
      }
      flat += at * buffer.strides[i];
    }
    return static_cast<std::size_t>(flat);
  }

  [[nodiscard]] Scalar read(const View& from, std::size_t at) const {
    const View& view = *from.holder;
    if (view.pending != nullptr && view.pending->has(at)) {
      const Scalar& value = view.pending->at(at);
      if (view.op == Aggregation::none || view.ref->direction == Direction::out) return value;
      return combine(view.op, read(*view.parent, at), value);
    }
    if (view.parent != nullptr) return read(*view.parent, at);
    if (view.buffer->data.has(at)) return view.buffer->data.at(at);
    return identity(view.op, view.ref->shape.type);
  }

  void write(View& to, std::size_t at, const Scalar& value) {
    View& view = *to.holder;
    Elements& store = view.pending != nullptr ? *view.pending : view.buffer->data;
    Scalar result = value;
    if (view.op != Aggregation::none && store.has(at)) {
      result = combine(view.op, store.at(at), value);
    }
    store.set(at, to_type(result, view.type));
  }

  /// Passes the elements that a block wrote to the enclosing block.
  void hand_over(View& view) {
    for (const std::size_t at : view.pending->touched()) {
      Scalar value = view.pending->at(at);
      if (view.op != view.parent->op && view.op != Aggregation::none &&
          view.ref->direction == Direction::inout) {
        value = combine(view.op, read(*view.parent, at), value);
      }
      write(*view.parent, at, value);
    }
    view.pending->clear();
  }

  // ---- conflicts ----

  static std::uint64_t key(const View& view, std::size_t at) {
    return (reinterpret_cast<std::uintptr_t>(view.buffer) << 28U) ^ at;
  }

  void note(View& view, std::size_t at, bool write) {
    for (View* level = &view; level->parent != nullptr || level->frame->block == frame_->block;
         level = level->parent) {
      Frame& frame = *level->frame;
      Access& access = frame.accesses[key(*level, at)];
      if (write) {
        if (access.writer != 0 && access.writer != frame.position) {
          if (level->op == Aggregation::none) {
            fail(frame, fmt::format("two positions write one element of {}, which has no "
                                    "aggregation",
                                    quote(level->ref->into)));
          }
          access.writer = Access::several;
        } else {
          access.writer = frame.position;
        }
      } else {
        access.reader = access.reader == 0 || access.reader == frame.position ? frame.position
                                                                              : Access::several;
      }
      if (access.writer != 0 && access.reader != 0 && access.writer != access.reader) {
        fail(frame, fmt::format("a position reads an element of {} that another one writes",
                                quote(level->ref->into)));
      }
      if (level->parent == nullptr) break;
    }
  }

  Scalar load(View& view, std::size_t at) {
    if (options_.check_conflicts) note(view, at, false);
    return read(view, at);
  }

  void store(View& view, std::size_t at, const Scalar& value) {
    if (options_.check_conflicts) note(view, at, true);
    write(view, at, value);
  }

  // ---- blocks ----

  void run_block(Frame& frame) {
    if (frame.positions > options_.max_positions - done_) {
      fail(frame, fmt::format("the program has more than {} positions", options_.max_positions));
    }
    done_ += frame.positions;
    if (options_.check_conflicts) frame.accesses.clear();
    frame.direct = frame.is_leaf && &frame != frame_.get() && all_positions_fit(frame);
    if (options_.shuffle_seed) {
      run_shuffled(frame);
    } else {
      run_in_order(frame);
    }
    for (auto& [into, view] : frame.views) {
      if (view.pending != nullptr) hand_over(view);
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
      const bool kept = view.frame == frame_.get() && keep_entry_buffers_;
      if (!kept) view.buffer->data.clear();
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
    return frame.direct ? view.element : address(view);
  }

  void run_step(Frame& frame, Step& step) {
    std::vector<Scalar>& scalars = frame.scalar_values;
    switch (step.kind) {
      case StepKind::load:
        scalars[step.outputs[0]] = load(*step.read[0], element(frame, *step.read[0]));
        break;
      case StepKind::store:
        store(*step.written[0], element(frame, *step.written[0]), scalars[step.inputs[0]]);
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
        run_special(frame, step, *step.statement->as<Special>());
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
    return options_.fixed_point && !step.whole ? to_fixed_point(result) : result;
  }

  [[nodiscard]] Scalar look_up(const Buffer& table) const {
    const auto entries = static_cast<std::size_t>(table.sizes[1]);
    const TableKey key = table_key(arguments_[0].as_real(), arguments_[1].as_real(), entries);
    const auto rounded = [this](double value) {
      return options_.fixed_point ? to_fixed_point(Scalar::of_real(value)).real : value;
    };
    const double slope = table.data.at(key.entry).as_real();
    const double height = table.data.at(entries + key.entry).as_real();
    return Scalar::of_real(rounded(rounded(rounded(key.difference) * slope) + height));
  }

  /// The condition of `cond` is no number that has to fit the type.
  Scalar cast_input(const Scalar& value, const Step& step, std::size_t number) const {
    if (step.type == DataType::boolean || (step.is_choice && number == 0)) return value;
    if (options_.fixed_point && step.type == DataType::unknown) return to_fixed_point(value);
    return to_type(value, step.type);
  }

  // ---- fixed point ----

  [[nodiscard]] Scalar to_fixed_point(const Scalar& value) const {
    const double mantissa = value.as_real() * units_;
    // Half to even: adding and subtracting this leaves no fraction.
    constexpr double no_fraction = 6755399441055744.0;            // 1.5 * 2^52
    const double whole = std::abs(mantissa) < 2251799813685248.0  // 2^51
                             ? (mantissa + no_fraction) - no_fraction
                             : mantissa;
    return Scalar::of_real(std::min(std::max(whole, -half_range_), half_range_ - 1) * unit_);
  }

  [[nodiscard]] Scalar to_type(const Scalar& value, DataType type) const {
    const bool number = type != DataType::boolean && type != DataType::prng;
    return options_.fixed_point && number ? to_fixed_point(value) : cast(value, type);
  }

  // ---- specials ----

  /// Calls for every element's coordinates in the view.
  template <typename Visit>
  static void each_element(const TensorShape& shape, Visit&& visit) {
    std::vector<std::int64_t> at(shape.dims.size(), 0);
    for (const Dimension& dim : shape.dims) {
      if (dim.size == 0) return;
    }
    while (true) {
      visit(at);
      std::size_t i = at.size();
      while (i > 0 && static_cast<std::uint64_t>(++at[i - 1]) == shape.dims[i - 1].size) {
        at[--i] = 0;
      }
      if (i == 0) return;
    }
  }

  void run_special(Frame& frame, Step& step, const Special& op) {
    std::string name = op.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto needs = [&](std::size_t inputs, std::size_t outputs) {
      if (step.read.size() != inputs || step.written.size() != outputs) {
        fail(frame, fmt::format("{} takes {} inputs and {} outputs", name, inputs, outputs));
      }
    };
    if (name == "zero") {
      needs(0, 1);
      fill(*step.written[0], Scalar::of(0));
    } else if (name.substr(0, 9) == "agg_init_") {
      needs(0, 1);
      const Aggregation op_named = aggregation_of(name.substr(9));
      if (op_named == Aggregation::none)
        fail(frame, "no aggregation is named " + quote(name.substr(9)));
      fill(*step.written[0], identity(op_named, step.written[0]->ref->shape.type));
    } else if (name == "copy" || name == "reshape") {
      needs(1, 1);
      copy(frame, *step.read[0], *step.written[0]);
    } else if (name == "shape") {
      needs(1, 1);
      shape(frame, *step.read[0], *step.written[0]);
    } else if (name == "gather") {
      needs(2, 1);
      gather(frame, *step.read[0], *step.read[1], *step.written[0]);
    } else {
      fail(frame, "the interpreter has no operation " + quote(op.name));
    }
  }

  void fill(View& view, const Scalar& value) {
    each_element(view.ref->shape, [&](const std::vector<std::int64_t>& at) {
      store(view, address(view, at), value);
    });
  }

  void copy(const Frame& frame, View& from, View& to) {
    if (from.ref->shape.elements() != to.ref->shape.elements()) {
      fail(frame,
           fmt::format("{} has {} elements, {} has {}", quote(from.ref->into),
                       from.ref->shape.elements(), quote(to.ref->into), to.ref->shape.elements()));
    }
    std::vector<Scalar> values;
    each_element(from.ref->shape, [&](const std::vector<std::int64_t>& at) {
      values.push_back(load(from, address(from, at)));
    });
    std::size_t next = 0;
    each_element(to.ref->shape, [&](const std::vector<std::int64_t>& at) {
      store(to, address(to, at), values[next++]);
    });
  }

  void shape(const Frame& frame, const View& of, View& to) {
    const auto sizes = of.ref->shape.sizes();
    if (to.ref->shape.elements() != sizes.size()) {
      fail(frame, fmt::format("{} has {} dimensions, {} elements are there for them",
                              quote(of.ref->into), sizes.size(), to.ref->shape.elements()));
    }
    std::size_t next = 0;
    each_element(to.ref->shape, [&](const std::vector<std::int64_t>& at) {
      store(to, address(to, at), Scalar::of(static_cast<std::int64_t>(sizes[next++])));
    });
  }

  /// to[i..., rest] = from[index[i...], rest].
  void gather(const Frame& frame, View& from, View& index, View& to) {
    const std::size_t leading = index.ref->shape.dims.size();
    const std::size_t rank = from.ref->shape.dims.size();
    if (rank == 0 || to.ref->shape.dims.size() + 1 != leading + rank) {
      fail(frame, fmt::format("gather of {} dimensions by {} makes {}", rank, leading,
                              to.ref->shape.dims.size()));
    }
    each_element(to.ref->shape, [&](const std::vector<std::int64_t>& at) {
      const auto split = at.begin() + static_cast<std::ptrdiff_t>(leading);
      const std::vector<std::int64_t> which(at.begin(), split);
      std::vector<std::int64_t> source{load(index, address(index, which)).as_integer()};
      source.insert(source.end(), split, at.end());
      if (source[0] < 0 || static_cast<std::uint64_t>(source[0]) >= from.ref->shape.dims[0].size) {
        fail(frame,
             fmt::format("gather takes row {} of {}", source[0], from.ref->shape.dims[0].size));
      }
      store(to, address(to, at), load(from, address(from, source)));
    });
  }

  // ---- user's buffers ----

  void fill(Buffer& buffer, const Tensor& tensor, DataType type) const {
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      buffer.data.set(i, to_type(Scalar::of_real(tensor[i]), type));
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
  std::unique_ptr<Frame> frame_;
  std::vector<Scalar> arguments_;
  std::uint64_t elements_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t random_state_;
  /// Fixed point: value of the smallest step, and number of steps in 1.
  double unit_ = 1, units_ = 1;
  double half_range_ = 1;  ///< mantissas below 0
  bool keep_entry_buffers_ = false;
};

}  // namespace

Tensors interpret(const Program& program, const Tensors& inputs, const InterpretOptions& options) {
  return Interpreter(options).run(program, inputs);
}

Tensors sample_inputs(const Program& program) {
  Tensors inputs;
  std::map<std::string, bool> written;
  for (const Statement& stmt : program.block().statements) {
    const Block* main = stmt.block();
    if (main == nullptr) {
      for (const std::string& name : uses_of(stmt).buffer_writes) written[name] = true;
      continue;
    }
    for (const auto& [into, ref] : main->refs) {
      if (writes(ref.direction)) written[ref.from] = true;
    }
  }
  for (const auto& [name, shape] : user_buffers(program)) {
    Tensor tensor(shape.elements(), 0.0);
    std::uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    if (!written[name]) {
      for (double& value : tensor) {
        hash = hash * 1664525U + 1013904223U;
        value = static_cast<double>((hash >> 24U) % 15) - 7;
      }
    }
    inputs.emplace(name, std::move(tensor));
  }
  return inputs;
}

std::map<std::string, TensorShape> user_buffers(const Program& program) {
  std::map<std::string, TensorShape> all, tagged;
  for (const auto& [into, ref] : program.block().refs) {
    all.emplace(into, ref.shape);
    if (ref.has_tag("user")) tagged.emplace(into, ref.shape);
  }
  return tagged.empty() ? all : tagged;
}

}  // namespace tactus::stripe
