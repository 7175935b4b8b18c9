#include "tests/support/bare_machine.h"

#include "isa/tcu/layout.h"

namespace tactus {

BareTcu::BareTcu(const Config& config)
    : config_(config),
      source_(tcu::InstructionLayout(config.tcu.architecture).instruction_bytes()),
      tcu_("tcu", clock_, config.tcu, instruction_, links_) {
  clock_.events = &events_;
  for (unsigned p = 0; p < 2; ++p) {
    BareDram::Config dram;
    dram.port = p;
    dram.vector_bytes = config.tcu.architecture.vector_bytes();
    dram.read_latency = config.read_latency;
    dram.fill = [](std::uint64_t, std::uint8_t*) {};  // zeroes
    drams_[p] = std::make_unique<BareDram>(p == 0 ? "dram0" : "dram1", clock_, dram, links_[p]);
  }
  if (config.sample_block_size > 0) {
    sampler_ = std::make_unique<Sampler>("sampler", config.sample_block_size, tcu_.decoder(),
                                         tcu_.decoder().links(), samples_);
  }
  driver_ = std::make_unique<ClockDriver>("clock", clock_, clock_period(100), [this](Cycle) {
    cycle();
    const bool moved = clock_.progress != seen_progress_;
    seen_progress_ = clock_.progress;
    return clock_.now < last_cycle_ && (moved || !idle());
  });
}

bool BareTcu::run(const std::vector<std::uint8_t>& program, Cycle limit) {
  source_.start(program);
  last_cycle_ = clock_.now + limit;
  driver_->run();
  return clock_.now < last_cycle_;
}

void BareTcu::cycle() {
  instruction_.bits = source_.word(clock_.now);
  instruction_.valid = instruction_.bits != nullptr;
  samples_.ready = !config_.sample_ready || config_.sample_ready(clock_.now);
  if (sampler_) sampler_->drive();
  for (auto& dram : drams_) dram->drive();
  tcu_.drive();
  tcu_.accept();
  if (sampler_) sampler_->observe();
  tcu_.commit();
  for (auto& dram : drams_) dram->commit();
  if (instruction_.fires()) source_.taken(clock_.now);
  if (sampler_) {
    if (samples_.fires()) taken_samples_.emplace_back(clock_.now, samples_.bits);
    sampler_->commit();
  }
  events_.end_of_cycle(clock_.now);
  ++clock_.now;
}

bool BareTcu::idle() const {
  return source_.exhausted() && tcu_.idle() && drams_[0]->idle() && drams_[1]->idle();
}

}  // namespace tactus
