// Options of passes: one description of each drives reader, messages and the printed list.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// One index of a stencil, with the flat stride that it requires in each refinement: 0 not used, n
/// exactly n elements, -1 any.
struct StencilIndex {
  std::string name;
  std::int64_t size = 0;  ///< -1: the whole range
  std::vector<std::int64_t> outs, ins;
};

struct Stencil {
  std::int64_t startup_cost = 0;
  std::vector<StencilIndex> indexes;
};

/// Assignment of memory units to copies; if both are empty, copies get the units that views
/// request.
struct UnitAssignment {
  struct Node {
    std::string pattern;  ///< pattern of block locations, see LocationPattern
    std::vector<std::int64_t> units;
  };
  std::vector<std::int64_t> color_io_unique;
  std::vector<Node> numa_map;
};

/// Visits the options of a pass in order; `help` is one sentence. Values hold the defaults before.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void tags(std::string_view name, Tags& value, std::string_view help) = 0;
  virtual void tag_lists(std::string_view name, std::vector<Tags>& value,
                         std::string_view help) = 0;
  virtual void flag(std::string_view name, bool& value, std::string_view help) = 0;
  virtual void number(std::string_view name, std::uint64_t& value, std::string_view help) = 0;
  virtual void real(std::string_view name, double& value, std::string_view help) = 0;
  virtual void text(std::string_view name, std::string& value, std::string_view help) = 0;
  virtual void location(std::string_view name, Location& value, std::string_view help) = 0;
  virtual void locations(std::string_view name, std::vector<Location>& value,
                         std::string_view help) = 0;
  virtual void directions(std::string_view name, std::set<Direction>& value,
                          std::string_view help) = 0;
  virtual void stencils(std::string_view name, std::vector<Stencil>& value,
                        std::string_view help) = 0;
  /// Two options, color_io_unique and numa_map, of which one may be given.
  virtual void units(UnitAssignment& value) = 0;
  /// Another spelling that older configurations use for the last option.
  virtual void alias(std::string_view old_name) = 0;
};

}  // namespace tactus::stripe
