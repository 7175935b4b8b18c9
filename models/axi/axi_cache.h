// The cache attributes of a burst, as a memory behind TLM-2.0 sees them.
#pragma once

#include <cstdint>

#include <tlm>

namespace tactus {

/// On the payload of every burst from an AxiSlave. A target may ignore it, and nothing in Tactus
/// depends on it.
struct AxiCache final : tlm::tlm_extension<AxiCache> {
  std::uint8_t bits = 0;  ///< AxCACHE, 4 bits: the port's configuration register

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new AxiCache(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const AxiCache&>(other);
  }
  /// It belongs to its burst, which outlives the payload's use.
  void free() override {}
};

}  // namespace tactus
