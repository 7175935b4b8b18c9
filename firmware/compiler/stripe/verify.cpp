#include "firmware/compiler/stripe/verify.h"

#include <set>

#include "firmware/compiler/stripe/bounds.h"
#include "firmware/compiler/stripe/lookup.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"
#include "isa/support/problems.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

constexpr std::string_view known_aggregations[] = {"", "assign", "add", "mul", "max", "min"};

class Verifier {
 public:
  Verifier(const std::string& where, bool open) : problems_(where), open_(open) {}

  void run(const Program& program, bool bounds) {
    const Block* block = program.entry.block();
    if (block == nullptr) {
      add(program.entry.line, "the program must be a block");
    } else {
      entry_ = block;
      path_ = quote(block->name);
      check_tags(program.entry, program.entry.line);
      check_block(*block, nullptr, program.entry.line, 0);
      if (!open_ && block->refs_of(Direction::none).empty()) {
        add(program.entry.line, "the program has no buffer, so nothing goes in or comes out");
      }
    }
    problems_.throw_if_any();
    if (open_ || !bounds) return;
    try {
      find_out_of_bounds(program, [&](const OutOfBounds& found) {
        path_ = found.block;
        add(found.line, found.what);
      });
    } catch (const UserError& error) {
      path_ = quote(block->name);
      add(program.entry.line, error.what());
    }
    problems_.throw_if_any();
  }

 private:
  void add(std::uint32_t line, const std::string& what) {
    problems_.add(line != 0 ? std::to_string(line) : "",
                  path_.empty() ? what : "block " + path_ + ": " + what);
  }

  void check_name(std::string_view name, std::string_view kind, std::uint32_t line) {
    if (is_name(name) && name.front() != '$') return;
    // Indexes that a match adds begin with $ as scalars do.
    if (kind == "index" && is_name(name)) return;
    add(line,
        fmt::format("{} is no name of {} {}", quote(name), kind == "index" ? "an" : "a", kind));
  }

  void check_tags(const Tagged& tagged, std::uint32_t line) {
    for (const auto& [tag, value] : tagged.attributes) {
      if (!is_name(tag)) add(line, quote(tag) + " is no name of a tag");
    }
  }

  void check_affine(const Affine& affine, const Block* block, std::uint32_t line,
                    const std::string& what) {
    for (const Affine::Term& term : affine.terms()) {
      if (block == nullptr || block->index(term.first) == nullptr) {
        add(line, fmt::format("{} uses {}, which is no index {}", what, quote(term.first),
                              block == nullptr ? "there" : "of block " + quote(block->name)));
      }
    }
  }

  /// Units may also use "#tag" and "unit", which passes replace.
  void check_location(const Location& location, std::uint32_t line) {
    for (const Device& device : location.devices) {
      if (!is_name(device.name)) add(line, quote(device.name) + " is no name of a device");
    }
  }

  void check_indexes(const Block& block, const Block* parent, std::uint32_t block_line) {
    std::set<std::string_view> names;
    for (const Index& idx : block.indexes) {
      const std::uint32_t line = idx.line != 0 ? idx.line : block_line;
      check_name(idx.name, "index", line);
      check_tags(idx, line);
      if (!names.insert(idx.name).second) add(line, "index " + quote(idx.name) + " is there twice");
      if (idx.range == 0) add(line, "index " + quote(idx.name) + " has range 0; at least 1");
      if (idx.range > static_cast<std::uint64_t>(INT64_MAX)) {
        add(line, fmt::format("index {} has range {}; at most 2^63-1", quote(idx.name), idx.range));
      }
      if (!idx.is_computed()) continue;
      if (idx.range != 1) {
        add(line, fmt::format("computed index {} has range {}, not 1", quote(idx.name), idx.range));
      }
      check_affine(idx.affine, parent, line, "computed index " + quote(idx.name));
    }
  }

  void check_ref(const Block& block, const Refinement& ref, const Block* parent,
                 std::uint32_t block_line) {
    const std::uint32_t line = ref.line != 0 ? ref.line : block_line;
    const std::string what = "refinement " + quote(ref.into);
    check_name(ref.into, "refinement", line);
    check_tags(ref, line);
    check_location(ref.location, line);
    bool known = false;
    for (const std::string_view op : known_aggregations) known = known || op == ref.agg_op;
    if (!known) {
      add(line, fmt::format("{}: aggregation {} is not known; known are assign, add, mul, max, min",
                            what, quote(ref.agg_op)));
    }
    if (ref.shape.type == DataType::unknown) add(line, what + " has no type");
    if (ref.access.size() != ref.shape.dims.size()) {
      add(line, fmt::format("{} has {} accesses for {} dimensions", what, ref.access.size(),
                            ref.shape.dims.size()));
      return;
    }
    if (ref.bank_dim && *ref.bank_dim >= ref.shape.dims.size()) {
      add(line, fmt::format("{} is banked in dimension {} of {}", what, *ref.bank_dim,
                            ref.shape.dims.size()));
    }
    bool sound = true;
    for (const Affine& access : ref.access) {
      for (const Affine::Term& term : access.terms()) {
        sound = sound && block.index(term.first) != nullptr;
      }
      check_affine(access, &block, line, what);
    }
    check_source(ref, parent, line, what);
    if (parent != nullptr && ref.direction == Direction::none && ref.has_tag("user")) {
      add(line, what + " is tagged user, but the user's buffers are those of the program's block");
    }
    if (!sound) return;
    try {
      (void)ref.shape.bytes();
      (void)ref.shape.allocation_elements();
      (void)ref.flat_access();
      (void)block.exterior_shape(ref).bytes();
    } catch (const UserError& error) {
      add(line, what + ": " + error.what());
    }
  }

  void check_source(const Refinement& ref, const Block* parent, std::uint32_t line,
                    const std::string& what) {
    if (ref.direction == Direction::none) {
      if (!ref.from.empty()) {
        add(line,
            fmt::format("{} is an allocation (none) and a view of {}", what, quote(ref.from)));
      }
      return;
    }
    if (ref.from.empty()) {
      add(line, fmt::format("{} ({}) is no view of anything", what, direction_name(ref.direction)));
      return;
    }
    if (parent == nullptr) {
      if (!open_) {
        add(line, what + " of the program's block is a view; only allocations (none) can be");
      }
      return;
    }
    const Refinement* source = parent->ref(ref.from);
    if (source == nullptr) {
      add(line, fmt::format("{} is a view of {}, which block {} does not have", what,
                            quote(ref.from), quote(parent->name)));
      return;
    }
    if (writes(ref.direction) && source->direction == Direction::in) {
      add(line, fmt::format("{} ({}) writes {}, which is only read (in) in block {}", what,
                            direction_name(ref.direction), quote(ref.from), quote(parent->name)));
    }
    if (!open_ && source->shape.dims.size() != ref.shape.dims.size()) {
      add(line,
          fmt::format("{} has {} dimensions, {} in block {} has {}", what, ref.shape.dims.size(),
                      quote(ref.from), quote(parent->name), source->shape.dims.size()));
    }
  }

  void check_block(const Block& block, const Block* parent, std::uint32_t line, std::size_t depth) {
    if (depth > max_block_depth) {
      add(line, fmt::format("blocks are nested more than {} deep", max_block_depth));
      return;
    }
    check_indexes(block, parent, line);
    check_location(block.location, line);
    for (const Affine& constraint : block.constraints) {
      check_affine(constraint, &block, line, "constraint " + quote(constraint.text() + " >= 0"));
    }
    try {
      (void)block.positions();
    } catch (const UserError&) {
      add(line, "the number of positions does not fit 64 bits");
    }
    for (const auto& [into, ref] : block.refs) {
      if (into != ref.into) add(ref.line, quote(ref.into) + " is kept under " + quote(into));
      check_ref(block, ref, parent, line);
    }
    check_statements(block, line, depth);
  }

  void check_statements(const Block& block, std::uint32_t block_line, std::size_t depth) {
    std::set<StatementId> before;
    std::set<std::string> scalars;
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      const Statement& stmt = block.statements[i];
      const std::uint32_t line = stmt.line != 0 ? stmt.line : block_line;
      check_tags(stmt, line);
      for (const StatementId dep : stmt.deps) {
        if (dep != parent_statement && before.count(dep) == 0) {
          add(line, fmt::format("statement {} depends on one that does not come before it", i));
        }
      }
      before.insert(stmt.id);
      check_operation(block, stmt, line, i);
      const Uses uses = uses_of(stmt);
      for (const std::string& scalar : uses.scalar_uses) {
        if (scalars.count(scalar) == 0) {
          add(line,
              fmt::format("statement {} uses scalar {} before it has a value", i, quote(scalar)));
        }
      }
      for (const std::string& scalar : uses.scalar_defs) {
        if (!is_scalar_name(scalar)) {
          add(line, quote(scalar) + " is no name of a scalar: these begin with $");
        }
        if (!scalars.insert(scalar).second) {
          add(line, fmt::format("statement {} gives scalar {} a second value", i, quote(scalar)));
        }
      }
      if (const Block* nested = stmt.block()) {
        const std::size_t length = path_.size();
        path_ += " / " + quote(nested->name);
        check_block(*nested, &block, line, depth + 1);
        path_.resize(length);
      }
    }
  }

  void check_operation(const Block& block, const Statement& stmt, std::uint32_t line,
                       std::size_t number) {
    if (stmt.block() != nullptr) return;
    if (const auto* load = stmt.as<LoadIndex>()) {
      check_affine(load->from, &block, line, fmt::format("statement {}", number));
    }
    if (const auto* op = stmt.as<Intrinsic>()) {
      if (!is_name(op->name)) add(line, quote(op->name) + " is no name of an operation");
      if (table_of(*op)) {
        const std::string problem = lookup_problem(*op, *entry_);
        if (!problem.empty()) add(line, fmt::format("statement {}: {}", number, problem));
      } else if (const std::string problem = function_problem(*op); !problem.empty()) {
        add(line, fmt::format("statement {}: {}", number, problem));
      }
    }
    if (const auto* op = stmt.as<Special>()) {
      if (!is_name(op->name)) add(line, quote(op->name) + " is no name of an operation");
    }
    const Uses uses = uses_of(stmt);
    for (const std::string& name : uses.buffer_reads) {
      const Refinement* ref = block.ref(name);
      if (ref == nullptr) {
        add(line, fmt::format("statement {} reads {}, which is no refinement of this block", number,
                              quote(name)));
      }
    }
    for (const std::string& name : uses.buffer_writes) {
      const Refinement* ref = block.ref(name);
      if (ref == nullptr) {
        add(line, fmt::format("statement {} writes {}, which is no refinement of this block",
                              number, quote(name)));
      } else if (ref->direction == Direction::in) {
        add(line,
            fmt::format("statement {} writes {}, which is only read (in)", number, quote(name)));
      }
    }
  }

  Problems problems_;
  bool open_;
  const Block* entry_ = nullptr;
  std::string path_;
};

}  // namespace

void verify(const Program& program, const std::string& where, bool open) {
  Verifier(where, open).run(program, true);
}

void verify_form(const Program& program, const std::string& where) {
  Verifier(where, false).run(program, false);
}

}  // namespace tactus::stripe
