// AXI slave of one DRAM port. It converts the beats at the port's pins to TLM-2.0 transactions and
// back.
//
// Each burst is one transaction. A read is sent at the clock edge of its address handshake, a write
// at the edge of its address or its last data beat, whichever is later. Beats and responses are
// offered in order, one beat a cycle, from the first cycle that begins at or after the memory's
// answer: for a memory without latency, in the cycle after the handshake. Requests carry their time
// as an annotated delay, which the target must add, since cycles may run ahead of kernel time. Any
// target works: non-blocking with two or four phases, early completion, or blocking, where
// b_transport may wait or add its delay to the annotation. AxCACHE is an extension that a target
// may ignore (axi_cache.h). An error response stops the run with a UserError, unless on_error is
// set. At most 64 bursts in each direction are in flight, more than the design ever has. With 64 in
// flight the channels ar, or aw and w, are not ready.
//
// trust_dmi() is for a memory that grants TLM's direct access (DMI) and has the same latency with
// and without it. The slave then accesses the memory without transactions.
//
// Every read carries BeatTimes (beat_times.h), in which a memory that does not deliver one beat a
// cycle states the time of each beat. A memory that accepts write data beat by beat, with waits,
// implements WriteChannel (write_channel.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "isa/support/error.h"
#include "models/axi/axi.h"
#include "models/axi/axi_cache.h"
#include "models/axi/axi_target.h"
#include "models/axi/beat_times.h"
#include "models/axi/blocking_calls.h"
#include "models/axi/memory_account.h"
#include "models/axi/pin_record.h"
#include "models/axi/ring.h"
#include "models/axi/transport.h"
#include "models/axi/write_channel.h"
#include "models/sim/clock.h"
#include "models/sim/held_intervals.h"
#include "models/sim/pulled_memory.h"

namespace tactus {

/// AxiTarget is the first base, so that the frequent calls through it need no adjustment of `this`.
class AxiSlave final : public AxiTarget, public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  using Transport = tactus::Transport;
  enum State : unsigned {
    read,
    write,
    handshake,
    wait_master,
    stalled,
    read_latency,
    write_latency,
    wait_data,
    rest,
  };
  static constexpr std::array<UnitState, 9> state_table{{
      {"read", StateKind::busy, "a beat of read data is taken"},
      {"write", StateKind::busy, "a beat of write data arrives"},
      {"handshake", StateKind::busy, "an address arrives or a response is taken, and no data"},
      {"wait_master", StateKind::stall, "data or a response is offered and not taken"},
      {"stalled", StateKind::stall, "an answer is ready, but a random stall holds it back"},
      {"read_latency", StateKind::stall, "the memory has not answered a read yet"},
      {"write_latency", StateKind::stall, "the memory has not answered a write yet"},
      {"wait_data", StateKind::stall, "a write's address or part of its data is missing"},
      {"idle", StateKind::idle, "nothing to do"},
  }};

  tlm_utils::simple_initiator_socket<AxiSlave> socket{"socket"};

  AxiSlave(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes,
           Transport transport, AxiLinks& pins);
  ~AxiSlave() override;

  /// Called when a request had to wait until the memory had answered the one before, because the
  /// memory sends no END_REQ.
  std::function<void()> on_serial;
  /// Called for each burst that the memory has answered with an error, with the words for it and
  /// the time of the answer. The design then gets zeroes for a read, and an answer for a write.
  std::function<void(const std::string& what, std::uint64_t time)> on_error;

  void trust_dmi() { trusts_dmi_ = true; }
  /// Sets the address at the socket of the slave's address 0; a multiple of 4 KB.
  void set_socket_base(std::uint64_t base) { socket_base_ = base; }
  /// The address after the highest byte that the design has written. It never decreases.
  [[nodiscard]] std::uint64_t written_end() const { return written_end_; }
  /// Tells the slave that the memory behind the socket is pulled (models/sim/pulled_memory.h). The
  /// slave's address 0 is the address `base` of that memory.
  void set_pulled(PulledMemory& memory, std::uint64_t base = 0);
  /// Sets the interface by which the target receives write data; it must outlive the slave.
  void set_write_channel(WriteChannel& channel) { write_channel_ = &channel; }
  /// Opens an account with the name `unit` of the cycles in which the slave waits for the memory.
  /// The memory must fill in BeatTimes::answers.
  void account_for_memory(const char* unit) {
    memory_account_ = std::make_unique<MemoryAccount>(unit, clock_);
  }

  void draw_stalls(StallGenerator& stalls) override { stalls_.draw(stalls); }
  void drive() override;
  void commit() override;
  [[nodiscard]] bool idle() const override {
    return reads_.empty() && writes_.empty() && addresses_.empty() && data_.empty() &&
           collecting_ == nullptr && requests_.empty() && !replays();
  }
  [[nodiscard]] Cycle waits(Cycle most) const override;
  [[nodiscard]] Cycle repeats(bool writes, Cycle most) const override;
  [[nodiscard]] bool waits_for_memory() const override;
  [[nodiscard]] bool keeps_time() override;
  void registers(Registers& r) override;
  [[nodiscard]] std::uint64_t place(std::uint32_t address) const override {
    return base_ + address;
  }
  [[nodiscard]] PulledMemory* pulled() override { return pulled_; }
  /// True if the memory is pulled and has a WriteChannel.
  [[nodiscard]] bool rewinds() const override {
    return pulled_ != nullptr && write_channel_ != nullptr;
  }
  void mark() override;
  void rewind(Cycle reached) override;
  [[nodiscard]] bool replays() const override { return record_ != nullptr && record_->replays(); }
  [[nodiscard]] HeldIntervals* held() override { return &held_; }
  /// Removes the bursts in flight, as a reset does. None of them may wait for the memory.
  void reset();
  void read_now(std::uint32_t address, std::uint8_t* bytes, std::size_t count) override;
  void write_now(std::uint32_t address, const std::uint8_t* bytes, std::size_t count) override;
  [[nodiscard]] Account* account() override { return &account_; }
  [[nodiscard]] Account* memory_account() override {
    return memory_account_ ? &memory_account_->account() : nullptr;
  }

 private:
  static constexpr unsigned most_bursts = 64;
  static constexpr unsigned most_beats = 256;  ///< most beats of a burst
  static constexpr Cycle unknown_cycle = ClockEdges::unknown;
  struct Burst : tlm::tlm_generic_payload {
    /// A payload frees its extensions; these are members of the burst and must be removed first.
    ~Burst() override {
      clear_extension(&times);
      clear_extension(&cache);
    }
    std::vector<std::uint8_t> bytes;
    BeatTimes times;
    AxiCache cache;
    unsigned beats = 0;
    unsigned collected = 0;  ///< beats of a write collected so far
    unsigned next_beat = 0;
    std::size_t part = 0;  ///< index in times.answers of the next beat's part, or of an earlier one
    /// Time of the answer as a whole, for a burst without BeatTimes; unknown_cycle: none has come.
    std::uint64_t answered = unknown_cycle;
    /// First cycle in which the next beat or the response may be offered; unknown_cycle: not known.
    Cycle available = unknown_cycle;

    /// True if the time of the next beat or of the response is known.
    [[nodiscard]] bool is_known() const { return available != unknown_cycle; }
    /// Checks that a write has brought as many beats as its address says.
    void check_length(const char* slave) const {
      if (collected != beats) {
        internal_error("{}: a write burst of {} beats brought {}", slave, beats, collected);
      }
    }
    static void drop(Ring<Burst*, most_bursts>& bursts) {
      for (; !bursts.empty(); bursts.pop_front()) bursts.front()->release();
    }
    [[nodiscard]] AxiBeat beat(unsigned beat_bytes) {
      return {bytes.data() + std::size_t{next_beat} * beat_bytes, next_beat + 1 == beats};
    }
  };

  using Bursts = Ring<Burst*, most_bursts>;

  /// Does the clock edge of a cycle with a handshake.
  void commit_handshakes();
  /// The state of the account in a cycle without a handshake.
  [[nodiscard]] State waiting_state() const;
  /// Reports the beat and the response that are taken in this cycle to the memory account.
  void account_for_taken();
  /// True if the oldest burst's next beat or response is available at the beginning of cycle `now`.
  [[nodiscard]] bool answered(const Bursts& bursts, Cycle now) const {
    if (bursts.empty()) return false;
    Burst& burst = *bursts.front();
    return burst.available <= now ||
           (!burst.is_known() && learn(burst, now) && burst.available <= now);
  }
  /// Sets burst.available for the next beat or the response if its cycle is known by now; returns
  /// false if not.
  bool look_up(Burst& burst) const;
  /// Does the same. If the cycle is unknown, it pulls a pulled memory up to the middle of cycle
  /// `now` and looks again.
  bool learn(Burst& burst, Cycle now) const;
  /// Lets a pulled memory go on to this time, in units of sc_time.
  void pull(std::uint64_t time) const;
  /// Call before a request at the end of cycle `now`. The memory then has done what is due, so that
  /// it finds the same requests waiting in every engine.
  void begin_request(Cycle now) const {
    if (pulled_ != nullptr) pull(clock_.middle_of(now));
  }
  [[nodiscard]] Cycle known_beats(Cycle most) const;
  Burst* new_burst();
  /// Tells the record of a burst that begins, or that ends.
  void record_begin(Burst& burst, bool writes);
  void record_end(const Burst& burst, bool writes);
  void free(tlm::tlm_generic_payload* burst) override;
  void request(Burst* burst, tlm::tlm_command command, const AxiAddress& address);
  /// Sends requests in cycle `now`.
  void send(Cycle now);
  /// The time to which annotated delays are added.
  [[nodiscard]] sc_core::sc_time kernel_time() const {
    return pulled_ == nullptr ? sc_core::sc_time_stamp() : sc_core::SC_ZERO_TIME;
  }
  void begin_read(const AxiAddress& address);
  void end_beat();
  void answer(Burst& burst, const sc_core::sc_time& delay);
  void refuse(Burst& burst, std::uint64_t time);
  void ask_for_dmi(tlm::tlm_generic_payload& access);
  [[nodiscard]] bool access_directly(Burst& burst, Cycle now) const;
  void note_write(std::uint32_t address, std::uint64_t count) {
    written_end_ = std::max(written_end_, address + count);
  }
  /// Reads or writes bytes of one page; no time passes.
  void access_now(tlm::tlm_command command, std::uint32_t address, std::uint8_t* bytes,
                  std::size_t count);
  void invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void end_write();
  void commit_write_data();
  void note_room();
  void drop_bursts();
  void join_writes();

  Clock& clock_;
  unsigned beat_bytes_;
  Transport transport_;
  BlockingCalls calls_;
  AxiLinks& pins_;

  std::vector<std::unique_ptr<Burst>> bursts_;  ///< all, busy and free
  std::vector<Burst*> free_;
  /// Bursts to be sent to the target, oldest first.
  Ring<Burst*, std::size_t{2} * most_bursts> requests_;
  Burst* request_phase_ = nullptr;           ///< sent, but not yet accepted by the target
  Bursts reads_;                             ///< in order of their address handshakes
  Bursts writes_;                            ///< writes that have been requested, in order
  Ring<AxiAddress, most_bursts> addresses_;  ///< addresses of writes whose data is incomplete
  Bursts data_;  ///< writes whose address is missing: data complete, or begun (WriteChannel)
  /// Numbers of bursts not yet answered: reads, write addresses, complete write data.
  struct InFlight {
    unsigned reads = 0, write_addresses = 0, write_data = 0;
    [[nodiscard]] bool takes_reads() const { return reads < most_bursts; }
  } in_flight_;
  WriteChannel* write_channel_ = nullptr;  ///< null: the target takes whole writes
  std::uint64_t room_time_ = 0;            ///< time from which the WriteChannel accepts a beat
  Cycle room_from_ = 0;                    ///< first cycle that begins then; may be unknown_cycle
  /// First cycle in which the slave accepts data; unknown_cycle while too many bursts are in
  /// flight, or room_from_ is not known.
  Cycle takes_data_from_ = 0;
  PulledMemory* pulled_ = nullptr;  ///< null: the kernel wakes the memory
  std::uint64_t base_ = 0;          ///< address of the slave's address 0 in the pulled memory
  std::uint64_t socket_base_ = 0;   ///< address of the slave's address 0 at the socket
  bool trusts_dmi_ = false;
  /// A region of direct memory access.
  struct Direct {
    std::uint8_t* bytes = nullptr;
    std::uint64_t address = 0, size = 0;
    Cycle read_latency = 0, write_latency = 0;
    /// Pointer to the bytes; null unless all of them are in this region.
    [[nodiscard]] std::uint8_t* at(std::uint64_t from, std::uint64_t count) const {
      const std::uint64_t offset = from - address;
      return offset < size && count <= size - offset ? bytes + offset : nullptr;
    }
  } direct_;
  std::uint64_t written_end_ = 0;
  std::string error_;            ///< error response of the memory; thrown by the next commit()
  Burst* collecting_ = nullptr;  ///< write whose data is coming in; null: none
  AxiStalls stalls_;
  Account account_;
  std::unique_ptr<MemoryAccount> memory_account_;  ///< null: none is kept
  std::unique_ptr<PinRecord> record_;              ///< null: no other design shares the memory
  HeldIntervals held_;                             ///< of both accounts
  /// State saved by mark(). The slave is idle then, so its account and the wires that it drives
  /// suffice.
  struct {
    Account::Saved account;
    bool ar_ready = false, aw_ready = false, w_ready = false, r_valid = false, b_valid = false;
  } marked_;
};

}  // namespace tactus
