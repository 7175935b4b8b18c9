#include "firmware/config/architectures.h"

#include "firmware/config/config_files.h"
#include "isa/tcu/architecture_json.h"

namespace tactus {

std::string architecture_path(const std::string& name) {
  return file_or_config_path("arch", name, ".tarch");
}

tcu::Architecture read_named_architecture(const std::string& name, std::string* defaults) {
  std::string left_out;
  tcu::Architecture architecture = tcu::read_architecture(architecture_path(name), left_out);
  if (defaults != nullptr) *defaults = left_out;
  return architecture;
}

}  // namespace tactus
