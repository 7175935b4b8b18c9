// A host link as a file of configs/links:
//
//   {"name": "usb3", "title": "USB 3.1 Gen 1",
//    "out_bytes_per_second": 300000000, ...              the keys of LinkValues, all of them
//    "provenance": {"*": {"published": "where", "date": "2020-08"}, "fixed_ps": {"assumed":
//    "why"}}}
//
// A link of one's own may leave out "provenance". Reading is strict; errors carry the JSON path.
#pragma once

#include <string>
#include <string_view>

#include "isa/support/link_values.h"
#include "isa/support/provenance.h"

namespace tactus {

struct LinkPreset : LinkValues {
  std::string name;
  std::string title;
  ProvenanceByKey provenance;  ///< by key; empty if not given
  std::string path;            ///< the link's file
};

/// `name`: of a file in configs/links, or a path (see config_path). Throws UserError.
[[nodiscard]] LinkPreset read_link(const std::string& name);
/// The same from text already in memory; `where` stands for the file name.
[[nodiscard]] LinkPreset parse_link(std::string_view json_text, const std::string& where);

}  // namespace tactus
