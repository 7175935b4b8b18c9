#include "firmware/zoo/network_file.h"

#include <filesystem>

#include "firmware/tensorflow/model_files.h"
#include "firmware/zoo/topology.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/files.h"

namespace tactus::nn {

bool is_network_file(const std::string& path) {
  return tf::is_model_name(path) || is_topology(path);
}

Graph load_network(const std::string& path, tf::ImportOptions& options) {
  if (!is_topology(path)) return tf::load_model(path, options);
  const std::string name = std::filesystem::path(path).stem().string();
  return build_topology(parse_topology(read_text(path), path), name, default_zoo_seed).graph;
}

Graph load_network(const std::string& path) {
  tf::ImportOptions options;
  return load_network(path, options);
}

}  // namespace tactus::nn
