// Provenance of the values in a file of a board or a DRAM preset.
//
//   "provenance": {
//     "clock_mhz": {"published": "tutorial of ...", "date": "2022-07"},
//     "t_rfc": {"measured": "register 0x8B of ..., read on the board", "date": "2022-07"},
//     "interconnect_ns": {"fitted": "to the rate of one design"},
//     "read_latency": {"assumed": "why"},
//     "*": {...}}                                     all values without an entry
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
    published,  ///< published by the maker or in a paper; has a date
    measured,   ///< measured on hardware, the text says by whom; has a date
    fitted,     ///< chosen so that a model agrees with a measurement; the text says which
    assumed,    ///< assumed; the text says why
  };
  Kind kind = Kind::assumed;
  std::string text;  ///< the source, or the reason
  std::string date;  ///< date of the source, YYYY-MM or YYYY-MM-DD; empty if fitted or assumed
};

/// "published", "measured", "fitted", "assumed".
[[nodiscard]] std::string_view to_text(Provenance::Kind kind);

/// Provenance by key; empty if the file has none.
using ProvenanceByKey = std::map<std::string, Provenance, std::less<>>;

/// Reads the entry `key` of an object "provenance". Problems go to the reader.
[[nodiscard]] Provenance decode_provenance(ObjectReader& parent, std::string_view key);

/// Assigns each parameter of a section its own entry, or else that of the first group in `order`
/// that is in `groups`. A parameter without either is a problem.
void assign_provenance(ObjectReader& reader, const ParameterSection& section,
                       const ProvenanceByKey& groups, const std::vector<std::string>& order,
                       ProvenanceByKey& assigned);

/// Reads the object "provenance" of a section; "*" stands for all keys without an entry.
[[nodiscard]] ProvenanceByKey read_provenance(ObjectReader reader, const ParameterSection& section);

}  // namespace tactus
