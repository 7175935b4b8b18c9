#include "firmware/driver/darwinn/link_replay.h"

#include <algorithm>
#include <map>

#include "isa/support/error.h"
#include "models/link/host_link.h"
#include "models/sim/kernel_scope.h"

namespace tactus {
namespace {

using darwinn::HintKind;
using sc_core::sc_time;

constexpr std::uint64_t unlimited = ~std::uint64_t{0};

std::uint64_t or_unlimited(std::uint64_t value) { return value == 0 ? unlimited : value; }

/// The host's driver and the device as far as transfers go: starts each piece when its time has
/// come. All that happens is in update(), at the start and whenever a piece or compute has ended.
class Transfers final : public sc_core::sc_module {
 public:
  Transfers(const sc_core::sc_module_name& name, HostLink& link, const LinkValues& values,
            std::vector<ReplayStep> steps, Picoseconds compute)
      : sc_module(name),
        link_(link),
        values_(values),
        compute_time_(sc_time::from_value(compute)),
        states_(steps.size()),
        steps_(std::move(steps)) {
    to_device.bind(link.to_device());
    to_host.bind(link.to_host());
    SC_HAS_PROCESS(Transfers);
    SC_METHOD(update);
    sensitive << wake_;
    first_output_ = std::find_if(steps_.begin(), steps_.end(),
                                 [](const ReplayStep& step) {
                                   return step.hint.kind == HintKind::descriptor &&
                                          step.hint.meta->desc == darwinn::output;
                                 }) -
                    steps_.begin();
    compute_after_ = first_output_ < size() ? first_output_ : interrupt_place();
  }

  tlm_utils::simple_initiator_socket<Transfers> to_device{"to_device"}, to_host{"to_host"};

  [[nodiscard]] const std::vector<ReplayStep>& steps() const { return steps_; }
  [[nodiscard]] Picoseconds end() const { return end_.value(); }
  [[nodiscard]] Picoseconds compute_start() const { return compute_start_.value(); }
  [[nodiscard]] bool finished() const { return done_ == size() && computed_; }

 private:
  struct State {
    std::uint64_t handed = 0;  ///< bytes that are under way or done
    std::uint64_t pieces = 0;  ///< under way
    bool header = false;       ///< has been sent
    bool begun = false, started = false, done = false;
  };

  [[nodiscard]] std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(steps_.size()); }
  [[nodiscard]] std::ptrdiff_t interrupt_place() const {
    std::ptrdiff_t i = 0;
    while (i < size() && steps_[at(i)].hint.kind != HintKind::interrupt) ++i;
    return i;
  }
  static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] bool is_infeed(std::ptrdiff_t i) const {
    const darwinn::Hint& hint = steps_[at(i)].hint;
    return hint.kind == HintKind::instruction ||
           (hint.kind == HintKind::descriptor && hint.direction == darwinn::infeed);
  }
  [[nodiscard]] bool is_outfeed(std::ptrdiff_t i) const {
    return steps_[at(i)].hint.kind == HintKind::descriptor && !is_infeed(i);
  }

  void update() {
    end_pieces();
    for (bool progress = true; progress;) {
      progress = retire();
      progress = compute() || progress;
      progress = feed(true) || progress;
      progress = feed(false) || progress;
    }
  }
  void end_pieces();
  bool retire();
  bool compute();
  bool feed(bool to_the_device);
  bool may_begin(std::ptrdiff_t i) const;
  bool send(std::ptrdiff_t i);
  void piece(std::ptrdiff_t i, std::uint64_t bytes, bool to_the_device);
  [[nodiscard]] std::uint64_t piece_bytes(std::ptrdiff_t i) const;
  void at_time(const sc_time& time, std::ptrdiff_t step) {
    pending_.emplace(time, step);
    wake_.notify(time - sc_core::sc_time_stamp());
  }

  HostLink& link_;
  const LinkValues& values_;
  const sc_time compute_time_;
  std::vector<State> states_;
  std::vector<ReplayStep> steps_;
  sc_core::sc_event_queue wake_{"wake"};
  std::multimap<sc_time, std::ptrdiff_t> pending_;  ///< ends of pieces; -1: of compute
  std::ptrdiff_t first_output_ = 0, compute_after_ = 0;
  std::ptrdiff_t done_ = 0;  ///< steps from the first on that are done
  std::ptrdiff_t next_out_ = 0, next_in_ = 0;
  std::uint64_t out_under_way_ = 0, in_under_way_ = 0;
  bool computing_ = false, computed_ = false;
  sc_time compute_start_, end_;
};

void Transfers::end_pieces() {
  const sc_time now = sc_core::sc_time_stamp();
  while (!pending_.empty() && pending_.begin()->first <= now) {
    const std::ptrdiff_t i = pending_.begin()->second;
    pending_.erase(pending_.begin());
    end_ = now;
    if (i < 0) {
      computed_ = true;
      continue;
    }
    --(is_infeed(i) ? out_under_way_ : in_under_way_);
    State& state = states_[at(i)];
    --state.pieces;
    steps_[at(i)].end = now.value();
    const bool whole = state.handed == static_cast<std::uint64_t>(steps_[at(i)].bytes);
    if (whole && state.pieces == 0) state.done = true;
  }
}

/// Fences and the interrupt, when everything before them is done.
bool Transfers::retire() {
  bool progress = false;
  const sc_time now = sc_core::sc_time_stamp();
  while (done_ < size()) {
    ReplayStep& step = steps_[at(done_)];
    State& state = states_[at(done_)];
    if (step.hint.kind == HintKind::fence && !state.done) {
      step.start = step.end = now.value();
      state.done = true;
    }
    if (step.hint.kind == HintKind::interrupt && !state.begun) {
      if (compute_after_ <= done_ && !computed_) break;
      state.begun = true;
      if (values_.event_bytes == 0) {
        step.start = step.end = now.value();
        state.done = true;
      } else {
        piece(done_, values_.event_bytes, false);
      }
    }
    if (!state.done) break;
    ++done_;
    progress = true;
  }
  return progress;
}

/// Starts when the infeeds before its place have ended.
bool Transfers::compute() {
  if (computing_) return false;
  for (std::ptrdiff_t i = 0; i < compute_after_; ++i) {
    if (is_infeed(i) && !states_[at(i)].done) return false;
  }
  computing_ = true;
  compute_start_ = sc_core::sc_time_stamp();
  if (compute_time_ == sc_core::SC_ZERO_TIME) {
    computed_ = true;
  } else {
    at_time(compute_start_ + compute_time_, -1);
  }
  return true;
}

bool Transfers::may_begin(std::ptrdiff_t i) const {
  if (is_outfeed(i) && i >= first_output_ && !computed_) return false;
  for (std::ptrdiff_t k = done_; k < i; ++k) {
    if (states_[at(k)].done) continue;
    if (steps_[at(k)].hint.kind == HintKind::fence) return false;
    if (is_outfeed(i) && is_infeed(k)) return false;
    if (is_infeed(i) && is_outfeed(k) && values_.outfeed_blocks_infeed) return false;
  }
  return true;
}

/// Hands over as much as may be under way, in the order of the list.
bool Transfers::feed(bool to_the_device) {
  std::ptrdiff_t& next = to_the_device ? next_out_ : next_in_;
  bool progress = false;
  while (next < size()) {
    const bool mine = to_the_device ? is_infeed(next) : is_outfeed(next);
    if (!mine) {
      ++next;
      continue;
    }
    State& state = states_[at(next)];
    if (!state.begun && !may_begin(next)) return progress;
    state.begun = true;
    while (state.handed < static_cast<std::uint64_t>(steps_[at(next)].bytes)) {
      if (!send(next)) return progress;
      progress = true;
    }
    ++next;
  }
  return progress;
}

/// Length of the next piece of a DMA.
std::uint64_t Transfers::piece_bytes(std::ptrdiff_t i) const {
  const ReplayStep& step = steps_[at(i)];
  const State& state = states_[at(i)];
  const std::uint64_t left = static_cast<std::uint64_t>(step.bytes) - state.handed;
  const std::uint64_t most =
      or_unlimited(is_infeed(i) ? values_.transfer_bytes : values_.chunk_bytes);
  if (!values_.device_fetches || most == unlimited) return std::min(left, most);
  // Buffers start on a page, and so does the device's view of them.
  const std::uint64_t address = static_cast<std::uint64_t>(step.hint.offset) + state.handed;
  return std::min(left, most - address % most);
}

/// One piece, unless as many as may be are under way.
bool Transfers::send(std::ptrdiff_t i) {
  State& state = states_[at(i)];
  const bool in = is_infeed(i);
  const std::uint64_t most =
      or_unlimited(in ? values_.transfers_outstanding : values_.chunks_queued);
  if ((in ? out_under_way_ : in_under_way_) >= most) return false;
  const bool has_header =
      in && values_.header_bytes != 0 &&
      (!values_.device_fetches || steps_[at(i)].hint.kind == HintKind::instruction);
  if (has_header && !state.header) {
    state.header = true;
    piece(i, values_.header_bytes, true);
    return true;
  }
  const std::uint64_t bytes = piece_bytes(i);
  state.handed += bytes;
  piece(i, bytes, in);
  return true;
}

void Transfers::piece(std::ptrdiff_t i, std::uint64_t bytes, bool to_the_device) {
  tlm::tlm_generic_payload transaction;
  transaction.set_command(to_the_device ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  transaction.set_streaming_width(static_cast<unsigned>(bytes));
  sc_time delay;
  if (to_the_device && values_.device_fetches) {
    transaction.set_data_length(0);  // the request is all overhead
    to_host->b_transport(transaction, delay);
  }
  transaction.set_data_length(static_cast<unsigned>(bytes));
  (to_the_device ? to_device : to_host)->b_transport(transaction, delay);
  State& state = states_[at(i)];
  ++state.pieces;
  ++(to_the_device ? out_under_way_ : in_under_way_);
  const SerialChannel& channel = to_the_device ? link_.out : link_.in;
  if (!state.started) steps_[at(i)].start = channel.last_start().value();
  state.started = true;
  at_time(sc_core::sc_time_stamp() + delay, i);
}

LinkFigures figures(const SerialChannel& channel) {
  const SerialChannel::Stats& stats = channel.stats();
  return {stats.transactions, stats.bytes, stats.wire_bytes, stats.busy.value()};
}

}  // namespace

LinkReplayResult replay_on_link(const darwinn::Executable& executable, const LinkValues& link,
                                std::uint64_t cycles) {
  LinkReplayResult result;
  static_cast<ReplayResult&>(result) = replay(executable, link, cycles);
  const Picoseconds compute = result.compute_end - result.compute_start;
  for (ReplayStep& step : result.steps) step.start = step.end = 0;
  const KernelScope kernel;
  HostLink model("link", link);
  Transfers transfers("transfers", model, link, result.steps, compute);
  sc_core::sc_start();
  if (!transfers.finished()) internal_error("a replay that does not end");
  result.steps = transfers.steps();
  result.compute_start = transfers.compute_start();
  result.compute_end = result.compute_start + compute;
  result.total = transfers.end() + link.fixed_ps;
  result.listed = result.total;
  result.out = figures(model.out);
  result.in = figures(model.in);
  return result;
}

LinkValues ideal_link(const LinkValues& link) {
  if (link.out_bytes_per_second != link.in_bytes_per_second) {
    user_error("a wire has one rate; the link has {} and {} bytes/s", link.out_bytes_per_second,
               link.in_bytes_per_second);
  }
  LinkValues ideal;
  ideal.out_bytes_per_second = link.out_bytes_per_second;
  ideal.in_bytes_per_second = link.in_bytes_per_second;
  ideal.fixed_ps = link.fixed_ps;
  ideal.outfeed_blocks_infeed = link.outfeed_blocks_infeed;
  ideal.needs_hints = link.needs_hints;
  ideal.core_hz = link.core_hz;
  ideal.wire_bytes_per_second = link.out_bytes_per_second;
  return ideal;
}

}  // namespace tactus
