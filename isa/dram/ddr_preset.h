// A DRAM preset: a file of configs/dram with the parameters of a DRAM and its controller, and the
// provenance of each value.
//
//   {"name": "ddr3_1600", "title": "...", "bus_bits": 64, ..., "provenance": {"t_rcd": {...}}}
//
// The keys are those of ddr_parameters(). Keys of the controller are optional and have defaults. A
// user's preset may omit "provenance"; otherwise it must have an entry for every value, "*"
// standing for all values without an entry. Reading is strict; errors carry the JSON path.
#pragma once

#include <string>
#include <string_view>

#include "isa/dram/ddr_config.h"
#include "isa/support/provenance.h"

namespace tactus {

struct DdrPreset {
  std::string name;
  std::string title;
  DdrConfig config;
  ProvenanceByKey provenance;  ///< empty if the file has none

  std::string path;  ///< the preset's file, as given to parse_ddr_preset()
};

/// Reads a preset from its text. `where` is the file name in messages. Throws UserError with all
/// problems of the text.
[[nodiscard]] DdrPreset parse_ddr_preset(std::string_view json_text, const std::string& where);

}  // namespace tactus
