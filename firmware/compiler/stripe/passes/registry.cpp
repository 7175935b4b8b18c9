// Kinds of passes, and their list for people.
#include <fmt/format.h>

#include "firmware/compiler/stripe/passes/kinds.h"

namespace tactus::stripe {
namespace {

class Lister : public OptionVisitor {
 public:
  explicit Lister(std::string& out) : out_(out) {}
  void tags(std::string_view name, Tags&, std::string_view help) override {
    line(name, "tags", "[]", help);
  }
  void tag_lists(std::string_view name, std::vector<Tags>&, std::string_view help) override {
    line(name, "lists of tags", "[]", help);
  }
  void flag(std::string_view name, bool& value, std::string_view help) override {
    line(name, "true or false", value ? "true" : "false", help);
  }
  void number(std::string_view name, std::uint64_t& value, std::string_view help) override {
    line(name, "integer", std::to_string(value), help);
  }
  void real(std::string_view name, double& value, std::string_view help) override {
    line(name, "number", fmt::format("{}", value), help);
  }
  void text(std::string_view name, std::string& value, std::string_view help) override {
    line(name, "text", "\"" + value + "\"", help);
  }
  void location(std::string_view name, Location&, std::string_view help) override {
    line(name, "location", "{}", help);
  }
  void locations(std::string_view name, std::vector<Location>&, std::string_view help) override {
    line(name, "locations", "[]", help);
  }
  void directions(std::string_view name, std::set<Direction>&, std::string_view help) override {
    line(name, "directions", "[]", help);
  }
  void stencils(std::string_view name, std::vector<Stencil>&, std::string_view help) override {
    line(name, "stencils", "[]", help);
  }
  void units(UnitAssignment&) override {
    line("color_io_unique", "units", "none",
         "{units: [0, 1, ...]}: buffers of one statement get different ones");
    line("numa_map", "nodes", "none",
         "{nodes: [{pattern: P, units: [...]}]}: by the place of the block that uses a buffer");
  }
  void alias(std::string_view old_name) override {
    out_.pop_back();
    out_ += fmt::format(" (also {})\n", old_name);
  }

 private:
  void line(std::string_view name, std::string_view type, const std::string& value,
            std::string_view help) {
    out_ += fmt::format("    {:<20} {:<14} {:<8} {}\n", name, type, value, help);
  }
  std::string& out_;
};

const std::vector<PassKind> kinds{
    {"aggrinit",
     {"AggregationBlockOutputInitializationPass"},
     "writes the identity into what aggregations start from",
     make_aggrinit},
    {"autotile", {"AutotilePass"}, "tiles blocks within limits, at the least cost", make_autotile},
    {"cache", {"CachePass"}, "works on local copies, with transfers around", make_cache},
    {"compute_deps", {"ComputeDepsPass"}, "which statements wait for which", make_compute_deps},
    {"dce", {"DeadCodeEliminationPass"}, "removes what no output needs", make_dce},
    {"fix_strides", {"FixStridesPass"}, "orders strides by size", make_fix_strides},
    {"fusion", {"FusionPass"}, "makes a block and its successor one", make_fusion},
    {"ilp_cstr_reduction",
     {"IlpConstraintReductionPass"},
     "drops constraints that others imply, shrinks ranges; exact, and slower than light",
     make_ilp_cstr_reduction},
    {"light_cstr_reduction",
     {"LightConstraintReductionPass"},
     "drops constraints that always hold, shrinks ranges",
     make_light_cstr_reduction},
    {"localize", {"LocalizePass"}, "moves buffers into the block that uses them", make_localize},
    {"locate_block", {"LocateBlockPass"}, "where blocks run", make_locate_block},
    {"locate_inner_block",
     {"LocateInnerBlockPass"},
     "where the blocks inside run",
     make_locate_inner_block},
    {"locate_memory", {"LocateMemoryPass"}, "where buffers live", make_locate_memory},
    {"memory_placement", {"MemoryPlacementPass"}, "offsets for buffers", make_memory_placement},
    {"pad", {"PadPass"}, "rims of zeros instead of constraints", make_pad},
    {"partition_compute",
     {"PartitionComputePass"},
     "splits blocks over compute units",
     make_partition_compute},
    {"partition_memory",
     {"PartitionMemoryPass"},
     "splits the largest input over banks",
     make_partition_memory},
    {"prune_idxs", {"PruneIndexesPass"}, "removes indexes of range 1", make_prune_idxs},
    {"prune_refs", {"PruneRefinementsPass"}, "removes refinements nobody uses", make_prune_refs},
    {"scalarize", {"ScalarizePass"}, "makes buffers of one element scalars", make_scalarize},
    {"schedule",
     {"SchedulePass"},
     "copies in a small memory, with transfers: whole buffers, or slices where they do not fit",
     make_schedule},
    {"stencil",
     {"StencilPass", "tensorize"},
     "tiles blocks by the shape of a compute unit; tensorize on the slides",
     make_stencil},
    {"transpose", {"TransposePass"}, "puts the dimension that is summed innermost", make_transpose},
    {"unroll", {"UnrollPass"}, "replaces a block by its positions", make_unroll},
    {"vector_layout",
     {"VectorLayoutPass"},
     "dimensions of buffers in whole vectors of a compute unit; of this compiler",
     make_vector_layout},
};

}  // namespace

const std::vector<PassKind>& pass_kinds() { return kinds; }

std::string list_passes() {
  std::string out;
  for (const PassKind& kind : pass_kinds()) {
    out += fmt::format("{}  {}\n", kind.name, kind.summary);
    Lister lister(out);
    kind.make()->describe(lister);
  }
  return out;
}

}  // namespace tactus::stripe
