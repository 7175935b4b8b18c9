#include "isa/tcu/device_registers.h"

#include <fmt/format.h>

namespace tactus::tcu {

ReferenceTable device_register_table() {
  static constexpr std::array<std::string_view, 4> accesses{"read", "read, write",
                                                            "read, 1 clears flags", "read, start"};
  ReferenceTable table{
      "TcuDevice: registers", "", {"register", "offset", "access", "reset", "meaning"}, {}, ""};
  for (const DeviceRegisterInfo& info : device_registers) {
    table.rows.push_back({std::string(info.name),
                          fmt::format("0x{:02X}", static_cast<unsigned>(info.address)),
                          fmt::format("{}{}", accesses[static_cast<std::size_t>(info.access)],
                                      info.of_samples ? "; only with a sampler" : ""),
                          fmt::format("0x{:X}", info.reset), std::string(info.text)});
  }
  return table;
}

}  // namespace tactus::tcu
