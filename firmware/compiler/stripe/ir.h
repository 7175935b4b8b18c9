// Stripe: a network as nested blocks over tensors.
//
// A block runs its statements once for each position, a combination of its indexes that satisfies
// all its constraints. Its refinements are views of buffers of the enclosing block, or buffers of
// its own. interpret.h defines the meaning of programs, text.h their textual forms, verify.h which
// are legal.
//
// All classes have value semantics: copies are deep. Statements are identified by StatementId,
// which is unique in a block and kept by copies, refinements by their local name. Pointers to
// nested blocks stay valid when statements are inserted or erased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firmware/compiler/stripe/affine.h"

namespace tactus::stripe {

// ---- tags ---------------------------------------------------------------------------------------

/// A protobuf Any, kept unchanged.
struct AnyValue {
  std::string type_url;
  std::string bytes;
  friend bool operator==(const AnyValue& a, const AnyValue& b) {
    return a.type_url == b.type_url && a.bytes == b.bytes;
  }
};

/// monostate: a plain tag.
using Attribute = std::variant<std::monostate, bool, std::int64_t, double, std::string, AnyValue>;

/// Tags do not change the meaning of a program. Passes select blocks by tags, and mark their
/// results with tags.
using Tags = std::set<std::string>;

class Tagged {
 public:
  std::map<std::string, Attribute, std::less<>> attributes;

  [[nodiscard]] bool has_tag(std::string_view tag) const {
    return attributes.find(tag) != attributes.end();
  }
  [[nodiscard]] bool has_tags(const Tags& wanted) const;  ///< all of them
  [[nodiscard]] bool has_any_tag(const Tags& wanted) const;
  void set_tag(const std::string& tag) { attributes.emplace(tag, Attribute()); }
  void add_tags(const Tags& added);
  void remove_tag(std::string_view tag);
};

/// Names of indexes, refinements, scalars, tags and devices: not empty, no digit first, none of
/// white space and []{}()<>,;:=*+-/"# anywhere. Scalars begin with "$", and nothing else does that
/// statements could take for one.
[[nodiscard]] bool is_name(std::string_view text);
[[nodiscard]] inline bool is_scalar_name(std::string_view text) {
  return is_name(text) && text.front() == '$';
}

// ---- shapes, locations --------------------------------------------------------------------------

enum class DataType {
  unknown,
  boolean,
  i8,
  i16,
  i32,
  i64,
  i128,
  u8,
  u16,
  u32,
  u64,
  fp16,
  fp32,
  fp64,
  bf16,
  prng,
};

/// Name of a type as in programs: "fp32".
[[nodiscard]] std::string_view type_name(DataType type);
/// Empty for a name that is none.
[[nodiscard]] std::optional<DataType> type_of_name(std::string_view name);
/// Bytes of an element; 0 for unknown, 1 for boolean.
[[nodiscard]] std::uint64_t byte_width(DataType type);
[[nodiscard]] bool is_float(DataType type);

struct Dimension {
  std::uint64_t size = 0;
  std::int64_t stride = 0;  ///< elements
  friend bool operator==(const Dimension& a, const Dimension& b) {
    return a.size == b.size && a.stride == b.stride;
  }
};

struct TensorShape {
  DataType type = DataType::unknown;
  std::vector<Dimension> dims;
  std::string layout;
  std::string codec;
  bool is_const = false;  ///< weights: the tensor never changes while the program runs

  [[nodiscard]] std::vector<std::uint64_t> sizes() const;
  /// Product of the sizes; UserError if it does not fit 63 bits.
  [[nodiscard]] std::uint64_t elements() const;
  /// elements() times the width of the type; used in printed texts and most limits.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Elements an allocation needs: 1 + sum of (size - 1) * stride over positive strides; 0 if a
  /// size is 0.
  [[nodiscard]] std::uint64_t allocation_elements() const;
  /// Compact row-major strides for the sizes.
  void set_natural_strides();
};

struct Device {
  std::string name;
  std::vector<Affine> units;
  friend bool operator==(const Device& a, const Device& b) {
    return a.name == b.name && a.units == b.units;
  }
};

/// The location at which a block runs or a buffer is stored: devices, outermost first. Without
/// devices it has none yet.
struct Location {
  std::vector<Device> devices;

  [[nodiscard]] bool empty() const { return devices.empty(); }
  /// "SRAM[1]/BANK[x]"; a device without units has no brackets.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Location& a, const Location& b) { return a.devices == b.devices; }
  friend bool operator!=(const Location& a, const Location& b) { return !(a == b); }
};
bool operator<(const Location& a, const Location& b);

/// A part of a location pattern.
struct DevicePattern {
  std::optional<std::string> name;                                ///< none: any
  std::optional<std::vector<std::optional<std::int64_t>>> units;  ///< none: any
};

/// A pattern that matches locations: "DEV/DEV2[1, *]", with * for any device or unit. The number of
/// devices must match; a device without brackets matches any units, one with [] only a device
/// without units.
class LocationPattern {
 public:
  /// Parses a pattern. Throws UserError with the column of a mistake.
  explicit LocationPattern(std::string_view text);
  [[nodiscard]] bool matches(const Location& location) const;

 private:
  std::vector<DevicePattern> devices_;
};

// ---- blocks -------------------------------------------------------------------------------------

struct Index : Tagged {
  std::string name;
  std::uint64_t range = 1;
  std::uint32_t line = 0;  ///< line in the text that it was read from; 0: none
  /// Not zero: a computed index. Its range is 1 and its value this affine over the indexes of the
  /// enclosing block.
  Affine affine;

  [[nodiscard]] bool is_computed() const { return !affine.is_zero(); }
};

enum class Direction { none, in, out, inout };

[[nodiscard]] inline bool reads(Direction d) { return d == Direction::in || d == Direction::inout; }
[[nodiscard]] inline bool writes(Direction d) {
  return d == Direction::out || d == Direction::inout;
}
[[nodiscard]] Direction unite(Direction a, Direction b);  ///< the union of in and out is inout
[[nodiscard]] std::string_view direction_name(Direction direction);

/// A view of a buffer inside a block, or with Direction::none a buffer of the block itself.
struct Refinement : Tagged {
  Direction direction = Direction::none;
  std::string into;            ///< local name, unique in the block
  std::string from;            ///< name in the enclosing block; empty exactly for allocations
  std::vector<Affine> access;  ///< origin inside the view of the enclosing block, per dimension
  /// Sizes of the part seen by one position; strides are those of the allocation.
  TensorShape shape;
  std::string agg_op;  ///< "", "assign", "add", "mul", "max", "min"
  Location location;
  std::uint64_t offset = 0;             ///< bytes in the location's memory
  std::optional<std::size_t> bank_dim;  ///< dimension that is spread over banks
  std::optional<Affine> cache_unit;     ///< memory unit a scheduler shall use
  std::uint32_t line = 0;               ///< in the text it was read from; 0: none

  /// Elements: sum of stride * access.
  [[nodiscard]] Affine flat_access() const;
  /// The box that all positions touch if index i takes 0..ranges[i]-1: per dimension the size plus
  /// |coefficient| * (range - 1). Constants make no difference; constraints are not looked at.
  [[nodiscard]] TensorShape swept(
      const std::map<std::string, std::uint64_t, std::less<>>& ranges) const;
};

struct Load {
  std::string from, into;  ///< refinement, scalar
};
struct Store {
  std::string from, into;  ///< scalar, refinement
};
struct LoadIndex {
  Affine from;
  std::string into;
};
struct Constant {
  std::string name;
  std::variant<std::int64_t, double> value;
};
/// A function of scalars.
struct Intrinsic {
  std::string name;
  std::vector<std::string> inputs, outputs;
  DataType type = DataType::unknown;  ///< inputs are cast to it
};
/// An operation on whole views.
struct Special {
  std::string name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::int64_t> int_params;
  std::map<std::string, std::string> str_params;
};

struct Block;

/// Holds a nested block; copies copy it.
class BlockBox {
 public:
  BlockBox();
  explicit BlockBox(Block block);
  BlockBox(const BlockBox& other);
  BlockBox(BlockBox&& other) noexcept;
  BlockBox& operator=(const BlockBox& other);
  BlockBox& operator=(BlockBox&& other) noexcept;
  ~BlockBox();
  [[nodiscard]] Block& operator*() const { return *block_; }
  [[nodiscard]] Block* operator->() const { return block_.get(); }

 private:
  std::unique_ptr<Block> block_;
};

using StatementId = std::uint64_t;
/// Number of a dependency on a statement outside of this block. Printed as "parent".
inline constexpr StatementId parent_statement = 0;

struct Statement : Tagged {
  using Operation = std::variant<Load, Store, LoadIndex, Constant, Intrinsic, Special, BlockBox>;

  StatementId id = parent_statement;  ///< given by Block::insert
  std::vector<StatementId> deps;      ///< statements of the same block that come before
  Operation op;
  std::uint32_t line = 0;  ///< in the text it was read from; 0: none

  /// The block of a statement; null if it is of another kind.
  [[nodiscard]] Block* block();
  [[nodiscard]] const Block* block() const;
  template <typename Kind>
  [[nodiscard]] Kind* as() {
    return std::get_if<Kind>(&op);
  }
  template <typename Kind>
  [[nodiscard]] const Kind* as() const {
    return std::get_if<Kind>(&op);
  }
};

struct Block {
  std::string name;
  std::string comments;  ///< lines
  std::vector<Index> indexes;
  std::vector<Affine> constraints;  ///< over the block's own indexes; a position needs all >= 0
  std::map<std::string, Refinement, std::less<>> refs;  ///< by Refinement::into
  std::vector<Statement> statements;
  Location location;

  [[nodiscard]] Index* index(std::string_view name);
  [[nodiscard]] const Index* index(std::string_view name) const;
  [[nodiscard]] Refinement* ref(std::string_view into);
  [[nodiscard]] const Refinement* ref(std::string_view into) const;
  /// InternalError if there is none; for callers that have verified the program.
  [[nodiscard]] Refinement& ref_at(std::string_view into);
  [[nodiscard]] const Refinement& ref_at(std::string_view into) const;

  /// Keyed by its name `into`, which must be new.
  Refinement& add_ref(Refinement ref);
  /// Takes a refinement out.
  Refinement take_ref(std::string_view into);
  /// `base`, or with the first of _0, _1, ... that is free.
  [[nodiscard]] std::string unique_ref_name(const std::string& base) const;
  [[nodiscard]] std::string unique_index_name(const std::string& base) const;

  /// Puts the statement before position `at` and gives it an id of its own, which is returned.
  StatementId insert(std::size_t at, Statement statement);
  StatementId append(Statement statement) {
    return insert(statements.size(), std::move(statement));
  }
  /// Takes it out; dependencies on it go with it.
  void erase(std::size_t at);
  /// Position of a statement; statements.size() if it is not there.
  [[nodiscard]] std::size_t position(StatementId id) const;

  /// Product of all ranges; UserError if it does not fit 64 bits.
  [[nodiscard]] std::uint64_t positions() const;
  [[nodiscard]] std::map<std::string, std::uint64_t, std::less<>> ranges() const;
  /// Refinement::swept over the block's ranges: the box the whole block touches.
  [[nodiscard]] TensorShape exterior_shape(const Refinement& ref) const;
  /// Ordinary indexes that no written refinement's access uses.
  [[nodiscard]] std::set<std::string> accumulation_indexes() const;

  /// Refinements by direction, in the order of their names.
  [[nodiscard]] std::vector<Refinement*> refs_of(Direction direction);
  [[nodiscard]] std::vector<const Refinement*> refs_of(Direction direction) const;

 private:
  StatementId next_id_ = 1;
};

/// Names of refinements a statement reads and writes, scalars it uses and defines. A block: those
/// of this level that its refinements are views of.
struct Uses {
  std::vector<std::string> buffer_reads, buffer_writes, scalar_uses, scalar_defs;
};
[[nodiscard]] Uses uses_of(const Statement& statement);
/// Names of the refinements that it reads or writes.
[[nodiscard]] std::set<std::string> buffers_of(const Statement& statement);

/// A whole program: its entry block, and data stored with it, by name and section.
struct Program {
  Statement entry;
  std::map<std::string, std::map<std::string, std::string>> buffers;

  [[nodiscard]] Block& block() { return *entry.block(); }
  [[nodiscard]] const Block& block() const { return *entry.block(); }
};

/// Blocks deeper than this are refused by readers and verifier, so that no recursion over a program
/// can exhaust the stack.
inline constexpr std::size_t max_block_depth = 100;

}  // namespace tactus::stripe
