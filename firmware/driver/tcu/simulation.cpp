#include "firmware/driver/tcu/simulation.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/tcu/layout.h"
#include "models/dram/fixed_latency_bank.h"

namespace tactus {
namespace {

/// Cycles without any handshake after which a machine that waits for no memory is called hung. Its
/// state stands still after the first of them; under random stalls a pause may just be bad luck, so
/// the wait is long enough for 99 % stalls to end.
constexpr Cycle hang_cycles = 1000;
constexpr Cycle hang_cycles_with_stalls = 100000;
constexpr Cycle report_cycles = 65536;

std::unique_ptr<sc_core::sc_module> fixed_latency_bank(const TcuSimulationConfig& config,
                                                       unsigned port, AxiSlave& slave) {
  auto bank = std::make_unique<FixedLatencyBank>(
      port == 0 ? "bank0" : "bank1",
      FixedLatencyBank::Config{config.read_latency, config.write_latency,
                               clock_period(config.clock_mhz)});
  slave.socket.bind(bank->socket);
  slave.trust_dmi();
  return bank;
}

TcuSystem::Config top_config(const TcuSimulationConfig& config) {
  TcuSystem::Config top;
  top.tcu = {config.architecture, config.rounding, config.decoder_timeout};
  top.axi_data_bits = config.axi_data_bits;
  top.sample_block_size = config.sample_block_size;
  top.sample_interval = config.sample_interval;
  top.sample_pause = config.sample_pause;
  top.stalls = config.stalls;
  top.shuffle_seed = config.shuffle_seed;
  top.engine = config.engine;
  return top;
}

}  // namespace

TcuSimulation::TcuSimulation(const TcuSimulationConfig& config)
    : config_(config),
      instruction_bytes_(tcu::InstructionLayout(config.architecture).instruction_bytes()),
      stream_(config.axi_data_bits / 8, config.feed_gap) {
  check_axi_width(config.architecture, config.axi_data_bits);
  const sc_core::sc_time period = clock_period(config.clock_mhz);
  system_ = std::make_unique<TcuSystem>("top", clock_, top_config(config), stream_);
  for (unsigned p = 0; p < 2; ++p) {
    slaves_[p] = std::make_unique<AxiSlave>(p == 0 ? "slave0" : "slave1", clock_, period,
                                            word_bytes(), config.transport, system_->pins(p));
    memories_[p] =
        config.memory ? config.memory(p, *slaves_[p]) : fixed_latency_bank(config, p, *slaves_[p]);
    system_->attach(p, *slaves_[p]);
  }
  driver_ = std::make_unique<ClockDriver>("clock", clock_, period,
                                          [this](Cycle most) { return tick(most); });
  system_->tcu().decoder().on_retire = [this](Cycle cycle, std::uint32_t) { retired(cycle); };
  accountant_ = std::make_unique<Accountant>(*system_, clock_);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates, so that debug access works from here on
}

/// Threads are those of users' memories; they may refer to their modules while they unwind.
TcuSimulation::~TcuSimulation() { kernel_.end_threads(); }

void TcuSimulation::retired(Cycle cycle) {
  RunResult& result = run_.result;
  ++result.retired;
  if (result.retired == accountant_->next_border()) {
    run_.border = true;
    system_->pause();
  }
  result.last_retire_padded = cycle - run_.first;
  if (result.retired > result.instructions) return;  // padding
  result.last_retire = cycle - run_.first;
  if (run_.options->retire_log != nullptr) {
    if (cycle > 0xFFFFFFFF)
      user_error("the retire log holds cycles below 2^32; this run goes beyond");
    run_.options->retire_log->push_back(static_cast<std::uint32_t>(cycle));
  }
}

/// Counters run on over the machine's life; a run's figures are their differences.
void TcuSimulation::add_counters(RunResult& result, bool subtract) const {
  const auto add = [subtract](std::uint64_t& sum, std::uint64_t value) {
    sum += subtract ? ~value + 1 : value;
  };
  for (unsigned p = 0; p < 2; ++p) {
    const BoundarySplitter::Stats& s = system_->port(p).splitter().stats();
    add(result.read_beats[p], s.read_beats);
    add(result.write_beats[p], s.write_beats);
    add(result.read_bursts[p], s.read_bursts);
    add(result.write_bursts[p], s.write_bursts);
    const bool responded = s.write_responses > 0 && s.last_write_response >= run_.first;
    if (!subtract && responded) result.last_b[p] = s.last_write_response - run_.first;
  }
  add(result.array_runs, system_->tcu().array().stats().multiplications);
  add(result.array_loads, system_->tcu().array().stats().loads);
  for (const std::uint64_t issued : system_->tcu().accumulators().alu().stats().issued) {
    add(result.alu_operations, issued);
  }
  for (std::size_t i = 0; i < result.dais.size(); ++i) {
    add(result.dais[i].instructions, system_->tcu().decoder().stats().retired_by_dais_block[i]);
    add(result.dais[i].samples, system_->tcu().dais()->stats().samples[i]);
  }
}

/// The cycle in which the run's last instruction retired or its last write was answered.
Cycle TcuSimulation::last_event(const RunResult& result) {
  const Cycle written = std::max(result.last_b[0].value_or(0), result.last_b[1].value_or(0));
  return std::max(result.last_retire_padded, written);
}

RunResult TcuSimulation::run(const std::vector<std::uint8_t>& program, const RunOptions& options) {
  run_ = Run{};
  run_.options = &options;
  run_.first = run_.last_activity = clock_.now;
  run_.seen_progress = clock_.progress;
  run_.seen_responses = system_->port(0).splitter().stats().write_responses;
  run_.next_report = clock_.now + report_cycles;
  run_.result.instructions = program.size() / instruction_bytes_;
  run_.result.dais.resize(config_.architecture.dais_blocks.size());
  add_counters(run_.result, true);
  accountant_->begin(run_.result.instructions, options.regions);

  system_->withdraw_word();
  stream_.start(program, instruction_bytes_);
  driver_->run();

  add_counters(run_.result, false);
  run_.result.accounting = accountant_->end(run_.result.retired);
  run_.result.cycles = last_event(run_.result);
  if (run_.result.end != RunEnd::finished) {
    run_.result.cycles = clock_.now - run_.first;
    run_.result.waits_for = system_->waits_for();
  }
  return std::move(run_.result);
}

bool TcuSimulation::tick(Cycle most) {
  const Cycle quiet = system_->advance(std::min(most, until_checks()));
  const auto end = [this](RunEnd reason) {
    run_.result.end = reason;
    return false;
  };
  if (clock_.progress != run_.seen_progress) {
    run_.seen_progress = clock_.progress;
    run_.last_activity = clock_.now - quiet;
    if (run_.options->on_write_response) report_responses();
    if (run_.border) {
      run_.border = false;
      accountant_->border(run_.result.retired);
    }
  }
  if (quiet > 0) {
    if (system_->idle()) return end(RunEnd::finished);
    if (system_->waits_for_memory()) {
      run_.last_activity = clock_.now;
    } else if (clock_.now - run_.last_activity > patience()) {
      return end(RunEnd::hang);
    }
  }
  if (run_.options->max_cycles != 0 && clock_.now - run_.first >= run_.options->max_cycles) {
    return end(RunEnd::cycle_limit);
  }
  if (clock_.now >= run_.next_report) {
    run_.next_report += report_cycles;
    if (run_.options->progress) {
      run_.options->progress(clock_.now - run_.first, run_.result.retired);
    }
  }
  return true;
}

void TcuSimulation::observe_accounts(AccountObserver* observer) {
  for (Account* account : system_->accounts()) {
    account->settle();
    account->observe(observer);
  }
}

void TcuSimulation::report_responses() {
  const BoundarySplitter::Stats& stats = system_->port(0).splitter().stats();
  if (stats.write_responses == run_.seen_responses) return;
  run_.seen_responses = stats.write_responses;
  run_.options->on_write_response(stats.last_write_response - run_.first);
}

Cycle TcuSimulation::patience() const {
  return config_.feed_gap + (config_.stalls.percent() == 0 ? hang_cycles : hang_cycles_with_stalls);
}

/// Cycles after which the run may have to end though nothing happens.
Cycle TcuSimulation::until_checks() const {
  if (run_.options->on_write_response) return 1;  // hears of every single cycle
  const Cycle quiet = clock_.now - run_.last_activity;
  const Cycle hang = quiet > patience() ? 1 : patience() + 1 - quiet;
  if (run_.options->max_cycles == 0) return hang;
  return std::min(hang, run_.first + run_.options->max_cycles - clock_.now);
}

std::uint64_t TcuSimulation::debug_access(unsigned port, tlm::tlm_command command,
                                          std::uint64_t address, std::uint8_t* data,
                                          std::uint64_t count) {
  tlm::tlm_generic_payload access;
  access.set_command(command);
  access.set_address(address);
  access.set_data_ptr(data);
  access.set_data_length(static_cast<unsigned>(count));
  access.set_streaming_width(static_cast<unsigned>(count));
  return slaves_[port]->socket->transport_dbg(access);
}

void TcuSimulation::write_dram(unsigned port, std::uint64_t address, const std::uint8_t* bytes,
                               std::uint64_t count) {
  // The payload's pointer is not const, but TLM forbids targets to write to the data of a write.
  if (debug_access(port, tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(bytes),
                   count) != count) {
    user_error("the memory of DRAM{} refuses debug writes of {} bytes at 0x{:x}", port, count,
               address);
  }
}

std::vector<std::uint8_t> TcuSimulation::read_dram(unsigned port, std::uint64_t address,
                                                   std::uint64_t count) {
  std::vector<std::uint8_t> data(count);
  if (debug_access(port, tlm::TLM_READ_COMMAND, address, data.data(), count) != count) {
    user_error("the memory of DRAM{} refuses debug reads of {} bytes at 0x{:x}", port, count,
               address);
  }
  return data;
}

EventFormat TcuSimulation::event_format() const {
  return {EventStyle::axi, config_.architecture.data_type, config_.architecture.array_size,
          instruction_bytes_, word_bytes()};
}

}  // namespace tactus
