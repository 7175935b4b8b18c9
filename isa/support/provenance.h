// Where the values of a shipped file come from: published somewhere, or assumed for a reason.
//
//   "provenance": {
//     "clock_mhz": {"published": "tutorial for the board", "date": "2022-07"},
//     "*": {"assumed": "chosen so that ..."}}
//
// "*", or the name of a group of keys, stands for the keys that have no entry of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "isa/support/parameter.h"

namespace tactus {

struct Provenance {
  bool published = false;  ///< else assumed
  std::string text;        ///< the source, or why
  std::string date;        ///< of the source, YYYY-MM or YYYY-MM-DD; empty if assumed
};

using ProvenanceByKey = std::map<std::string, Provenance, std::less<>>;

/// Parameters and the entries that may stand for them, the first that is there.
struct ProvenanceSection {
  ParameterSection parameters;
  std::vector<std::string> groups;
};

/// Reads an object with an entry for every parameter, except optional ones of type `other`. Reports
/// missing, unknown and malformed entries.
[[nodiscard]] ProvenanceByKey decode_provenance(ObjectReader reader,
                                                const std::vector<ProvenanceSection>& sections);

}  // namespace tactus
