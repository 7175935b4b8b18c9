#include "firmware/compiler/targets/tcu/stripe/complete.h"

#include <algorithm>
#include <functional>
#include <string>

#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/template.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/compiler/targets/tcu/stripe/old_contents.h"
#include "firmware/compiler/targets/tcu/stripe/tails.h"
#include "firmware/compiler/targets/tcu/stripe/ties.h"
#include "isa/support/error.h"

namespace tactus::compiler {
namespace {

using stripe::Block;
using stripe::Statement;

void each_statement(Statement& stmt, const std::function<void(Statement&)>& visit) {
  visit(stmt);
  if (Block* block = stmt.block()) {
    for (Statement& inner : block->statements) each_statement(inner, visit);
  }
}

std::uint64_t widest_type(Statement& entry) {
  std::uint64_t widest = 1;
  each_statement(entry, [&](Statement& stmt) {
    if (const Block* block = stmt.block()) {
      for (const auto& [into, ref] : block->refs) {
        widest = std::max(widest, stripe::byte_width(ref.shape.type));
      }
    }
  });
  return widest;
}

/// Null if the program has no such block.
Block* main_of(stripe::Program& program) {
  for (Statement& stmt : program.block().statements) {
    if (stmt.block() != nullptr && stmt.has_tag("main")) return stmt.block();
  }
  return nullptr;
}

const Block* array_block(const Block& block) {
  for (const Statement& stmt : block.statements) {
    const Block* inner = stmt.block();
    if (inner == nullptr) continue;
    if (stmt.has_tag("tcu_inner")) return inner;
  }
  return nullptr;
}

/// Moves indexes that a refinement uses outside of those it does not use, so that its position
/// changes seldom.
void count_outside(Block& block, const std::string& into) {
  const stripe::Refinement* ref = block.ref(into);
  if (ref == nullptr) return;
  const stripe::Affine flat = ref->flat_access();
  std::stable_partition(block.indexes.begin(), block.indexes.end(), [&](const stripe::Index& idx) {
    return idx.is_computed() || flat.uses(idx.name);
  });
}

/// Orders loops: inside a step so that weights change seldom, and between steps so that the larger
/// operand in local memory changes seldom.
void order_loops(Statement& stmt) {
  Block& block = *stmt.block();
  if (const Block* inner = array_block(block)) {
    for (const auto& [into, ref] : inner->refs) {
      if (ref.has_tag("weights")) count_outside(block, ref.from);
    }
  }
  if (!stmt.has_tag("tcu_red")) return;
  const stripe::Refinement* largest = nullptr;
  for (const auto& [into, ref] : block.refs) {
    if (ref.direction != stripe::Direction::in) continue;
    if (largest == nullptr || ref.shape.elements() > largest->shape.elements()) largest = &ref;
  }
  if (largest != nullptr) count_outside(block, largest->into);
}

}  // namespace

namespace {

/// Tries to tile and place the program. `stream`: number of vectors in one product; -1: a whole
/// dimension.
void attempt(stripe::Program& program, const tcu::Architecture& architecture,
             std::uint64_t axi_bytes, int stream) {
  const auto bytes = static_cast<double>(widest_type(program.entry) * architecture.array_size);
  const stripe::TemplateValues values{
      {"ARRAY_SIZE", static_cast<double>(architecture.array_size)},
      {"VECTOR_BYTES", bytes},
      {"STREAM", static_cast<double>(stream)},
      {"BEATS", static_cast<double>(std::max<std::uint64_t>(
                    1, architecture.vector_bytes() / std::max<std::uint64_t>(1, axi_bytes)))},
      {"ACC_DEPTH", static_cast<double>(architecture.accumulator_depth)},
      {"LOCAL_DEPTH", static_cast<double>(architecture.local_depth)}};
  const std::string json = stripe::render(lowering_passes(), values, "passes of the lowering");
  // Only blocks tiled by these passes are cached: a program may contain placed blocks of its own.
  std::vector<stripe::ConfiguredPass> passes = stripe::read_passes(json, "passes of the lowering");
  std::set<const Block*> before;
  each_statement(program.entry, [&](Statement& stmt) {
    if (stmt.has_tag("tcu_grid") || stmt.has_tag("tcu_red")) before.insert(stmt.block());
  });
  if (Block* main = main_of(program)) {
    split_updates(*main);
    merge_elementwise(*main);
  }
  const BufferStrides as_given = spread_ties(program, architecture.array_size);
  stripe::run_passes(program, passes, [&](std::size_t, const stripe::ConfiguredPass&) {
    each_statement(program.entry, [&](Statement& stmt) {
      const bool tiled = stmt.has_tag("tcu_grid") || stmt.has_tag("tcu_red");
      if (tiled && before.count(stmt.block()) == 0) stmt.set_tag("tcu_new");
    });
  });
  bool any = false;
  each_statement(program.entry, [&](Statement& stmt) {
    if (!stmt.has_tag("tcu_inner") || stmt.block() == nullptr) return;
    if (stmt.block()->location.empty()) stmt.block()->location.devices = {{"ARRAY", {}}};
    any = true;
  });
  each_statement(program.entry, [&](Statement& stmt) {
    if (stmt.block() != nullptr && any) order_loops(stmt);
    stmt.remove_tag("tcu_new");
  });
  set_strides(program, as_given);
  if (Block* main = main_of(program)) fuse_tails(*main);
  stripe::verify_form(program, "the program with its tails fused");
}

}  // namespace

void complete_passes(stripe::Program& program, const tcu::Architecture& architecture,
                     std::uint64_t axi_bytes) {
  const stripe::Program original = program;
  // Rows that are too long for the memories are divided.
  constexpr int streams[] = {-1, 64, 8, 1};
  for (const int stream : streams) {
    try {
      program = original;
      attempt(program, architecture, axi_bytes, stream);
      return;
    } catch (const UserError&) {
      if (stream == 1) throw;
    }
  }
}

}  // namespace tactus::compiler
