// locate_block, locate_inner_block, locate_memory: where blocks run and buffers live.
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

class Locate : public Pass {
 public:
  enum class What { block, inner_block, memory };
  explicit Locate(What what) : what_(what) {}

  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to look at");
    v.location("loc", location_, "the location to set");
    if (what_ == What::inner_block) {
      v.tags("inner_reqs", inner_reqs_, "tags of the blocks below them to locate");
    }
    v.flag("append_devs", append_, "add the devices to those that are there already");
  }

  void run(Program& program) const override {
    on_blocks(program, reqs_, [this](const AliasMap&, Statement& stmt) {
      Block& block = *stmt.block();
      if (what_ == What::block) {
        place(block.location);
      } else if (what_ == What::inner_block) {
        locate_inner(block);
      } else {
        for (auto& [into, ref] : block.refs) {
          if (ref.direction != Direction::none) continue;
          place(ref.location);
          fix_up(block, into);
        }
      }
    });
  }

 private:
  void place(Location& location) const {
    if (!append_) location.devices.clear();
    location.devices.insert(location.devices.end(), location_.devices.begin(),
                            location_.devices.end());
  }

  void locate_inner(Block& block) const {
    for (Statement& stmt : block.statements) {
      Block* nested = stmt.block();
      if (nested == nullptr) continue;
      if (stmt.has_tags(inner_reqs_)) place(nested->location);
      locate_inner(*nested);
    }
  }

  What what_;
  Tags reqs_, inner_reqs_;
  Location location_;
  bool append_ = false;
};

}  // namespace

std::unique_ptr<Pass> make_locate_block() { return std::make_unique<Locate>(Locate::What::block); }
std::unique_ptr<Pass> make_locate_inner_block() {
  return std::make_unique<Locate>(Locate::What::inner_block);
}
std::unique_ptr<Pass> make_locate_memory() {
  return std::make_unique<Locate>(Locate::What::memory);
}

}  // namespace tactus::stripe
