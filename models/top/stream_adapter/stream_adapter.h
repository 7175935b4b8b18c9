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

#include "models/sim/clock.h"
#include "models/sim/link.h"

namespace tactus {

class StreamAdapter final : public sc_core::sc_module {
 public:
  using Bytes = Link<const std::uint8_t*>;
  StreamAdapter(const sc_core::sc_module_name& name, Clock& clock, unsigned word_bytes,
                unsigned instruction_bytes, Bytes& words, Bytes& instructions);

  void drive();
  void accept();
  void commit();
  [[nodiscard]] bool idle() const { return stored_ == 0; }
  void describe(const trace::Scope& scope) const;

 private:
  enum class Mode { wires, serializer, deserializer, ring };
  [[nodiscard]] bool word_ready() const;

  Clock& clock_;
  unsigned word_bytes_;
  unsigned instruction_bytes_;
  Mode mode_;
  Bytes& words_;
  Bytes& instructions_;
  /// Twice the stored bytes' limit, so what leaves in a cycle is not overwritten in that cycle.
  std::vector<std::uint8_t> ring_;
  unsigned capacity_;    ///< bytes
  unsigned stored_ = 0;  ///< bytes
  unsigned read_ = 0;
  unsigned write_ = 0;
};

}  // namespace tactus
