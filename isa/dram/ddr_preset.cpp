#include "isa/dram/ddr_preset.h"

#include "isa/support/json.h"

namespace tactus {

DdrPreset parse_ddr_preset(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  DdrPreset preset;
  preset.path = where;
  preset.name = root.get_string("name");
  preset.title = root.get_string("title");
  ddr_parameters().read(root, preset.config, MissingKeys::old_allowed);
  if (root.has("provenance")) {
    ObjectReader reader = root.get_object("provenance");
    ProvenanceByKey groups;
    if (reader.has("*")) groups["*"] = decode_provenance(reader, "*");
    assign_provenance(reader, ddr_parameters().section(), groups, {"*"}, preset.provenance);
    reader.finish();
  }
  root.finish();
  check_ddr(preset.config, root);
  document.problems().throw_if_any();
  return preset;
}

}  // namespace tactus
