// What the fast engine asks of a DRAM port: cycles like the one before, one or many at a time; see
// models/sim/engine.h.
#include "models/tcu/dram_port/dram_port.h"

namespace tactus {

bool DramPort::redrive() {
  if (!converter_.redrive()) return false;
  queue_.redrive();
  return splitter_.redrive();
}

Cycle DramPort::offer_stretch(Cycle most) {
  return converter_.offer_stretch(most) && queue_.offer_stretch(most)
             ? splitter_.offer_stretch(most)
             : 0;
}

void DramPort::stretch(Cycle cycles) {
  splitter_.stretch(cycles);
  queue_.stretch(cycles);
  converter_.stretch(cycles);
}

bool Converter::redrive() {
  tcu_.in.bits = vector_in();
  if (requests_.empty()) return true;
  const Piece before = piece_;
  piece_ = piece(requests_.front());
  axi_.ar.bits = axi_.aw.bits = piece_.address;
  axi_.w.bits = beat();
  return piece_.last == before.last && alike(piece_.address, before.address);
}

bool Converter::offer_stretch(Cycle cycles) {
  const bool bursts = axi_.ar.fires();
  if (beats_per_vector_ != 1 || !is_stretch(axi_, bursts)) return false;
  if (!tcu_.in.fires() || tcu_.out.fires() || tcu_.request.fires() != bursts) return false;
  if (read_beats_.count() != 1 || read_beats_.front().last != bursts) return false;
  return !bursts || offer_addresses(cycles);
}

/// A request a cycle: that at the head first, then all but the last of those that come.
bool Converter::offer_addresses(Cycle cycles) {
  if (requests_.count() != 1 || requests_.front().size != 0 || vectors_issued_ != 0) return false;
  const DramRequest* request = &requests_.front();
  for (Cycle i = 0; i < cycles; ++i) {
    address_stretch_[i] = piece(*request).address;
    request = &tcu_.request.stretch[i];
    if (!alike(*request, requests_.front())) return false;
  }
  axi_.ar.stretch = address_stretch_.data();
  return true;
}

void Converter::stretch(Cycle cycles) {
  ++clock_.progress;
  if (axi_.ar.fires()) {
    requests_.commit(true, tcu_.request.stretch[cycles - 1], true);
    piece_.address = axi_.ar.bits = axi_.aw.bits = axi_.ar.stretch[cycles - 1];
  }
  vector_stretch_[0] = read_beats_.front().data;
  if (copies_) {
    for (Cycle i = 0; i < cycles; ++i) vector_stretch_[i + 1] = axi_.r.stretch[i].data;
  } else {
    for (Cycle i = 0; i < cycles; ++i) {
      std::uint8_t* lanes = lane_stretch_.data() + i * vector_bytes_;
      kernels_.from_bytes(axi_.r.stretch[i].data, lanes, lanes_);
      vector_stretch_[i + 1] = lanes;
    }
  }
  tcu_.in.stretch = vector_stretch_.data();
  tcu_.in.bits = tcu_.in.stretch[cycles - 1];
  read_beats_.commit(true, {vector_stretch_[cycles], axi_.r.bits.last}, true);
}

}  // namespace tactus
