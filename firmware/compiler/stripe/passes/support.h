// Functions for several passes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/stripe/passes/alias.h"

namespace tactus::stripe {

/// Bytes that places in a memory are multiples of, where a pass is not told otherwise.
constexpr std::uint64_t default_alignment = 4;

/// Called with the views as they are seen inside the block of the statement.
using OnBlock = std::function<void(const AliasMap&, Statement&)>;

enum class Descend {
  until_match,  ///< not into blocks that match
  everywhere,
};

/// Runs on blocks that have all tags, from the entry inwards. No tags, or "all", match every block.
void on_blocks(Program& program, const Tags& reqs, const OnBlock& run,
               Descend descend = Descend::until_match);

/// For passes that wrap a block in another one: throws UserError for the program's outermost block,
/// since the user's buffers would become inner ones.
void require_inner_block(const Program& program, const Statement& stmt);

/// Copies location, offset and strides of a refinement to all that derive from it.
void fix_up(Block& block, const std::string& into);

/// Strides for the sizes, on a fresh shape of the type.
[[nodiscard]] TensorShape compact_shape(DataType type, const std::vector<std::uint64_t>& sizes);

/// Sizes of all dimensions 1.
[[nodiscard]] TensorShape element_shape(TensorShape shape);

/// Replaces an index in everything of the block that uses it: constraints, accesses, load_index,
/// units of locations, computed indexes of nested blocks.
void substitute_index(Block& block, const std::string& name, const Affine& replacement);

/// Quotes the block's name for messages.
[[nodiscard]] std::string block_name(const Block& block);

}  // namespace tactus::stripe
