#include "firmware/driver/tcu/units.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "models/sim/entered_kernel.h"

namespace tactus {
namespace {

/// Byte addresses [first, end) of the DRAM.
struct Range {
  std::uint64_t first, end;
};

std::uint64_t power_of_two_from(std::uint64_t value) {
  std::uint64_t power = 1;
  while (power < value) power *= 2;
  return power;
}

/// Finds addresses for banks that overlap nothing else.
class Places {
 public:
  Places(std::uint64_t size, std::uint64_t step) : size_(size), step_(step) {}

  void take(const Range& range) { taken_.push_back(range); }
  /// Takes the first free place for `bytes`, searching from `base` on, and returns its address;
  /// nothing if there is none.
  std::optional<std::uint64_t> take_from(std::uint64_t base, std::uint64_t bytes) {
    for (std::uint64_t tried = 0; tried < size_; tried += step_) {
      const std::uint64_t first = (base + tried) % size_;
      const Range range{first, first + bytes};
      const bool meets = std::any_of(taken_.begin(), taken_.end(), [&](const Range& other) {
        return range.first < other.end && other.first < range.end;
      });
      if (meets || range.end > size_) continue;
      take(range);
      return first;
    }
    return std::nullopt;
  }

 private:
  std::uint64_t size_, step_;
  std::vector<Range> taken_;
};

void check_window(const Model& model) {
  const tcu::InstructionLayout layout(model.file.arch);
  const std::vector<tcu::Instruction> program = tcu::decode_program(layout, model.program);
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (static_cast<tcu::Opcode>(program[i].opcode) != tcu::Opcode::configure) continue;
    const tcu::ConfigureFields fields = tcu::configure_fields(layout, program[i]);
    const auto target = static_cast<tcu::ConfigRegister>(fields.register_number);
    const bool moves =
        target == tcu::ConfigRegister::dram0_offset || target == tcu::ConfigRegister::dram1_offset;
    if (!moves || fields.value == 0) continue;
    user_error(
        "{}: instruction {} sets the offset of a DRAM bank to {}, out of the unit's bank into what "
        "may be another unit's; allowed for several units: 0",
        model.path, i, fields.value);
  }
}

}  // namespace

std::vector<std::array<std::uint64_t, 2>> bank_places(const TcuSimulationConfig& config,
                                                      unsigned units, std::uint64_t stream_bytes) {
  const BoardMemory& memory = *config.board_memory;
  const std::uint64_t vector = config.architecture.vector_bytes();
  const std::array<std::uint64_t, 2> bytes{config.architecture.dram0_depth * vector,
                                           config.architecture.dram1_depth * vector};
  Places places(config.resolved_ddr->bytes(), power_of_two_from(std::max(bytes[0], bytes[1])));
  if (stream_bytes > 0) {
    places.take({memory.stream->base, memory.stream->base + stream_bytes});
  }
  std::vector<std::array<std::uint64_t, 2>> bases{{memory.base[0], memory.base[1]}};
  for (const unsigned p : {0U, 1U}) places.take({memory.base[p], memory.base[p] + bytes[p]});
  while (bases.size() < units) {
    std::array<std::uint64_t, 2> unit{};
    for (const unsigned p : {0U, 1U}) {
      const auto place = places.take_from(memory.base[p], bytes[p]);
      if (!place) {
        user_error(
            "{} units with banks of {} and {} bytes do not fit the DRAM of {} bytes; allowed "
            "1..{}, or smaller dram0_depth and dram1_depth",
            units, bytes[0], bytes[1], config.resolved_ddr->bytes(), bases.size());
      }
      unit[p] = *place;
    }
    bases.push_back(unit);
  }
  return bases;
}

TcuUnits::Unit::Unit(const sc_core::sc_module_name& name, TcuUnits& all, unsigned number,
                     const TcuSimulationConfig& config)
    : sc_module(name),
      simulation(std::make_unique<TcuSimulation>(config, &all.kernel_, &all.memory_)),
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
    all_.memory_.leave(number_);
    --all_.at_work_;
    if (all_.at_work_ == 0 || all_.error_ != nullptr) sc_core::sc_pause();
    wait();
  }
}

TcuUnits::TcuUnits(const TcuSimulationConfig& config, unsigned count, std::uint64_t program_bytes)
    : memory_(config, *config.resolved_ddr, {0, 1}, MemorySystem::stream_of(config), count) {
  // Room for padding to whole words of the stream.
  const std::uint64_t padding = 2 * std::uint64_t{config.axi_data_bits / 8};
  const bool reads_stream = config.stream_model == StreamModel::board;
  const auto bases = bank_places(config, count, reads_stream ? program_bytes + padding : 0);
  for (unsigned u = 0; u < count; ++u) {
    TcuSimulationConfig own = config;
    own.board_memory->base = bases[u];
    units_.push_back(std::make_unique<Unit>(fmt::format("unit{}", u).c_str(), *this, u, own));
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
