#include "isa/support/board_values.h"

namespace tactus {

const ParameterTable<BoardValues>& board_parameters() {
  using B = BoardValues;
  static const ParameterTable<BoardValues> table(
      "board",
      "What a board adds to an architecture. A file of configs/boards has every key, beside "
      "\"name\", \"title\", \"architecture\" and \"provenance\".",
      {real("clock_mhz", &B::clock_mhz, {0.001, 100000}, "MHz",
            "clock frequency, which turns cycles into times"),
       whole("axi_data_bits", &B::axi_data_bits, axi_width_range, "bits",
             "width of the DRAM ports and of the instruction stream; it divides a vector's bits"),
       whole("read_latency", &B::read_latency, latency_range, "cycles",
             "from a read's address to its first data"),
       whole("write_latency", &B::write_latency, latency_range, "cycles",
             "from a write's last data to its response")});
  return table;
}

}  // namespace tactus
