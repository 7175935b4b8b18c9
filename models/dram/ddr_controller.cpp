#include "models/dram/ddr_controller.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "models/sim/kernel_time.h"

namespace tactus {
namespace {

std::vector<unsigned> distinct(const std::vector<unsigned>& numbers) {
  std::vector<unsigned> found;
  for (const unsigned number : numbers) {
    if (std::find(found.begin(), found.end(), number) == found.end()) found.push_back(number);
  }
  return found;
}

sc_core::sc_time kernel_time(std::uint64_t units) { return sc_core::sc_time::from_value(units); }

}  // namespace

DdrController::DdrController(const sc_core::sc_module_name& name, const DdrConfig& config,
                             const std::vector<unsigned>& ports, DdrArbitration arbitration)
    : sc_module(name),
      config_(config),
      tck_(kernel_units(config.tck_ps, "the DRAM's clock period")),
      burst_bytes_(config.burst_bytes()),
      end_(std::min(config.bytes(), std::uint64_t{1} << 32)),
      ports_(distinct(ports)),
      party_of_binding_(ports.size()),
      core_(config, static_cast<unsigned>(std::max<std::size_t>(ports_.size(), 1)),
            std::move(arbitration)) {
  for (const unsigned number : ports) {
    const auto at = std::find(ports_.begin(), ports_.end(), number);
    port_of_binding_.push_back(static_cast<unsigned>(at - ports_.begin()));
  }
  for (unsigned i = 0; i < ports_.size(); ++i) core_.port_statistics(i).port = ports_[i];
  socket.register_nb_transport_fw(this, &DdrController::nb_transport_fw);
  socket.register_b_transport(this, &DdrController::b_transport);
  socket.register_transport_dbg(this, &DdrController::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &DdrController::get_direct_mem_ptr);
  SC_METHOD(work);
  sensitive << event_;
  dont_initialize();
}

void DdrController::set_lookahead(const sc_core::sc_time& time) { lookahead_ = time.value(); }

bool DdrController::check(tlm::tlm_generic_payload& transaction) const {
  const auto refuse = [&](tlm::tlm_response_status why) {
    transaction.set_response_status(why);
    return false;
  };
  if (!transaction.is_read() && !transaction.is_write()) {
    return refuse(tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  if (!holds(transaction.get_address(), transaction.get_data_length())) {
    return refuse(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  return true;
}

void DdrController::move_data(tlm::tlm_generic_payload& transaction) {
  const auto address = static_cast<std::uint32_t>(transaction.get_address());
  const unsigned length = transaction.get_data_length();
  const std::uint8_t* const enables = transaction.get_byte_enable_ptr();
  if (transaction.is_read()) {
    memory_.read(address, transaction.get_data_ptr(), length);
  } else if (enables == nullptr) {
    memory_.write(address, transaction.get_data_ptr(), length);
  } else {
    for (unsigned i = 0; i < length; ++i) {
      if (enables[i] != TLM_BYTE_ENABLED) continue;
      memory_.write(address + i, transaction.get_data_ptr() + i, 1);
    }
  }
}

void DdrController::move_or_postpone(tlm::tlm_generic_payload& transaction) {
  const auto* times = transaction.get_extension<DdrTimes>();
  if (times == nullptr || times->part.moves == nullptr || !times->part.moves->postpones()) {
    return move_data(transaction);
  }
  times->part.moves->postpone(transaction.is_write(), times->part.number, times->part.offset,
                              static_cast<std::uint32_t>(transaction.get_address()),
                              transaction.get_data_length());
}

tlm::tlm_sync_enum DdrController::nb_transport_fw(int binding,
                                                  tlm::tlm_generic_payload& transaction,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ || !check(transaction)) return tlm::TLM_COMPLETED;
  const std::uint64_t length = transaction.get_data_length();
  const std::uint64_t offset = transaction.get_address() & (burst_bytes_ - 1);
  if (length == 0 || offset + length > burst_bytes_ || transaction.get_streaming_width() < length) {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  const std::uint64_t arrival = present() + delay.value();
  const DdrClock edge = (arrival + tck_ - 1) / tck_;
  if (edge < worked_) internal_error("a DRAM access comes earlier than was promised");
  const auto from = static_cast<unsigned>(binding);
  const unsigned port = port_of_binding_.at(from);
  const bool write = transaction.is_write();
  const std::uint32_t tag = new_tag();
  accesses_[tag] = {&transaction, from, arrival};
  DdrPortStatistics& statistics = core_.port_statistics(port);
  (write ? statistics.bytes_written : statistics.bytes_read) += length;
  const bool taken =
      core_.submit(port, edge, transaction.get_address(), write, tag, party_of_binding_[from]);
  if (!taken) ++blocked_;
  schedule();
  if (!taken) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void DdrController::b_transport(int /*binding*/, tlm::tlm_generic_payload& transaction,
                                sc_core::sc_time& /*delay*/) {
  transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

unsigned DdrController::transport_dbg(int /*binding*/, tlm::tlm_generic_payload& transaction) {
  if (!check(transaction)) return 0;
  if (transaction.get_byte_enable_ptr() != nullptr) {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return 0;
  }
  move_data(transaction);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  return transaction.get_data_length();
}

bool DdrController::get_direct_mem_ptr(int /*binding*/, tlm::tlm_generic_payload& /*transaction*/,
                                       tlm::tlm_dmi& /*dmi*/) {
  return false;
}

void DdrController::read_now(std::uint64_t address, std::uint8_t* bytes, std::size_t count) {
  if (holds(address, count)) memory_.read(static_cast<std::uint32_t>(address), bytes, count);
}

void DdrController::write_now(std::uint64_t address, const std::uint8_t* bytes, std::size_t count) {
  if (holds(address, count)) memory_.write(static_cast<std::uint32_t>(address), bytes, count);
}

std::uint32_t DdrController::new_tag() {
  if (free_tags_.empty()) {
    accesses_.emplace_back();
    return static_cast<std::uint32_t>(accesses_.size() - 1);
  }
  const std::uint32_t tag = free_tags_.back();
  free_tags_.pop_back();
  return tag;
}

void DdrController::mark() {
  if (!core_.answered()) internal_error("{}: a mark while an access is not answered", name());
  core_.mark();
  marked_worked_ = worked_;
}

/// The accesses left in the buffer are writes whose data has been written. They have tags but no
/// transactions.
void DdrController::rewind() {
  core_.rewind();
  worked_ = marked_worked_;
  blocked_ = 0;
  std::vector<bool> used(accesses_.size());
  core_.for_each_buffered([&](std::uint32_t tag) { used[tag] = true; });
  free_tags_.clear();
  for (std::uint32_t tag = 0; tag < used.size(); ++tag) {
    accesses_[tag] = {};
    if (!used[tag]) free_tags_.push_back(tag);
  }
  schedule();
}

/// An initiator may act at once on an END_REQ. So nothing beyond the present is computed while a
/// request waits for one.
void DdrController::work() { work_until((present() + (blocked_ == 0 ? lookahead_ : 0)) / tck_); }

/// Advances from event to event, as activations by the kernel would.
void DdrController::go_on(std::uint64_t time) {
  while (next_pull() <= time) work_until(core_.next_event());
}

void DdrController::catch_up(std::uint64_t time) {
  if (pulled_) pull(time);
  const DdrClock clock = time / tck_;
  if (clock > worked_) work_until(clock);
}

void DdrController::work_until(DdrClock clock) {
  worked_ = std::max(worked_, clock);
  core_.advance(worked_);
  // These calls may submit new requests. The next call of advance() handles them.
  for (const DdrCore::Mark& mark : core_.taken) end_request(mark);
  core_.taken.clear();
  for (const DdrCore::Mark& mark : core_.admitted) admit(mark);
  core_.admitted.clear();
  for (const DdrDone& done : core_.done) finish(done);
  core_.done.clear();
  schedule();
}

void DdrController::schedule() {
  const DdrClock next = core_.next_event();
  if (next == never) return set_next_pull(~std::uint64_t{0});
  const std::uint64_t early = blocked_ == 0 ? lookahead_ : 0;
  const std::uint64_t time = std::max(next * tck_, early) - early;
  set_next_pull(time);
  if (pulled_) return;
  const std::uint64_t now = present();
  event_.notify(kernel_time(time > now ? time - now : 0));
}

void DdrController::end_request(const DdrCore::Mark& mark) {
  const Access access = accesses_[mark.tag];
  --blocked_;
  const std::uint64_t time = std::max(mark.clock * tck_, access.arrival);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = kernel_time(time > present() ? time - present() : 0);
  (void)socket[static_cast<int>(access.binding)]->nb_transport_bw(*access.transaction, phase,
                                                                  delay);
}

/// Moves the data of an access that has entered the buffer, and answers a write.
void DdrController::admit(const DdrCore::Mark& mark) {
  Access& access = accesses_[mark.tag];
  if (!timing_only()) move_or_postpone(*access.transaction);
  if (!access.transaction->is_write()) return;
  const std::uint64_t entered = mark.clock * tck_;
  if (auto* times = access.transaction->get_extension<DdrTimes>()) {
    const std::uint64_t edge = (access.arrival + tck_ - 1) / tck_ * tck_;
    times->row = times->refresh = times->bus = 0;
    times->row_state = DdrRowState::hit;
    times->queue = entered - edge;
    times->rest = entered + tck_ - access.arrival - times->queue;
  }
  answer(access, entered + tck_);
}

void DdrController::finish(const DdrDone& done) {
  if (!done.write) {
    Access& access = accesses_[done.tag];
    if (auto* times = access.transaction->get_extension<DdrTimes>()) {
      times->queue = done.queue * tck_;
      times->row = done.row * tck_;
      times->refresh = done.refresh * tck_;
      times->bus = done.bus * tck_;
      times->rest = done.rest * tck_ + done.arrived * tck_ - access.arrival;
      times->row_state = done.row_state;
    }
    answer(access, done.data_end * tck_);
  }
  free_tags_.push_back(done.tag);
}

void DdrController::answer(Access& access, std::uint64_t time) {
  tlm::tlm_generic_payload& transaction = *access.transaction;
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = kernel_time(time > present() ? time - present() : 0);
  const int binding = static_cast<int>(access.binding);
  access.transaction = nullptr;
  (void)socket[binding]->nb_transport_bw(transaction, phase, delay);
}

}  // namespace tactus
