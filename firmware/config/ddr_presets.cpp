#include "firmware/config/ddr_presets.h"

#include "firmware/config/config_files.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"

namespace tactus {

DdrPreset read_ddr_preset(const std::string& name) {
  const std::string path = config_path("dram", name);
  const std::string text = read_text(path);
  return parse_as(FileKind::dram, path, text, [&] { return parse_ddr_preset(text, path); });
}

}  // namespace tactus
