// Preparation of a program: each block once, however often it runs.
#include <fmt/format.h>

#include <optional>
#include <variant>

#include "firmware/compiler/stripe/interpreter/frame.h"
#include "firmware/compiler/stripe/lookup.h"
#include "isa/support/text.h"

namespace tactus::stripe::interpreter {
namespace {

/// Elements of all buffers and accumulations together.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 28;

class Preparation {
 public:
  explicit Preparation(const InterpretOptions& options) : options_(options) {}

  std::unique_ptr<Frame> run(const Block& entry) {
    auto root = std::make_unique<Frame>();
    root_ = root.get();
    prepare(entry, nullptr, *root);
    return root;
  }

 private:
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
        step.table = root_->views.at(*table).buffer;
        return;
      }
      if (const std::string problem = function_problem(*op); !problem.empty()) {
        fail(frame, problem);
      }
      bool known = false;
      step.function = find_function(op->name, op->inputs.size(), known);
    }
  }

  const InterpretOptions& options_;
  const Frame* root_ = nullptr;
  std::uint64_t elements_ = 0;
};

}  // namespace

std::unique_ptr<Frame> prepare(const Block& entry, const InterpretOptions& options) {
  return Preparation(options).run(entry);
}

void fail(const Frame& frame, const std::string& what) {
  user_error("block {}: {}", quote(frame.block->name), what);
}

}  // namespace tactus::stripe::interpreter
