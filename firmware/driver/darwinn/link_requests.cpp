#include "firmware/driver/darwinn/link_requests.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "models/link/host_link.h"
#include "models/sim/kernel_scope.h"
#include "models/sim/kernel_time.h"

namespace tactus {
namespace {

using darwinn::HintKind;
using sc_core::sc_time;

constexpr std::uint64_t unlimited = ~std::uint64_t{0};

/// A time of the kernel in ps, rounded down.
Picoseconds in_picoseconds(const sc_time& time) { return femtoseconds(time) / 1000; }

std::uint64_t or_unlimited(std::uint64_t value) { return value == 0 ? unlimited : value; }

bool is_descriptor(const ReplayStep& step, std::int16_t desc) {
  return step.hint.kind == HintKind::descriptor && step.hint.meta->desc == desc;
}
bool is_infeed(const ReplayStep& step) {
  return step.hint.kind == HintKind::instruction ||
         (step.hint.kind == HintKind::descriptor && step.hint.direction == darwinn::infeed);
}
bool is_outfeed(const ReplayStep& step) {
  return step.hint.kind == HintKind::descriptor && !is_infeed(step);
}

/// The host's driver and the device. It starts each piece of a transfer as soon as the rules allow.
/// update() does all of this; it is called at the start and whenever something has ended: a piece,
/// compute, the host's work on a request, a status block, a read of the page table. Steps of all
/// requests are numbered consecutively.
class Transfers final : public sc_core::sc_module {
 public:
  Transfers(const sc_core::sc_module_name& name, HostLink& link, const LinkValues& values,
            std::vector<LinkRequest>& requests, std::size_t in_flight);

  tlm_utils::simple_initiator_socket<Transfers> to_device{"to_device"}, to_host{"to_host"};

  [[nodiscard]] Picoseconds end() const { return in_picoseconds(end_); }
  [[nodiscard]] std::uint64_t translations() const { return translations_; }
  [[nodiscard]] bool finished() const {
    return done_ == steps_.size() && computed_ == requests_.size();
  }

 private:
  struct Step {
    ReplayStep* step;
    std::size_t request;
    std::uint64_t handed = 0;  ///< bytes under way or done
    std::uint64_t pieces = 0;  ///< pieces under way
    bool header = false;       ///< true: the header has been sent
    bool begun = false, started = false, done = false;
    bool in_ring = false;      ///< true: its descriptor is or was in the ring
    bool translating = false;  ///< true: the device is reading the entry of its page
    std::size_t buffer = 0;    ///< number of the step's buffer within its request
  };
  /// A page of a buffer: numbers of the request, of the buffer and of the page in it.
  using Page = std::tuple<std::size_t, std::size_t, std::uint64_t>;
  struct Request {
    std::size_t first = 0, last = 0;  ///< the request's steps [first, last)
    std::size_t first_output = 0;     ///< step of the first output; `last`: there is none
    std::size_t compute_after = 0;    ///< compute starts after the infeeds before this step
    bool released = false, computing = false, computed = false;
  };
  enum class What { piece, compute, host, status, translation };
  struct Ending {
    What what;
    std::size_t number;  ///< number of the step, or of the request for `compute` and `host`
  };

  void update();
  void end_pieces();
  void end_piece(std::size_t i);
  void end_translation(std::size_t i);
  bool submit();
  bool fill_ring();
  bool pass_fences();
  bool retire();
  bool compute();
  bool feed(bool to_the_device);
  [[nodiscard]] bool may_begin(std::size_t i) const;
  [[nodiscard]] bool memory_is_free(std::size_t i) const;
  bool send(std::size_t i);
  /// Returns true if the device knows the page of the step's next piece; otherwise it starts to
  /// read the page's entry, unless it is reading it already.
  bool translate(std::size_t i);
  [[nodiscard]] Page page(std::size_t i) const;
  void number_buffers();
  void piece(std::size_t i, std::uint64_t bytes, bool to_the_device);
  /// Transfers bytes over a channel, after a request of the device if the device fetches. Returns
  /// the time until the transfer has ended.
  sc_time transport(std::uint64_t bytes, bool to_the_device);
  [[nodiscard]] std::uint64_t piece_bytes(std::size_t i) const;
  [[nodiscard]] bool has_ended(std::size_t request) const { return done_ >= states_[request].last; }
  void at_time(const sc_time& time, What what, std::size_t number) {
    pending_.emplace(time, Ending{what, number});
    wake_.notify(time - sc_core::sc_time_stamp());
  }
  static Picoseconds now() { return in_picoseconds(sc_core::sc_time_stamp()); }

  HostLink& link_;
  const LinkValues& values_;
  std::vector<LinkRequest>& requests_;
  const std::size_t in_flight_;
  std::vector<Request> states_;
  std::vector<Step> steps_;
  sc_core::sc_event_queue wake_{"wake"};
  std::multimap<sc_time, Ending> pending_;
  std::size_t done_ = 0;      ///< all steps before this one are done
  std::size_t ended_ = 0;     ///< all requests before this one have ended
  std::size_t computed_ = 0;  ///< all requests before this one have computed
  std::size_t next_request_ = 0;
  bool host_works_ = false;
  std::size_t next_descriptor_ =
      0;                       ///< all steps before this one are in the ring, if they belong there
  std::uint64_t in_ring_ = 0;  ///< number of descriptors in the ring
  std::vector<Page> known_;    ///< pages whose entries the device knows, last used first
  std::uint64_t translations_ = 0;
  std::size_t next_out_ = 0, next_in_ = 0;
  std::uint64_t out_under_way_ = 0, in_under_way_ = 0;
  sc_time end_;
};

Transfers::Transfers(const sc_core::sc_module_name& name, HostLink& link, const LinkValues& values,
                     std::vector<LinkRequest>& requests, std::size_t in_flight)
    : sc_module(name), link_(link), values_(values), requests_(requests), in_flight_(in_flight) {
  to_device.bind(link.to_device());
  to_host.bind(link.to_host());
  using SC_CURRENT_USER_MODULE = Transfers;  // what SC_HAS_PROCESS defines before SystemC 3
  SC_METHOD(update);
  sensitive << wake_;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    Request state;
    state.first = steps_.size();
    for (ReplayStep& step : requests[r].steps) steps_.push_back({&step, r});
    state.last = steps_.size();
    const auto first = [&](auto&& is_it) {
      std::size_t i = state.first;
      while (i < state.last && !is_it(*steps_[i].step)) ++i;
      return i;
    };
    state.first_output =
        first([](const ReplayStep& s) { return is_descriptor(s, darwinn::output); });
    state.compute_after =
        state.first_output < state.last
            ? state.first_output
            : first([](const ReplayStep& s) { return s.hint.kind == HintKind::interrupt; });
    states_.push_back(state);
  }
  number_buffers();
}

/// Numbers the buffers of each request. Throws UserError if they have too many pages.
void Transfers::number_buffers() {
  using Buffer = std::tuple<bool, std::int32_t, std::string_view>;
  for (const Request& state : states_) {
    // Number and size in bytes of each buffer.
    std::map<Buffer, std::pair<std::size_t, std::uint64_t>> buffers;
    for (std::size_t i = state.first; i < state.last; ++i) {
      const darwinn::Hint& hint = steps_[i].step->hint;
      const bool chunk = hint.kind == HintKind::instruction;
      if (!chunk && hint.kind != HintKind::descriptor) continue;
      const Buffer buffer = chunk ? Buffer{true, hint.number, {}}
                                  : Buffer{false, hint.meta->desc, hint.meta->name.value_or("")};
      auto& [number, bytes] = buffers.try_emplace(buffer, buffers.size(), 0).first->second;
      steps_[i].buffer = number;
      bytes = std::max(bytes, static_cast<std::uint64_t>(hint.offset) +
                                  static_cast<std::uint64_t>(steps_[i].step->bytes));
    }
    if (values_.page_bytes == 0 || values_.pages == 0) continue;
    std::uint64_t pages = 0;
    for (const auto& [key, buffer] : buffers) {
      pages += (buffer.second + values_.page_bytes - 1) / values_.page_bytes;
    }
    if (pages > values_.pages) {
      user_error("a request with {} pages of {} bytes; the page table of the link maps {}", pages,
                 values_.page_bytes, values_.pages);
    }
  }
}

void Transfers::update() {
  end_pieces();
  for (bool progress = true; progress;) {
    progress = submit();
    progress = fill_ring() || progress;
    progress = pass_fences() || progress;
    progress = retire() || progress;
    progress = compute() || progress;
    progress = feed(true) || progress;
    progress = feed(false) || progress;
  }
}

void Transfers::end_pieces() {
  while (!pending_.empty() && pending_.begin()->first <= sc_core::sc_time_stamp()) {
    const Ending ending = pending_.begin()->second;
    pending_.erase(pending_.begin());
    switch (ending.what) {
      case What::piece:
        end_piece(ending.number);
        break;
      case What::compute:
        states_[ending.number].computed = true;
        end_ = sc_core::sc_time_stamp();
        break;
      case What::host:
        host_works_ = false;
        states_[ending.number].released = true;
        requests_[ending.number].released = now();
        break;
      case What::status:
        --in_ring_;
        break;
      case What::translation:
        end_translation(ending.number);
    }
  }
}

void Transfers::end_piece(std::size_t i) {
  end_ = sc_core::sc_time_stamp();
  Step& step = steps_[i];
  --(is_infeed(*step.step) ? out_under_way_ : in_under_way_);
  --step.pieces;
  step.step->end = now();
  const bool whole = step.handed == static_cast<std::uint64_t>(step.step->bytes);
  if (!whole || step.pieces != 0) return;
  step.done = true;
  if (!step.in_ring) return;
  if (values_.status_bytes == 0) {
    --in_ring_;
  } else {
    at_time(sc_core::sc_time_stamp() + transport(values_.status_bytes, false), What::status, i);
  }
}

void Transfers::end_translation(std::size_t i) {
  Step& step = steps_[i];
  step.translating = false;
  known_.insert(known_.begin(), page(i));
  if (known_.size() > values_.translations) known_.pop_back();
}

/// Writes descriptors of instruction chunks into the ring, in the order of the released lists,
/// until the ring is full. Returns true if it has written one.
bool Transfers::fill_ring() {
  bool progress = false;
  while (next_descriptor_ < steps_.size()) {
    Step& step = steps_[next_descriptor_];
    if (!states_[step.request].released) break;
    if (step.step->hint.kind == HintKind::instruction) {
      if (in_ring_ >= or_unlimited(values_.ring_descriptors)) break;
      ++in_ring_;
      step.in_ring = progress = true;
    }
    ++next_descriptor_;
  }
  return progress;
}

/// Starts the host's work on the next request, unless the host is busy, waits for room in the ring,
/// or has as many requests under way as are allowed. Returns true if it has started one.
bool Transfers::submit() {
  if (host_works_ || next_request_ == requests_.size()) return false;
  if (next_request_ > 0 && next_descriptor_ < states_[next_request_ - 1].last) return false;
  const std::size_t user = requests_[next_request_].user;
  if (ended_ < next_request_ && user - requests_[ended_].user >= in_flight_) return false;
  LinkRequest& request = requests_[next_request_];
  request.submitted = now();
  if (request.host == 0) {
    request.released = now();
    states_[next_request_].released = true;
  } else {
    host_works_ = true;
    at_time(sc_core::sc_time_stamp() +
                sc_time::from_value(kernel_units(request.host, "the host's time")),
            What::host, next_request_);
  }
  ++next_request_;
  return true;
}

bool Transfers::pass_fences() {
  bool progress = false;
  for (std::size_t r = ended_; r < next_request_; ++r) {
    for (std::size_t i = states_[r].first; i < states_[r].last; ++i) {
      Step& step = steps_[i];
      if (step.step->hint.kind == HintKind::fence && !step.done && states_[r].released) {
        step.step->start = step.step->end = now();
        step.done = progress = true;
      }
      if (!step.done) break;
    }
  }
  return progress;
}

/// Starts interrupts and ends completed requests, in order. Returns true if anything has changed.
bool Transfers::retire() {
  bool progress = false;
  while (done_ < steps_.size()) {
    Step& step = steps_[done_];
    const Request& request = states_[step.request];
    if (step.step->hint.kind == HintKind::interrupt && !step.begun) {
      if (!request.released || (request.compute_after <= done_ && !request.computed)) break;
      step.begun = true;
      if (values_.event_bytes == 0) {
        step.step->start = step.step->end = now();
        step.done = true;
      } else {
        piece(done_, values_.event_bytes, false);
      }
    }
    if (!step.done) break;
    ++done_;
    progress = true;
  }
  while (ended_ < next_request_ && states_[ended_].released && has_ended(ended_)) {
    requests_[ended_].end = now();
    ++ended_;
    progress = true;
  }
  return progress;
}

/// Starts compute of one request after the other; computes do not overlap. Returns true if anything
/// has changed.
bool Transfers::compute() {
  bool progress = false;
  while (computed_ < next_request_) {
    Request& state = states_[computed_];
    LinkRequest& request = requests_[computed_];
    if (!state.computing) {
      if (!state.released) return progress;
      for (std::size_t i = state.first; i < state.compute_after; ++i) {
        if (is_infeed(*steps_[i].step) && !steps_[i].done) return progress;
      }
      if (request.memory_after && !has_ended(*request.memory_after)) return progress;
      state.computing = progress = true;
      request.compute_start = now();
      request.compute_end = now() + request.compute;
      if (request.compute == 0) {
        state.computed = true;
      } else {
        at_time(sc_time::from_value(kernel_units(request.compute_end, "the end of a program")),
                What::compute, computed_);
      }
    }
    if (!state.computed) return progress;
    ++computed_;
    progress = true;
  }
  return progress;
}

/// True if the device memory that an infeed writes is no longer needed by earlier requests.
bool Transfers::memory_is_free(std::size_t i) const {
  const LinkRequest& request = requests_[steps_[i].request];
  if (request.replaces_parameters && computed_ < steps_[i].request) return false;
  return !request.memory_after || !is_descriptor(*steps_[i].step, darwinn::input) ||
         computed_ > *request.memory_after;
}

bool Transfers::may_begin(std::size_t i) const {
  const Request& request = states_[steps_[i].request];
  const bool out = is_outfeed(*steps_[i].step);
  if (!request.released) return false;
  if (out && i >= request.first_output && !request.computed) return false;
  if (!out && !memory_is_free(i)) return false;
  if (steps_[i].step->hint.kind == HintKind::instruction && !steps_[i].in_ring) return false;
  for (std::size_t k = done_; k < i; ++k) {
    if (steps_[k].done) continue;
    if (steps_[k].step->hint.kind == HintKind::fence && k >= request.first) return false;
    if (out && is_infeed(*steps_[k].step)) return false;
    if (!out && is_outfeed(*steps_[k].step) && values_.outfeed_blocks_infeed) return false;
  }
  return true;
}

/// Sends the DMAs of a direction in the order of the lists, as far as the rules allow. Returns true
/// if a piece has been sent.
bool Transfers::feed(bool to_the_device) {
  std::size_t& next = to_the_device ? next_out_ : next_in_;
  bool progress = false;
  while (next < steps_.size()) {
    Step& step = steps_[next];
    if (!(to_the_device ? is_infeed(*step.step) : is_outfeed(*step.step))) {
      ++next;
      continue;
    }
    if (!step.begun && !may_begin(next)) return progress;
    step.begun = true;
    while (step.handed < static_cast<std::uint64_t>(step.step->bytes)) {
      if (!send(next)) return progress;
      progress = true;
    }
    ++next;
  }
  return progress;
}

/// Bytes of the next piece of a DMA.
std::uint64_t Transfers::piece_bytes(std::size_t i) const {
  const ReplayStep& step = *steps_[i].step;
  const std::uint64_t left = static_cast<std::uint64_t>(step.bytes) - steps_[i].handed;
  const std::uint64_t most =
      or_unlimited(is_infeed(step) ? values_.transfer_bytes : values_.chunk_bytes);
  // Buffers start at a page's beginning, so an offset in a buffer tells the place in a page.
  const std::uint64_t address = static_cast<std::uint64_t>(step.hint.offset) + steps_[i].handed;
  const auto to_border = [&](std::uint64_t size) {
    return size == unlimited ? unlimited : size - address % size;
  };
  const std::uint64_t fetched = values_.device_fetches ? to_border(most) : most;
  return std::min({left, fetched, to_border(or_unlimited(values_.page_bytes))});
}

Transfers::Page Transfers::page(std::size_t i) const {
  const Step& step = steps_[i];
  const std::uint64_t address = static_cast<std::uint64_t>(step.step->hint.offset) + step.handed;
  return {step.request, step.buffer, address / values_.page_bytes};
}

bool Transfers::translate(std::size_t i) {
  if (values_.page_bytes == 0 || values_.translations == 0) return true;
  const auto known = std::find(known_.begin(), known_.end(), page(i));
  if (known != known_.end()) {
    std::rotate(known_.begin(), known, known + 1);
    return true;
  }
  if (steps_[i].translating) return false;
  steps_[i].translating = true;
  ++translations_;
  at_time(sc_core::sc_time_stamp() + transport(values_.translation_bytes, true), What::translation,
          i);
  return false;
}

/// Sends one piece, unless the limit of pieces under way is reached or its page is not known.
bool Transfers::send(std::size_t i) {
  Step& step = steps_[i];
  const bool in = is_infeed(*step.step);
  const std::uint64_t most =
      or_unlimited(in ? values_.transfers_outstanding : values_.chunks_queued);
  if ((in ? out_under_way_ : in_under_way_) >= most) return false;
  const bool has_header =
      in && values_.header_bytes != 0 &&
      (!values_.device_fetches || step.step->hint.kind == HintKind::instruction);
  if (has_header && !step.header) {
    step.header = true;
    piece(i, values_.header_bytes, true);
    return true;
  }
  if (!translate(i)) return false;
  const std::uint64_t bytes = piece_bytes(i);
  piece(i, bytes, in);
  step.handed += bytes;
  return true;
}

sc_time Transfers::transport(std::uint64_t bytes, bool to_the_device) {
  tlm::tlm_generic_payload transaction;
  transaction.set_command(to_the_device ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  transaction.set_streaming_width(static_cast<unsigned>(bytes));
  sc_time delay;
  if (to_the_device && values_.device_fetches) {
    transaction.set_data_length(0);  // a request has no data, only overhead
    to_host->b_transport(transaction, delay);
  }
  transaction.set_data_length(static_cast<unsigned>(bytes));
  (to_the_device ? to_device : to_host)->b_transport(transaction, delay);
  return delay;
}

void Transfers::piece(std::size_t i, std::uint64_t bytes, bool to_the_device) {
  const sc_time delay = transport(bytes, to_the_device);
  Step& step = steps_[i];
  ++step.pieces;
  ++(to_the_device ? out_under_way_ : in_under_way_);
  const SerialChannel& channel = to_the_device ? link_.out : link_.in;
  if (!step.started) step.step->start = in_picoseconds(channel.last_start());
  step.started = true;
  at_time(sc_core::sc_time_stamp() + delay, What::piece, i);
}

LinkFigures figures(const SerialChannel& channel) {
  const SerialChannel::Stats& stats = channel.stats();
  return {stats.transactions, stats.bytes, stats.wire_bytes, in_picoseconds(stats.busy)};
}

}  // namespace

nlohmann::ordered_json to_json(const LinkFigures& figures) {
  return {{"transactions", figures.transactions},
          {"bytes", figures.bytes},
          {"wire_bytes", figures.wire_bytes},
          {"busy_ps", figures.busy}};
}

LinkRun run_requests(std::vector<LinkRequest> requests, const LinkValues& link,
                     std::size_t in_flight) {
  LinkRun run;
  run.requests = std::move(requests);
  for (LinkRequest& request : run.requests) {
    for (ReplayStep& step : request.steps) step.start = step.end = 0;
  }
  const KernelScope kernel;
  HostLink model("link", link);
  Transfers transfers("transfers", model, link, run.requests, in_flight);
  sc_core::sc_start();
  if (!transfers.finished()) internal_error("requests that do not end");
  run.end = transfers.end();
  run.translations = transfers.translations();
  run.to_device = figures(model.out);
  run.to_host = figures(model.in);
  return run;
}

}  // namespace tactus
