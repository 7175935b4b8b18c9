// Operations on whole views: zero, agg_init, copy, reshape, shape and gather.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "firmware/compiler/stripe/interpreter/memory.h"
#include "isa/support/text.h"

namespace tactus::stripe::interpreter {
namespace {

/// Calls for every element's coordinates in the view.
template <typename Visit>
void each_element(const TensorShape& shape, Visit&& visit) {
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

void fill(Memory& memory, View& view, const Scalar& value) {
  each_element(view.ref->shape, [&](const std::vector<std::int64_t>& at) {
    memory.store(view, Memory::address(view, at), value);
  });
}

void copy(Memory& memory, const Frame& frame, View& from, View& to) {
  if (from.ref->shape.elements() != to.ref->shape.elements()) {
    fail(frame,
         fmt::format("{} has {} elements, {} has {}", quote(from.ref->into),
                     from.ref->shape.elements(), quote(to.ref->into), to.ref->shape.elements()));
  }
  std::vector<Scalar> values;
  each_element(from.ref->shape, [&](const std::vector<std::int64_t>& at) {
    values.push_back(memory.load(from, Memory::address(from, at)));
  });
  std::size_t next = 0;
  each_element(to.ref->shape, [&](const std::vector<std::int64_t>& at) {
    memory.store(to, Memory::address(to, at), values[next++]);
  });
}

void shape(Memory& memory, const Frame& frame, const View& of, View& to) {
  const auto sizes = of.ref->shape.sizes();
  if (to.ref->shape.elements() != sizes.size()) {
    fail(frame, fmt::format("{} has {} dimensions, {} elements are there for them",
                            quote(of.ref->into), sizes.size(), to.ref->shape.elements()));
  }
  std::size_t next = 0;
  each_element(to.ref->shape, [&](const std::vector<std::int64_t>& at) {
    memory.store(to, Memory::address(to, at), Scalar::of(static_cast<std::int64_t>(sizes[next++])));
  });
}

/// to[i..., rest] = from[index[i...], rest].
void gather(Memory& memory, const Frame& frame, View& from, View& index, View& to) {
  const std::size_t leading = index.ref->shape.dims.size();
  const std::size_t rank = from.ref->shape.dims.size();
  if (rank == 0 || to.ref->shape.dims.size() + 1 != leading + rank) {
    fail(frame, fmt::format("gather of {} dimensions by {} makes {}", rank, leading,
                            to.ref->shape.dims.size()));
  }
  each_element(to.ref->shape, [&](const std::vector<std::int64_t>& at) {
    const auto split = at.begin() + static_cast<std::ptrdiff_t>(leading);
    const std::vector<std::int64_t> which(at.begin(), split);
    std::vector<std::int64_t> source{
        memory.load(index, Memory::address(index, which)).as_integer()};
    source.insert(source.end(), split, at.end());
    if (source[0] < 0 || static_cast<std::uint64_t>(source[0]) >= from.ref->shape.dims[0].size) {
      fail(frame,
           fmt::format("gather takes row {} of {}", source[0], from.ref->shape.dims[0].size));
    }
    memory.store(to, Memory::address(to, at), memory.load(from, Memory::address(from, source)));
  });
}

}  // namespace

void run_special(Memory& memory, const Frame& frame, const Step& step) {
  const Special& op = *step.statement->as<Special>();
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
    fill(memory, *step.written[0], Scalar::of(0));
  } else if (name.substr(0, 9) == "agg_init_") {
    needs(0, 1);
    const Aggregation op_named = aggregation_of(name.substr(9));
    if (op_named == Aggregation::none) {
      fail(frame, "no aggregation is named " + quote(name.substr(9)));
    }
    fill(memory, *step.written[0], identity(op_named, step.written[0]->ref->shape.type));
  } else if (name == "copy" || name == "reshape") {
    needs(1, 1);
    copy(memory, frame, *step.read[0], *step.written[0]);
  } else if (name == "shape") {
    needs(1, 1);
    shape(memory, frame, *step.read[0], *step.written[0]);
  } else if (name == "gather") {
    needs(2, 1);
    gather(memory, frame, *step.read[0], *step.read[1], *step.written[0]);
  } else {
    fail(frame, "the interpreter has no operation " + quote(op.name));
  }
}

}  // namespace tactus::stripe::interpreter
