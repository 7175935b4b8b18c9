// Test of the sampler: interval, blocks, program counters. Source: toolchain spec sections 6.5 and
// 10.5.
#include "firmware/selftest/tcu/target.h"
#include "isa/tcu/layout.h"

namespace tactus::selftest {
namespace {

struct Taken {
  Cycle cycle;
  std::uint32_t program_counter;
  std::uint64_t unused;  ///< bits 63:48 of the sample
  bool last;
};

void check_samples(const std::vector<Taken>& samples, std::uint32_t interval, std::uint32_t block) {
  if (samples.front().program_counter != 1) {
    fail("the first sample has program counter {}; 1 instruction had retired",
         samples.front().program_counter);
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Taken& sample = samples[i];
    const bool ends_block = (i + 1) % block == 0;
    if (sample.last != ends_block) {
      fail("sample {} is {}marked as the last of a block of {}", i, sample.last ? "" : "not ",
           block);
    }
    if (sample.unused != 0) fail("sample {} has bits above 47", i);
    if (i == 0) continue;
    const Taken& before = samples[i - 1];
    if (sample.cycle - before.cycle != interval) {
      fail("samples {} and {} are {} cycles apart; the interval is {}", i - 1, i,
           sample.cycle - before.cycle, interval);
    }
    if (sample.program_counter < before.program_counter ||
        sample.program_counter - before.program_counter > interval) {
      fail("the program counter jumps from {} to {} between samples {} cycles apart",
           before.program_counter, sample.program_counter, interval);
    }
  }
}

/// Intervals that Configure can encode: on very small architectures its operands have few bits.
std::vector<std::uint32_t> intervals(const tcu::Architecture& architecture) {
  const tcu::InstructionLayout layout(architecture);
  const unsigned bits = layout.operand0 + layout.operand1 + layout.operand2 - 4;
  std::vector<std::uint32_t> fitting;
  for (const std::uint32_t interval : {1U, 10U, 1000U}) {
    if (bits >= 16 || interval >> bits == 0) fitting.push_back(interval);
  }
  return fitting;
}

}  // namespace

std::string sampling(Target& target) {
  const std::uint64_t no_ops = target.full() ? 1'000'000 : 5000;
  const std::uint32_t block = target.simulation().config().sample_block_size;
  std::uint64_t total = 0;
  std::string used;
  for (const std::uint32_t interval : intervals(target.architecture())) {
    // A machine's sampler goes on counting from one run to the next. A new machine for every
    // interval starts its blocks at 0.
    Target fresh(target.simulation().config(), target.options());
    std::vector<Taken> samples;
    fresh.simulation().system().on_sample = [&](const Sample& sample) {
      samples.push_back({fresh.simulation().now(), static_cast<std::uint32_t>(sample.word),
                         sample.word >> 48, sample.last});
    };
    const TcuRunResult result = fresh.run("sampling", {{"INTERVAL", interval}, {"NOOPS", no_ops}});
    target.count(fresh);
    // Sampling starts when a Configure retires and ends when another does, NOOPS instructions
    // later.
    const std::uint64_t least = no_ops / interval;
    const std::uint64_t most = result.cycles / interval + 1;
    if (samples.size() < least || samples.size() > most) {
      fail("{} samples with interval {}; between {} and {} were expected", samples.size(), interval,
           least, most);
    }
    if (samples.back().program_counter > no_ops + 2) {
      fail("a sample after sampling was switched off: program counter {}",
           samples.back().program_counter);
    }
    check_samples(samples, interval, block);
    total += samples.size();
    used += fmt::format("{}{}", used.empty() ? "" : ", ", interval);
  }
  return fmt::format("{} samples with intervals {}, blocks of {}", total, used, block);
}

}  // namespace tactus::selftest
