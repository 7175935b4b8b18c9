// Saves the design's registers as states, as a whole or in two parts, and loads them.
//
// The functions may be called in a sequence: from begin() on, until the registers of the last rest
// have been loaded.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/tcu/fast/sequence_path.h"
#include "models/tcu/fast/sequence_program.h"
#include "models/tcu/fast/sequence_setting.h"
#include "models/tcu/fast/sequenced_design.h"

namespace tactus {

class SequenceStates {
 public:
  using Id = KnownSequences::Id;
  using Position = SequencePosition;
  using KeptCounts = KnownSequences::KeptCounts;

  SequenceStates(TcuSystem& system, SequenceProgram& program, SequencedDesign& design,
                 const SequenceSetting& setting, const SequencePath& path)
      : system_(system), program_(program), design_(design), setting_(setting), path_(path) {}

  /// Begins a sequence: saves the state of the design, which is at rest in this position.
  void begin(Position& position);

  // ---- counts that the state of the current position keeps outside: they follow what is taken

  /// Those of the whole design, or of its control.
  [[nodiscard]] KeptCounts& counts() { return counts_; }
  /// Those of the transfers of a design in two parts.
  [[nodiscard]] KeptCounts& counts_of_moves() { return counts_of_moves_; }

  // ---- saving: the design is at the end of an interval that is worked out

  /// Saves the state of the design, or of both parts.
  void save(Position& position);
  [[nodiscard]] Id save_control();
  [[nodiscard]] Id save_moves();

  // ---- loading, in the current cycle

  /// Loads the state of a position. If the design has two parts, the position may have the state of
  /// one of them only: the control is loaded beside transfers that do nothing, and the transfers
  /// beside any state of the control.
  void load(const Position& position);
  /// Loads what follows from the program: `next` is the instruction that is accepted next.
  void load_program(std::uint64_t next);
  /// Loads the instructions in the decoder that belong to this state of the control.
  void show_head(Id control);
  /// The design's registers are known to be those of this position; or no longer those of any.
  void note_loaded(const Position& position) { loaded_ = position; }
  void forget_loaded() { loaded_ = {}; }
  [[nodiscard]] bool has_loaded(const Position& position) const { return loaded_ == position; }

 private:
  [[nodiscard]] KnownSequences::State& known(Id id) const { return setting_[id]; }
  Id save(KeptCounts& counts, bool keeps, bool& is_new, SequencedDesign::Part part);
  [[nodiscard]] std::array<Id, 2> offers();
  void load_control(const Position& position);
  void load_moves(Id moves);
  void load_account_of_head();

  TcuSystem& system_;
  SequenceProgram& program_;
  SequencedDesign& design_;
  const SequenceSetting& setting_;
  const SequencePath& path_;
  Position loaded_;          ///< position that the design's registers have
  bool moves_rest_ = false;  ///< the transfers of the design, as loaded, are at rest
  KeptCounts counts_, counts_of_moves_;
  std::vector<std::uint8_t> bytes_;  ///< scratch space
};

}  // namespace tactus
