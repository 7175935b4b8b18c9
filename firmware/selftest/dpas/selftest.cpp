#include "firmware/selftest/dpas/selftest.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "isa/dpas/assembly.h"
#include "isa/dpas/timing.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Runs the kernels of a test, given as text. Each run has a machine of its own with one thread.
class Bench {
 public:
  Bench(const DpasSimulationConfig& config, std::uint64_t seed) : config_(config), random_(seed) {
    config_.machine.threads = 1;
  }

  [[nodiscard]] const dpas::Profile& profile() const { return config_.machine.profile; }
  [[nodiscard]] const DpasSimulationConfig& config() const { return config_; }
  [[nodiscard]] Cycle cycles() const { return cycles_; }
  std::mt19937_64& random() { return random_; }
  Bytes random_bytes(std::size_t count) {
    Bytes bytes(count);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_() >> 24);
    return bytes;
  }

  /// A buffer in memory. `name` is the kernel's input that receives its address; `bytes` are its
  /// contents before the run, and afterwards those after it.
  struct Buffer {
    std::string name;
    Bytes bytes;
  };
  DpasRunResult run(const std::string& declarations, const std::string& instructions,
                    std::vector<Buffer>& buffers) {
    std::string text = ".version 3.6\n.kernel \"selftest\"\n";
    unsigned offset = profile().grf_bytes;
    for (const Buffer& buffer : buffers) {
      text += fmt::format(".decl {} v_type=G type=uq num_elts=1 align=GRF\n", buffer.name);
    }
    text += declarations;
    for (const Buffer& buffer : buffers) {
      text += fmt::format(".input {} offset={} size=8\n", buffer.name, offset);
      offset += profile().grf_bytes;
    }
    text += instructions + "ret (M1, 1)\n";
    dpas::Program program = dpas::assemble(text, "selftest");
    dpas::resolve(program, profile());
    DpasSimulation simulation(config_);
    DpasThread thread;
    thread.kernel = &program.kernels.front();
    std::vector<std::uint64_t> addresses;
    for (const Buffer& buffer : buffers) {
      addresses.push_back(simulation.allocate(buffer.name, buffer.bytes.size()));
      simulation.write(addresses.back(), buffer.bytes);
      thread.set(buffer.name, addresses.back(), 8);
    }
    DpasRunResult result = simulation.run(program, {thread});
    cycles_ += result.cycles;
    if (result.end != RunEnd::finished) {
      throw UserError(fmt::format("hangs: {}", fmt::join(result.waits_for, "; ")));
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      buffers[i].bytes = simulation.read(addresses[i], buffers[i].bytes.size());
    }
    return result;
  }

 private:
  DpasSimulationConfig config_;
  std::mt19937_64 random_;
  Cycle cycles_ = 0;
};

/// Exception that ends a test as failed. It describes the difference found.
struct Difference {
  std::string text;
};

std::string decl(const std::string& name, const char* type, unsigned elements) {
  return fmt::format(".decl {} v_type=G type={} num_elts={} align=GRF\n", name, type, elements);
}

/// Loads two int8 matrices of one DPAS instruction, multiplies them and stores the product.
std::string product(Bench& bench) {
  const unsigned n = bench.profile().execution_size;
  std::vector<Bench::Buffer> buffers{{"PA", bench.random_bytes(std::size_t{8} * 64)},
                                     {"PB", bench.random_bytes(std::size_t{32} * 64)},
                                     {"PC", Bytes(std::size_t{8} * 64)}};
  const Bytes a = buffers[0].bytes, b = buffers[1].bytes;
  bench.run(decl("A", "ud", 64) + decl("B", "ud", 8 * n) + decl("D", "d", 8 * n),
            fmt::format("lsc_load_block2d.ugm (M1_NM, 1) A:d8.32x8nn "
                        "flat[PA,0x3F,0x7,0x3F,0x0,0x0]\n"
                        "lsc_load_block2d.ugm (M1_NM, 1) B:d8.{}x32nt "
                        "flat[PB,0x3F,0x1F,0x3F,0x0,0x0]\n"
                        "dpas.s8.s8.8.8 (M1, {}) D.0 %null.0 B.0 A(0,0)\n"
                        "lsc_store_block2d.ugm (M1_NM, 1) "
                        "flat[PC,0x3F,0x7,0x3F,0x0,0x0] D:d32.{}x8nn\n",
                        n, n, n),
            buffers);
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < n; ++column) {
      std::int32_t sum = 0;
      for (unsigned k = 0; k < 32; ++k) {
        sum += static_cast<std::int8_t>(a[row * 64 + k]) *
               static_cast<std::int8_t>(b[k * 64 + column]);
      }
      std::int32_t got = 0;
      for (unsigned i = 0; i < 4; ++i) {
        got |= static_cast<std::int32_t>(std::uint32_t{buffers[2].bytes[row * 64 + column * 4 + i]}
                                         << (8 * i));
      }
      if (got != sum)
        throw Difference{fmt::format("({}, {}): {} and not {}", row, column, got, sum)};
    }
  }
  return fmt::format("8x{}x32 of int8 through memory equals the triple loop", n);
}

std::string latencies(Bench& bench) {
  const unsigned n = bench.profile().execution_size;
  for (unsigned rc = 1; rc <= 8; ++rc) {
    std::vector<Bench::Buffer> none;
    const DpasRunResult run =
        bench.run(decl("A", "ud", 64) + decl("B", "ud", 8 * n) + decl("D", "d", 8 * n),
                  fmt::format("dpas.s8.s8.8.{} (M1, {}) D.0 %null.0 B.0 A(0,0)\n", rc, n), none);
    const unsigned expected = dpas::latency(bench.profile(), rc, bench.config().machine.latency);
    if (run.cycles != expected && bench.profile().bank_conflict_cycles == 0) {
      throw Difference{fmt::format("RC {}: {} cycles and not {}", rc, run.cycles, expected)};
    }
  }
  return "one DPAS of RC 1..8 takes what the model or the compiler's table says";
}

std::string chain(Bench& bench) {
  const unsigned n = bench.profile().execution_size;
  std::string text;
  constexpr unsigned count = 10;
  for (unsigned i = 0; i < count; ++i) {
    text += fmt::format("dpas.s8.s8.8.8 (M1, {}) D.0 D.0 B.0 A(0,0)\n", n);
  }
  std::vector<Bench::Buffer> none;
  const DpasRunResult run =
      bench.run(decl("A", "ud", 64) + decl("B", "ud", 8 * n) + decl("D", "d", 8 * n), text, none);
  const unsigned expected =
      count * dpas::latency(bench.profile(), 8, bench.config().machine.latency);
  if (run.cycles != expected && bench.profile().bank_conflict_cycles == 0) {
    throw Difference{fmt::format("{} cycles and not {}", run.cycles, expected)};
  }
  return fmt::format("{} DPAS into one accumulator take their latencies", count);
}

std::string loop(Bench& bench) {
  // Computes the sum of 1..100 with a counter and a conditional jump, and stores one dword.
  std::vector<Bench::Buffer> buffers{{"PC", Bytes(64)}};
  bench.run(
      ".decl I v_type=G type=d num_elts=1 align=GRF\n"
      ".decl S v_type=G type=d num_elts=16 align=GRF\n"
      ".decl P1 v_type=P num_elts=1\n",
      "mov (M1_NM, 1) I(0,0)<1> 0x0:d\n"
      "mov (M1_NM, 1) S(0,0)<1> 0x0:d\n"
      "LOOP:\n"
      "add (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x1:d\n"
      "add (M1_NM, 1) S(0,0)<1> S(0,0)<0;1,0> I(0,0)<0;1,0>\n"
      "cmp.lt (M1_NM, 1) P1 I(0,0)<0;1,0> 0x64:d\n"
      "(P1) jmp (M1, 1) LOOP\n"
      "lsc_store_block2d.ugm (M1_NM, 1) flat[PC,0x3F,0x0,0x3F,0x0,0x0] S:d32.1x1nn\n",
      buffers);
  const unsigned got = buffers[0].bytes[0] | unsigned{buffers[0].bytes[1]} << 8;
  if (got != 5050) throw Difference{fmt::format("{} and not 5050", got)};
  return "the sum of 1..100 by a loop";
}

struct KernelTest {
  SelftestInfo info;
  std::string (*run)(Bench&);
};

const std::vector<KernelTest>& kernel_tests() {
  static const std::vector<KernelTest> all{
      {{"product", "a tile of int8 through memory, with the VNNI transform"}, product},
      {{"latencies", "cycles of one DPAS of every repeat count"}, latencies},
      {{"chain", "cycles of DPAS that wait for each other"}, chain},
      {{"loop", "counter, predicate, jump, store"}, loop},
  };
  return all;
}

}  // namespace

const std::vector<SelftestInfo>& dpas_selftests() {
  static const std::vector<SelftestInfo> infos = infos_of(kernel_tests());
  return infos;
}

std::vector<SelftestResult> run_dpas_selftests(const DpasSimulationConfig& config,
                                               const SelftestOptions& options) {
  const auto run = [&](const KernelTest& test) {
    Bench bench(config, options.seed);
    SelftestResult result;
    try {
      result.detail = test.run(bench);
      result.status = SelftestStatus::passed;
    } catch (const Difference& difference) {
      result.detail = difference.text;
    }
    result.cycles = bench.cycles();
    return result;
  };
  std::vector<SelftestResult> results = run_each(kernel_tests(), options, run);
  if (results.empty()) {
    std::vector<std::string_view> names;
    for (const SelftestInfo& info : dpas_selftests()) names.push_back(info.name);
    user_error("tactus selftest: no test is named like {}; there are {}", quote(options.filter),
               quote_list(names));
  }
  return results;
}

}  // namespace tactus
