// Base of the two passes that reduce constraints: their options, and the walk over all blocks.
#pragma once

#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {

class ConstraintReduction : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to look at");
    v.tags("skip_idxs", skip_idxs_, "indexes with any of these tags keep their range");
  }

  void run(Program& program) const override {
    on_blocks(
        program, reqs_, [this](const AliasMap& map, Statement& stmt) { reduce(map, stmt); },
        Descend::everywhere);
  }

 protected:
  [[nodiscard]] bool keeps_range(const Index& idx) const { return idx.has_any_tag(skip_idxs_); }

 private:
  /// Reduces the constraints of a block. A block without positions gets the tag "removed".
  virtual void reduce(const AliasMap& map, Statement& stmt) const = 0;

  Tags reqs_, skip_idxs_;
};

}  // namespace tactus::stripe
