#include "firmware/compiler/stripe/passes/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tactus::stripe {
namespace {

bool same_indexes(const Block& a, const Block& b) {
  return std::equal(a.indexes.begin(), a.indexes.end(), b.indexes.begin(), b.indexes.end(),
                    [](const Index& x, const Index& y) {
                      return x.name == y.name && x.range == y.range && x.affine == y.affine;
                    });
}

class Merge {
 public:
  Merge(const AliasMap& scope, Block& a, Block& b) : scope_(scope), a_(a), b_(b) {}

  bool run() {
    if (!same_indexes(a_, b_) || a_.constraints != b_.constraints || a_.location != b_.location) {
      return false;
    }
    if (!merge_refs()) return false;
    if (a_.name.empty()) {
      a_.name = b_.name;
    } else {
      a_.name += "+" + b_.name;
    }
    for (const Statement& stmt : a_.statements) {
      const Uses uses = uses_of(stmt);
      scalars_.insert(uses.scalar_defs.begin(), uses.scalar_defs.end());
    }
    for (Statement& stmt : b_.statements) {
      stmt.deps.clear();
      rename(stmt);
      a_.append(std::move(stmt));
    }
    return true;
  }

 private:
  bool merge_refs() {
    Block merged;
    merged.refs = a_.refs;
    const AliasMap map_a(scope_, a_);
    const AliasMap map_b(scope_, b_);
    for (const auto& [into, ref] : b_.refs) {
      bool found = false;
      for (const auto& [old_into, old] : a_.refs) {
        // Two allocations of the same name are two buffers.
        if (ref.direction == Direction::none || old.direction == Direction::none) continue;
        const AliasType type = compare(map_a.at(old_into), map_b.at(into));
        if (type == AliasType::partial && (writes(ref.direction) || writes(old.direction))) {
          return false;
        }
        if (type != AliasType::exact) continue;
        Refinement& target = merged.ref_at(old_into);
        if (writes(target.direction) && writes(ref.direction) && target.agg_op != ref.agg_op) {
          return false;
        }
        refs_[into] = old_into;
        target.direction = merged_direction(target.direction, ref.direction);
        found = true;
        break;
      }
      if (found) continue;
      Refinement moved = ref;
      moved.into = merged.unique_ref_name(into);
      refs_[into] = moved.into;
      merged.add_ref(std::move(moved));
    }
    a_.refs = std::move(merged.refs);
    return true;
  }

  /// Direction of a joined refinement. If A writes it first and B reads it then, old contents are
  /// not needed.
  static Direction merged_direction(Direction a, Direction b) {
    if (a == Direction::out && b == Direction::in) return Direction::out;
    return unite(a, b);
  }

  std::string defined(const std::string& scalar) {
    std::string name = scalar;
    for (std::size_t i = 0; !scalars_.insert(name).second; ++i) {
      name = scalar + "_" + std::to_string(i);
    }
    renamed_[scalar] = name;
    return name;
  }

  void rename(Statement& stmt) {
    if (auto* load = stmt.as<Load>()) {
      load->from = refs_.at(load->from);
      load->into = defined(load->into);
    } else if (auto* store = stmt.as<Store>()) {
      store->from = renamed_.at(store->from);
      store->into = refs_.at(store->into);
    } else if (auto* index = stmt.as<LoadIndex>()) {
      index->into = defined(index->into);
    } else if (auto* constant = stmt.as<Constant>()) {
      constant->name = defined(constant->name);
    } else if (auto* intrinsic = stmt.as<Intrinsic>()) {
      for (std::string& input : intrinsic->inputs) input = renamed_.at(input);
      for (std::string& output : intrinsic->outputs) output = defined(output);
    } else if (auto* special = stmt.as<Special>()) {
      for (std::string& input : special->inputs) input = refs_.at(input);
      for (std::string& output : special->outputs) output = refs_.at(output);
    } else if (Block* nested = stmt.block()) {
      for (auto& [into, ref] : nested->refs) {
        if (ref.direction != Direction::none) ref.from = refs_.at(ref.from);
      }
    }
  }

  const AliasMap& scope_;
  Block& a_;
  Block& b_;
  std::map<std::string, std::string> refs_, renamed_;
  std::set<std::string> scalars_;
};

}  // namespace

bool merge_blocks(const AliasMap& scope, Block& a, Block& b) { return Merge(scope, a, b).run(); }

}  // namespace tactus::stripe
