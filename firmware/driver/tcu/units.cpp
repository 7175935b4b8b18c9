#include "firmware/driver/tcu/units.h"

#include <algorithm>
#include <utility>

#include "isa/support/arbitration.h"
#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "models/sim/clock_driver.h"
#include "models/sim/entered_kernel.h"
#include "models/tcu/fast/known_design.h"

namespace tactus {

void TcuUnits::check_window(const Model& model) {
  const tcu::InstructionLayout layout(model.file.arch);
  const std::vector<tcu::Instruction> program = tcu::decode_program(layout, model.program);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto offset = tcu::bank_offset(layout, program[i]);
    if (!offset || offset->value == 0) continue;
    user_error(
        "{}: instruction {} sets the offset of a DRAM bank to {}, out of the unit's bank into what "
        "may be another unit's; allowed for several units: 0",
        model.path, i, offset->value);
  }
}

TcuUnits::Unit::Unit(const sc_core::sc_module_name& name, TcuUnits& all, unsigned number,
                     const TcuSimulationConfig& config)
    : sc_module(name),
      simulation(
          std::make_unique<TcuSimulation>(config, &all.kernel_, all.memory_.get(), all.known_)),
      all_(all),
      number_(number) {
  SC_THREAD(work);
  set_stack_size(std::size_t{1} << 20U);
  sensitive << begin;
  dont_initialize();
}

void TcuUnits::Unit::work() {
  for (;;) {
    try {
      (*all_.work_)(number_);
    } catch (const sc_core::sc_unwind_exception&) {
      throw;  // SystemC ends the thread because the machine is destroyed
    } catch (...) {
      if (all_.error_ == nullptr) all_.error_ = std::current_exception();
    }
    if (Turn* const turn = all_.turn(number_)) turn->leave();
    --all_.at_work_;
    if (all_.at_work_ == 0 || all_.error_ != nullptr) sc_core::sc_pause();
    wait();
  }
}

TcuUnits::TcuUnits(const TcuSimulationConfig& config, unsigned count, std::uint64_t program_bytes)
    : TcuUnits([&] {
        std::vector<TcuSimulationConfig> units;
        for (const BankBases& bases :
             bank_places(config, count, stream_bytes_of(config, program_bytes))) {
          units.push_back(config);
          units.back().board_memory->base = bases;
        }
        return units;
      }()) {}

TcuUnits::TcuUnits(const std::vector<TcuSimulationConfig>& units)
    : known_(std::make_shared<KnownDesigns>()) {
  const TcuSimulationConfig& first = units.front();
  const auto count = static_cast<unsigned>(units.size());
  if (first.memory_model == MemoryModel::board) {
    memory_ =
        std::make_unique<MemorySystem>(first, *first.resolved_ddr, std::vector<unsigned>{0, 1},
                                       MemorySystem::stream_of(first), count);
  }
  for (unsigned u = 0; u < count; ++u) {
    units_.push_back(std::make_unique<Unit>(fmt::format("unit{}", u).c_str(), *this, u, units[u]));
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates the hierarchy
}

void TcuUnits::check_runs(MemoryModel memory, std::uint64_t units, std::uint64_t runs,
                          std::uint64_t batch) {
  if (units == 1) return;
  if (memory != MemoryModel::board) {
    user_error(
        "tcus {}: units behind a memory of fixed latency do not slow each other down, so {} take "
        "the cycles of one; allowed: the memory model \"board\" (--memory board)",
        units, units);
  }
  if (runs < units) {
    user_error("tcus {}: there {} to deal out; allowed \"images\" (--images) of {} or more", units,
               runs == 1 ? "is 1 run" : fmt::format("are {} runs", runs), units * batch);
  }
}

void TcuUnits::check_ports(const TcuSimulationConfig& config, std::uint64_t units) {
  if (config.memory_model == MemoryModel::fixed) return;
  check_arbitration(arbitration_text(config), static_cast<unsigned>(units),
                    config.board_memory->stream.has_value(), "the memory's arbitration ");
}

void TcuUnits::check_deal(const TcuSimulationConfig& config, std::uint64_t units,
                          std::uint64_t runs, const Model& model) {
  check_runs(config.memory_model, units, runs, model.file.batch);
  if (units > 1) check_window(model);
}

TcuUnits::~TcuUnits() { kernel_.end_threads(); }

void TcuUnits::run(const std::function<void(unsigned)>& work) {
  const EnteredKernel entered(kernel_);
  work_ = &work;
  at_work_ = count();
  for (const auto& unit : units_) unit->begin.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

std::uint64_t TcuUnits::period(unsigned unit) const {
  return clock_period(units_[unit]->simulation->config().clock_mhz).value();
}

void TcuUnits::rest_until(unsigned unit, Cycle cycle) {
  TcuSimulation& simulation = (*this)[unit];
  simulation.rest_until(cycle);
  const std::uint64_t time = time_of(unit, simulation.now());
  if (Turn* const own = turn(unit)) return own->reach(time);
  const std::uint64_t present = sc_core::sc_time_stamp().value();
  if (time > present) sc_core::wait(sc_core::sc_time::from_value(time - present));
}

void TcuUnits::let_others_arrive(unsigned unit) {
  // Units that come to this cycle are past its beginning; requests are made later in the cycle.
  if (Turn* const own = turn(unit)) return own->reach(time_of(unit, (*this)[unit].now()) + 1);
  sc_core::wait(sc_core::SC_ZERO_TIME);
}

std::uint64_t TcuUnits::meet(unsigned unit) {
  rest_until(unit, (*this)[unit].now());
  latest_ = std::max(latest_, time_of(unit, (*this)[unit].now()));
  if (++met_ < count()) {
    if (Turn* const own = turn(unit)) own->leave();
    sc_core::wait(all_met_);
  } else {
    for (unsigned u = 0; u < count(); ++u) {
      if (Turn* const other = turn(u)) other->come_back(latest_);
    }
    all_met_.notify();
  }
  rest_until(unit, (latest_ + period(unit) - 1) / period(unit));
  return latest_;
}

std::optional<TcuRunResult> TcuUnits::deal(
    const Model& model, HostMode mode, std::size_t runs,
    const std::function<bool(unsigned unit, Host& host, std::size_t run)>& run_image) {
  std::optional<TcuRunResult> stuck;
  bool ends = false;
  run([&](unsigned unit) {
    Host host((*this)[unit], model, mode);
    if (auto failed = host.prepare()) {
      stuck = std::move(failed);
      ends = true;
    }
    for (std::size_t i = unit; i < runs && !ends; i += count()) ends = !run_image(unit, host, i);
  });
  return stuck;
}

TcuMachines::TcuMachines(const TcuSimulationConfig& config, const RunRequest& request,
                         std::uint64_t program_bytes) {
  if (request.tcus == 1) {
    own_ = std::make_unique<TcuSimulation>(config);
    one_ = own_.get();
  } else {
    units_ = std::make_unique<TcuUnits>(config, static_cast<unsigned>(request.tcus), program_bytes);
  }
}

TcuMachines::TcuMachines(const std::vector<TcuSimulationConfig>& units) {
  if (units.size() == 1) {
    own_ = std::make_unique<TcuSimulation>(units.front());
    one_ = own_.get();
  } else {
    units_ = std::make_unique<TcuUnits>(units);
  }
}

void TcuMachines::run(const std::function<void(unsigned)>& work) {
  if (units_) return units_->run(work);
  work(0);
}

void TcuMachines::rest_until(unsigned unit, Cycle cycle) {
  if (units_) return units_->rest_until(unit, cycle);
  one_->rest_until(cycle);
}

std::uint64_t TcuMachines::meet(unsigned unit) {
  if (units_) return units_->meet(unit);
  return period(unit) * one_->now();
}

std::uint64_t TcuMachines::period(unsigned unit) const {
  if (units_) return units_->period(unit);
  return clock_period(one_->config().clock_mhz).value();
}

void TcuMachines::let_others_arrive(unsigned unit) {
  if (units_) units_->let_others_arrive(unit);
}

std::optional<TcuRunResult> TcuMachines::deal(
    const Model& model, const RunRequest& request, std::size_t runs,
    const std::function<bool(unsigned unit, Host& host, std::size_t run)>& run_image) {
  if (units_) return units_->deal(model, request.mode, runs, run_image);
  Host host(*one_, model, request.mode);
  std::optional<TcuRunResult> stuck = host.prepare();
  for (std::size_t i = 0; i < runs && !stuck; ++i) {
    if (!run_image(0, host, i)) break;
  }
  return stuck;
}

std::optional<DdrFigures> TcuMachines::shared_memory() {
  if (!units_) return std::nullopt;
  return units_->memory_figures();
}

ImageResult run_once(const TcuSimulationConfig& config, const Model& model,
                     const TensorData& inputs, const RunRequest& request,
                     const TcuRunOptions& options) {
  TcuSimulation simulation(config);
  Host host(simulation, model, request.mode);
  if (auto stuck = host.prepare()) return {std::move(*stuck), std::nullopt, {}};
  return host.run_image(inputs, options);
}

}  // namespace tactus
