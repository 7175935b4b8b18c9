// Where the values of a configuration file come from.
//
//   "provenance": {
//     "architecture": {"published": "architecture file of ...", "date": "2022-08-17"},
//     "read_latency": {"assumed": "why"}, "*": {...}}
//
// A key of its own counts first, then the first of its section's groups that is there. A value
// without any entry is a problem.
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

/// Parameters, and the names that stand for those without an entry of their own, best first.
struct ProvenanceSection {
  ParameterSection parameters;
  std::vector<std::string> groups;
};

/// Reads the object; what is wrong goes to the reader's problems.
[[nodiscard]] ProvenanceByKey read_provenance(ObjectReader reader,
                                              const std::vector<ProvenanceSection>& sections);

}  // namespace tactus
