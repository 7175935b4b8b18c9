#include "firmware/driver/common/ddr_memory.h"

#include <algorithm>
#include <deque>
#include <map>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "isa/support/error.h"
#include "models/axi/axi_slave.h"
#include "models/axi/port_path.h"
#include "models/dram/ddr_controller.h"

namespace tactus {
namespace {

constexpr std::uint64_t burst_boundary = 4096;
constexpr unsigned most_burst_beats = 256;

std::vector<unsigned> controller_ports_of(const DdrMemory::Config& config) {
  std::vector<unsigned> ports;
  for (const DdrMemory::Port& port : config.ports) {
    // Each path has one socket for reads and one for writes.
    ports.insert(ports.end(), 2, port.controller_port);
  }
  return ports;
}

}  // namespace

/// One port: divides requests into bursts of whole beats for its path, and answers them.
class DdrMemory::Inlet final : public sc_core::sc_module,
                               public WriteChannel,
                               private tlm::tlm_mm_interface {
 public:
  using SC_CURRENT_USER_MODULE = Inlet;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_target_socket<Inlet> socket{"socket"};

  Inlet(const sc_core::sc_module_name& name, const Port& port, DdrController& controller);
  ~Inlet() override = default;

  [[nodiscard]] PortPath& path() { return path_; }
  /// From now on the initiator hands over write data by take_beat().
  void expect_beats() { expects_beats_ = true; }

  std::uint64_t take_beat(std::uint64_t time) override { return path_.take_beat(time); }
  [[nodiscard]] std::uint64_t room_behind(std::size_t beats) const override {
    return path_.room_behind(beats);
  }
  void reset() override;

 private:
  struct Request {
    tlm::tlm_generic_payload* access = nullptr;
    unsigned open = 0;                  ///< bursts that are not answered
    std::uint64_t answer = 0;           ///< time of the latest answer to a burst
    sc_core::sc_event* done = nullptr;  ///< of a blocking call; null: a non-blocking request
  };
  /// One burst of whole beats. It has the request's bytes [first, first + count).
  struct Burst : tlm::tlm_generic_payload {
    /// A payload frees its extensions; this one is a member or the initiator's.
    ~Burst() override { clear_extension<BeatTimes>(); }
    Request* request = nullptr;
    unsigned first = 0, count = 0;
    unsigned offset = 0;  ///< of these bytes in the burst
    BeatTimes times;
    std::vector<std::uint8_t> bytes;    ///< if the request's bytes are no whole beats
    std::vector<std::uint8_t> enables;  ///< if not all bytes are written
  };

  [[nodiscard]] bool holds(const tlm::tlm_generic_payload& access) const {
    const std::uint64_t room = address_room_;
    const std::uint64_t length = access.get_data_length();
    return access.get_address() < room && length <= room - access.get_address();
  }
  /// Returns false and sets the response status if the access is refused.
  bool check(tlm::tlm_generic_payload& access) const;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& access, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& access);
  tlm::tlm_sync_enum from_path(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
  void free(tlm::tlm_generic_payload* payload) override {
    free_.push_back(static_cast<Burst*>(payload));
  }

  Burst& new_burst(Request& request, unsigned first, unsigned count);
  void lay_out(Burst& burst);
  void begin(Request& request, std::uint64_t time);
  void work();
  void respond(Request& request);
  void wake_at(std::uint64_t time);
  [[nodiscard]] static std::uint64_t now() { return sc_core::sc_time_stamp().value(); }

  const unsigned beat_bytes_;
  const std::uint64_t base_;
  DdrController& controller_;
  std::uint64_t address_room_;  ///< bytes from address 0 of the socket on
  Clock clock_;                 ///< counts calls; initiators count their own
  PortPath path_;
  tlm_utils::simple_initiator_socket<Inlet> to_path_{"to_path"};
  bool expects_beats_ = false;
  std::multimap<std::uint64_t, std::unique_ptr<Request>> arriving_;  ///< by time
  std::map<Request*, std::unique_ptr<Request>> open_;                ///< begun, non-blocking
  std::multimap<std::uint64_t, Request*> answered_;  ///< whose bursts are answered, by time
  tlm::tlm_generic_payload* response_ = nullptr;     ///< BEGIN_RESP sent, END_RESP has not come
  std::uint64_t response_free_ = 0;                  ///< time of the last END_RESP
  sc_core::sc_event event_;
  std::vector<std::unique_ptr<Burst>> all_;
  std::vector<Burst*> free_;
};

DdrMemory::Inlet::Inlet(const sc_core::sc_module_name& name, const Port& port,
                        DdrController& controller)
    : sc_module(name),
      beat_bytes_(port.beat_bytes),
      base_(port.path.base),
      controller_(controller),
      address_room_(controller.end() - std::min(controller.end(), base_)),
      path_("path", clock_, port.period, port.beat_bytes, port.path) {
  socket.register_nb_transport_fw(this, &Inlet::nb_transport_fw);
  socket.register_b_transport(this, &Inlet::b_transport);
  socket.register_transport_dbg(this, &Inlet::transport_dbg);
  to_path_.register_nb_transport_bw(this, &Inlet::from_path);
  to_path_.bind(path_.socket);
  path_.reads.bind(controller.socket);
  path_.writes.bind(controller.socket);
  SC_METHOD(work);
  sensitive << event_;
  dont_initialize();
}

bool DdrMemory::Inlet::check(tlm::tlm_generic_payload& access) const {
  const unsigned length = access.get_data_length();
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  if (!access.is_read() && !access.is_write()) {
    status = tlm::TLM_COMMAND_ERROR_RESPONSE;
  } else if (length == 0 || access.get_streaming_width() < length) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  } else if (!holds(access)) {
    status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  } else {
    return true;
  }
  access.set_response_status(status);
  return false;
}

tlm::tlm_sync_enum DdrMemory::Inlet::nb_transport_fw(tlm::tlm_generic_payload& access,
                                                     tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  const std::uint64_t time = now() + delay.value();
  if (phase == tlm::END_RESP && response_ == &access) {
    response_ = nullptr;
    response_free_ = time;
    wake_at(time);
    access.release();
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  if (!check(access)) return tlm::TLM_COMPLETED;
  access.acquire();
  auto owner = std::make_unique<Request>();
  Request& request = *owner;
  request.access = &access;
  if (expects_beats_) {
    open_.emplace(&request, std::move(owner));
    begin(request, time);
  } else {
    arriving_.emplace(time, std::move(owner));
    wake_at(time);
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void DdrMemory::Inlet::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME && !expects_beats_) wait(delay);
  const std::uint64_t time = now() + (expects_beats_ ? delay.value() : 0);
  delay = sc_core::SC_ZERO_TIME;
  if (!check(access)) return;
  sc_core::sc_event done;
  Request request;
  request.access = &access;
  request.done = &done;
  begin(request, time);
  wait(done);
}

unsigned DdrMemory::Inlet::transport_dbg(tlm::tlm_generic_payload& access) {
  if (!check(access)) return 0;
  const std::uint64_t address = base_ + access.get_address();
  if (access.is_read()) {
    controller_.read_now(address, access.get_data_ptr(), access.get_data_length());
  } else {
    controller_.write_now(address, access.get_data_ptr(), access.get_data_length());
  }
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  return access.get_data_length();
}

void DdrMemory::Inlet::wake_at(std::uint64_t time) {
  event_.notify(sc_core::sc_time::from_value(time > now() ? time - now() : 0));
}

DdrMemory::Inlet::Burst& DdrMemory::Inlet::new_burst(Request& request, unsigned first,
                                                     unsigned count) {
  if (free_.empty()) {
    free_.push_back(all_.emplace_back(std::make_unique<Burst>()).get());
    free_.back()->set_mm(this);
  }
  Burst& burst = *free_.back();
  free_.pop_back();
  burst.acquire();
  burst.request = &request;
  burst.first = first;
  burst.count = count;
  burst.times.clear();
  return burst;
}

/// Fills in a burst's payload. Bytes that make no whole beats, and those that are not all enabled,
/// go through a buffer of the burst.
void DdrMemory::Inlet::lay_out(Burst& burst) {
  tlm::tlm_generic_payload& access = *burst.request->access;
  const std::uint64_t address = access.get_address() + burst.first;
  burst.offset = static_cast<unsigned>(address % beat_bytes_);
  const unsigned length =
      (burst.offset + burst.count + beat_bytes_ - 1) / beat_bytes_ * beat_bytes_;
  const std::uint8_t* const enables = access.get_byte_enable_ptr();
  const bool whole = burst.count == length && enables == nullptr;
  std::uint8_t* const data = access.get_data_ptr() + burst.first;
  burst.enables.clear();
  if (!whole) {
    burst.bytes.assign(length, 0);
    std::copy_n(data, burst.count, burst.bytes.begin() + burst.offset);
    burst.enables.assign(length, TLM_BYTE_DISABLED);
    for (unsigned i = 0; i < burst.count; ++i) {
      const unsigned at = burst.first + i;
      burst.enables[burst.offset + i] =
          enables == nullptr ? TLM_BYTE_ENABLED : enables[at % access.get_byte_enable_length()];
    }
  }
  burst.set_command(access.get_command());
  burst.set_address(address - burst.offset);
  burst.set_data_ptr(whole ? data : burst.bytes.data());
  burst.set_data_length(length);
  burst.set_streaming_width(length);
  burst.set_byte_enable_ptr(burst.enables.empty() ? nullptr : burst.enables.data());
  burst.set_byte_enable_length(static_cast<unsigned>(burst.enables.size()));
  burst.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  // An initiator that wants the times of single beats gets them from the path.
  auto* const times = access.get_extension<BeatTimes>();
  const bool alone = whole && burst.count == access.get_data_length();
  burst.set_extension(times != nullptr && alone ? times : &burst.times);
}

/// Sends a request to the path, timed at `time`. Requests of an attached slave come in order of
/// time and are sent at once, as in a run, since the port's queue counts accesses when they are
/// sent. Others are sent at their time.
void DdrMemory::Inlet::begin(Request& request, std::uint64_t time) {
  const tlm::tlm_generic_payload& access = *request.access;
  const std::uint64_t most =
      std::min<std::uint64_t>(burst_boundary, std::uint64_t{most_burst_beats} * beat_bytes_);
  std::vector<Burst*> bursts;
  for (unsigned first = 0; first < access.get_data_length();) {
    const std::uint64_t room = most - (access.get_address() + first) % most;
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(room, access.get_data_length() - first));
    bursts.push_back(&new_burst(request, first, count));
    lay_out(*bursts.back());
    first += count;
  }
  // Answers come by events, or from within these calls.
  request.open = static_cast<unsigned>(bursts.size());
  std::uint64_t beat_time = time;
  for (Burst* burst : bursts) {
    const unsigned beats = burst->get_data_length() / beat_bytes_;
    const bool gives_beats = burst->is_write() && !expects_beats_;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::sc_time::from_value(time - now());
    to_path_->nb_transport_fw(*burst, phase, delay);
    for (unsigned i = 0; gives_beats && i < beats; ++i) {
      beat_time = std::max(beat_time, path_.take_beat(beat_time));
    }
  }
}

tlm::tlm_sync_enum DdrMemory::Inlet::from_path(tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  auto& burst = static_cast<Burst&>(payload);
  Request& request = *burst.request;
  // The path answers a read with the time of its first beat.
  const std::uint64_t time =
      burst.is_read() ? burst.get_extension<BeatTimes>()->at.back() : now() + delay.value();
  request.answer = std::max(request.answer, time);
  if (burst.is_response_error()) {
    request.access->set_response_status(burst.get_response_status());
  }
  if (burst.is_read() && !burst.enables.empty()) {
    for (unsigned i = 0; i < burst.count; ++i) {
      if (burst.enables[burst.offset + i] != TLM_BYTE_ENABLED) continue;
      request.access->get_data_ptr()[burst.first + i] = burst.bytes[burst.offset + i];
    }
  }
  burst.clear_extension<BeatTimes>();
  if (--request.open == 0) {
    answered_.emplace(request.answer, &request);
    wake_at(request.answer);
  }
  burst.release();
  return tlm::TLM_COMPLETED;
}

/// Begins the requests that have arrived and sends the answers whose time has come.
void DdrMemory::Inlet::work() {
  while (!arriving_.empty() && arriving_.begin()->first <= now()) {
    auto owner = std::move(arriving_.begin()->second);
    arriving_.erase(arriving_.begin());
    Request& request = *owner;
    open_.emplace(&request, std::move(owner));
    begin(request, now());
  }
  for (auto next = answered_.begin(); next != answered_.end() && next->first <= now();) {
    Request& request = *next->second;
    const bool waits = request.done == nullptr && (response_ != nullptr || response_free_ > now());
    if (waits) {
      ++next;
      continue;
    }
    answered_.erase(next);
    respond(request);
    next = answered_.begin();  // the call may have changed the list
  }
  if (!arriving_.empty()) wake_at(arriving_.begin()->first);
  const auto later = answered_.upper_bound(now());
  if (later != answered_.end()) wake_at(later->first);
  if (response_free_ > now()) wake_at(response_free_);
}

/// TLM's exclusion rule allows one response at a time on a socket. Returns of blocking calls do not
/// count.
void DdrMemory::Inlet::respond(Request& request) {
  tlm::tlm_generic_payload& access = *request.access;
  if (access.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  if (request.done != nullptr) return request.done->notify();
  open_.erase(&request);
  response_ = &access;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum status = socket->nb_transport_bw(access, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return;  // END_RESP comes, or has come, on the forward path
  if (status == tlm::TLM_UPDATED && phase != tlm::END_RESP) return;
  response_ = nullptr;
  response_free_ = now() + delay.value();
  access.release();
}

/// Removes the requests in flight, as a reset of the initiator does. Blocking calls return.
void DdrMemory::Inlet::reset() {
  path_.reset();
  for (const auto& burst : all_) {
    if (burst->get_ref_count() == 0) continue;
    Request& request = *burst->request;
    if (request.done != nullptr) {
      request.access->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      request.done->notify();
    }
    burst->clear_extension<BeatTimes>();
    burst->release();
  }
  for (const auto& [time, request] : arriving_) request->access->release();
  for (const auto& [request, owner] : open_) request->access->release();
  arriving_.clear();
  answered_.clear();
  open_.clear();
}

DdrMemory::DdrMemory(const sc_core::sc_module_name& name, const Config& config) : sc_module(name) {
  for (const Port& port : config.ports) {
    const bool two_power = (port.beat_bytes & (port.beat_bytes - 1)) == 0;
    if (two_power && port.beat_bytes >= 4 && port.beat_bytes <= 128) continue;
    user_error("{}: port {} has beats of {} bytes; allowed 4, 8, 16, ..., 128", this->name(),
               port.name, port.beat_bytes);
  }
  controller_ =
      std::make_unique<DdrController>("controller", config.ddr, controller_ports_of(config));
  sc_core::sc_time lookahead = sc_core::sc_max_time();
  for (Port port : config.ports) {
    port.path.access_bytes = config.ddr.burst_bytes();
    inlets_.push_back(std::make_unique<Inlet>(port.name.c_str(), port, *controller_));
    lookahead = std::min(lookahead, inlets_.back()->path().lookahead());
  }
  controller_->set_lookahead(inlets_.empty() ? sc_core::SC_ZERO_TIME : lookahead);
}

DdrMemory::~DdrMemory() = default;

tlm::tlm_target_socket<>& DdrMemory::socket(std::size_t port) { return inlets_.at(port)->socket; }

void DdrMemory::attach(std::size_t port, AxiSlave& slave, const char* account) {
  Inlet& inlet = *inlets_.at(port);
  slave.socket.bind(inlet.socket);
  slave.set_write_channel(inlet);
  slave.account_for_memory(account);
  inlet.expect_beats();
}

const DdrStatistics& DdrMemory::statistics() {
  controller_->catch_up();
  return controller_->statistics();
}

SparseMemory& DdrMemory::memory() { return controller_->memory(); }

}  // namespace tactus
