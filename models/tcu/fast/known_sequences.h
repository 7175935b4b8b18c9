// Remembered states of the whole design, and the instructions that lead from one state to the next;
// see models/sim/fast/README.md.
//
// A state consists of the registers that decide what happens next (models/sim/fast/registers.h), as
// bytes. From a state on, the design always does the same, up to the end of the next cycle in which
// an instruction is accepted or retires: the *interval* of the state. The next state then depends
// only on the shape of the instruction that is accepted. Live memories are no part of the state.
// With them an interval also depends on the wires that they drive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/sim/fast/registers.h"
#include "models/tcu/fast/live_memories.h"

namespace tactus {

class PlantedFault;

class KnownSequences {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};

  struct State {
    /// True if a transfer waits at the decoder's head, or is under way there.
    [[nodiscard]] bool move_waits() const { return head_moves && waiting != 0; }
    std::uint32_t bytes = 0;    ///< place of the registers
    std::uint32_t counts = 0;   ///< place of what the interval counts
    std::uint32_t counted = 0;  ///< number of counters that the interval changes
    std::uint32_t cycles = 0;   ///< length of the interval; 0: unknown
    /// The key and the result of the last look-up of a successor.
    Id next_shape = none, next = none;
    /// Cycle of the interval in which each port had its last write response; none: it had none.
    std::array<std::uint32_t, 2> response{none, none};
    bool responds = false;                  ///< a port had a write response
    bool accepts = false, retires = false;  ///< an instruction, in the interval's last cycle
    /// True if the interval is never taken: a vector is read before the last write of it is done,
    /// or a memory is asked that does not keep time (AxiTarget::keeps_time()).
    bool left_out = false;
    bool rests = false;  ///< instructions may wait in the decoder, and nothing else is under way
    std::uint8_t waiting = 0;  ///< instructions in the decoder, when the state begins
    // With live memories (live_sequences.cpp) an interval has an Id of its own, except an interval
    // of the control that is taken whole: it has the Id of its state.
    /// SequencedDesign::busy_parts(): of a state at its begin, of an interval at its end
    std::uint8_t busy = 0;
    bool grows = false;        ///< the interval increases counts that its state keeps
    std::uint32_t growth = 0;  ///< place of these increases
    /// Value to which the interval sets the decoder's timer; none: time passes
    std::uint32_t timer = none;
    // Used for a design in two parts (divided_sequences.cpp).
    bool one_cycle = false;   ///< the control is at rest and waits: its interval is one cycle
    bool waits = false;       ///< the interval leads back to its own state
    bool head_moves = false;  ///< a transfer is at the decoder's head, or was the last one there
    bool begun = false;       ///< state of the transfers: the one at the head has sent its requests
    std::array<Id, 2> offers{};  ///< numbers for what the head requests: before and after `begun`
    std::uint32_t changes = 0;   ///< place of the changes that observers see
    std::uint32_t change_count = 0;
    std::uint32_t turns = 0;        ///< place of the cycles in which the array gets or loses work
    std::uint32_t turn_count = 0;   ///< number of these cycles
    bool array_works = false;       ///< the array has work in the interval's first cycle
    LiveMemories::Passing passing;  ///< handshakes at the pins in the interval's last cycle
  };
  /// A count that is kept outside a state (Registers::keep_counts()).
  struct Kept {
    /// Index of the previous state's count that continues in this one; none: the count starts as
    /// `count`.
    std::uint32_t source = none;
    Registers::Count count;
  };
  /// The state after an interval with live memories, and its kept counts.
  struct Link {
    Id state = none;
    /// True if the kept counts are those of the previous state, grown. Otherwise `kept` and
    /// `kept_count` are the place and the number of the new ones.
    bool same = false;
    std::uint32_t kept = 0, kept_count = 0;
  };
  /// Counters kept outside a saved state: their values now, and when the last state was saved.
  struct KeptCounts {
    std::vector<Registers::Count> live, saved;
  };
  /// An interval, and the link to the state after it.
  struct Passage {
    Id interval = none, link = none;
  };
  /// A change that observers see in the interval's cycle `offset`: a new state of an account, an
  /// event, a new level of a queue, or new flags of the sampler.
  struct Change {
    static constexpr unsigned first_event = 1U << 13, most_ports = 2;
    static constexpr unsigned first_level = 1U << 14, flags = 1U << 15;
    std::uint32_t offset = 0;
    /// Number of the account; or first_event + kind * most_ports + port; or first_level + queue; or
    /// `flags`.
    std::uint16_t account = 0;
    /// The new state; the second operand of an event; the queue's items; the flags.
    std::uint16_t code = 0;
    [[nodiscard]] bool of_account() const { return account < first_event; }
    [[nodiscard]] bool of_event() const { return account >= first_event && account < first_level; }
    [[nodiscard]] bool of_level() const { return (account & first_level) != 0; }
    [[nodiscard]] bool of_flags() const { return account == flags; }
    [[nodiscard]] bool operator==(const Change& o) const {
      return offset == o.offset && account == o.account && code == o.code;
    }
  };
  /// Growth of a counter in an interval.
  struct Count {
    std::uint32_t counter : 10;
    std::uint32_t growth : 22;
  };
  static constexpr std::uint64_t most_counters = 1U << 10, most_growth = (1U << 22) - 1;

  KnownSequences() { states_.reserve(most_bytes / sizeof(State)); }
  /// The reference stays valid.
  [[nodiscard]] State& operator[](Id state) { return states_[state]; }
  [[nodiscard]] const State& operator[](Id state) const { return states_[state]; }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  /// Returns the state with these registers. Adds it if it is unknown, and sets `is_new`.
  Id find(const std::vector<std::uint8_t>& registers, bool& is_new);
  [[nodiscard]] const std::uint8_t* registers(Id state) const {
    return bytes_.data() + states_[state].bytes;
  }
  /// Returns a new Id for an unknown interval with live memories. With these, next(state, driven
  /// wires) is an interval, and next(interval, shape) is a Link, which names the next state.
  Id make();
  /// Returns the state after the interval if an instruction of this shape is accepted at its end.
  /// Shape `none`: no instruction is accepted.
  [[nodiscard]] Id next(Id state, Id shape) {
    State& s = states_[state];
    return s.next_shape == shape && s.next != none ? s.next : look_up(state, shape);
  }
  void set_next(Id state, Id shape, Id next);
  void set_counts(Id state, const std::vector<Count>& counts);
  [[nodiscard]] const Count* counts(Id state) const {
    return counts_.data() + states_[state].counts;
  }
  /// `kept`: counts that the state keeps. `same`: they are those of the state before it.
  Id add_link(Id state, const std::vector<Kept>& kept, bool same);
  /// The reference is valid until another link is added.
  [[nodiscard]] const Link& link(Id id) const { return links_[id]; }
  [[nodiscard]] const Kept* kept(const Link& link) const { return kept_.data() + link.kept; }
  /// Notes by how much the kept counts grow in an interval that has just been worked out.
  void set_growth(Id interval, const KeptCounts& counts);
  [[nodiscard]] const std::uint32_t* growth(Id interval) const {
    return growths_.data() + states_[interval].growth;
  }
  /// Returns the key of the state after an interval. It depends on the shape of the instruction
  /// that is accepted, and on the kept counts that come near their ends, because they are then part
  /// of the state again. `keeps`: the state after the interval keeps counts.
  [[nodiscard]] Id successor(Id interval, Id shape, bool keeps, const KeptCounts& counts);
  /// Returns a number for a value; values of different kinds have different numbers.
  [[nodiscard]] Id number(std::uint64_t kind, std::uint64_t value);
  /// Returns the interval of a state while the memories drive these wires.
  [[nodiscard]] Id interval_of(Id state, unsigned driven);
  /// True if the state after the interval is the same as before it, and nothing has been
  /// transferred.
  [[nodiscard]] bool stays(Id state, const Passage& passage) const;
  /// Updates the kept counts to those of the next state. Returns true if one begins: its register
  /// is not known before the state is loaded.
  [[nodiscard]] bool follow(const Passage& passage, KeptCounts& counts);
  void set_changes(Id interval, const std::vector<Change>& changes);
  [[nodiscard]] const Change* changes(Id interval) const {
    return changes_.data() + states_[interval].changes;
  }
  /// Sets the cycles in which the array gets or loses work, counted from the interval's first.
  void set_turns(Id interval, const std::vector<std::uint32_t>& turns);
  [[nodiscard]] const std::uint32_t* turns(Id interval) const {
    return turns_.data() + states_[interval].turns;
  }
  /// True if the memory for states is used up. Ask before every interval that is worked out.
  [[nodiscard]] bool full() const {
    return states_.size() * sizeof(State) + bytes_.capacity() + counts_.capacity() * sizeof(Count) +
               (places_.capacity() + edges_.capacity()) * sizeof(Edge) +
               links_.capacity() * sizeof(Link) + kept_.capacity() * sizeof(Kept) +
               changes_.capacity() * sizeof(Change) +
               (growths_.capacity() + turns_.capacity()) * sizeof(std::uint32_t) >
           most_bytes;
  }

 private:
  friend class PlantedFault;  ///< used by tests
  static constexpr std::size_t most_bytes = std::size_t{48} << 20;
  struct Edge {
    std::uint64_t key = ~std::uint64_t{0};
    Id state = none;
  };
  [[nodiscard]] Id look_up(Id state, Id shape);
  [[nodiscard]] Id ends_of_counts(Id interval, Id shape, bool keeps, const KeptCounts& counts);
  /// The product's middle bits depend on all bits of the key's lower and upper half.
  static std::size_t mix(std::uint64_t key) { return key * 0x9E3779B97F4A7C15 >> 36; }
  [[nodiscard]] static Edge& place(std::vector<Edge>& table, std::uint64_t key);
  static void insert(std::vector<Edge>& table, std::size_t& count, std::uint64_t key, Id state);

  /// Never moved: each state also takes room in places_ or edges_, so full() comes long before the
  /// end of what is reserved.
  std::vector<State> states_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Count> counts_;
  std::vector<Link> links_;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> growths_;
  std::vector<std::uint32_t> turns_;
  std::vector<Change> changes_;
  std::vector<Edge> places_;  ///< states by a hash of their registers
  std::vector<Edge> edges_;   ///< successors by state and shape
  std::size_t placed_ = 0, edged_ = 0;
  // Scratch space.
  std::vector<Registers::Count> next_counts_;
  std::vector<std::uint8_t> signature_;
};

}  // namespace tactus
