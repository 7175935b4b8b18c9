// The bus inside the device that takes what a link brings, and gives what it sends.
//
// A beat is `width` bytes in one clock cycle. What comes from a link passes while it arrives: it is
// through one beat after its end, or all its beats after the bus was free, whichever is later. What
// the device sends takes all its beats, and then goes on to whatever is bound to `sink`. Time is
// annotated, blocking transport never waits.
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
    std::uint64_t hz = 0;     ///< 0: takes no time
    std::uint64_t width = 8;  ///< bytes
    bool sends = false;       ///< data of the device; else of the link
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
