// A unit of the DRAM port: a plain queue of 2 entries on each of the five AXI channels. It adds one
// cycle in each direction and passes one item per cycle. Source: hardware spec section 10.2.
#pragma once

#include <systemc>

#include "models/axi/axi.h"
#include "models/axi/beat_queue.h"
#include "models/sim/clock.h"
#include "models/sim/queue.h"

namespace tactus {

class AxiQueue final : public sc_core::sc_module {
 public:
  /// `master` connects to the Converter, `slave` to the splitter.
  AxiQueue(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes, AxiLinks& master,
           AxiLinks& slave);

  void drive();
  void commit();

  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  [[nodiscard]] bool idle() const {
    return ar_.empty() && aw_.empty() && w_.empty() && r_.empty() && b_.empty();
  }
  void describe(const trace::Scope& scope) const;

 private:
  Clock& clock_;
  unsigned beat_bytes_;
  AxiLinks& master_;
  AxiLinks& slave_;
  Queue<AxiAddress, QueueKind::plain, 2> ar_, aw_;
  BeatQueue w_, r_;
  Queue<AxiResponse, QueueKind::plain, 2> b_;
};

}  // namespace tactus
