// A DMA that reads a range of memory as a stream of words, in consecutive bursts of a fixed size,
// several of them in flight.
//
// The first bursts are requested at the clock edge at which the stream starts. Each further burst
// is requested at the edge that ends the cycle in which the last word of a burst is taken. A word
// is available in the first cycle that begins at or after its time in the target's BeatTimes or,
// with a target that answers whole bursts, at or after the answer. Words come in order, at most one
// a cycle. With a target without latency a word is available in every cycle.
//
// Throughput: limited by the target, and to `bursts` bursts in the latency of one burst. No burst
// has more than 256 beats or crosses a multiple of its size, so none crosses a 4 KB boundary.
//
// Any TLM-2.0 target works (burst_port.h). An error response ends the stream: see error(). Source:
// memory specification, sections 1.2 and 5.1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include <systemc>
#include <tlm>

#include "models/axi/burst_port.h"
#include "models/axi/memory_account.h"
#include "models/axi/refusal.h"
#include "models/sim/clock.h"
#include "models/sim/pulled_memory.h"

namespace tactus {

class StreamReader final : public sc_core::sc_module {
 public:
  struct Config {
    unsigned word_bytes = 16;
    unsigned burst_bytes = 4096;  ///< a power of two, at least a word; cut to 256 words
    unsigned bursts = 2;          ///< most bursts requested and not yet taken in full
    Transport transport = Transport::non_blocking;
  };

  StreamReader(const sc_core::sc_module_name& name, Clock& clock, const Config& config);

 private:
  Clock& clock_;
  BurstPort port_;

 public:
  tlm_utils::simple_initiator_socket<BurstPort>& socket = port_.socket;

  /// Tells the reader that the memory behind the socket is pulled (models/sim/pulled_memory.h).
  void set_pulled(PulledMemory& memory) {
    pulled_ = &memory;
    port_.set_pulled();
  }
  /// Starts a stream of `bytes` bytes, whole words, in the current cycle. Bursts of an earlier
  /// stream are dropped. The stream may end at address 2^64, not beyond it.
  void start(std::uint64_t bytes, std::uint64_t address = 0);
  /// Ends the stream and drops bursts in flight.
  void stop() { start(0); }
  /// True if the next word is available. Call it in every cycle in which a word is needed: it also
  /// sends waiting requests and keeps the account.
  [[nodiscard]] bool available();
  /// The bytes of the available word.
  [[nodiscard]] const std::uint8_t* word() const {
    const Read& read = reads_.front();
    return read.burst->bytes.data() + std::uint64_t{read.next} * config_.word_bytes;
  }
  /// Takes the available word in the current cycle.
  void take();
  /// See AxiSlave::on_serial.
  void set_on_serial(std::function<void()> call) { port_.on_serial = std::move(call); }
  /// Bytes requested so far, by all streams.
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  /// Error response to the burst of the next word; TLM_OK_RESPONSE if there is none.
  [[nodiscard]] tlm::tlm_response_status error() const;
  /// The words for the refused access.
  [[nodiscard]] std::string refused() const { return refusal(*reads_.front().burst); }
  /// The time at which error() has stopped the stream: when the answer has come and the words
  /// before it are taken.
  [[nodiscard]] std::uint64_t error_time() const {
    return std::max(reads_.front().burst->answered, front_since_);
  }
  /// The first cycle in which the first word of the stream was available. Call it once a word is.
  [[nodiscard]] Cycle first_available() const { return first_available_; }

  /// Number of cycles from the current one on, at most `most`, in which available() stays false; 0:
  /// unknown. Call it after available().
  [[nodiscard]] Cycle waits(Cycle most) const;
  /// True if the next word has been requested and is not available yet.
  [[nodiscard]] bool waits_for_memory() const { return !reads_.empty() && !is_there(); }
  [[nodiscard]] Account& account() { return account_.account(); }

 private:
  struct Read {
    BurstPort::Burst* burst;
    unsigned words;
    unsigned next = 0;  ///< next word to be taken
  };

  [[nodiscard]] bool is_there() const {
    const BurstPort::Burst& burst = *reads_.front().burst;
    // A part of a burst may be refused before the whole is answered.
    const bool refused = burst.is_over ? burst.is_response_error()
                                       : burst.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE;
    return next_word() <= clock_.begin() && !refused;
  }
  /// Time, in units of sc_time, of the next word; BurstPort::never: not known.
  [[nodiscard]] std::uint64_t next_word() const {
    const Read& read = reads_.front();
    const std::vector<std::uint64_t>& at = read.burst->times.at;
    if (at.empty()) return read.burst->answered;
    return read.next < at.size() ? at[read.next] : BurstPort::never;
  }
  /// Sends requests at time `edge`, in units of sc_time.
  void send(std::uint64_t edge);
  /// Lets a pulled memory go on to this time, in units of sc_time.
  void pull(std::uint64_t ps);
  /// Requests as many bursts as may be in flight, at time `edge`, in units of sc_time.
  void request(std::uint64_t edge);

  const Config config_;
  std::uint64_t asked_ = 0;        ///< address of the next burst
  std::uint64_t left_ = 0;         ///< bytes of the stream that have not been requested
  std::uint64_t front_since_ = 0;  ///< time from which the oldest burst is the next to be taken
  static constexpr Cycle unknown_cycle = ~Cycle{0};
  Cycle started_ = 0, first_available_ = unknown_cycle;
  std::uint64_t bytes_read_ = 0;
  std::deque<Read> reads_;
  BurstPort::Burst* taken_ = nullptr;  ///< burst taken last, which holds the last word; null: none
  MemoryAccount account_;
  PulledMemory* pulled_ = nullptr;  ///< null: the kernel wakes the memory
};

}  // namespace tactus
