#include "firmware/driver/dpas/simulation.h"

#include <algorithm>

#include "firmware/driver/common/memory_system.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "models/dram/fixed_latency_bank.h"
#include "models/sim/entered_kernel.h"

namespace tactus {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t address_end = std::uint64_t{1} << 32;

/// Cycles without activity after which a machine that does not wait for memory counts as hung. They
/// are more than any latency of its units.
Cycle patience(const dpas::Profile& profile) {
  return 1000 + profile.overhead +
         std::max({profile.alu_latency, profile.alu_latency_simd16, profile.alu_latency_simd32,
                   profile.flag_latency, profile.branch_latency, profile.barrier_latency,
                   profile.fence_latency, profile.send_latency, profile.igc_latency[7],
                   profile.igc_latency_fp8});
}

dpas::MachineParameters machine_of(const DpasSimulationConfig& config) {
  dpas::MachineParameters machine = config.machine;
  machine.axi_data_bits = config.axi_data_bits;
  const std::uint32_t most = std::min<std::uint32_t>(machine.profile.threads, dpas::most_threads);
  if (machine.threads < 1 || machine.threads > most) {
    user_error("{} threads are out of range on {}; allowed 1..{}", machine.threads,
               machine.profile.name, most);
  }
  if (machine.ideal_latency && *machine.ideal_latency <= machine.profile.send_latency) {
    user_error(
        "ideal_latency {} is out of range on {}; allowed {} or more: sources of a message "
        "are read for {} cycles",
        *machine.ideal_latency, machine.profile.name, machine.profile.send_latency + 1,
        machine.profile.send_latency);
  }
  return machine;
}

}  // namespace

DpasSimulation::DpasSimulation(const DpasSimulationConfig& config)
    : config_(config), memory_end_(address_end) {
  const dpas::MachineParameters machine = machine_of(config);
  system_ = std::make_unique<dpas::System>("top", clock_, machine);
  if (machine.memory == dpas::MemoryKind::axi) {
    slave_ = std::make_unique<AxiSlave>("slave", clock_, machine.beat_bytes(), config.transport,
                                        system_->pins());
    if (config.memory) {
      memory_ = config.memory(*slave_);
    } else if (config.memory_model == MemoryModel::board) {
      if (!config.resolved_ddr) internal_error("the board's memory has not been looked up");
      board_memory_ = std::make_unique<MemorySystem>(config, *config.resolved_ddr,
                                                     std::vector<unsigned>{0}, clock_);
      board_memory_->attach(0, *slave_, "memory");
      memory_end_ =
          std::min(address_end, config.resolved_ddr->bytes() - config.board_memory->base[0]);
    } else {
      auto bank = std::make_unique<FixedLatencyBank>(
          "bank", FixedLatencyBank::Config{config.read_latency, config.write_latency,
                                           clock_period(config.clock_mhz)});
      slave_->socket.bind(bank->socket);
      slave_->trust_dmi();
      memory_ = std::move(bank);
    }
    system_->attach(*slave_);
  }
  system_->issue().on_retire = [this](Cycle cycle) { retired(cycle); };
  start(*system_, config.clock_mhz, patience(machine.profile));
}

/// Ends the SystemC threads first. Those of a user's memory may refer to its module while they
/// unwind.
DpasSimulation::~DpasSimulation() { kernel_.end_threads(); }

// ---- memory -------------------------------------------------------------------------------------

std::uint64_t DpasSimulation::allocate(const std::string& name, std::uint64_t bytes) {
  const std::uint64_t address = next_address_;
  bind({name, address, bytes});
  return address;
}

void DpasSimulation::bind(const dpas::Buffer& buffer) {
  if (buffer.size > memory_end_ || buffer.address > memory_end_ - buffer.size) {
    user_error("buffer {} of {} bytes does not fit at 0x{:x}; allowed: up to 0x{:x}, {}",
               quote(buffer.name), buffer.size, buffer.address, memory_end_,
               memory_end_ == address_end ? "what 32-bit AXI addresses reach"
                                          : "the end of the board's memory");
  }
  for (const dpas::Buffer& other : buffers_) {
    if (buffer.address < other.address + other.size &&
        other.address < buffer.address + buffer.size) {
      user_error("buffer {} overlaps {}", quote(buffer.name), quote(other.name));
    }
  }
  buffers_.push_back(buffer);
  next_address_ =
      std::max(next_address_, (buffer.address + buffer.size + page - 1) / page * page + page);
  system_->memory().memory_map().assign(buffers_);
}

std::uint64_t DpasSimulation::debug_access(tlm::tlm_command command, std::uint64_t address,
                                           std::uint8_t* data, std::uint64_t count) {
  const EnteredKernel entered(kernel_);
  tlm::tlm_generic_payload access;
  access.set_command(command);
  access.set_address(address);
  access.set_data_ptr(data);
  access.set_data_length(static_cast<unsigned>(count));
  access.set_streaming_width(static_cast<unsigned>(count));
  return slave_->socket->transport_dbg(access);
}

void DpasSimulation::write(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t count) {
  if (count == 0) return;
  if (system_->ideal() != nullptr) {
    system_->ideal()->memory().write(static_cast<std::uint32_t>(address), bytes, count);
    return;
  }
  // The payload's pointer is not const, but TLM does not allow targets to change the data of a
  // write.
  if (debug_access(tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(bytes), count) !=
      count) {
    user_error("the memory refuses debug writes of {} bytes at 0x{:x}", count, address);
  }
}

std::vector<std::uint8_t> DpasSimulation::read(std::uint64_t address, std::uint64_t count) {
  std::vector<std::uint8_t> data(count);
  if (count == 0) return data;
  if (system_->ideal() != nullptr) {
    system_->ideal()->memory().read(static_cast<std::uint32_t>(address), data.data(), count);
  } else if (debug_access(tlm::TLM_READ_COMMAND, address, data.data(), count) != count) {
    user_error("the memory refuses debug reads of {} bytes at 0x{:x}", count, address);
  }
  return data;
}

std::uint64_t DpasSimulation::memory_bytes(std::size_t memory) const {
  if (static_cast<DpasMemory>(memory) == DpasMemory::registers) {
    return std::uint64_t{config_.machine.threads} * config_.machine.profile.register_file_bytes();
  }
  std::uint64_t end = 0;
  for (const dpas::Buffer& buffer : buffers_) end = std::max(end, buffer.address + buffer.size);
  return end;
}

std::vector<std::uint8_t> DpasSimulation::read_memory(std::size_t memory, std::uint64_t address,
                                                      std::uint64_t count) {
  if (static_cast<DpasMemory>(memory) == DpasMemory::memory) return read(address, count);
  const std::uint8_t* bytes = system_->registers().bytes(0) + address;
  return {bytes, bytes + count};
}

// ---- runs ---------------------------------------------------------------------------------------

/// Makes the initial registers of a thread: inputs at their offsets, and the thread's number in
/// register 0.
dpas::ThreadStart DpasSimulation::start_of(const dpas::Program& program, const DpasThread& thread,
                                           unsigned number,
                                           const dpas::DecodedKernel& kernel) const {
  dpas::ThreadStart start;
  start.kernel = &kernel;
  start.registers.resize(config_.machine.profile.register_file_bytes());
  for (const dpas::PredefinedVariable& variable : dpas::predefined_variables) {
    if (variable.name != "%thread_x" && variable.name != "%hw_id") continue;
    start.registers[variable.address] = static_cast<std::uint8_t>(number);
  }
  std::vector<std::string_view> names;
  for (const dpas::Input& input : thread.kernel->inputs) {
    const dpas::Variable* variable = thread.kernel->variable(input.variable);
    names.push_back(variable->name);
    const auto given = thread.inputs.find(variable->name);
    if (given == thread.inputs.end()) {
      user_error("{}: input {} of kernel {} has no value in thread {}; it has {} bytes",
                 program.source, quote(variable->name), quote(thread.kernel->name), number,
                 input.size);
    }
    if (given->second.size() != input.size) {
      user_error("{}: input {} of kernel {} has {} bytes; it was given {}", program.source,
                 quote(variable->name), quote(thread.kernel->name), input.size,
                 given->second.size());
    }
    std::copy(given->second.begin(), given->second.end(),
              start.registers.begin() + static_cast<std::ptrdiff_t>(variable->address));
  }
  for (const auto& [name, bytes] : thread.inputs) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    user_error("{}: kernel {} has no input {}; allowed {}", program.source,
               quote(thread.kernel->name), quote(name), quote_list(names));
  }
  return start;
}

DpasRunResult DpasSimulation::run(const dpas::Program& program,
                                  const std::vector<DpasThread>& threads,
                                  const RunOptions& options) {
  if (threads.size() > config_.machine.threads) {
    user_error("{} threads are given to a machine that has {}", threads.size(),
               config_.machine.threads);
  }
  if (!system_->idle()) {
    user_error("a run of this machine was interrupted; a new run needs a new machine");
  }
  std::vector<std::unique_ptr<dpas::DecodedKernel>> kernels;
  std::vector<dpas::ThreadStart> starts;
  std::uint64_t instructions = 0;
  bool jumps = false;
  for (unsigned t = 0; t < threads.size(); ++t) {
    starts.emplace_back();
    if (threads[t].kernel == nullptr) continue;
    const dpas::DecodedKernel* decoded = nullptr;
    for (const auto& kernel : kernels) {
      if (&kernel->kernel() == threads[t].kernel) decoded = kernel.get();
    }
    if (decoded == nullptr) {
      kernels.push_back(std::make_unique<dpas::DecodedKernel>(program, *threads[t].kernel,
                                                              system_->parameters()));
      decoded = kernels.back().get();
    }
    starts.back() = start_of(program, threads[t], t, *decoded);
    instructions += decoded->operations().size();
    jumps |= decoded->has_jumps();
  }
  system_->start(starts);
  kernels_ = std::move(kernels);

  DpasRunResult result;
  constexpr std::uint64_t unknown = std::uint64_t{1} << 62;
  if (board_memory_) result.ddr = board_memory_->figures();
  Simulation::run(jumps ? unknown : instructions, options, result);
  if (board_memory_) {
    DdrFigures figures = board_memory_->figures();
    result.ddr = figures -= *result.ddr;
  }
  if (jumps) result.instructions = result.retired;

  const Counters& totals = result.accounting.totals;
  result.dpas = totals.of("dpas");
  result.rows = totals.of("rows");
  result.macs = totals.of("macs");
  result.grf_reads = totals.of("grf_reads");
  result.grf_reads_saved = totals.of("grf_reads_saved");
  result.grf_writes = totals.of("grf_writes");
  result.bytes_loaded = totals.of("bytes_loaded");
  result.bytes_stored = totals.of("bytes_stored");
  return result;
}

}  // namespace tactus
