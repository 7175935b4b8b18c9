#include "firmware/compiler/targets/tcu/stripe/nest.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/stripe/ties.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {
namespace {

using stripe::Affine;
using stripe::Direction;
using stripe::Refinement;

Linear linear(const Affine& affine, const stripe::Block& block) {
  Linear result;
  result.constant = affine.constant();
  result.factors.assign(block.indexes.size(), 0);
  for (const Affine::Term& term : affine.terms()) {
    for (std::size_t i = 0; i < block.indexes.size(); ++i) {
      if (block.indexes[i].name == term.first) result.factors[i] = term.second;
    }
  }
  return result;
}

void add(Linear& sum, const Linear& other, std::int64_t factor) {
  sum.constant += other.constant * factor;
  for (std::size_t i = 0; i < sum.factors.size(); ++i) sum.factors[i] += other.factors[i] * factor;
}

/// The buffer whose memory a refinement's buffer uses: attribute in_place_of. Empty: none.
std::string place_of(const Refinement& ref) {
  const auto found = ref.attributes.find("in_place_of");
  if (found == ref.attributes.end()) return {};
  const auto* name = std::get_if<std::string>(&found->second);
  return name != nullptr ? *name : std::string();
}

/// First and last statement of main that uses a buffer of main.
struct Life {
  std::size_t first = std::numeric_limits<std::size_t>::max(), last = 0;
};

/// The statements of the main block during which each buffer is used.
std::map<const Buffer*, Life> lives_of(const Nest& main) {
  std::map<const Buffer*, Life> lives;
  const auto use = [&](const Nest& nest, const std::string& name, std::size_t at) {
    Life& life = lives[nest.views.at(name).buffer];
    life.first = std::min(life.first, at);
    life.last = std::max(life.last, at);
  };
  for (std::size_t i = 0; i < main.block->statements.size(); ++i) {
    for (const std::string& name : stripe::buffers_of(main.block->statements[i]))
      use(main, name, i);
  }
  std::vector<std::pair<const Nest*, std::size_t>> inner;  // blocks below main, and their kernel
  for (std::size_t i = 0; i < main.children.size(); ++i) {
    if (main.children[i] != nullptr) inner.emplace_back(main.children[i].get(), i);
  }
  for (std::size_t k = 0; k < inner.size(); ++k) {
    const auto [nest, kernel] = inner[k];
    for (const auto& [into, view] : nest->views) {
      if (view.made_here) lives[view.buffer] = {kernel, kernel};
    }
    for (const auto& child : nest->children) {
      if (child != nullptr) inner.emplace_back(child.get(), kernel);
    }
  }
  return lives;
}

}  // namespace

void fail(const stripe::Block& block, const std::string& what) {
  user_error("block {}: {}", quote(block.name), what);
}

bool Nest::is_leaf() const {
  return std::all_of(children.begin(), children.end(), [](const auto& c) { return c == nullptr; });
}

std::string Nest::device() const {
  return block->location.empty() ? "" : block->location.devices.back().name;
}

std::uint64_t Nest::range(std::size_t index) const { return block->indexes[index].range; }

const Linear* Nest::factors_of(std::size_t index) const {
  return block->indexes[index].is_computed() ? &computed[index] : nullptr;
}

void Nest::enter() {
  for (std::size_t i = 0; i < computed.size(); ++i) {
    values[i] = block->indexes[i].is_computed() ? computed[i].at(parent->values) : 0;
  }
}

void Nest::place() {
  for (auto& [into, view] : views) {
    if (view.parent == nullptr) continue;
    view.origin = view.parent->origin + view.flat.at(values);
    view.lane_origin = view.parent->lane_origin + view.lane.at(values);
  }
}

bool Nest::allowed() const {
  return std::all_of(constraints.begin(), constraints.end(),
                     [this](const Linear& c) { return c.at(values) >= 0; });
}

Nests::Nests(const stripe::Program& program, const tcu::Architecture& architecture,
             const std::map<std::string, Tag>& fixed)
    : architecture_(architecture) {
  entry_ = prepare(program.entry, nullptr);
  for (std::size_t i = 0; i < entry_->children.size(); ++i) {
    if (entry_->children[i] == nullptr || main_ != nullptr) {
      fail(*entry_->block, "supported is a program with one statement, the block main");
    }
    main_ = entry_->children[i].get();
  }
  if (main_ == nullptr) fail(*entry_->block, "the program has no block main");
  if (!main_->ordinary.empty() && main_->block->positions() != 1) {
    fail(*main_->block, "main has more than one position");
  }
  place_buffers(fixed);
  entry_->each_position([] {});
  main_->enter();
  main_->each_position([] {});
}

std::unique_ptr<Nest> Nests::prepare(const stripe::Statement& statement, Nest* parent) {
  auto nest = std::make_unique<Nest>();
  nest->statement = &statement;
  nest->block = statement.block();
  nest->parent = parent;
  const stripe::Block& block = *nest->block;
  nest->values.assign(block.indexes.size(), 0);
  if (parent != nullptr) {
    nest->local_used = parent->local_used;
    nest->accumulators_used = parent->accumulators_used;
  }
  for (std::size_t i = 0; i < block.indexes.size(); ++i) {
    const stripe::Index& idx = block.indexes[i];
    nest->computed.push_back(
        idx.is_computed() && parent != nullptr ? linear(idx.affine, *parent->block) : Linear{});
    if (!idx.is_computed()) nest->ordinary.push_back(i);
  }
  for (const Affine& constraint : block.constraints) {
    nest->constraints.push_back(linear(constraint, block));
  }
  // Buffers that use another one's memory are placed after it.
  std::vector<const Refinement*> waiting;
  for (const auto& [into, ref] : block.refs) {
    if (place_of(ref).empty()) {
      prepare_view(*nest, ref);
    } else {
      waiting.push_back(&ref);
    }
  }
  for (std::size_t left = waiting.size() + 1; !waiting.empty() && waiting.size() < left;) {
    left = waiting.size();
    std::vector<const Refinement*> later;
    for (const Refinement* ref : waiting) {
      if (nest->views.count(place_of(*ref)) == 0) {
        later.push_back(ref);
      } else {
        prepare_view(*nest, *ref);
      }
    }
    waiting = std::move(later);
  }
  if (!waiting.empty()) {
    fail(block, fmt::format("buffer {} is in the place of {}, which is not there",
                            quote(waiting[0]->into), quote(place_of(*waiting[0]))));
  }
  for (const stripe::Statement& inner : block.statements) {
    nest->children.push_back(inner.block() != nullptr ? prepare(inner, nest.get()) : nullptr);
  }
  return nest;
}

void Nests::prepare_view(Nest& nest, const Refinement& ref) {
  View& view = nest.views[ref.into];
  view.ref = &ref;
  if (nest.parent == nullptr || ref.direction == Direction::none) {
    view.buffer = &make_buffer(nest, ref);
    view.made_here = true;
    return;
  }
  view.parent = &nest.parent->views.at(ref.from);
  view.buffer = view.parent->buffer;
  const Buffer& buffer = *view.buffer;
  const std::size_t missing = buffer.strides.size() - ref.access.size();
  view.flat.factors.assign(nest.block->indexes.size(), 0);
  view.lane = view.flat;
  for (std::size_t d = 0; d < ref.access.size(); ++d) {
    const Linear access = linear(ref.access[d], *nest.block);
    add(view.flat, access, buffer.strides[d + missing]);
    if (buffer.lane_dim == d + missing) add(view.lane, access, 1);
  }
}

Buffer& Nests::make_buffer(const Nest& nest, const Refinement& ref) {
  if (ref.shape.type == stripe::DataType::unknown || ref.shape.type == stripe::DataType::prng) {
    fail(*nest.block, fmt::format("buffer {} is {}; the unit computes in {}, which stands for all "
                                  "types of numbers and for boolean",
                                  quote(ref.into), stripe::type_name(ref.shape.type),
                                  tcu::info(architecture_.data_type).name));
  }
  buffers_.emplace_back();
  Buffer& buffer = buffers_.back();
  buffer.name = ref.into;
  buffer.shape = ref.shape;
  buffer.agg_op = ref.agg_op;
  lay_out(buffer, *nest.block, ref);
  place(buffer, nest, ref);
  return buffer;
}

/// Chooses the order of the dimensions, the lanes' one, and the strides.
void Nests::lay_out(Buffer& buffer, const stripe::Block& block, const Refinement& ref) const {
  const auto& dims = ref.shape.dims;
  buffer.order.resize(dims.size());
  std::iota(buffer.order.begin(), buffer.order.end(), 0);
  std::stable_sort(buffer.order.begin(), buffer.order.end(), [&](std::size_t a, std::size_t b) {
    // A dimension of size 1 may have any stride and comes first.
    const auto key = [&](std::size_t d) {
      return dims[d].size == 1 ? std::numeric_limits<std::int64_t>::max() : dims[d].stride;
    };
    return key(a) > key(b);
  });
  // The lanes' dimension is the last one in the program's order.
  if (!dims.empty() && dims.back().size == 1 && dims.back().stride == 1) {
    const auto last = std::find(buffer.order.begin(), buffer.order.end(), dims.size() - 1);
    if (ref.has_tag(last_along_lanes) || dims[buffer.order.back()].stride != 1 ||
        dims[buffer.order.back()].size == 1) {
      std::rotate(last, last + 1, buffer.order.end());
    }
  }
  const auto n = static_cast<std::uint64_t>(architecture_.array_size);
  buffer.strides.assign(dims.size(), 1);
  std::uint64_t scalars = n;
  if (!dims.empty()) {
    buffer.lane_dim = buffer.order.back();
    buffer.lane_size = static_cast<std::int64_t>(dims[*buffer.lane_dim].size);
    scalars = (dims[*buffer.lane_dim].size + n - 1) / n * n;
    for (std::size_t k = buffer.order.size() - 1; k-- > 0;) {
      const std::size_t d = buffer.order[k];
      buffer.strides[d] = static_cast<std::int64_t>(scalars);
      if (__builtin_mul_overflow(scalars, dims[d].size, &scalars)) {
        fail(block, fmt::format("buffer {} is too large", quote(ref.into)));
      }
    }
  }
  buffer.vectors = scalars / n;
}

/// Gives a buffer its memory and, outside of DRAM, its first vector.
void Nests::place(Buffer& buffer, const Nest& nest, const Refinement& ref) {
  const std::string device = ref.location.empty() ? "" : ref.location.devices.front().name;
  auto& self = const_cast<Nest&>(nest);  // only prepare() calls this, and it owns the nest
  const auto take = [&](Tag tag, std::uint64_t& used, std::uint64_t& most, std::uint64_t depth,
                        const char* what) {
    buffer.memory = tag;
    buffer.base = used;
    if (buffer.vectors > depth - used) {
      fail(*nest.block,
           fmt::format("buffer {} needs {} vectors of {} besides {} in use, there are {}",
                       quote(ref.into), buffer.vectors, what, used, depth));
    }
    used += buffer.vectors;
    most = std::max(most, used);
    buffer.written.assign(buffer.vectors, false);
  };
  if (const std::string place = place_of(ref); !place.empty()) {
    // Elements are read and written one by one, so both can use the same memory.
    const Buffer& other = *nest.views.at(place).buffer;
    buffer.memory = other.memory;
    buffer.base = other.base;
    buffer.written.assign(buffer.vectors, false);
  } else if (device == "LOCAL") {
    take(Tag::local, self.local_used, local_used_, architecture_.local_depth, "local memory");
  } else if (device == "ACC") {
    take(Tag::accumulators, self.accumulators_used, accumulators_used_,
         architecture_.accumulator_depth, "accumulators");
  } else if (device.empty() || device == "DRAM0" || device == "DRAM1") {
    buffer.memory = device == "DRAM1" ? Tag::dram1 : Tag::dram0;
  } else {
    fail(*nest.block, fmt::format("buffer {} is in {}; the unit has DRAM0, DRAM1, LOCAL and ACC",
                                  quote(ref.into), quote(ref.location.text())));
  }
}

// ---- addresses in DRAM --------------------------------------------------------------------------

void Nests::place_buffers(const std::map<std::string, Tag>& fixed) {
  const auto take = [&](Buffer& buffer) {
    const bool first = buffer.memory == Tag::dram0;
    std::uint64_t& used = first ? dram0_used_ : dram1_used_;
    const std::uint64_t depth = first ? architecture_.dram0_depth : architecture_.dram1_depth;
    if (buffer.vectors > depth - used) {
      user_error("buffer {} needs {} vectors of {} besides {} in use, there are {}",
                 quote(buffer.name), buffer.vectors, first ? "DRAM0" : "DRAM1", used, depth);
    }
    buffer.base = used;
    used += buffer.vectors;
    buffer.written.assign(buffer.vectors, false);
  };
  for (auto& [name, view] : entry_->views) {
    const auto found = fixed.find(name);
    if (found != fixed.end()) view.buffer->memory = found->second;
    if (view.buffer->memory != Tag::dram0 && view.buffer->memory != Tag::dram1) {
      fail(*entry_->block, fmt::format("buffer {} of the user's is not in DRAM", quote(name)));
    }
    take(*view.buffer);
  }
  place_temporaries();
}

namespace {

/// Finds the lowest gap for buffers one after the other. Those that are not in use at the same time
/// share memory.
class Gaps {
 public:
  explicit Gaps(const Nest& main) : lives_(lives_of(main)) {}

  /// Places a buffer from `first` to before `end` of its memory; false if it does not fit.
  bool place(Buffer& buffer, std::uint64_t first, std::uint64_t end) {
    const Life life = lives_[&buffer];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (const Buffer* other : placed_) {
      const Life& o = lives_[other];
      if (other->memory == buffer.memory && o.first <= life.last && life.first <= o.last) {
        taken.emplace_back(other->base, other->base + other->vectors);
      }
    }
    std::sort(taken.begin(), taken.end());
    buffer.base = first;
    for (const auto& [begin, behind] : taken) {
      if (begin >= buffer.base + buffer.vectors) break;
      buffer.base = std::max(buffer.base, behind);
    }
    if (buffer.base > end || buffer.vectors > end - buffer.base) return false;
    buffer.written.assign(buffer.vectors, false);
    placed_.push_back(&buffer);
    return true;
  }

 private:
  std::map<const Buffer*, Life> lives_;
  std::vector<const Buffer*> placed_;
};

}  // namespace

/// Places temporaries of main, the largest first: in local memory, behind what kernels use, while
/// half of the rest stays free for data in transit; else in DRAM.
void Nests::place_temporaries() {
  std::vector<Buffer*> temporaries;
  std::vector<const Buffer*> entries, of_main;
  for (const auto& [name, view] : entry_->views) entries.push_back(view.buffer);
  for (const auto& [name, view] : main_->views) {
    if (view.made_here && place_of(*view.ref).empty()) of_main.push_back(view.buffer);
  }
  const auto is_in = [](const std::vector<const Buffer*>& list, const Buffer& buffer) {
    return std::find(list.begin(), list.end(), &buffer) != list.end();
  };
  for (Buffer& buffer : buffers_) {
    const bool in_dram = buffer.memory == Tag::dram0 || buffer.memory == Tag::dram1;
    if (in_dram && !is_in(entries, buffer)) temporaries.push_back(&buffer);
  }
  std::stable_sort(temporaries.begin(), temporaries.end(),
                   [](const Buffer* a, const Buffer* b) { return a->vectors > b->vectors; });
  Gaps gaps(*main_);
  const std::uint64_t first = local_used_ + (architecture_.local_depth - local_used_) / 2;
  std::uint64_t local_end = first;
  const std::uint64_t first0 = dram0_used_, first1 = dram1_used_;
  for (Buffer* buffer : temporaries) {
    const Tag home = buffer->memory;
    if (home == Tag::dram0 && is_in(of_main, *buffer)) {
      buffer->memory = Tag::local;
      if (gaps.place(*buffer, first, architecture_.local_depth)) {
        local_end = std::max(local_end, buffer->base + buffer->vectors);
        continue;
      }
      buffer->memory = home;
    }
    const bool zero = home == Tag::dram0;
    const std::uint64_t depth = zero ? architecture_.dram0_depth : architecture_.dram1_depth;
    if (!gaps.place(*buffer, zero ? first0 : first1, depth)) {
      user_error("buffer {} needs {} vectors of {}, which has {}: {} are in use",
                 quote(buffer->name), buffer->vectors, zero ? "DRAM0" : "DRAM1", depth,
                 buffer->base);
    }
    std::uint64_t& used = zero ? dram0_used_ : dram1_used_;
    used = std::max(used, buffer->base + buffer->vectors);
  }
  // Moves them to the end, so that kernels have the rest.
  local_limit_ = architecture_.local_depth - (local_end - first);
  for (Buffer* buffer : temporaries) {
    if (buffer->memory == Tag::local) buffer->base += local_limit_ - first;
  }
}

std::uint64_t Nests::take_dram1(std::uint64_t vectors) {
  if (vectors > architecture_.dram1_depth - dram1_used_) {
    user_error("constants need {} vectors of DRAM1 besides {} in use, there are {}", vectors,
               dram1_used_, architecture_.dram1_depth);
  }
  const std::uint64_t base = dram1_used_;
  dram1_used_ += vectors;
  return base;
}

}  // namespace tactus::compiler::stripe_tcu
