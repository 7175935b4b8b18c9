// The cache attributes of an AXI burst as an extension of its TLM-2.0 transaction.
#pragma once

#include <cstdint>

#include <tlm>

namespace tactus {

/// Every transaction of an AxiSlave carries this extension. A target may ignore it; no memory of
/// Tactus reads it.
struct AxiCache final : tlm::tlm_extension<AxiCache> {
  /// AxCACHE, 4 bits: the value of the port's configuration register. 0 on machines without this
  /// register.
  std::uint8_t bits = 0;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new AxiCache(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const AxiCache&>(other);
  }
  /// Does nothing: the extension is a member of the burst that carries it.
  void free() override {}
};

}  // namespace tactus
