// What the fast engine asks of the decoder; see models/sim/engine.h.
#include <algorithm>

#include "models/tcu/decoder/decoder.h"

namespace tactus {

void Decoder::note_items() { item_facts_ = item_facts().packed(); }

Cycle Decoder::steady(Cycle most) const {
  for_each(edge_.firing, [&](std::size_t i) { most = std::min(most, streams_[i].before_last); });
  // One address again and again is no stretch for the accumulators.
  const bool stays = (edge_.firing & leg_accumulator) != 0 && stream(leg_accumulator).step == 0;
  return stays ? std::min(most, Cycle{1}) : most;
}

/// With an item like the one before, at another address.
bool Decoder::continues_stretch(Cycle cycles) const {
  if ((edge_.firing & leg_array) != 0 && !alike(links_.array.bits, array_of_stretch_)) return false;
  if ((edge_.firing & leg_accumulator) == 0) return true;
  const AccumulatorControl& last = accumulator_stretch_[cycles - 1];
  const AccumulatorControl& next = links_.accumulator.bits;
  return alike(last, next) && (!next.read || last.read_address != next.read_address) &&
         (!next.write || last.write_address != next.write_address);
}

void Decoder::extend_stretch(Cycle cycles) {
  if (cycles == 0) array_of_stretch_ = links_.array.bits;
  local_stretch_[cycles] = links_.local_a.request.bits;
  accumulator_stretch_[cycles] = links_.accumulator.bits;
}

void Decoder::offer_stretch(Cycle first, Cycle cycles) {
  if (first == 0) array_of_stretch_ = links_.array.bits;
  const auto fill = [first, cycles](auto& stretch, const auto& link, auto&& step) {
    auto item = link.bits;
    for (Cycle i = first; i < first + cycles; ++i) {
      stretch[i] = item;
      step(item);
    }
  };
  const auto fill_local = [&](auto& stretch, const MemoryPort& port, const Decoded& item) {
    const std::uint64_t step = item.local_reverse ? ~item.local_step + 1 : item.local_step;
    fill(stretch, port.request,
         [step, mask = local_mask_](MemoryRequest& r) { r.address = (r.address + step) & mask; });
  };
  if ((edge_.firing & leg_local_a) != 0) {
    fill_local(local_stretch_, links_.local_a, queue_.front());
  }
  if ((edge_.firing & leg_local_b) != 0) {
    fill_local(local_b_stretch_, links_.local_b, mover());
  }
  if ((edge_.firing & leg_accumulator) != 0) {
    fill(accumulator_stretch_, links_.accumulator,
         [step = stream(leg_accumulator).step, mask = accumulator_mask_](AccumulatorControl& c) {
           std::uint64_t& address = c.write ? c.write_address : c.read_address;
           address = (address + step) & mask;
         });
  }
  for (unsigned port = 0; port < 2; ++port) {
    if ((edge_.firing & dram_leg(port)) == 0) continue;
    fill(dram_stretch_, *links_.dram[port],
         [step = stream(dram_leg(port)).step, mask = dram_mask_[port]](DramRequest& r) {
           r.address = (r.address + step) & mask;
         });
  }
}

void Decoder::stretch(Cycle cycles) {
  if (edge_.head_ready) {
    timer_ = 0;
  } else if (timer_ < registers_.timeout) {
    const Cycle left = registers_.timeout - timer_;
    timer_ = static_cast<std::uint16_t>(timer_ + std::min(cycles, left));
  }
  moving_ = edge_.firing;
  if (moving_ == 0) return;
  ++clock_.progress;
  for_each(edge_.firing, [&](std::size_t i) {
    Stream& s = streams_[i];
    s.expander.advance_by(cycles, s.step);
    note_count(s);
  });
}

}  // namespace tactus
