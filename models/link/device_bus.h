// The bus inside the device that carries data from and to a host link.
//
// A beat is `width` bytes in one clock cycle. Data from a link is transferred while it arrives: it
// is complete one beat after its end, or all its beats after the bus became free, whichever is
// later. Data of the device takes all its beats and is then passed on to the module bound to
// `sink`. Time is annotated; blocking transport never waits.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace tactus {

class DeviceBus final : public sc_core::sc_module {
 public:
  struct Config {
    std::uint64_t hz = 0;     ///< clock; 0: transfers take no time
    std::uint64_t width = 8;  ///< bytes
    bool sends = false;       ///< carries data of the device; else data of the link
  };

  DeviceBus(const sc_core::sc_module_name& name, const Config& config);

  tlm_utils::simple_target_socket<DeviceBus> socket{"socket"};
  tlm_utils::simple_initiator_socket<DeviceBus> sink{"sink"};

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] sc_core::sc_time beats(std::uint64_t bytes) const;

  const Config config_;
  sc_core::sc_time free_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tactus
