#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/sweep/configuration.h"
#include "isa/support/files.h"

namespace tactus::sweep {

Configuration board_defaults(const std::string& name, const std::string& file) {
  const std::string path = config_path("boards", name);
  const Board board = read_board(path == name ? resolve_beside(file, name) : path);
  Configuration result;
  result["workload"] = {{"network", "resnet20v2"}, {"seed", 1}};
  result["board"] = {{"name", name},
                     {"clock_mhz", board.clock_mhz},
                     {"axi_data_bits", board.axi_data_bits},
                     {"read_latency", board.read_latency},
                     {"write_latency", board.write_latency}};
  result["architecture"] = Configuration::parse(tcu::to_json(board.architecture, -1));
  result["architecture"].erase("dais_blocks");  // no single value
  result["compiler"] = {{"strategy", "local-isolated"}, {"compat", false}};
  return result;
}

}  // namespace tactus::sweep
