#include "firmware/compiler/stripe/ir.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {

bool Tagged::has_tags(const Tags& wanted) const {
  return std::all_of(wanted.begin(), wanted.end(),
                     [this](const std::string& tag) { return has_tag(tag); });
}

bool Tagged::has_any_tag(const Tags& wanted) const {
  return std::any_of(wanted.begin(), wanted.end(),
                     [this](const std::string& tag) { return has_tag(tag); });
}

void Tagged::add_tags(const Tags& added) {
  for (const std::string& tag : added) set_tag(tag);
}

void Tagged::remove_tag(std::string_view tag) {
  const auto it = attributes.find(tag);
  if (it != attributes.end()) attributes.erase(it);
}

bool is_name(std::string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7F &&
           std::string_view("[]{}()<>,;:=*+-/\"#").find(c) == std::string_view::npos;
  });
}

// ---- types and shapes ---------------------------------------------------------------------------

namespace {

struct TypeEntry {
  DataType type;
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array<TypeEntry, 16> types{{
    {DataType::unknown, "void", 0},
    {DataType::boolean, "bool", 1},
    {DataType::i8, "i8", 1},
    {DataType::i16, "i16", 2},
    {DataType::i32, "i32", 4},
    {DataType::i64, "i64", 8},
    {DataType::i128, "i128", 16},
    {DataType::u8, "u8", 1},
    {DataType::u16, "u16", 2},
    {DataType::u32, "u32", 4},
    {DataType::u64, "u64", 8},
    {DataType::fp16, "fp16", 2},
    {DataType::fp32, "fp32", 4},
    {DataType::fp64, "fp64", 8},
    {DataType::bf16, "bf16", 2},
    {DataType::prng, "prng", 4},
}};

const TypeEntry& entry_of(DataType type) { return types.at(static_cast<std::size_t>(type)); }

constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();

std::uint64_t multiply_sizes(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || result > largest_size) {
    user_error("a size of {} * {} does not fit 63 bits", a, b);
  }
  return result;
}

std::int64_t signed_size(std::uint64_t size) {
  if (size > largest_size) user_error("a size of {} does not fit 63 bits", size);
  return static_cast<std::int64_t>(size);
}

}  // namespace

std::string_view type_name(DataType type) { return entry_of(type).name; }

std::optional<DataType> type_of_name(std::string_view name) {
  for (const TypeEntry& entry : types) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

std::uint64_t byte_width(DataType type) { return entry_of(type).bytes; }

bool is_float(DataType type) {
  return type == DataType::fp16 || type == DataType::fp32 || type == DataType::fp64 ||
         type == DataType::bf16;
}

std::vector<std::uint64_t> TensorShape::sizes() const {
  std::vector<std::uint64_t> result;
  for (const Dimension& dim : dims) result.push_back(dim.size);
  return result;
}

std::uint64_t TensorShape::elements() const {
  std::uint64_t product = 1;
  for (const Dimension& dim : dims) product = multiply_sizes(product, dim.size);
  return product;
}

std::uint64_t TensorShape::bytes() const { return multiply_sizes(elements(), byte_width(type)); }

std::uint64_t TensorShape::allocation_elements() const {
  std::int64_t last = 0;
  for (const Dimension& dim : dims) {
    if (dim.size == 0) return 0;
    if (dim.stride > 0) {
      last = add_checked(last, multiply_checked(signed_size(dim.size - 1), dim.stride));
    }
  }
  return static_cast<std::uint64_t>(add_checked(last, 1));
}

void TensorShape::set_natural_strides() {
  std::int64_t stride = 1;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    dim->stride = stride;
    stride = multiply_checked(stride, signed_size(dim->size));
  }
}

// ---- refinements --------------------------------------------------------------------------------

Direction unite(Direction a, Direction b) {
  if (a == b || b == Direction::none) return a;
  if (a == Direction::none) return b;
  return Direction::inout;
}

std::string_view direction_name(Direction direction) {
  constexpr std::array<std::string_view, 4> names{"none", "in", "out", "inout"};
  return names.at(static_cast<std::size_t>(direction));
}

Affine Refinement::flat_access() const {
  Affine flat;
  for (std::size_t i = 0; i < access.size() && i < shape.dims.size(); ++i) {
    flat += access[i] * shape.dims[i].stride;
  }
  return flat;
}

TensorShape Refinement::swept(
    const std::map<std::string, std::uint64_t, std::less<>>& ranges) const {
  TensorShape result = shape;
  for (std::size_t i = 0; i < access.size() && i < result.dims.size(); ++i) {
    std::int64_t size = signed_size(result.dims[i].size);
    for (const Affine::Term& term : access[i].terms()) {
      const auto range = ranges.find(term.first);
      if (range == ranges.end()) {
        internal_error("refinement {} uses index {}, which its block has not", quote(into),
                       quote(term.first));
      }
      if (range->second == 0) continue;
      const std::int64_t factor = term.second < 0 ? multiply_checked(term.second, -1) : term.second;
      size = add_checked(size, multiply_checked(factor, signed_size(range->second - 1)));
    }
    result.dims[i].size = static_cast<std::uint64_t>(size);
  }
  return result;
}

// ---- nested blocks ------------------------------------------------------------------------------

BlockBox::BlockBox() : block_(std::make_unique<Block>()) {}
BlockBox::BlockBox(Block block) : block_(std::make_unique<Block>(std::move(block))) {}
BlockBox::BlockBox(const BlockBox& other) : block_(std::make_unique<Block>(*other.block_)) {}
BlockBox::BlockBox(BlockBox&& other) noexcept = default;
BlockBox& BlockBox::operator=(const BlockBox& other) {
  if (this != &other) block_ = std::make_unique<Block>(*other.block_);
  return *this;
}
BlockBox& BlockBox::operator=(BlockBox&& other) noexcept = default;
BlockBox::~BlockBox() = default;

Block* Statement::block() {
  const BlockBox* box = std::get_if<BlockBox>(&op);
  return box != nullptr ? &**box : nullptr;
}

const Block* Statement::block() const {
  const BlockBox* box = std::get_if<BlockBox>(&op);
  return box != nullptr ? &**box : nullptr;
}

// ---- blocks -------------------------------------------------------------------------------------

const Index* Block::index(std::string_view wanted) const {
  for (const Index& idx : indexes) {
    if (idx.name == wanted) return &idx;
  }
  return nullptr;
}

Index* Block::index(std::string_view wanted) {
  return const_cast<Index*>(std::as_const(*this).index(wanted));
}

const Refinement* Block::ref(std::string_view into) const {
  const auto it = refs.find(into);
  return it != refs.end() ? &it->second : nullptr;
}

Refinement* Block::ref(std::string_view into) {
  const auto it = refs.find(into);
  return it != refs.end() ? &it->second : nullptr;
}

const Refinement& Block::ref_at(std::string_view into) const {
  const Refinement* found = ref(into);
  if (found == nullptr) internal_error("block {} has no refinement {}", quote(name), quote(into));
  return *found;
}

Refinement& Block::ref_at(std::string_view into) {
  return const_cast<Refinement&>(std::as_const(*this).ref_at(into));
}

Refinement& Block::add_ref(Refinement ref) {
  const std::string key = ref.into;
  const auto [it, added] = refs.emplace(key, std::move(ref));
  if (!added) internal_error("block {} has a refinement {} already", quote(name), quote(key));
  return it->second;
}

Refinement Block::take_ref(std::string_view into) {
  const auto it = refs.find(into);
  if (it == refs.end()) {
    internal_error("block {} has no refinement {}", quote(name), quote(into));
  }
  Refinement taken = std::move(it->second);
  refs.erase(it);
  return taken;
}

namespace {

template <typename Taken>
std::string unique_name(const std::string& base, Taken&& taken) {
  if (!taken(base)) return base;
  for (std::size_t i = 0;; ++i) {
    std::string name = base + "_" + std::to_string(i);
    if (!taken(name)) return name;
  }
}

}  // namespace

std::string Block::unique_ref_name(const std::string& base) const {
  return unique_name(base, [this](const std::string& n) { return ref(n) != nullptr; });
}

std::string Block::unique_index_name(const std::string& base) const {
  return unique_name(base, [this](const std::string& n) { return index(n) != nullptr; });
}

StatementId Block::insert(std::size_t at, Statement statement) {
  statement.id = next_id_++;
  const StatementId id = statement.id;
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(at), std::move(statement));
  return id;
}

void Block::erase(std::size_t at) {
  const StatementId id = statements.at(at).id;
  statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(at));
  for (Statement& statement : statements) {
    auto& deps = statement.deps;
    deps.erase(std::remove(deps.begin(), deps.end(), id), deps.end());
  }
}

std::size_t Block::position(StatementId id) const {
  const auto it = std::find_if(statements.begin(), statements.end(),
                               [id](const Statement& s) { return s.id == id; });
  return static_cast<std::size_t>(it - statements.begin());
}

std::uint64_t Block::positions() const {
  std::uint64_t product = 1;
  for (const Index& idx : indexes) {
    if (__builtin_mul_overflow(product, idx.range, &product)) {
      user_error("block {}: the number of positions does not fit 64 bits", quote(name));
    }
  }
  return product;
}

std::map<std::string, std::uint64_t, std::less<>> Block::ranges() const {
  std::map<std::string, std::uint64_t, std::less<>> result;
  for (const Index& idx : indexes) result.emplace(idx.name, idx.range);
  return result;
}

TensorShape Block::exterior_shape(const Refinement& ref) const { return ref.swept(ranges()); }

std::set<std::string> Block::accumulation_indexes() const {
  std::set<std::string> result;
  for (const Index& idx : indexes) {
    if (idx.is_computed()) continue;
    const bool used = std::any_of(refs.begin(), refs.end(), [&idx](const auto& entry) {
      const Refinement& ref = entry.second;
      return writes(ref.direction) &&
             std::any_of(ref.access.begin(), ref.access.end(),
                         [&idx](const Affine& affine) { return affine.uses(idx.name); });
    });
    if (!used) result.insert(idx.name);
  }
  return result;
}

std::vector<const Refinement*> Block::refs_of(Direction direction) const {
  std::vector<const Refinement*> result;
  for (const auto& [into, ref] : refs) {
    if (ref.direction == direction) result.push_back(&ref);
  }
  return result;
}

std::vector<Refinement*> Block::refs_of(Direction direction) {
  std::vector<Refinement*> result;
  for (auto& [into, ref] : refs) {
    if (ref.direction == direction) result.push_back(&ref);
  }
  return result;
}

// ---- uses ---------------------------------------------------------------------------------------

namespace {

struct UsesOf {
  Uses uses;

  void operator()(const Load& load) {
    uses.buffer_reads = {load.from};
    uses.scalar_defs = {load.into};
  }
  void operator()(const Store& store) {
    uses.scalar_uses = {store.from};
    uses.buffer_writes = {store.into};
  }
  void operator()(const LoadIndex& load) { uses.scalar_defs = {load.into}; }
  void operator()(const Constant& constant) { uses.scalar_defs = {constant.name}; }
  void operator()(const Intrinsic& intrinsic) {
    uses.scalar_uses = intrinsic.inputs;
    uses.scalar_defs = intrinsic.outputs;
  }
  void operator()(const Special& special) {
    uses.buffer_reads = special.inputs;
    uses.buffer_writes = special.outputs;
  }
  void operator()(const BlockBox& box) {
    for (const auto& [into, ref] : box->refs) {
      if (reads(ref.direction)) uses.buffer_reads.push_back(ref.from);
      if (writes(ref.direction)) uses.buffer_writes.push_back(ref.from);
    }
  }
};

}  // namespace

Uses uses_of(const Statement& statement) {
  UsesOf visitor;
  std::visit(visitor, statement.op);
  return std::move(visitor.uses);
}

std::set<std::string> buffers_of(const Statement& statement) {
  const Uses uses = uses_of(statement);
  std::set<std::string> names(uses.buffer_reads.begin(), uses.buffer_reads.end());
  names.insert(uses.buffer_writes.begin(), uses.buffer_writes.end());
  return names;
}

}  // namespace tactus::stripe
