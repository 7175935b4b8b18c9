#include "models/dram/ddr_figure_infos.h"

namespace tactus {

std::vector<FigureInfo> ddr_figure_infos(std::string_view unit) {
  constexpr auto own = FigureInfo::Source::own;
  return {
      {"ddr.hits", "accesses", "DRAM bursts whose row was open", own, "", unit},
      {"ddr.misses", "accesses", "DRAM bursts whose bank had no open row", own, "", unit},
      {"ddr.conflicts", "accesses", "DRAM bursts whose bank had another row open", own, "", unit},
      {"ddr.refreshes", "count", "refreshes of the DRAM", own, "", unit},
      {"ddr.bus_share", "0..1", "share of the time in which data was on the DRAM's bus", own, "",
       unit},
      {"ddr.bytes", "bytes", "bytes read and written at the DRAM by all ports", own, "", unit},
      {"ddr.time.*", "",
       "time in ns that all accesses spend at the memory controller and the DRAM: waiting for "
       "other accesses (queue), waiting for refreshes (refresh), opening and closing rows (row), "
       "data on the bus (bus), and the latency that even the quickest access has (rest)",
       own, "", unit},
  };
}

}  // namespace tactus
