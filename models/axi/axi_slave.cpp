#include "models/axi/axi_slave.h"

#include <algorithm>

#include "isa/support/error.h"
#include "models/axi/refusal.h"
#include "models/sim/bytes.h"
#include "models/sim/kernel_time.h"
#include "models/sim/turns.h"

namespace tactus {
namespace {

/// Marks a burst whose b_transport call has not returned. A burst with BeatTimes may be taken and
/// released before.
struct SlaveCall final : tlm::tlm_extension<SlaveCall> {
  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new SlaveCall(*this); }
  void copy_from(const tlm::tlm_extension_base& /*other*/) override {}
  void free() override {}  // all bursts share one
};

}  // namespace

AxiSlave::AxiSlave(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes,
                   Transport transport, AxiLinks& pins)
    : sc_module(name),
      clock_(clock),
      beat_bytes_(beat_bytes),
      transport_(transport),
      calls_(
          [this](tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
            static SlaveCall call;
            access.set_extension(&call);
            socket->b_transport(access, delay);
            access.clear_extension(&call);
          },
          [this](tlm::tlm_generic_payload& access, const sc_core::sc_time& delay) {
            if (access.get_ref_count() == 0) return free(&access);
            answer(static_cast<Burst&>(access), delay);
          }),
      pins_(pins),
      account_(basename(), clock, state_table, rest),
      held_(clock) {
  socket.register_nb_transport_bw(this, &AxiSlave::nb_transport_bw);
  socket.register_invalidate_direct_mem_ptr(this, &AxiSlave::invalidate_dmi);
}

AxiSlave::~AxiSlave() = default;

void AxiSlave::set_pulled(PulledMemory& memory, std::uint64_t base) {
  pulled_ = &memory;
  base_ = base;
  if (clock_.turn == nullptr) return;
  record_ = std::make_unique<PinRecord>(clock_, memory, pins_, beat_bytes_);
}

void AxiSlave::record_begin(Burst& burst, bool writes) {
  if (record_ == nullptr || !record_->records()) return;
  const std::uint32_t number = record_->begin_burst(writes, burst.bytes.data(), burst.beats);
  burst.times.burst = {record_.get(), number, 0};
}

void AxiSlave::record_end(const Burst& burst, bool writes) {
  if (record_ == nullptr || !record_->records()) return;
  record_->end_burst(writes, burst.times.burst.number, burst.beats);
}

AxiSlave::Burst* AxiSlave::new_burst() {
  if (free_.empty()) {
    bursts_.push_back(std::make_unique<Burst>());
    bursts_.back()->bytes.resize(std::size_t{most_beats} * beat_bytes_);
    bursts_.back()->set_mm(this);
    bursts_.back()->set_extension(&bursts_.back()->times);
    bursts_.back()->set_extension(&bursts_.back()->cache);
    bursts_.back()->set_data_ptr(bursts_.back()->bytes.data());
    free_.push_back(bursts_.back().get());
  }
  Burst* burst = free_.back();
  free_.pop_back();
  burst->beats = burst->collected = burst->next_beat = 0;
  burst->part = 0;
  burst->answered = burst->available = unknown_cycle;
  burst->times.clear();
  burst->times.burst = {};
  burst->acquire();
  return burst;
}

void AxiSlave::free(tlm::tlm_generic_payload* burst) {
  if (burst->get_extension<SlaveCall>() != nullptr) return;  // freed when the call returns
  burst->reset();
  free_.push_back(static_cast<Burst*>(burst));
}

void AxiSlave::drive() {
  if (replays()) return record_->drive();
  AxiLinks& pins = pins_;
  const Cycle now = clock_.now;
  if (room_from_ == unknown_cycle) note_room();
  pins.r.valid = !stalls_.r && answered(reads_, now);
  if (pins.r.valid) pins.r.bits = reads_.front()->beat(beat_bytes_);
  pins.b.valid = !stalls_.b && answered(writes_, now);
  pins.ar.ready = !stalls_.ar && in_flight_.takes_reads();
  pins.aw.ready = !stalls_.aw && in_flight_.write_addresses < most_bursts;
  pins.w.ready = !stalls_.w && now >= takes_data_from_;
  if (record_ != nullptr && record_->records()) record_->note_wires();
}

AxiSlave::State AxiSlave::waiting_state() const {
  if (pins_.r.valid || pins_.b.valid) return wait_master;
  // An available answer is offered, unless a random stall delays it.
  if (!reads_.empty()) return stalls_.r && answered(reads_, clock_.now) ? stalled : read_latency;
  if (!writes_.empty() && writes_.front()->collected == writes_.front()->beats) {
    return stalls_.b && answered(writes_, clock_.now) ? stalled : write_latency;
  }
  return idle() ? rest : wait_data;
}

void AxiSlave::commit() {
  if (replays()) {
    record_->commit();
    held_.tell(clock_.now);
    if (!replays()) held_.release();
    return;
  }
  if (!error_.empty()) throw UserError(error_);
  const AxiLinks& pins = pins_;
  if (pins.r.fires() || pins.w.fires() || pins.ar.fires() || pins.aw.fires() || pins.b.fires()) {
    return commit_handshakes();
  }
  const State now = waiting_state();
  account_.enter(now);
  using Kind = MemoryAccount::Kind;
  if (memory_account_) {
    memory_account_->wait(now == read_latency    ? Kind::beat
                          : now == write_latency ? Kind::response
                                                 : Kind::nothing);
  }
  if (!requests_.empty()) send(clock_.now);
}

void AxiSlave::commit_handshakes() {
  const AxiLinks& pins = pins_;
  const bool takes_data = pins.w.fires();
  if (record_ != nullptr && record_->records()) record_->note_beats();
  account_.enter(pins.r.fires() ? read : takes_data ? write : handshake);
  if (memory_account_ && memory_account_->wants_times()) account_for_taken();
  if (pins.ar.fires()) begin_read(pins.ar.bits);
  if (pins.aw.fires()) {
    addresses_.push_back(pins.aw.bits);
    ++in_flight_.write_addresses;
  }
  if (takes_data) commit_write_data();
  if (takes_data || pins.aw.fires()) join_writes();
  if (!requests_.empty()) send(clock_.now);
  // These calls come last: the bytes of the beat on the wires are those of its burst, which must
  // not be reused earlier.
  if (pins.r.fires()) end_beat();
  if (pins.b.fires()) end_write();
}

void AxiSlave::account_for_taken() {
  using Kind = MemoryAccount::Kind;
  if (pins_.r.fires()) {
    Burst& burst = *reads_.front();
    const std::vector<AnswerTimes>& answers = burst.times.answers;
    const AnswerTimes* part = answers.data() + burst.part;
    const AnswerTimes* const end = answers.data() + answers.size();
    for (; part != end && part->until_beat <= burst.next_beat; ++part) ++burst.part;
    memory_account_->taken(Kind::beat, part == end ? nullptr : part);
  }
  if (pins_.b.fires() && memory_account_->wants_times()) {
    const std::vector<AnswerTimes>& answers = writes_.front()->times.answers;
    memory_account_->taken(Kind::response, answers.empty() ? nullptr : &answers.back());
  }
  memory_account_->wait(Kind::nothing);
}

void AxiSlave::begin_read(const AxiAddress& address) {
  Burst* burst = new_burst();
  burst->beats = address.length + 1;
  record_begin(*burst, false);
  reads_.push_back(burst);
  ++in_flight_.reads;
  request(burst, tlm::TLM_READ_COMMAND, address);
}

void AxiSlave::end_beat() {
  Burst& burst = *reads_.front();
  if (++burst.next_beat < burst.beats) {
    if (!burst.times.at.empty()) look_up(burst);
    return;
  }
  reads_.pop_front();
  --in_flight_.reads;
  record_end(burst, false);
  burst.release();
}

bool AxiSlave::look_up(Burst& burst) const {
  const std::vector<std::uint64_t>& at = burst.times.at;
  const std::uint64_t time = at.empty()                    ? burst.answered
                             : burst.next_beat < at.size() ? at[burst.next_beat]
                                                           : unknown_cycle;
  burst.available = time == unknown_cycle ? unknown_cycle : clock_.first_cycle_from(time);
  return burst.is_known();
}

bool AxiSlave::learn(Burst& burst, Cycle now) const {
  if (look_up(burst)) return true;
  if (pulled_ == nullptr) return false;
  if (clock_.turn != nullptr) {
    clock_.turn->look(clock_.time_of(now), clock_.middle_of(now));
  } else {
    pull(clock_.middle_of(now));
  }
  return burst.is_known() || look_up(burst);
}

void AxiSlave::pull(std::uint64_t time) const {
  if (clock_.turn != nullptr) return clock_.turn->reach(time);
  pulled_->pull(time);
}

/// Removes the oldest write, whose response is taken.
void AxiSlave::end_write() {
  record_end(*writes_.front(), true);
  writes_.front()->release();
  writes_.pop_front();
  --in_flight_.write_addresses;
  if (in_flight_.write_data-- == most_bursts) takes_data_from_ = room_from_;
}

void AxiSlave::commit_write_data() {
  if (collecting_ == nullptr) {
    collecting_ = new_burst();
    record_begin(*collecting_, true);
    // With a WriteChannel a write begins with its first beat.
    if (write_channel_ != nullptr) data_.push_back(collecting_);
  }
  Burst& burst = *collecting_;
  if (burst.collected == most_beats) internal_error("{}: write data without last", name());
  copy_block(burst.bytes.data() + std::size_t{burst.collected} * beat_bytes_, pins_.w.bits.data,
             beat_bytes_);
  ++burst.collected;
  if (pins_.w.bits.last) {
    if (write_channel_ == nullptr) data_.push_back(collecting_);
    ++in_flight_.write_data;
    collecting_ = nullptr;
    // The address of the write has come earlier, so its length is known.
    if (burst.beats != 0) burst.check_length(name());
  }
  if (write_channel_ != nullptr) {
    if (pulled_ == nullptr) ++clock_.transactions;  // the channel may call its memory
    begin_request(clock_.now);
    room_time_ = write_channel_->take_beat(clock_.end());
    note_room();
  }
  if (in_flight_.write_data == most_bursts) takes_data_from_ = unknown_cycle;
}

/// Sets the cycle from which the slave accepts data again, as far as it is known.
void AxiSlave::note_room() {
  room_from_ = clock_.first_cycle_from(room_time_);
  if (in_flight_.write_data < most_bursts) takes_data_from_ = room_from_;
}

/// Begins each write whose address and data have come. Data may overtake its address on the way to
/// the slave. With a WriteChannel, the first beat of the data suffices.
void AxiSlave::join_writes() {
  while (!addresses_.empty() && !data_.empty()) {
    Burst* burst = data_.front();
    burst->beats = addresses_.front().length + 1U;
    if (burst != collecting_) burst->check_length(name());
    data_.pop_front();
    writes_.push_back(burst);
    request(burst, tlm::TLM_WRITE_COMMAND, addresses_.front());
    // With timing_only the addresses are meaningless; write_now() reports the writes.
    if (!clock_.timing_only) note_write(addresses_.front().address, burst->get_data_length());
    addresses_.pop_front();
  }
}

void AxiSlave::request(Burst* burst, tlm::tlm_command command, const AxiAddress& address) {
  const unsigned bytes = burst->beats * beat_bytes_;
  burst->set_command(command);
  burst->set_address(socket_base_ + address.address);
  burst->cache.bits = static_cast<std::uint8_t>(address.cache);
  burst->set_data_length(bytes);
  burst->set_streaming_width(bytes);
  burst->set_dmi_allowed(false);
  burst->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  requests_.push_back(burst);
}

/// Sends requests to the memory, timed at the clock edge that ends cycle `now`. TLM's exclusion
/// rule allows one request at a time to wait for acceptance.
void AxiSlave::send(Cycle now) {
  while (!requests_.empty() && request_phase_ == nullptr) {
    Burst& burst = *requests_.front();
    requests_.pop_front();
    if (access_directly(burst, now)) continue;
    if (pulled_ == nullptr) ++clock_.transactions;
    begin_request(now);
    const std::uint64_t edge = clock_.time_of(now + 1);
    if (transport_ == Transport::blocking) {
      calls_.request(burst, edge);
      continue;
    }
    sc_core::sc_time delay = sc_core::sc_time::from_value(edge) - kernel_time();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    request_phase_ = &burst;
    switch (socket->nb_transport_fw(burst, phase, delay)) {
      case tlm::TLM_COMPLETED:
        request_phase_ = nullptr;
        answer(burst, delay);
        break;
      case tlm::TLM_UPDATED:
        request_phase_ = nullptr;
        if (phase == tlm::BEGIN_RESP) {
          answer(burst, delay);
          tlm::tlm_phase end = tlm::END_RESP;
          socket->nb_transport_fw(burst, end, delay);
        }
        break;
      case tlm::TLM_ACCEPTED:
        break;
    }
  }
}

tlm::tlm_sync_enum AxiSlave::nb_transport_bw(tlm::tlm_generic_payload& transaction,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  auto& burst = static_cast<Burst&>(transaction);
  // A response without an earlier END_REQ also ends the request phase.
  if (request_phase_ == &burst) {
    request_phase_ = nullptr;
    if (phase == tlm::BEGIN_RESP && !requests_.empty() && on_serial) on_serial();
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  answer(burst, delay);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void AxiSlave::answer(Burst& burst, const sc_core::sc_time& delay) {
  const std::uint64_t time = (kernel_time() + delay).value();
  if (burst.is_response_error()) refuse(burst, time);
  if (!burst.times.at.empty()) {
    look_up(burst);
    return;
  }
  burst.answered = time;
  burst.available = clock_.first_cycle_from(time);
  if (trusts_dmi_ && burst.is_dmi_allowed()) ask_for_dmi(burst);
}

void AxiSlave::refuse(Burst& burst, std::uint64_t time) {
  if (!on_error) {
    // The error is not thrown here, since the caller may be the target's own process.
    error_ = fmt::format("{}: {}", name(), refusal(burst));
    return;
  }
  if (burst.is_read()) std::fill(burst.bytes.begin(), burst.bytes.end(), std::uint8_t{0});
  on_error(refusal(burst), time);
}

/// Asks for direct access if no burst has done so yet: its latencies must be known.
bool AxiSlave::keeps_time() {
  if (!trusts_dmi_ || write_channel_ != nullptr || memory_account_ != nullptr || !error_.empty()) {
    return false;
  }
  if (direct_.bytes == nullptr) {
    tlm::tlm_generic_payload access;
    access.set_command(tlm::TLM_READ_COMMAND);
    access.set_address(socket_base_);
    ask_for_dmi(access);
  }
  return direct_.bytes != nullptr;
}

void AxiSlave::ask_for_dmi(tlm::tlm_generic_payload& access) {
  tlm::tlm_dmi dmi;
  direct_ = {};
  if (!socket->get_direct_mem_ptr(access, dmi) || !dmi.is_read_write_allowed()) return;
  const auto cycles = [this](const sc_core::sc_time& latency) {
    return clock_.first_cycle_from(latency.value());
  };
  direct_ = {dmi.get_dmi_ptr(), dmi.get_start_address(),
             dmi.get_end_address() - dmi.get_start_address() + 1, cycles(dmi.get_read_latency()),
             cycles(dmi.get_write_latency())};
}

/// Executes a burst by direct access and sets the time of its answer. Returns false if some of its
/// bytes are not in the region of direct access.
bool AxiSlave::access_directly(Burst& burst, Cycle now) const {
  const unsigned count = burst.get_data_length();
  std::uint8_t* bytes = direct_.at(burst.get_address(), count);
  if (clock_.timing_only) {
    // No data is moved. keeps_time() was true, so the latencies are known.
  } else if (bytes == nullptr) {
    return false;
  } else if (burst.is_read()) {
    copy_block(burst.bytes.data(), bytes, count);
  } else {
    copy_block(bytes, burst.bytes.data(), count);
  }
  burst.available = now + 1 + (burst.is_read() ? direct_.read_latency : direct_.write_latency);
  return true;
}

void AxiSlave::invalidate_dmi(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) { direct_ = {}; }

Cycle AxiSlave::waits(Cycle most) const {
  if (replays()) return record_->waits(std::min(most, held_.next() - clock_.now));
  if (!requests_.empty() || !error_.empty()) return 0;
  if (!pins_.w.ready) {
    if (takes_data_from_ <= clock_.now) return 0;
    most = std::min(most, takes_data_from_ - clock_.now);
  }
  // While an answer is not known: the kernel runs no process within the requested cycles, so a
  // target that it wakes cannot announce the answer in them. A pulled memory may, when it next has
  // work. If others share it, Turn::wait() ends with the answer.
  const auto wait_for_answer = [this, &most] {
    if (pulled_ == nullptr || clock_.turn != nullptr) return;
    most =
        std::min(most, pulled_->periods_before_pull(clock_.middle_of(clock_.now), clock_.period));
  };
  for (const Bursts* bursts : {&reads_, &writes_}) {
    if (bursts->empty()) continue;
    Burst& burst = *bursts->front();
    if (!burst.is_known() && !learn(burst, clock_.now)) {
      wait_for_answer();
      continue;
    }
    const bool valid = bursts == &reads_ ? pins_.r.valid : pins_.b.valid;
    if (!valid) {
      most = burst.available <= clock_.now ? 0 : std::min(most, burst.available - clock_.now);
    }
    // The answer of a later burst changes no wire. The wait still ends with it: while an answer is
    // under way, waits_for_memory() is true and the machine does not count as hung.
    for (std::size_t i = 1; i < bursts->size(); ++i) {
      Burst& later = *(*bursts)[i];
      if (!later.is_known() && !look_up(later)) {
        if (valid) wait_for_answer();
      } else if (later.available > clock_.now) {
        most = std::min(most, later.available - clock_.now);
      }
    }
  }
  return most;
}

Cycle AxiSlave::repeats(bool writes, Cycle most) const {
  if (!requests_.empty() || !error_.empty()) return 1;
  if (!writes) {
    const Cycle beats = known_beats(most);
    // The response of a write may come in any cycle. With 64 reads in flight, the end of one makes
    // ar ready.
    if (beats == 1 || !writes_.empty() || !in_flight_.takes_reads()) return 1;
    return pins_.w.ready ? beats : std::min(beats, takes_data_from_ - clock_.now);
  }
  // The write whose data is coming in has no response before its last beat, and that beat is
  // another handshake, which ends the repetition.
  const bool responds = !writes_.empty() && writes_.front() != collecting_;
  if (write_channel_ == nullptr || responds || !reads_.empty()) return 1;
  Cycle cycles = 1;
  const auto is_taken = [&] {
    return write_channel_->room_behind(cycles) <= clock_.time_of(clock_.now + cycles);
  };
  while (cycles < most && is_taken()) ++cycles;
  return cycles;
}

/// Number of read beats, counted from the one that is offered, that are known to be available one a
/// cycle; at most `most`.
Cycle AxiSlave::known_beats(Cycle most) const {
  Cycle beats = 1;
  unsigned beat = reads_.front()->next_beat + 1;
  for (std::size_t i = 0; i < reads_.size(); ++i, beat = 0) {
    const Burst& burst = *reads_[i];
    const std::vector<std::uint64_t>& at = burst.times.at;
    for (; beat < burst.beats; ++beat, ++beats) {
      const Cycle now = clock_.now + beats;
      const bool is_there =
          at.empty() ? burst.available <= now : beat < at.size() && at[beat] <= clock_.time_of(now);
      if (beats >= most || !is_there) return beats;
    }
  }
  return beats;
}

bool AxiSlave::waits_for_memory() const {
  if (replays()) return true;
  // A pulled memory answers every burst whose data is complete, and one that the kernel wakes can
  // answer only from a process that has still to run.
  const auto will_answer = [this](const Burst& burst) {
    return pulled_ != nullptr ? &burst != collecting_ : sc_core::sc_pending_activity();
  };
  for (const Bursts* bursts : {&reads_, &writes_}) {
    for (std::size_t i = 0; i < bursts->size(); ++i) {
      Burst& burst = *(*bursts)[i];
      // A design that takes no more beats does not pull the memory.
      if (pulled_ != nullptr && !burst.is_known() && !look_up(burst)) pull(clock_.begin());
      const bool is_known = burst.is_known() || look_up(burst);
      if (is_known ? burst.available >= clock_.now : will_answer(burst)) return true;
    }
  }
  return false;
}

void AxiSlave::mark() {
  if (!idle() || !error_.empty()) internal_error("{}: a mark while bursts are under way", name());
  held_.hold(account_);
  if (memory_account_) held_.hold(memory_account_->account());
  if (record_ != nullptr) return record_->begin();
  account_.save(marked_.account);
  if (memory_account_) memory_account_->mark();
  marked_.ar_ready = pins_.ar.ready;
  marked_.aw_ready = pins_.aw.ready;
  marked_.w_ready = pins_.w.ready;
  marked_.r_valid = pins_.r.valid;
  marked_.b_valid = pins_.b.valid;
}

void AxiSlave::rewind(Cycle reached) {
  if (record_ != nullptr) record_->replay(reached);
  if (!replays()) held_.release();
  if (record_ != nullptr) return;
  write_channel_->reset();
  drop_bursts();
  account_.restore(marked_.account);
  if (memory_account_) memory_account_->rewind();
  pins_.ar.ready = marked_.ar_ready;
  pins_.aw.ready = marked_.aw_ready;
  pins_.w.ready = marked_.w_ready;
  pins_.r.valid = marked_.r_valid;
  pins_.b.valid = marked_.b_valid;
  if (free_.size() != bursts_.size()) internal_error("{}: a burst is still under way", name());
}

void AxiSlave::reset() {
  if (record_ != nullptr) record_->end();
  held_.release();
  if (idle()) return;
  if (write_channel_ != nullptr) {
    write_channel_->reset();
  } else if (collecting_ != nullptr) {
    collecting_->release();  // no list holds it yet
  }
  drop_bursts();
  account_.enter(rest);
}

void AxiSlave::drop_bursts() {
  for (Bursts* bursts : {&reads_, &writes_, &data_}) Burst::drop(*bursts);
  requests_.clear();
  request_phase_ = nullptr;
  addresses_.clear();
  collecting_ = nullptr;
  in_flight_ = {};
  // All beats taken before the mark have left the WriteChannel, so it accepts a beat at once.
  room_time_ = room_from_ = takes_data_from_ = 0;
  error_.clear();
}

}  // namespace tactus
