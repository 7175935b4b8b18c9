#include "tests/trace/vcd_events.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace tactus {
namespace {

class EventLister {
 public:
  EventLister(const VcdReader& vcd, const TcuEventFormat& format)
      : vcd_(vcd), format_(format), bare_(format.style == EventStyle::bare) {}

  std::vector<std::string> run() {
    decoder();
    local();
    accumulators();
    array();
    dais();
    if (bare_) {
      dram_links(0);
      dram_links(1);
    } else {
      pins(0);
      pins(1);
    }
    std::sort(lines_.begin(), lines_.end());
    return std::move(lines_);
  }

 private:
  [[nodiscard]] bool fires(const std::string& channel) const {
    return vcd_.is_high(channel + ".valid") && vcd_.is_high(channel + ".ready");
  }
  [[nodiscard]] std::uint64_t value(const std::string& name) const { return vcd_.value(name); }
  template <typename... T>
  void line(fmt::format_string<T...> text, T&&... values) {
    lines_.push_back(fmt::format(text, std::forward<T>(values)...));
  }
  [[nodiscard]] std::string hex(const std::string& name, unsigned bytes) const {
    std::string text;
    for (unsigned i = bytes; i-- > 0;) text += fmt::format("{:02x}", vcd_.bits(name, 8 * i, 8));
    return text;
  }
  /// Returns a lane of a vector bus as a signed number; element 0 is in the lowest bits.
  [[nodiscard]] std::int64_t lane(const std::string& name, unsigned i) const {
    const unsigned bits = vcd_.width(name) / format_.array_size;
    auto number = static_cast<std::int64_t>(vcd_.bits(name, i * bits, bits));
    if ((number >> (bits - 1) & 1) != 0) number -= std::int64_t{1} << bits;
    return number;
  }
  [[nodiscard]] std::string lanes(const std::string& name, const char* separator) const {
    std::string text;
    for (unsigned i = 0; i < format_.array_size; ++i) {
      text += (i == 0 ? "" : separator) + std::to_string(lane(name, i));
    }
    return text;
  }

  void decoder() {
    const std::string d = "top.tcu.decoder.";
    if (fires(d + "instruction")) {
      line("IFIRE {}", hex(d + "instruction.bits", format_.instruction_bytes));
    }
    if (fires(d + "head")) {
      line("DEC op={:x} fl={:x} pc={}", value(d + "head.opcode"), value(d + "head.flags"),
           value(d + "program_counter"));
    }
    if (vcd_.is_high(d + "timeout")) line("TIMEOUT");
  }

  void local() {
    for (const auto& [port, letter] : {std::pair{"a", 'A'}, std::pair{"b", 'B'}}) {
      const std::string p = std::string("top.tcu.local.port_") + port;
      if (!fires(p + ".request")) continue;
      const std::uint64_t address = value(p + ".request.address");
      if (value(p + ".request.write") == 0) {
        line("LR{} a={}", letter, address);
        continue;
      }
      if (!fires(p + ".write_data")) throw std::runtime_error("a write without data");
      const std::string bits = p + ".write_data.bits";
      const unsigned n = format_.array_size;
      if (letter == 'A') {
        line("LWA a={} v0={}", address, lane(bits, 0));
      } else if (bare_) {
        line("LWB a={}", address);
      } else {
        line("LWB a={} v={},{},{},{}", address, lane(bits, 0), lane(bits, n / 2 - 1),
             lane(bits, n / 2), lane(bits, n - 1));
      }
    }
  }

  void accumulators() {
    const std::string acc = "top.tcu.accumulators.accumulator.acc.";
    if (fires(acc + "port_a.request")) {
      const std::uint64_t address = value(acc + "port_a.request.address");
      if (value(acc + "port_a.request.write") == 0) {
        line("ARA a={}", address);
      } else if (bare_) {
        line("AWA a={} v={}", address, lanes(acc + "port_a.write_data.bits", ","));
      } else {
        line("AWA a={}", address);
      }
    }
    if (fires(acc + "port_b.request")) line("ARB a={}", value(acc + "port_b.request.address"));
    if (fires("top.tcu.alu.operation")) line("ALU");
    // The item that requests entries of a lookup table ends when they arrive.
    const std::string head = "top.tcu.accumulators.head";
    if (vcd_.has(head + ".table") && fires(head) && value(head + ".table") != 0) {
      line("LUT t={} i={}", value(head + ".table") - 1, value(head + ".read_address"));
    }
  }

  void array() {
    const std::string a = "top.tcu.array.";
    const bool taken = fires(a + "head");
    const bool load = taken && value(a + "head.load") == 1;
    const bool zeroes = taken && value(a + "head.zeroes") == 1;
    // With own_reads, weights may enter in the same cycle as input vectors.
    const std::string enters = a + "own_weights.enters";
    if (vcd_.has(enters) && value(enters) == 1) line("LOAD");
    if (taken) line(load ? "LOAD" : "RUN");
    // A vector enters together with the control item, and only if the item needs one.
    if (fires(a + "input") != (taken && !load && !zeroes) ||
        fires(a + "weights") != (taken && load && !zeroes)) {
      throw std::runtime_error("array control and vectors disagree");
    }
  }

  /// A sample enters its block in the same cycle as its last vector.
  void dais() {
    const std::string d = "top.tcu.dais.", suffix = ".input.valid";
    if (!vcd_.has(d + "head.valid")) return;
    const bool taken = fires(d + "head");
    if (taken != fires(d + "input")) {
      throw std::runtime_error("DAIS control and vectors disagree");
    }
    unsigned entered = 0;
    for (const std::string& name : vcd_.names()) {
      if (name.rfind(d + "blocks.", 0) != 0 || name.size() < suffix.size()) continue;
      if (name.substr(name.size() - suffix.size()) != suffix) continue;
      entered += fires(name.substr(0, name.size() - 6)) ? 1 : 0;
    }
    if (entered > (taken ? 1U : 0U)) throw std::runtime_error("a sample without a vector");
    if (entered == 1) line("DAIS b={}", value(d + "head.block"));
  }

  void dram_links(unsigned port) {
    const std::string request = fmt::format("top.tcu.decoder.dram{}", port);
    if (fires(request)) {
      line("D{}C w={} a={} s={}", port, value(request + ".write"), value(request + ".address"),
           value(request + ".size"));
    }
    const std::string router = fmt::format("top.tcu.host_router.dram{}", port);
    if (fires(router + "_in")) line("D{}I", port);
    if (!fires(router + "_out")) return;
    if (port == 0) {
      line("D0O {}", lanes(router + "_out.bits", " "));
    } else {
      line("D1O {}", lane(router + "_out.bits", 0));
    }
  }

  void pins(unsigned port) {
    const std::string axi = fmt::format("top.dram{}.axi.", port);
    if (fires(axi + "ar")) {
      line("AR{} a={:x} l={} c={:x}", port, value(axi + "ar.addr"), value(axi + "ar.len"),
           value(axi + "ar.cache"));
    }
    if (fires(axi + "aw")) {
      line("AW{} a={:x} l={}", port, value(axi + "aw.addr"), value(axi + "aw.len"));
    }
    if (fires(axi + "w")) {
      line("W{} {} l={}", port, hex(axi + "w.data", format_.beat_bytes), value(axi + "w.last"));
    }
    if (fires(axi + "r")) line("R{}", port);
    if (fires(axi + "b")) line("B{}", port);
  }

  const VcdReader& vcd_;
  const TcuEventFormat& format_;
  bool bare_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> events_of_cycle(const VcdReader& vcd, const TcuEventFormat& format) {
  return EventLister(vcd, format).run();
}

}  // namespace tactus
