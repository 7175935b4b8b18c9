// Where each value of a file comes from: boards, DRAM presets.
//
//   "provenance": {
//     "clock_mhz": {"published": "tutorial of ...", "date": "2022-07"},
//     "t_rfc": {"measured": "register 0x8B of ..., read on the board", "date": "2022-07"},
//     "interconnect_ns": {"fitted": "to the rate of one design"},
//     "read_latency": {"assumed": "why"},
//     "*": {...}}                                     all values without an entry of their own
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/json.h"
#include "isa/support/parameter.h"

namespace tactus {

struct Provenance {
  enum class Kind {
    published,  ///< by the maker or in a paper; has a date
    measured,   ///< on hardware, by whom; has a date
    fitted,     ///< chosen so that a model meets a measurement; says which
    assumed,    ///< says why
  };
  Kind kind = Kind::assumed;
  std::string text;  ///< the source, or why
  std::string date;  ///< of the source, YYYY-MM or YYYY-MM-DD; empty if fitted or assumed
};

/// "published", "measured", "fitted", "assumed".
[[nodiscard]] std::string_view to_text(Provenance::Kind kind);

/// By key; empty if the file has none.
using ProvenanceByKey = std::map<std::string, Provenance, std::less<>>;

/// The entry `key` of an object "provenance". What is wrong with it goes to the reader's problems.
[[nodiscard]] Provenance decode_provenance(ObjectReader& parent, std::string_view key);

/// Gives each parameter of a section its own entry, else the first of the groups `order` that is in
/// `groups`. One that has neither is a problem.
void assign_provenance(ObjectReader& reader, const ParameterSection& section,
                       const ProvenanceByKey& groups, const std::vector<std::string>& order,
                       ProvenanceByKey& assigned);

}  // namespace tactus
