#include "firmware/driver/tcu/simulation.h"

#include <algorithm>
#include <utility>

#include "firmware/driver/common/memory_system.h"
#include "isa/support/error.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/layout.h"
#include "models/dram/fixed_latency_bank.h"
#include "models/sim/entered_kernel.h"
#include "models/tcu/events.h"

namespace tactus {
namespace {

/// Cycles without a handshake after which a machine that waits for no memory counts as hung.
/// Without random stalls the state no longer changes after the first such cycle. Stalls of up to 99
/// % make long pauses, so with stalls the number is larger than any likely pause.
constexpr Cycle hang_cycles = 1000;
constexpr Cycle hang_cycles_with_stalls = 100000;

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
  top.check_every = config.check_every;
  top.evaluates_all = config.evaluates_all;
  top.own_units = config.own_units;
  return top;
}

}  // namespace

TcuSimulation::TcuSimulation(const TcuSimulationConfig& config, KernelScope* kernel,
                             MemorySystem* memory, const std::shared_ptr<KnownDesigns>& known)
    : Simulation(kernel),
      config_(config),
      instruction_bytes_(tcu::InstructionLayout(config.architecture).instruction_bytes()),
      stream_(config.axi_data_bits / 8, config.feed_gap),
      board_memory_(memory) {
  check_axi_width(config.architecture, config.axi_data_bits);
  build(known);
  system_->tcu().decoder().on_retire = [this](Cycle cycle, std::uint32_t) { retired(cycle); };
  start(*system_, config.clock_mhz,
        config.feed_gap + (config.stalls.percent() == 0 ? hang_cycles : hang_cycles_with_stalls),
        !config.own_units.empty());
}

/// Builds the design, its memories and its instruction stream.
void TcuSimulation::build(const std::shared_ptr<KnownDesigns>& known) {
  const TcuSimulationConfig& config = config_;
  TcuSystem::Config top = top_config(config);
  top.known = known;
  system_ = std::make_unique<TcuSystem>("top", clock_, top, stream_);
  unsigned first_port = 0;  // number of this machine's first port at the board's memory
  if (board_memory_ != nullptr) {
    first_port = board_memory_->add_machine(config, clock_);
  } else if (config.memory_model == MemoryModel::board && !config.memory) {
    if (!config.resolved_ddr) internal_error("the board's memory has not been looked up");
    own_memory_ =
        std::make_unique<MemorySystem>(config, *config.resolved_ddr, std::vector<unsigned>{0, 1},
                                       clock_, MemorySystem::stream_of(config));
    board_memory_ = own_memory_.get();
  }
  for (unsigned p = 0; p < 2; ++p) {
    slaves_[p] = std::make_unique<AxiSlave>(p == 0 ? "slave0" : "slave1", clock_, word_bytes(),
                                            config.transport, system_->pins(p));
    if (board_memory_ != nullptr) {
      board_memory_->attach(first_port + p, *slaves_[p], p == 0 ? "memory0" : "memory1");
    } else {
      memories_[p] = config.memory ? config.memory(p, *slaves_[p])
                                   : fixed_latency_bank(config, p, *slaves_[p]);
    }
    system_->attach(p, *slaves_[p]);
  }
  if (config.stream_model == StreamModel::board) {
    if (board_memory_ == nullptr) {
      user_error(
          "the instruction stream is to come out of the board's memory, and this machine has "
          "another one; allowed: --stream ideal (stream_model)");
    }
    const MemoryStream& stream = *config.board_memory->stream;
    stream_reader_ = std::make_unique<StreamReader>(
        "stream_reader", clock_,
        StreamReader::Config{word_bytes(), stream.burst_bytes, stream.bursts});
    board_memory_->attach(*stream_reader_);
    stream_.read_through(stream_reader_.get());
  }
}

/// Ends the SystemC threads first. Those of a user's memory may refer to its module while they
/// unwind.
TcuSimulation::~TcuSimulation() {
  if (owns_kernel()) kernel_.end_threads();
}

/// Starts the instruction stream. Throws UserError if a program that is read from the DRAM does not
/// fit there, up to the next bank.
void TcuSimulation::start_stream(const std::vector<std::uint8_t>& program) {
  system_->withdraw_word();
  stream_.start(program, instruction_bytes_);
  if (!stream_reader_) return;
  const BoardMemory& memory = *config_.board_memory;
  const std::uint64_t base = memory.stream->base;
  std::uint64_t end = std::min(config_.resolved_ddr->bytes(), std::uint64_t{1} << 32);
  for (const std::uint64_t bank : memory.base) {
    if (bank > base) end = std::min(end, bank);
  }
  if (base >= end || stream_.size() > end - base) {
    user_error(
        "/memory/stream/base of the board: the program takes bytes 0x{:x}..0x{:x} of the DRAM; "
        "allowed up to 0x{:x}",
        base, base + stream_.size() - 1, end - 1);
  }
  stream_reader_->start(stream_.size());
}

TcuRunResult TcuSimulation::run(const std::vector<std::uint8_t>& program,
                                const TcuRunOptions& options) {
  TcuRunResult result;
  begin_counts(*system_, result);
  on_activity = nullptr;
  if (options.on_write_response) {
    const BoundarySplitter::Stats& stats = system_->port(0).splitter().stats();
    on_activity = [this, &options, &stats, seen = stats.write_responses]() mutable {
      if (stats.write_responses == seen) return;
      seen = stats.write_responses;
      options.on_write_response(stats.last_write_response - first_cycle());
    };
  }
  if (own_memory_) result.ddr = own_memory_->figures();
  start_stream(program);
  Simulation::run(program.size() / instruction_bytes_, options, result);
  if (own_memory_) {
    DdrFigures figures = own_memory_->figures();
    result.ddr = figures -= *result.ddr;
  }
  if (board_memory_ != nullptr) board_memory_->settle(clock_);
  end_counts(*system_, first_cycle(), result);
  return result;
}

std::uint64_t TcuSimulation::debug_access(unsigned port, tlm::tlm_command command,
                                          std::uint64_t address, std::uint8_t* data,
                                          std::uint64_t count) {
  const EnteredKernel entered(kernel_);
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
  host_written_end_[port] = std::max(host_written_end_[port], address + count);
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

std::uint64_t TcuSimulation::memory_bytes(std::size_t memory) const {
  const tcu::Architecture& architecture = config_.architecture;
  const std::uint64_t vector = architecture.vector_bytes();
  // Size of a bank: its depth, or more if vectors beyond it have been written, in whole vectors and
  // at most what 32-bit AXI addresses reach.
  const auto bank = [&](unsigned port, std::uint64_t depth) {
    const std::uint64_t written = std::max(slaves_[port]->written_end(), host_written_end_[port]);
    depth = std::max(depth, (written + vector - 1) / vector);
    return std::min(depth, (std::uint64_t{1} << 32) / vector) * vector;
  };
  switch (static_cast<TcuMemory>(memory)) {
    case TcuMemory::dram0:
      return bank(0, architecture.dram0_depth);
    case TcuMemory::dram1:
      return bank(1, architecture.dram1_depth);
    case TcuMemory::local:
      return architecture.local_depth * vector;
    case TcuMemory::accumulators:
      return architecture.accumulator_depth * vector;
  }
  internal_error("there is no memory {}", memory);
}

/// Reads a memory. The memories inside the TCU are read in whole vectors.
std::vector<std::uint8_t> TcuSimulation::read_memory(std::size_t memory, std::uint64_t address,
                                                     std::uint64_t count) {
  if (static_cast<TcuMemory>(memory) == TcuMemory::dram0) return read_dram(0, address, count);
  if (static_cast<TcuMemory>(memory) == TcuMemory::dram1) return read_dram(1, address, count);
  const tcu::Architecture& architecture = config_.architecture;
  const std::uint64_t vector = architecture.vector_bytes();
  const Tcu& tcu = std::as_const(*system_).tcu();
  const DualPortMemory& vectors = static_cast<TcuMemory>(memory) == TcuMemory::local
                                      ? tcu.local()
                                      : tcu.accumulators().accumulator().memory();
  std::vector<std::uint8_t> bytes(count);
  for (std::uint64_t at = 0; at < count; at += vector) {
    tcu::vector_kernels(architecture.data_type)
        .to_bytes(vectors.vector((address + at) / vector), bytes.data() + at,
                  architecture.array_size);
  }
  return bytes;
}

}  // namespace tactus
