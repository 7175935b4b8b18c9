// A TLM-2.0 initiator of whole bursts, for units that need only the time and the data of a burst's
// answer: the DMAs of a machine.
//
// Requests are sent in order, with their time as an annotated delay. The target must add the delay,
// since cycles may run ahead of kernel time. Any target works, as with AxiSlave. While the target
// has not accepted a non-blocking request, the next one waits, as TLM-2.0 demands, and the caller
// must call send() again. A dropped burst exists until the target has answered it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/axi/beat_times.h"
#include "models/axi/blocking_calls.h"
#include "models/axi/transport.h"
#include "models/sim/clock.h"

namespace tactus {

class BurstPort final : private tlm::tlm_mm_interface {
 public:
  struct Burst : tlm::tlm_generic_payload {
    /// A payload frees its extensions. This one is a member of the burst and must be removed first.
    ~Burst() override { clear_extension(&times); }
    std::vector<std::uint8_t> bytes;
    BeatTimes times;
    std::uint64_t answered = never;  ///< time of the answer as a whole, in units of sc_time
    bool is_sent = false;
    bool is_over = false;     ///< BEGIN_RESP has come
    bool is_dropped = false;  ///< true if the unit no longer waits for its answer
  };
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  tlm_utils::simple_initiator_socket<BurstPort> socket{"socket"};

  BurstPort(Clock& clock, Transport transport);
  ~BurstPort() override;

  /// Tells the port that the memory behind the socket is pulled (models/sim/pulled_memory.h), so
  /// that calls to it give the kernel nothing to do.
  void set_pulled() { pulled_ = true; }
  /// Returns a burst of `bytes` bytes. It belongs to the caller until release() or drop().
  [[nodiscard]] Burst* burst(tlm::tlm_command command, std::uint64_t address, std::size_t bytes);
  /// Queues a burst. It is sent by the next send().
  void request(Burst* burst) { to_send_.push_back(burst); }
  /// Sends queued requests, timed at `time`, as far as the target accepts them.
  void send(std::uint64_t time);
  [[nodiscard]] bool has_to_send() const { return !to_send_.empty(); }
  /// Called with each burst that is answered, unless it was dropped.
  std::function<void(Burst&)> on_answer;
  /// See AxiSlave::on_serial.
  std::function<void()> on_serial;
  static void drop(Burst* burst);

 private:
  void answer(Burst& burst, const sc_core::sc_time& delay);
  /// The time to which annotated delays are added.
  [[nodiscard]] sc_core::sc_time kernel_time() const {
    return pulled_ ? sc_core::SC_ZERO_TIME : sc_core::sc_time_stamp();
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void free(tlm::tlm_generic_payload* payload) override;

  Clock& clock_;
  bool pulled_ = false;
  const Transport transport_;
  BlockingCalls calls_;
  std::deque<Burst*> to_send_;
  Burst* request_phase_ = nullptr;  ///< sent, and not yet accepted by the target
  std::vector<std::unique_ptr<Burst>> all_;
  std::vector<Burst*> free_;
};

}  // namespace tactus
