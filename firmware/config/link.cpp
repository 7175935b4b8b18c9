#include "firmware/config/link.h"

#include "firmware/config/config_files.h"
#include "isa/support/files.h"
#include "isa/support/json.h"

namespace tactus {

LinkPreset parse_link(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  LinkPreset link;
  link.path = where;
  link.name = root.get_string("name");
  link.title = root.get_string("title");
  link_parameters().read(root, link);
  if (root.has("provenance")) {
    link.provenance = read_provenance(root.get_object("provenance"), link_parameters().section());
  }
  root.finish();
  document.problems().throw_if_any();
  return link;
}

LinkPreset read_link(const std::string& name) {
  const std::string path = config_path("links", name);
  return parse_link(read_text(path), path);
}

}  // namespace tactus
