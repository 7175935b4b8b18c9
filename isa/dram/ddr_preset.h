// A file of configs/dram: a DRAM with its controller, and where each value comes from.
//
//   {"name": "ddr3_1600", "title": "...", "bus_bits": 64, ..., "provenance": {"t_rcd": {...}}}
//
// Every key of ddr_parameters(); those of the controller may be left out and then have their
// defaults. A preset of one's own may leave out "provenance"; otherwise every value has an entry,
// "*" stands for all that have none of their own. Reading is strict; errors carry the JSON path.
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
  ProvenanceByKey provenance;  ///< empty if not given

  std::string path;  ///< the preset's file
};

/// `where` stands for the file name. Throws UserError.
[[nodiscard]] DdrPreset parse_ddr_preset(std::string_view json_text, const std::string& where);

}  // namespace tactus
