// A host link, as in a file of configs/links:
//
//   {"name": "usb3", "title": "USB 3.1 Gen 1",
//    "out_bytes_per_second": 300000000, ...              all keys of LinkValues
//    "provenance": {"*": {"published": "where", "date": "2020-08"},
//                   "fixed_ps": {"assumed": "why"}}}
//
// A user's link may omit "provenance". Reading is strict; errors carry the JSON path.
#pragma once

#include <string>
#include <string_view>

#include "isa/support/link_values.h"
#include "isa/support/provenance.h"

namespace tactus {

struct LinkPreset : LinkValues {
  std::string name;
  std::string title;
  ProvenanceByKey provenance;  ///< empty if the file has none
  std::string path;            ///< path of the link's file
};

/// Reads a link by the name of a file in configs/links, or by path (see config_path). Throws
/// UserError.
[[nodiscard]] LinkPreset read_link(const std::string& name);
/// Reads text that is already in memory; `where` stands for the file name.
[[nodiscard]] LinkPreset parse_link(std::string_view json_text, const std::string& where);

}  // namespace tactus
