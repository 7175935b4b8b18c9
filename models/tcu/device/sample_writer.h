// The stream-to-memory half of a TcuDevice's DMA: writes the sampler's words to a buffer, 8 bytes
// each, low byte first.
//
// Samples are collected in bursts of at most 256 bytes, which do not cross multiples of 256. A
// burst is written at the clock edge that ends the cycle of its last sample. The transfer ends when
// the block's last sample has arrived or the buffer is full, and all bursts are answered.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "models/axi/burst_port.h"
#include "models/tcu/sampler/sampler.h"

namespace tactus {

class SampleWriter final : public sc_core::sc_module {
 public:
  SampleWriter(const sc_core::sc_module_name& name, Clock& clock, Transport transport);

 private:
  Clock& clock_;
  BurstPort port_;

 public:
  tlm_utils::simple_initiator_socket<BurstPort>& socket = port_.socket;

  void start(std::uint64_t address, std::uint64_t bytes);
  /// Forgets the transfer. What was sent is still written.
  void stop();
  /// True if a sample would be taken.
  [[nodiscard]] bool takes() const { return is_open_; }
  /// Takes a sample in the current cycle.
  void take(const Sample& sample);
  /// Call once a cycle: sends bursts that the memory could not accept before.
  void move() {
    if (port_.has_to_send()) port_.send(clock_.begin());
  }
  /// Called when all samples have been taken and their bursts are answered, or will be at
  /// answered().
  std::function<void()> on_end;
  /// Time of the last answer so far.
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  /// See AxiSlave::on_serial.
  void set_on_serial(std::function<void()> call) { port_.on_serial = std::move(call); }
  [[nodiscard]] std::uint64_t bytes() const { return written_; }
  /// The buffer was full before a block's last sample.
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  [[nodiscard]] tlm::tlm_response_status error() const { return error_; }
  /// The words for the access that was refused last.
  [[nodiscard]] const std::string& refused() const { return refused_; }

 private:
  void write();
  void answer(BurstPort::Burst& burst);

  std::uint64_t next_ = 0;  ///< address of the burst that is collected
  std::uint64_t left_ = 0;  ///< bytes of the buffer that are not taken
  std::vector<std::uint8_t> collected_;
  std::uint64_t written_ = 0;  ///< bytes taken
  bool is_open_ = false, overflowed_ = false;
  std::uint64_t answered_ = 0;
  std::vector<BurstPort::Burst*> under_way_;  ///< not answered
  tlm::tlm_response_status error_ = tlm::TLM_OK_RESPONSE;
  std::string refused_;
};

}  // namespace tactus
