// Width adapter of the instruction stream: words of the AXI width to instructions.
//
// Equal widths: wires. A word of k instructions: registered serializer, low part first. An
// instruction of k words: registered deserializer, offered the cycle after its last word. Otherwise
// a byte ring of lcm(word, instruction) bytes: a word is taken while there is room for all of it,
// an instruction offered while a whole one is stored, both in one cycle if so; one cycle latency.
// Source: hardware spec section 11.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/link.h"
#include "models/sim/phases.h"

namespace tactus {

class StreamAdapter final : public sc_core::sc_module {
 public:
  using Bytes = Link<const std::uint8_t*>;
  enum State : unsigned { pass, wait_decoder, wait_words, rest };
  static constexpr std::array<UnitState, 4> state_table{{
      {"pass", StateKind::busy, "an instruction enters the decoder"},
      {"wait_decoder", StateKind::stall, "the decoder's instruction queue is full"},
      {"wait_words", StateKind::stall, "no whole instruction has arrived yet"},
      {"idle", StateKind::idle, "the instruction stream has ended"},
  }};
  StreamAdapter(const sc_core::sc_module_name& name, Clock& clock, unsigned word_bytes,
                unsigned instruction_bytes, Bytes& words, Bytes& instructions);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.consumes("words", words_, ByteCount{word_bytes_});
    list.produces("instructions", instructions_, ByteCount{instruction_bytes_});
  }
  void drive();
  void accept();
  void commit();
  /// See models/sim/activity.h; after commit().
  [[nodiscard]] bool sleeps() const { return !words_.fires() && !instructions_.fires(); }
  /// Bytes of instructions that have come and not left.
  [[nodiscard]] unsigned stored() const { return stored_; }
  /// The maximum of stored().
  [[nodiscard]] unsigned capacity() const { return capacity_; }
  /// See models/sim/fast/registers.h. Loaded, it needs load(), too.
  void registers(Registers& r) {
    r(stored_);
    account_.registers(r);
  }
  /// `left` bytes of the program have left as instructions; these are the stored ones behind them.
  void load(const std::uint8_t* bytes, std::uint64_t left);
  [[nodiscard]] bool idle() const { return stored_ == 0; }
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] Account& account() { return account_; }
  [[nodiscard]] std::vector<Account*> accounts() { return {&account_}; }
  [[nodiscard]] static unsigned units() { return 1; }
  /// Adds the same steps as phases, for running them in any order.
  void add_phases(Phases& phases);

 private:
  [[nodiscard]] State state() const;

  Clock& clock_;
  unsigned word_bytes_;
  unsigned instruction_bytes_;
  bool wires_;    ///< equal widths
  bool refills_;  ///< takes a word in the cycle in which it runs empty: all but the byte ring
  Bytes& words_;
  Bytes& instructions_;
  /// Storage of twice the allowed bytes, so that bytes which leave in a cycle are not overwritten
  /// in that cycle.
  std::vector<std::uint8_t> ring_;
  unsigned capacity_;    ///< bytes
  unsigned stored_ = 0;  ///< bytes
  unsigned read_ = 0;
  unsigned write_ = 0;
  Account account_;
};

}  // namespace tactus
