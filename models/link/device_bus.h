// The bus inside the device that carries data from and to a host link.
//
// A beat is `width` bytes in one cycle of the bus clock. Data from the link moves on the bus while
// it arrives. Its transfer ends one bus cycle after its last byte has arrived, or as many cycles as
// it has beats after the bus became free, whichever is later. Data from the device takes the bus
// for all its beats. Data is then passed on to the module bound to `sink`. Time is annotated;
// blocking transport never waits.
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
    std::uint64_t hz = 0;     ///< bus clock; 0: the bus takes no time
    std::uint64_t width = 8;  ///< bytes per beat
    bool sends = false;       ///< true: from device to link; false: from link to device
  };

  DeviceBus(const sc_core::sc_module_name& name, const Config& config);

  tlm_utils::simple_target_socket<DeviceBus> socket{"socket"};
  tlm_utils::simple_initiator_socket<DeviceBus> sink{"sink"};

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  /// Time of the beats that carry so many bytes.
  [[nodiscard]] sc_core::sc_time beats(std::uint64_t bytes) const;

  const Config config_;
  sc_core::sc_time free_;  ///< time at which the bus becomes free
  std::uint64_t bytes_ = 0;
};

}  // namespace tactus
