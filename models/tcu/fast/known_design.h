// What the fast engine has learned of a design: its states with their intervals, and the shapes of
// instructions. Units of one kind that share a live memory learn together.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/tcu/architecture.h"
#include "models/sim/events.h"
#include "models/tcu/decoder/decoder.h"
#include "models/tcu/fast/known_sequences.h"
#include "models/tcu/fast/program_items.h"

namespace tactus {

struct KnownDesign {
  /// Everything outside states and shapes on which intervals beside a live memory depend.
  struct Conditions {
    tcu::Architecture architecture;
    unsigned axi_data_bits = 0;
    std::uint16_t timeout = 0;  ///< value of the decoder's register
    bool divided = false;       ///< the design is taken in two parts
    // What is recorded, see ObservedChanges.
    std::vector<std::size_t> accounts;
    EventKinds kinds = 0;
    bool flags = false;
    [[nodiscard]] bool operator==(const Conditions& o) const {
      return architecture == o.architecture && axi_data_bits == o.axi_data_bits &&
             timeout == o.timeout && divided == o.divided && accounts == o.accounts &&
             kinds == o.kinds && flags == o.flags;
    }
  };

  KnownSequences sequences;
  ShapeNumbers numbers;
  DecoderShapes::Table shapes;
  /// Registers of idle DRAM ports and of their idle targets; empty: unknown so far.
  std::array<std::vector<std::uint8_t>, 2> idle_ports, idle_targets;
};

/// What units learn together. Only one of them runs at a time, but a unit may be interrupted by
/// another one at every call of a memory.
class KnownDesigns {
 public:
  /// Returns what is known under these conditions, with room for more.
  [[nodiscard]] std::shared_ptr<KnownDesign> find(const KnownDesign::Conditions& conditions) {
    for (Entry& entry : entries_) {
      if (!(entry.conditions == conditions)) continue;
      if (entry.design->sequences.full()) entry.design = std::make_shared<KnownDesign>();
      return entry.design;
    }
    entries_.push_back({conditions, std::make_shared<KnownDesign>()});
    return entries_.back().design;
  }

 private:
  struct Entry {
    KnownDesign::Conditions conditions;
    std::shared_ptr<KnownDesign> design;
  };
  std::vector<Entry> entries_;
};

}  // namespace tactus
