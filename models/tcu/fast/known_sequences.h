// What is known of the states of the whole design, and of the instructions that lead from one to
// the next; see models/sim/fast/README.md.
//
// A state is the registers that decide (models/sim/fast/registers.h), as bytes. From a state on the
// design does the same whenever it is in it, up to the end of the next cycle in which an
// instruction is accepted or retires: the *interval* of the state. Which state comes then depends
// on the shape of the instruction that is accepted, and on nothing else. Memories whose answers
// come at any time are no part of the state; then an interval depends on what they drive, too.
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
    std::uint64_t uses = 0;     ///< intervals whose counts are still to be added up
    std::uint32_t bytes = 0;    ///< place of the registers
    std::uint32_t counts = 0;   ///< place of what the interval counts
    std::uint32_t counted = 0;  ///< how many counters that changes
    std::uint32_t cycles = 0;   ///< of the interval; 0: it is not known
    /// The successor met last.
    Id next_shape = none, next = none;
    /// In which of its cycles each port had its last write response; none: there was none.
    std::array<std::uint32_t, 2> response{none, none};
    bool responds = false;                  ///< there was one
    bool accepts = false, retires = false;  ///< in the interval's last cycle
    /// It is never taken: a vector is read before the last write of it is done, or a memory is
    /// asked that does not answer after a fixed time (AxiTarget::keeps_time()).
    bool left_out = false;
    bool rests = false;  ///< instructions may wait in the decoder, and nothing else is under way
    std::uint8_t waiting = 0;  ///< instructions in the decoder, when the state begins
    // With live memories (live_sequences.cpp). There an interval has a number of its own, but for
    // those of the control that are taken whole: they have their state's.
    std::uint8_t busy = 0;       ///< TcuSequences::busy_parts(), of an interval at its end
    bool grows = false;          ///< the interval adds something to kept counts of its state
    std::uint32_t growth = 0;    ///< place of what it adds to them
    std::uint32_t timer = none;  ///< the decoder's, where the interval sets it
    // Used for a design in two parts (divided_sequences.cpp).
    bool one_cycle = false;      ///< the control rests: its interval is one cycle
    bool waits = false;          ///< and so does the next, which is the same
    bool head_moves = false;     ///< at the decoder's head is a move, or was if nothing is there
    bool begun = false;          ///< of the moves: the requests of that at the head have gone
    std::array<Id, 2> offers{};  ///< what the head asks for: numbers, before and after `begun`
    std::uint32_t changes = 0;   ///< place of the changes of accounts that are observed
    std::uint32_t change_count = 0;
    std::uint32_t turns = 0;        ///< place of the cycles in which the array gets or loses work
    std::uint32_t turn_count = 0;   ///< how many they are
    bool array_works = false;       ///< in the interval's first cycle the array has work
    LiveMemories::Passing passing;  ///< at the pins, in the interval's last cycle
  };
  /// A count that a state does not tell (Registers::keep_counts()).
  struct Kept {
    /// The one of the state before that goes on in it; none: it begins as `count`.
    std::uint32_t source = none;
    Registers::Count count;
  };
  /// What comes after an interval of live memories.
  struct Link {
    Id state = none;
    /// Its kept counts are the `same` as those of the state before, grown. Else their place, and
    /// how many they are.
    bool same = false;
    std::uint32_t kept = 0, kept_count = 0;
  };
  /// What observers see in a cycle of an interval, counted from its first: from that cycle on an
  /// account is in a state, an event, the new level of a queue, other flags of the sampler.
  struct Change {
    static constexpr unsigned first_event = 1U << 13, most_ports = 2;
    static constexpr unsigned first_level = 1U << 14, flags = 1U << 15;
    std::uint32_t offset = 0;
    /// Number of the account; first_event + kind * most_ports + port; first_level + queue; flags.
    std::uint16_t account = 0;
    /// The state; of an event its second operand; the queue's items; the flags.
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

  [[nodiscard]] State& operator[](Id state) { return states_[state]; }
  [[nodiscard]] const State& operator[](Id state) const { return states_[state]; }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  /// The state with these registers; `is_new`: it was not known.
  Id find(const std::vector<std::uint8_t>& registers, bool& is_new);
  [[nodiscard]] const std::uint8_t* registers(Id state) const {
    return bytes_.data() + states_[state].bytes;
  }
  /// A number for an interval with live memories that is not known yet. Here next(state, what the
  /// memories drive) is the interval, and next(interval, shape) a link, which names the state.
  Id make();
  /// The state after the interval, if an instruction of that shape is accepted at its end; if none
  /// is, the shape is `none`.
  [[nodiscard]] Id next(Id state, Id shape) {
    State& s = states_[state];
    return s.next_shape == shape && s.next != none ? s.next : look_up(state, shape);
  }
  void set_next(Id state, Id shape, Id next);
  void set_counts(Id state, const std::vector<Count>& counts);
  [[nodiscard]] const Count* counts(Id state) const {
    return counts_.data() + states_[state].counts;
  }
  /// `kept`: the counts that the state keeps; `same`: they are those of the state before it.
  Id add_link(Id state, const std::vector<Kept>& kept, bool same);
  [[nodiscard]] const Link& link(Id id) const { return links_[id]; }
  [[nodiscard]] const Kept* kept(const Link& link) const { return kept_.data() + link.kept; }
  /// The growth of each kept count of the state before the interval.
  void set_growth(Id interval, const std::vector<std::uint32_t>& growth);
  [[nodiscard]] const std::uint32_t* growth(Id interval) const {
    return growths_.data() + states_[interval].growth;
  }
  void set_changes(Id interval, const std::vector<Change>& changes);
  [[nodiscard]] const Change* changes(Id interval) const {
    return changes_.data() + states_[interval].changes;
  }
  /// Cycles of an interval, counted from its first.
  void set_turns(Id interval, const std::vector<std::uint32_t>& turns);
  [[nodiscard]] const std::uint32_t* turns(Id interval) const {
    return turns_.data() + states_[interval].turns;
  }
  /// Whether it holds as much as it may.
  [[nodiscard]] bool full() const {
    return states_.capacity() * sizeof(State) + bytes_.capacity() +
               counts_.capacity() * sizeof(Count) +
               (places_.capacity() + edges_.capacity()) * sizeof(Edge) +
               links_.capacity() * sizeof(Link) + kept_.capacity() * sizeof(Kept) +
               changes_.capacity() * sizeof(Change) +
               (growths_.capacity() + turns_.capacity()) * sizeof(std::uint32_t) >
           most_bytes;
  }
  void clear();

 private:
  friend class PlantedFault;  ///< of tests
  static constexpr std::size_t most_bytes = std::size_t{48} << 20;
  struct Edge {
    std::uint64_t key = ~std::uint64_t{0};
    Id state = none;
  };
  [[nodiscard]] Id look_up(Id state, Id shape);
  /// The product's middle bits depend on all bits of the key's lower and upper half.
  static std::size_t mix(std::uint64_t key) { return key * 0x9E3779B97F4A7C15 >> 36; }
  [[nodiscard]] static Edge& place(std::vector<Edge>& table, std::uint64_t key);
  static void insert(std::vector<Edge>& table, std::size_t& count, std::uint64_t key, Id state);

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
};

}  // namespace tactus
