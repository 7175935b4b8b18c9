// Runs the fuzz target for machines on random kernels, legal and illegal, and on containers.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/support/error.h"
#include "tests/dpas/machine_fuzz.h"
#include "tests/support/test_scale.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::dpas {
namespace {

/// Writes kernels as text. Most operands are legal for the profile, some are not.
class KernelWriter {
 public:
  KernelWriter(const Profile& profile, std::mt19937_64& random)
      : p_(profile),
        random_(random),
        variables_(std::clamp((profile.grf_count - 16) / 8, 2U, 10U)),
        wild_(pick(0, 2) == 0),
        annotated_(pick(0, 3) == 0) {}

  /// A program has one or two kernels; threads use them in turn.
  std::string program() {
    const std::string text = ".version 3.6\n" + kernel("k");
    return pick(0, 5) == 0 ? text + kernel("other") : text;
  }

 private:
  std::string kernel(const char* name) {
    const unsigned dwords = 2 * p_.grf_bytes;  // 8 registers
    std::string text = fmt::format(".kernel \"{}\"\n", name);
    text += ".decl P v_type=G type=uq num_elts=1 align=GRF\n";
    text += ".decl N v_type=G type=d num_elts=1 align=dword\n";
    text += fmt::format(".decl ADR v_type=G type=uq num_elts={} align=GRF\n", p_.execution_size);
    for (unsigned v = 0; v < variables_; ++v) {
      text += fmt::format(".decl V{} v_type=G type=d num_elts={} align=GRF\n", v, dwords);
      for (const char* type : {"f", "bf", "hf"}) {
        text +=
            fmt::format(".decl V{0}{1} v_type=G type={1} num_elts={2} align=GRF alias=<V{0},0>\n",
                        v, type, type[0] == 'f' ? dwords : 2 * dwords);
      }
    }
    text += fmt::format(".decl P1 v_type=P num_elts={}\n", p_.execution_size);
    text += fmt::format(".input P offset={} size=8\n", p_.grf_bytes);
    text += ".kernel_attr Target=\"cm\"\n";
    text += "mov (M1_NM, 1) N(0,0)<1> 0:d\n";
    text += fmt::format("mov (M1, {}) ADR(0,0)<1> P(0,0)<0;1,0>\n", p_.execution_size);
    const unsigned length = pick(1, 40);
    for (unsigned i = 0; i < length; ++i) one(text);
    return text + close() + "ret (M1, 1)\n";
  }

  unsigned pick(unsigned from, unsigned to) {
    return static_cast<unsigned>(from + random_() % (std::uint64_t{to} - from + 1));
  }
  bool rarely() { return wild_ && pick(0, 80) == 0; }
  unsigned size() { return rarely() ? 8U << pick(0, 2) : p_.execution_size; }
  std::string variable() { return fmt::format("V{}", pick(0, variables_ - 1)); }
  std::string mask() { return rarely() ? fmt::format("M{}", pick(1, 8)) : "M1"; }

  std::string precision(bool first) {
    const char* const integers[] = {"s8", "u8", "s4", "u4", "s2", "u2"};
    const char* const floats[] = {"bf", "hf", "tf32", "bf8", "hf8", "e2m1"};
    if (first) kind_ = pick(0, 3);
    if (rarely()) return pick(0, 1) == 0 ? "u1" : floats[pick(0, 5)];
    if (kind_ != 0) return integers[pick(0, 5)];
    if (first) float_ = floats[pick(0, 5)];
    return float_;
  }

  void dpas(std::string& text) {
    const std::string w = precision(true), a = precision(false);
    const unsigned depth = p_.any_systolic_depth ? 1U << pick(0, 3) : rarely() ? 4 : 8;
    const unsigned rc = pick(0, 2) != 0 ? 8 : pick(1, 8);
    const std::string suffix = kind_ == 0 ? "f" : "";
    const unsigned d = pick(0, variables_ - 1);
    unsigned b = pick(0, variables_ - 1);
    if (b == d && !rarely()) b = (b + 1) % variables_;
    const std::string dst = fmt::format("V{}{}", d, suffix);
    const std::string start =
        pick(0, 2) == 0 ? "%null.0"
                        : fmt::format("{}.0", pick(0, 1) == 0 ? dst : variable() + suffix);
    text +=
        fmt::format("{}.{}.{}.{}.{} (M1, {}) {}.{} {} V{}.0 {}({},0)", rarely() ? "dpasw" : "dpas",
                    w, a, depth, rc, size(), dst, rarely() ? pick(1, 300) : 0, start, b, variable(),
                    rarely() ? pick(1, 9) : 0);
    switch (annotated_ ? pick(0, 9) : 9) {
      case 0:
      case 1:
        text += " {Atomic}";
        break;
      case 2:
        text += fmt::format(" {{${}}}", pick(0, rarely() ? 40 : p_.tokens - 1));
        break;
      case 3:
        if (!rarely()) break;
        text += fmt::format(" {{${}.{}}}", pick(0, p_.tokens - 1), pick(0, 1) == 0 ? "dst" : "src");
        break;
      default:
        break;
    }
    text += '\n';
  }

  std::string coordinate() {
    return pick(0, 2) == 0 ? "N" : fmt::format("{}", static_cast<int>(pick(0, 12)) - 4);
  }

  void block(std::string& text) {
    const unsigned bytes = 1U << pick(0, 2);
    const bool transform = bytes < 4 && pick(0, 1) == 0;
    const unsigned rows = transform ? 4 / bytes : 1;
    const unsigned height = rows * pick(1, 8 / rows);
    const unsigned width = rarely() ? pick(1, 80) : 4 / bytes * pick(1, 4);
    const unsigned pitch = 64U << pick(0, 2);
    const std::string surface =
        fmt::format("flat[P,0x{:X},0x{:X},0x{:X},{},{}]", pitch - 1 - (rarely() ? 300 : 0),
                    pick(1, rarely() ? 4000 : 16) - 1, pitch - 1, coordinate(), coordinate());
    if (pick(0, 2) != 0) {
      text += fmt::format("lsc_load_block2d.ugm (M1_NM, 1) {}:d{}.{}x{}n{} {}\n", variable(),
                          8 * bytes, width, height, transform ? "t" : "n", surface);
    } else {
      text += fmt::format("lsc_store_block2d.ugm (M1_NM, 1) {} {}:d{}.{}x{}nn\n", surface,
                          variable(), 8 * bytes, width, height);
    }
  }

  void elements(std::string& text) {
    const bool row = pick(0, 1) == 0;
    const unsigned sizes[] = {1, 2, 3, 4, 8, 16};
    const unsigned count = sizes[pick(0, row ? 5 : 3)];
    const std::string data =
        fmt::format("{}:d32{}{}", variable(), count == 1 && !row ? "" : fmt::format("x{}", count),
                    row ? "t" : "");
    const std::string address =
        fmt::format("flat[ADR+0x{:X}]:a64", rarely() ? 0x100000 : pick(0, 255) * 4);
    const std::string head = row ? "(M1_NM, 1)" : fmt::format("(M1, {})", size());
    text += pick(0, 1) == 0 ? fmt::format("lsc_load.ugm {} {} {}\n", head, data, address)
                            : fmt::format("lsc_store.ugm {} {} {}\n", head, address, data);
  }

  void vector(std::string& text) {
    const unsigned channels = pick(0, 2) == 0 ? 1 : size();
    const std::string suffix = pick(0, 3) == 0 ? "f" : "";
    const auto source = [&] {
      if (pick(0, 3) == 0) return std::string(suffix.empty() ? "-17:d" : "0.5:f");
      return fmt::format("{}{}({},0){}", variable(), suffix, pick(0, 6),
                         channels == 1 ? "<0;1,0>" : "<1;1,0>");
    };
    const std::string dst = fmt::format("{}{}({},0)<1>", variable(), suffix, pick(0, 6));
    const std::string first = source(), second = source();
    text += pick(0, 1) == 0
                ? fmt::format("mov ({}, {}) {} {}\n", mask(), channels, dst, first)
                : fmt::format("add ({}, {}) {} {} {}\n", mask(), channels, dst, first, second);
  }

  /// Closes a loop around what was written since the last label. Some loops have no end.
  std::string close() {
    if (label_ == 0 || !open_) return {};
    open_ = false;
    return fmt::format("{}cmp.lt (M1_NM, 1) P1 N(0,0)<0;1,0> {}:d\n(P1.any) jmp (M1, 1) L{}\n",
                       rarely() ? "" : "add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 1:d\n", pick(1, 6),
                       label_);
  }

  void one(std::string& text) {
    switch (pick(0, 23)) {
      case 0:
        if (open_) {
          text += close();
        } else {
          text += fmt::format("L{}:\n", ++label_);
          open_ = true;
        }
        return;
      case 1:
        text += pick(0, 3) == 0 ? "barrier\n" : "lsc_fence.ugm.none.group\n";
        return;
      case 2:
        if (!rarely()) return vector(text);
        text += "ret (M1, 1)\n";
        return;
      case 3:
      case 4:
        return vector(text);
      case 5:
      case 6:
      case 7:
        return block(text);
      case 8:
      case 9:
        return elements(text);
      default:
        for (unsigned i = pick(1, 3); i > 0; --i) dpas(text);
    }
  }

  const Profile& p_;
  std::mt19937_64& random_;
  unsigned variables_;
  bool wild_;          ///< some operands are illegal
  bool annotated_;     ///< tokens and {Atomic} are written into the text
  unsigned kind_ = 0;  ///< kind of precisions: 0 floats, otherwise integers
  std::string float_;
  unsigned label_ = 0;
  bool open_ = false;
};

/// Deletes lines, copies lines or changes digits.
void mutate(std::string& text, std::mt19937_64& random) {
  const auto line = [&](std::size_t at) {
    const std::size_t begin =
        text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    const std::size_t end = text.find('\n', begin);
    return std::pair(begin, end == std::string::npos ? text.size() : end + 1);
  };
  for (unsigned n = 1 + static_cast<unsigned>(random() % 3); n > 0 && !text.empty(); --n) {
    const auto [begin, end] = line(random() % text.size());
    const std::string copy = text.substr(begin, end - begin);
    switch (random() % 3) {
      case 0:
        text.erase(begin, end - begin);
        break;
      case 1:
        text.insert(line(random() % text.size()).first, copy);
        break;
      default: {
        const std::size_t digit = text.find_first_of("0123456789", random() % text.size());
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random() % 10);
      }
    }
  }
}

void feed(std::uint64_t machine, const std::vector<std::uint8_t>& program) {
  std::vector<std::uint8_t> input;
  for (unsigned i = 8; i-- > 0;) input.push_back(static_cast<std::uint8_t>(machine >> (8 * i)));
  input.insert(input.end(), program.begin(), program.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

TEST(DpasMachineFuzz, RandomKernelsLegalAndNot) {
  const auto seeds = test_seeds(1, 400);
  for (const std::uint64_t seed : seeds) {
    std::mt19937_64 random(seed);
    const std::uint64_t machine = random();
    const DpasSimulationConfig config = fuzzed_machine(machine);
    std::string text = KernelWriter(config.machine.profile, random).program();
    if (random() % 4 == 0) mutate(text, random);
    feed(machine, {text.begin(), text.end()});
    if (random() % 4 != 0) continue;
    std::vector<std::uint8_t> container;
    try {
      container = write_container(assemble(text, "text"));
    } catch (const UserError&) {
      continue;  // a mutated text may be illegal
    }
    if (random() % 2 == 0) {
      container[random() % container.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    }
    feed(machine, container);
  }
  const MachineFuzzCounts& counts = machine_fuzz_counts();
  std::printf(
      "%zu seeds: %zu programs refused, %zu failed while they ran, %zu finished, %zu hung, "
      "%zu cut off\n",
      seeds.size(), static_cast<std::size_t>(counts.refused),
      static_cast<std::size_t>(counts.failed), static_cast<std::size_t>(counts.finished),
      static_cast<std::size_t>(counts.hung), static_cast<std::size_t>(counts.cut_off));
  if (seeds.size() < 40) return;
  // The kernels cover every kind of end of a run.
  EXPECT_GT(counts.finished, seeds.size() / 4);
  EXPECT_GT(counts.refused, 0U);
  EXPECT_GT(counts.failed, 0U);
  EXPECT_GT(counts.hung, 0U);
  EXPECT_GT(counts.cut_off, 0U);
}

}  // namespace
}  // namespace tactus::dpas
