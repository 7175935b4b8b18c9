// memory_placement: offsets for buffers, so that those which live at the same time lie apart.
#include <algorithm>
#include <list>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

using Bits = std::vector<bool>;

bool is_subset(const Bits& a, const Bits& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] && !b[i]) return false;
  }
  return true;
}

/// A buffer to place.
struct Chunk {
  Refinement* ref = nullptr;
  std::uint64_t size = 0;  ///< bytes, aligned
  bool placed = false;
  bool used = false;
  std::size_t first_use = 0;
  Bits users;        ///< statements that touch it
  Bits done_before;  ///< statements that are done whenever one of them runs
};

class Placer {
 public:
  Placer(const std::vector<Location>& locations, std::uint64_t alignment, const Tags& skip)
      : locations_(locations), alignment_(alignment), skip_(skip) {}

  void run(Block& block, const AliasMap& map) {
    count_ = count_statements(block);
    collect(block, map);
    chunks_.sort([](const Chunk& a, const Chunk& b) { return a.first_use < b.first_use; });
    std::vector<Chunk*> by_use;
    for (Chunk& chunk : chunks_) by_use.push_back(&chunk);
    std::vector<Chunk*> by_size = by_use;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const Chunk* a, const Chunk* b) { return a->size > b->size; });
    for (Chunk* chunk : by_size) place(*chunk, by_use);
    for (Chunk& chunk : chunks_) chunk.ref->set_tag("placed");
  }

 private:
  static std::size_t count_statements(const Block& block) {
    std::size_t count = block.statements.size();
    for (const Statement& stmt : block.statements) {
      if (const Block* nested = stmt.block()) count += count_statements(*nested);
    }
    return count;
  }

  void add_chunks(Block& block, const AliasMap& map) {
    for (auto& [into, ref] : block.refs) {
      if (ref.direction != Direction::none || ref.has_any_tag(skip_)) continue;
      if (std::find(locations_.begin(), locations_.end(), ref.location) == locations_.end()) {
        continue;
      }
      Chunk chunk;
      chunk.ref = &ref;
      const std::uint64_t width = byte_width(ref.shape.type);
      const std::uint64_t bytes =
          std::max(ref.shape.bytes(), ref.shape.allocation_elements() * width);
      chunk.size = divide_up(bytes, alignment_) * alignment_;
      chunk.users.resize(count_);
      chunk.done_before.resize(count_);
      chunks_.push_back(std::move(chunk));
      by_name_[map.at(into).base_name] = &chunks_.back();
    }
  }

  void collect(Block& block, const AliasMap& map) {
    add_chunks(block, map);
    std::map<StatementId, std::size_t> numbers;
    for (Statement& stmt : block.statements) {
      const std::size_t number = done_.size();
      numbers[stmt.id] = number;
      Bits done(count_);
      for (const StatementId dep : stmt.deps) {
        const auto it = numbers.find(dep);
        if (it == numbers.end()) continue;
        done[it->second] = true;
        for (std::size_t i = 0; i < count_; ++i) done[i] = done[i] || done_[it->second][i];
      }
      done_.push_back(done);
      const Uses uses = uses_of(stmt);
      for (const std::string& name : uses.buffer_reads) use(map, name, number);
      for (const std::string& name : uses.buffer_writes) use(map, name, number);
      if (Block* nested = stmt.block()) collect(*nested, AliasMap(map, *nested));
    }
  }

  void use(const AliasMap& map, const std::string& name, std::size_t number) {
    const auto it = by_name_.find(map.at(name).base_name);
    if (it == by_name_.end()) return;
    Chunk& chunk = *it->second;
    chunk.users[number] = true;
    const Bits& done = done_[number];
    if (!chunk.used) {
      chunk.used = true;
      chunk.first_use = number;
      chunk.done_before = done;
      return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      chunk.done_before[i] = chunk.done_before[i] && done[i];
    }
  }

  /// `earlier` is used first.
  static bool interfere(const Chunk& earlier, const Chunk& later) {
    return earlier.ref->location == later.ref->location &&
           !is_subset(earlier.users, later.done_before);
  }

  void place(Chunk& chunk, const std::vector<Chunk*>& by_use) {
    std::vector<const Chunk*> others;
    bool before = true;
    for (const Chunk* other : by_use) {
      if (other == &chunk) {
        before = false;
      } else if (other->placed && (before ? interfere(*other, chunk) : interfere(chunk, *other))) {
        others.push_back(other);
      }
    }
    std::stable_sort(others.begin(), others.end(), [](const Chunk* a, const Chunk* b) {
      return a->ref->offset < b->ref->offset;
    });
    std::uint64_t end = 0;
    std::uint64_t smallest = 0;
    bool found = false;
    for (const Chunk* other : others) {
      const std::uint64_t begin = other->ref->offset;
      if (end < begin && chunk.size <= begin - end && (!found || begin - end < smallest)) {
        found = true;
        smallest = begin - end;
        chunk.ref->offset = end;
      }
      end = std::max(end, begin + other->size);
    }
    if (!found) chunk.ref->offset = end;
    chunk.placed = true;
  }

  const std::vector<Location>& locations_;
  std::uint64_t alignment_;
  const Tags& skip_;
  std::size_t count_ = 0;
  std::list<Chunk> chunks_;
  std::map<std::string, Chunk*> by_name_;
  std::vector<Bits> done_;  ///< by statement: statements that are complete before it
};

class MemoryPlacement : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks in which, at any depth, buffers are placed");
    v.locations("locs", locations_, "locations of the buffers to place, each a memory of its own");
    v.number("alignment", alignment_, "bytes that offsets and sizes are multiples of; 0: 4");
    v.tags("skip_tags", skip_tags_, "buffers with any of these tags are left alone");
  }
  void run(Program& program) const override {
    const std::uint64_t alignment = alignment_ != 0 ? alignment_ : default_alignment;
    on_blocks(program, reqs_, [&](const AliasMap& map, Statement& stmt) {
      Placer(locations_, alignment, skip_tags_).run(*stmt.block(), map);
    });
  }

 private:
  Tags reqs_, skip_tags_;
  std::vector<Location> locations_;
  std::uint64_t alignment_ = 0;
};

}  // namespace

std::unique_ptr<Pass> make_memory_placement() { return std::make_unique<MemoryPlacement>(); }

}  // namespace tactus::stripe
