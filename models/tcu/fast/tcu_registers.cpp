// Registers of the TCU's units; see models/sim/fast/registers.h.
#include "models/tcu/accumulators/accumulator_with_alu.h"
#include "models/tcu/activation/activation_unit.h"
#include "models/tcu/dram_port/dram_port.h"
#include "models/tcu/fast/item_registers.h"
#include "models/tcu/memory/local_memory.h"
#include "models/tcu/routers/local_router.h"
#include "models/tcu/systolic_array/systolic_array.h"
#include "models/tcu/tcu.h"

namespace tactus {

void DualPortMemory::registers(Registers& r, unsigned port) {
  PortState& state = state_[port];
  std::size_t count = state.data.count();
  r(count);
  r(state.in_flight);
  if (r.loads()) state.data.begin_load(count);
}

void LocalRouter::SelectStream::registers(Registers& r) {
  r.items(queue, [&](Select& item) {
    r(item.route);
    r(item.size);
  });
  expander.registers(r, queue.empty() ? 0 : queue.front().size);
}

void LocalRouter::registers(Registers& r) {
  read_.registers(r);
  write_.registers(r);
  accumulator_.registers(r);
  fork_.registers(r);
  account_.registers(r);
}

/// The place from which vectors come is data, and conflicts are found by number. The set of weights
/// that was taken over is the last complete one or the one before it. This does not affect the
/// timing, because all products that are still to enter come after it.
void WeightLoads::registers(Registers& r) {
  std::size_t count = queue_.size();
  r(count);
  if (r.loads()) queue_.assign(count, WeightLoad{});
  for (WeightLoad& load : queue_) {
    number(r, load.number);
    r(load.after_product);
    r(load.count);
    r.time(load.first);
  }
  r(done_);
  bool is_taken = taken_ == complete_;
  r(is_taken);
  if (!r.loads()) return;
  taken_ = is_taken ? complete_ : complete_ - 1;
  entered_ = {};
}

void SystolicArray::registers(Registers& r) {
  WeightLoads* const loads = links_.weight_loads;
  if (loads != nullptr) loads->registers(r);
  r.items(control_, [&](ArrayControl& item) { item_of_array(r, item, loads); });
  r(countdown_);
  std::size_t results = results_.count();
  r(results);
  if (r.loads()) {
    results_.begin_load(results);
    pending_.clear();
    available_front_ = 0;
    available_back_ = results % available_.size();
  }
  for (std::size_t i = 0; i < results; ++i) {
    r.time(available_[(available_front_ + i) % available_.size()]);
  }
  account_.registers(r);
}

void AluArray::registers(Registers& r) {
  std::size_t results = results_.count();
  r(results);
  if (r.loads()) results_.begin_load(results);
  r(stored_);
  r(stage1_);
  r(stage2_);
  account_.registers(r);
}

void Accumulator::registers(Registers& r) {
  r.items(requests_, [&](MemoryRequest& request) { item_of_memory(r, request, address_mask_); });
  r.items(routes_, [&](Route& route) { r(route); });
  r(lock_.held);
  if (lock_.held) item_of_memory(r, lock_.condition, address_mask_);
  fork_.registers(r);
  memory_.registers(r);
}

void AccumulatorWithAlu::registers(Registers& r) {
  r.items(
      control_, [&](AccumulatorControl& c) { control_registers(r, c, address_mask_, true); },
      [&](AccumulatorControl& c) { control_registers(r, c, address_mask_, false); });
  r(selects_.full);
  unsigned items = selects_.items & selects_.full;
  r(items);
  if (r.loads()) selects_.items = items;
  r(read_done_);
  fork_.registers(r);
  accumulator_.registers(r);
  alu_.registers(r);
  account_.registers(r);
  if (tables_) tables_->account().registers(r);
}

void ActivationUnit::registers(Registers& r) {
  std::size_t results = results_.count();
  r(results);
  if (r.loads()) {
    results_.begin_load(results);
    available_.resize(results);
  }
  for (Cycle& available : available_) r.time(available);
  account_.registers(r);
}

void Converter::registers(Registers& r) {
  r.items(requests_, [&](DramRequest& request) {
    r(request.write);
    r(request.size);
    std::uint64_t place = place_in_page(request.address, 0, request.size, vector_bytes_).address;
    r(place);
    if (r.loads()) request.address = place;
  });
  pieces_registers(r);
  write_fork_.registers(r);
  r(outstanding_reads_);
  r(outstanding_writes_);
  std::size_t waiting = vectors_out_.count();
  r(waiting);
  if (r.loads()) vectors_out_.begin_load(waiting);
  r(word_index_);
  r(word_valid_);
  const bool sends = !requests_.empty() && requests_.front().write && !r.loads();
  r.count_of_burst(beats_sent_, sends ? piece(requests_.front()).address.length : 0);
  read_beats_.registers(r);
  r(beats_received_);
  r(vector_valid_);
  r.items(responses_, [](AxiResponse&) {});
}

/// Saves or loads the progress of a request of several bursts. All of them are alike, except the
/// last one and those that cross a page, which depend on the place of the next burst.
void Converter::pieces_registers(Registers& r) {
  std::uint64_t vectors = 0, place = 0;
  if (r.keeps_counts() && !r.loads() && vectors_issued_ != 0) {
    const DramRequest& request = requests_.front();
    vectors = request.size + 1;
    // Where the next burst begins decides which of the further bursts cross a page, however many
    // there are. None does if the whole request stays in a page, or if a page has room for whole
    // bursts.
    const std::uint64_t next = request.address + vectors_issued_;
    const std::uint64_t burst_bytes = vectors_per_burst_ * vector_bytes_;
    const bool fits =
        !crosses_page(request.address * vector_bytes_, vectors * vector_bytes_) ||
        (axi_page_bytes % burst_bytes == 0 && next * vector_bytes_ % burst_bytes == 0);
    place =
        fits ? 0 : next % (axi_page_bytes / std::gcd<std::uint64_t>(axi_page_bytes, vector_bytes_));
  }
  r.count_of_item(vectors_issued_, vectors, vectors_per_burst_ + 1, vectors_per_burst_);
  if (r.keeps_counts()) r(place);
}

namespace {

// Saves or loads all registers of a unit, for Tcu::registers(). The decoder and DAIS blocks have
// none there.

template <typename Unit>
void all_registers(Registers& r, Unit& unit) {
  unit.registers(r);
}
void all_registers(Registers& r, LocalMemory& local) {
  for (const unsigned port : {0U, 1U}) local.registers(r, port);
}
void all_registers(Registers& /*r*/, Decoder& /*decoder*/) {}
void all_registers(Registers& /*r*/, DaisUnit& /*dais*/) {}

}  // namespace

void Tcu::registers(Registers& r) {
  for_each_unit(*this, [&r](const UnitName&, auto& unit, auto...) { all_registers(r, unit); });
}

void DramPort::registers(Registers& r) {
  converter_.registers(r);
  queue_.registers(r);
  splitter_.registers(r);
  account_.registers(r);
}

}  // namespace tactus
