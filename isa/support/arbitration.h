// Whose access a memory controller takes first: the text "arbitration" of a board's memory.
//
//   ports                           the controller's ports take turns, and paths with the same
//                                   controller_port share a queue; the default
//   round_robin                     every DRAM port of every unit has a queue; all take turns
//   fixed:unit1,stream              queues as above; the first of the list goes first, and the
//                                   ports that it does not name go last
//   shares:unit0=0.6,unit1=0.3:512  queues as above; who has had least of its share goes first.
//                                   Shares are counted in windows of so many clocks of the DRAM
//                                   (4096). Ports that are not named have the rest together.
//
// A name is a port of all units (dram0, dram1, stream), all ports of one (unit1), or a port of one
// (unit1.dram0). A port belongs to the first name that includes it. Ports of one name take turns.
// This is a model of our own; models/dram/README.md names what vendors publish.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

struct Arbitration {
  enum class Policy { ports, round_robin, fixed, shares };
  /// The ports of a name.
  struct Group {
    std::optional<unsigned> unit;  ///< empty: of every unit
    std::string port;              ///< empty: every port
    std::uint32_t share = 0;       ///< millionths of the accesses, with Policy::shares

    [[nodiscard]] bool includes(unsigned of_unit, std::string_view name) const {
      return (!unit || *unit == of_unit) && (port.empty() || port == name);
    }
  };
  static constexpr std::uint32_t whole = 1000000;  ///< the sum of all shares
  static constexpr unsigned most_units = 64;
  static constexpr std::uint64_t most_window = 1000000000;

  Policy policy = Policy::ports;
  std::vector<Group> groups;    ///< in the order of the text
  std::uint64_t window = 4096;  ///< clocks of the DRAM

  /// Number of the group that a port belongs to; groups.size(): none of those that are named.
  [[nodiscard]] unsigned group_of(unsigned unit, std::string_view port) const {
    unsigned g = 0;
    while (g < groups.size() && !groups[g].includes(unit, port)) ++g;
    return g;
  }
};

/// Reads the text; an empty one is "ports". Throws UserError that says what is wrong and what is
/// allowed.
[[nodiscard]] Arbitration read_arbitration(const std::string& text);

/// Throws UserError, beginning with `where`, if the text names a unit beyond `units`, or the stream
/// of a memory without one.
void check_arbitration(const std::string& text, unsigned units, bool has_stream,
                       const std::string& where);

}  // namespace tactus
