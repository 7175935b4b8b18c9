// Engine verify for the units around the TCU: instruction stream and DRAM ports.
#include "models/tcu/fast/system_verifier.h"

namespace tactus {
namespace {

[[nodiscard]] std::uint64_t number(const void* bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes);
}

}  // namespace

void TcuSystem::make_verifier() {
  GateVerifier stream("stream", clock_, stream_unit, stream_.account());
  stream.produces("instructions", instructions_, number);
  stream.consumes("words", words_);
  verifier_.reset(new Verifier{std::move(stream), {}});
  const auto address = [](const AxiAddress& a) {
    return std::uint64_t{a.address} << 32 | std::uint64_t{a.length} << 16 | a.cache;
  };
  const auto beat = [](const AxiBeat& b) { return number(b.data) ^ unsigned { b.last }; };
  for (unsigned p = 0; p < 2; ++p) {
    const Port& port = *ports_[p];
    GateVerifier& gate = verifier_->ports.emplace_back(p == 0 ? "dram0" : "dram1", clock_, port.bit,
                                                       ports_[p]->port.account());
    gate.consumes("request", dram_[p].request);
    gate.produces("in", dram_[p].in, number);
    gate.consumes("out", dram_[p].out);
    gate.produces("ar", port.pins.ar, address);
    gate.produces("aw", port.pins.aw, address);
    gate.produces("w", port.pins.w, beat);
    gate.consumes("r", port.pins.r);
    gate.consumes("b", port.pins.b);
    // Driven by what stands at the pins, which is one unit with the port.
    gate.produces("r", port.pins.r, beat);
    gate.produces("b", port.pins.b, [](const AxiResponse&) { return 0U; });
    gate.consumes_while_moving("ar", port.pins.ar);
    gate.consumes_while_moving("aw", port.pins.aw);
    gate.consumes_while_moving("w", port.pins.w);
  }
}

/// The order of settle().
void TcuSystem::settle_verified() {
  verifier_->stream.drive(stream_, true);
  for (unsigned p = 0; p < 2; ++p) verifier_->ports[p].drive(*ports_[p], false);
  for (unsigned p = 0; p < 2; ++p) {
    verifier_->ports[p].accept([this, p] { ports_[p]->port.accept(); });
  }
  replay_.settle();
  verifier_->stream.accept([this] { stream_.accept(); });
}

void TcuSystem::commit_verified() {
  const UnitSet stirred = clock_.agenda.stirred;
  clock_.agenda.begin_clock_edge();
  replay_.commit();
  verifier_->stream.commit(stream_, stirred);
  for (unsigned p = 0; p < 2; ++p) verifier_->ports[p].commit(*ports_[p], stirred);
}

}  // namespace tactus
