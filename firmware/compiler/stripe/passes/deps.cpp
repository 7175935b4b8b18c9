// compute_deps: dependencies by the buffers and scalars that statements touch.
#include "firmware/compiler/stripe/passes/deps.h"

#include <algorithm>
#include <set>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

/// Statements are told by their position.
class Tracker {
 public:
  explicit Tracker(Block& block, const AliasMap& map) : block_(block), map_(map) {}

  void run() {
    std::vector<std::set<std::size_t>> implied(block_.statements.size());
    for (std::size_t at = 0; at < block_.statements.size(); ++at) {
      needed_.clear();
      collect(at);
      std::set<std::size_t>& all = implied[at];
      for (const std::size_t dep : needed_) all.insert(implied[dep].begin(), implied[dep].end());
      Statement& stmt = block_.statements[at];
      stmt.deps.clear();
      for (const std::size_t dep : needed_) {
        if (all.count(dep) == 0) stmt.deps.push_back(block_.statements[dep].id);
      }
      // Sorted by the order in which statements were made, as PlaidML prints them.
      std::sort(stmt.deps.begin(), stmt.deps.end());
      all.insert(needed_.begin(), needed_.end());
    }
  }

 private:
  struct Writer {
    std::size_t at;
    AliasInfo view;
  };
  struct Buffer {
    std::vector<Writer> writers;
    std::set<std::size_t> readers;
  };

  void collect(std::size_t at) {
    Statement& stmt = block_.statements[at];
    if (Block* nested = stmt.block()) {
      const AliasMap inner(map_, *nested);
      for (const auto& [into, ref] : nested->refs) {
        if (reads(ref.direction)) read(at, inner.at(into));
        if (writes(ref.direction)) write(at, inner.at(into));
      }
      return;
    }
    const Uses uses = uses_of(stmt);
    for (const std::string& scalar : uses.scalar_uses) {
      const auto it = scalars_.find(scalar);
      if (it != scalars_.end()) needed_.insert(it->second);
    }
    for (const std::string& name : uses.buffer_reads) read(at, map_.at(name));
    for (const std::string& name : uses.buffer_writes) write(at, map_.at(name));
    for (const std::string& scalar : uses.scalar_defs) scalars_[scalar] = at;
  }

  void read(std::size_t at, const AliasInfo& view) {
    Buffer& buffer = buffers_[view.base_name];
    bool writes_itself = false;
    for (const Writer& writer : buffer.writers) {
      if (writer.at == at) {
        writes_itself = true;
      } else {
        needed_.insert(writer.at);
      }
    }
    if (!writes_itself) buffer.readers.insert(at);
  }

  void write(std::size_t at, const AliasInfo& view) {
    Buffer& buffer = buffers_[view.base_name];
    for (const Writer& writer : buffer.writers) {
      if (writer.at != at && compare(writer.view, view) != AliasType::none) {
        needed_.insert(writer.at);
      }
    }
    for (const std::size_t reader : buffer.readers) {
      if (reader != at) needed_.insert(reader);
    }
    buffer.readers.clear();
    buffer.writers.push_back({at, view});
  }

  Block& block_;
  const AliasMap& map_;
  std::map<std::string, std::size_t> scalars_;
  std::map<std::string, Buffer> buffers_;
  std::set<std::size_t> needed_;
};

class ComputeDeps : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks whose statements get dependencies");
  }
  void run(Program& program) const override {
    on_blocks(program, reqs_,
              [](const AliasMap& map, Statement& stmt) { compute_deps(*stmt.block(), map); });
  }

 private:
  Tags reqs_;
};

}  // namespace

void compute_deps(Block& block, const AliasMap& map) { Tracker(block, map).run(); }

std::unique_ptr<Pass> make_compute_deps() { return std::make_unique<ComputeDeps>(); }

}  // namespace tactus::stripe
