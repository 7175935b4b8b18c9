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
      {"ddr.bytes", "bytes", "read and written at the DRAM by all ports", own, "", unit},
      {"ddr.time.*", "",
       "in ns, time of all accesses at the memory controller and the DRAM: behind other accesses "
       "(queue), "
       "behind refreshes, opening and closing rows (row), data on the bus, and what the quickest "
       "access has too (rest)",
       own, "", unit},
  };
}

}  // namespace tactus
