#include "isa/tcu/device_registers.h"

#include <fmt/format.h>

namespace tactus::tcu {

std::string device_register_table() {
  static constexpr std::array<std::string_view, 4> accesses{"read", "read, write",
                                                            "read, 1 clears flags", "read, start"};
  std::string text = "| offset | register | access | reset | meaning |\n|---|---|---|---|---|\n";
  for (const DeviceRegisterInfo& info : device_registers) {
    text += fmt::format("| 0x{:02X} | `{}`{} | {} | 0x{:X} | {} |\n",
                        static_cast<unsigned>(info.address), info.name, info.of_samples ? " *" : "",
                        accesses[static_cast<std::size_t>(info.access)], info.reset, info.text);
  }
  return text;
}

}  // namespace tactus::tcu
