// Reads a range of memory from its beginning to its end as a stream of words, as a DMA does: bursts
// of a fixed size, one behind the other, several under way.
//
// The first bursts are asked for at the clock edge with which the stream starts, each further one
// at the edge that ends the cycle in which the last word of another is taken. A word is there in
// the first cycle that begins at or after the time that the target's BeatTimes give it; words come
// in order, at most one a cycle. Behind a target that takes no time a word is there in every cycle.
// It asks for timing alone: what the bytes are is the affair of whoever takes the words.
//
// Throughput: that of the target, and at most `bursts` of them in the time of one. No burst has
// more than 256 beats or crosses a multiple of 4096 bytes.
//
// The target is a PortPath, or any that fills in BeatTimes for a read. Requests carry their time as
// an annotated delay, since cycles may run ahead of kernel time. A refused read is an
// InternalError. Source: memory specification, sections 1.2 and 5.1.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/axi/beat_times.h"
#include "models/axi/memory_account.h"
#include "models/sim/clock.h"

namespace tactus {

class StreamReader final : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  struct Config {
    unsigned word_bytes = 16;
    unsigned burst_bytes = 4096;  ///< a power of two, at least a word; 256 words are the most
    unsigned bursts = 2;          ///< asked for and not taken in full
  };

  tlm_utils::simple_initiator_socket<StreamReader> socket{"socket"};

  StreamReader(const sc_core::sc_module_name& name, Clock& clock, sc_core::sc_time period,
               const Config& config);
  ~StreamReader() override;

  /// Begins a stream of so many bytes, whole words, with the present cycle. What is under way of
  /// one before is dropped.
  void start(std::uint64_t bytes);
  /// Asked in every cycle in which a word is wanted: whether the next one is there.
  [[nodiscard]] bool available();
  /// It is taken in the present cycle.
  void take();
  /// Asked for so far, of all streams.
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

  /// The next word has been asked for and is not there yet.
  [[nodiscard]] bool waits_for_memory() const { return !bursts_.empty() && !is_there(); }
  [[nodiscard]] Account& account() { return account_.account(); }

 private:
  struct Burst : tlm::tlm_generic_payload {
    ~Burst() override { clear_extension(&times); }
    std::vector<std::uint8_t> bytes;
    BeatTimes times;
    unsigned words = 0;
    unsigned next = 0;  ///< word to be taken
  };

  [[nodiscard]] bool is_there() const {
    const Burst& burst = *bursts_.front();
    const std::vector<std::uint64_t>& at = burst.times.at;
    return burst.next < at.size() && at[burst.next] <= clock_.now * period_ps_;
  }
  /// As many bursts as there is room for, at a time in ps.
  void request(std::uint64_t edge);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void free(tlm::tlm_generic_payload* payload) override;

  Clock& clock_;
  const std::uint64_t period_ps_;
  const Config config_;
  std::uint64_t asked_ = 0;  ///< bytes
  std::uint64_t size_ = 0;   ///< bytes
  std::uint64_t bytes_read_ = 0;
  std::deque<Burst*> bursts_;
  std::vector<std::unique_ptr<Burst>> all_;
  std::vector<Burst*> free_;
  MemoryAccount account_;
};

}  // namespace tactus
