#include "models/tcu/device/tcu_device.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "isa/support/error.h"
#include "isa/tcu/layout.h"
#include "models/axi/axi_registers.h"
#include "models/sim/kernel_time.h"

namespace tactus {
namespace {

using tcu::DeviceRegister;

/// Cycles without progress after which a unit that waits for no memory is left asleep: only a reset
/// or a register write changes anything. Random stalls may hold everything up for longer.
constexpr Cycle device_patience = 1000;
constexpr Cycle device_patience_with_stalls = 100000;

/// A DRAM port has addresses of 32 bits.
constexpr std::uint64_t last_dram_base = ~std::uint64_t{0} << 32U;

StreamReader::Config fetch_config(const TcuDevice::Config& config) {
  return {config.system.axi_data_bits / 8, config.burst_bytes, config.bursts, config.transport};
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

/// Checks the configuration, and fills in the period if it has none.
TcuDevice::Config checked_config(const char* name, TcuDevice::Config config) {
  if (config.period == sc_core::SC_ZERO_TIME) config.period = {10, sc_core::SC_NS};
  const unsigned word = config.system.axi_data_bits / 8;
  if (config.length_bits < 8 || config.length_bits > 26) {
    user_error("{}: length registers of {} bits; allowed 8..26", name, config.length_bits);
  }
  const bool is_power = (config.burst_bytes & (config.burst_bytes - 1)) == 0;
  if (!is_power || config.burst_bytes < word || config.burst_bytes > 4096) {
    user_error("{}: instructions in bursts of {} bytes; allowed powers of two in {}..4096", name,
               config.burst_bytes, word);
  }
  for (unsigned p = 0; p < 2; ++p) {
    const std::uint64_t base = config.dram_base[p];
    if (base % axi_page_bytes == 0 && base <= last_dram_base) continue;
    user_error("{}: bank dram{} at address 0x{:x}; allowed multiples of {} up to 0x{:x}", name, p,
               base, axi_page_bytes, last_dram_base);
  }
  if (config.bursts == 0) user_error("{}: 0 bursts of instructions; allowed 1 or more", name);
  if (config.period.value() < 2) {
    const sc_core::sc_time unit = sc_core::sc_get_time_resolution();
    user_error("{}: a clock period of {} at a time resolution of {}; allowed {} or more", name,
               config.period.to_string(), unit.to_string(), (unit * 2).to_string());
  }
  return config;
}

}  // namespace

// ---- one half of the DMA -----------------------------------------------------------------------

void TcuDevice::Channel::reset() {
  const unsigned before = resets;
  *this = {};
  resets = before + 1;
  control = tcu::find_device_register(0)->reset;
  status = tcu::dmasr_halted;
}

/// Ends a transfer. `error` is its error bit in the status register; 0: it is complete.
void TcuDevice::Channel::end(std::uint32_t error) {
  busy = false;
  if (error != 0) {
    control &= ~tcu::dmacr_run;
    status |= tcu::dmasr_halted | tcu::dmasr_error | error;
    return;
  }
  status |= tcu::dmasr_idle | tcu::dmasr_complete;
  if ((control & tcu::dmacr_run) == 0) status |= tcu::dmasr_halted;
}

bool TcuDevice::Channel::interrupts() const {
  // Flags and their enables have the same places.
  return (status & control & (tcu::dmasr_complete | tcu::dmasr_error)) != 0;
}

namespace {

/// The status bit that says how the memory refused an access.
std::uint32_t dma_error(tlm::tlm_response_status status) {
  return status == tlm::TLM_ADDRESS_ERROR_RESPONSE ? tcu::dmasr_decode_error
                                                   : tcu::dmasr_slave_error;
}

}  // namespace

// ---- elaboration -------------------------------------------------------------------------------

TcuDevice::TcuDevice(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name),
      names_period_(config.period != sc_core::SC_ZERO_TIME),
      config_(checked_config(basename(), config)),
      fetch_(clock_, fetch_config(config), config.trusts_dmi),
      system_("system", clock_, config.system, fetch_),
      slaves_{std::make_unique<AxiSlave>("slave0", clock_, config.system.axi_data_bits / 8,
                                         config.transport, system_.pins(0)),
              std::make_unique<AxiSlave>("slave1", clock_, config.system.axi_data_bits / 8,
                                         config.transport, system_.pins(1))},
      dram0(slaves_[0]->socket),
      dram1(slaves_[1]->socket),
      instructions(fetch_.socket()),
      driver_(
          "driver", clock_, config_.period,
          [this](Cycle most) { return reporting(false, [&] { return tick(most); }); },
          !config.system.own_units.empty()) {
  for (unsigned p = 0; p < 2; ++p) {
    if (config.trusts_dmi) slaves_[p]->trust_dmi();
    slaves_[p]->set_socket_base(config.dram_base[p]);
    slaves_[p]->on_serial = [this, p] { warn_of_serial_memory(p == 0 ? "dram0" : "dram1"); };
    slaves_[p]->on_error = [this, p](const std::string& what, std::uint64_t time) {
      if (!access_failed_) warn(fmt::format("dram{}: {}", p, what));
      access_failed_ = true;
      show_error(time);
    };
    system_.attach(p, *slaves_[p]);
  }
  if (config.system.sample_block_size > 0) {
    writer_ = std::make_unique<SampleWriter>("samples", clock_, config.transport);
    system_.hold_samples(true);
    system_.on_sample = [this](const Sample& sample) {
      if (writer_->takes()) writer_->take(sample);  // it takes none after an error
      system_.hold_samples(!writer_->takes());
    };
    writer_->on_end = [this] { end_samples(); };
    writer_->set_on_serial([this] { warn_of_serial_memory("samples"); });
  }
  fetch_.on_end = [this] { end_stream(); };
  fetch_.set_on_serial([this] { warn_of_serial_memory("instructions"); });
  system_.on_border = [this] {
    if (on_advance) on_advance();
    return retires_to_border();
  };
  program_.reset();
  samples_.reset();
  registers.register_b_transport(this, &TcuDevice::access);
  registers.register_transport_dbg(this, &TcuDevice::access_debug);
  SC_METHOD(on_reset);
  sensitive << reset;
  SC_METHOD(make_changes);
  sensitive << changed_;
}

TcuDevice::~TcuDevice() = default;

tlm::tlm_initiator_socket<>& TcuDevice::samples() {
  if (!writer_) {
    user_error("{}: it has no sampler and so no socket for samples; sample_block_size is 0",
               name());
  }
  return writer_->socket;
}

/// Checks that all ports are bound: SystemC's own error names no socket.
void TcuDevice::before_end_of_elaboration() {
  const auto check = [this](const char* what, bool bound) {
    if (!bound) {
      user_error("{}: {} is bound to nothing; all sockets and ports of a TcuDevice have to be",
                 name(), what);
    }
  };
  const auto is_bound = [](tlm::tlm_initiator_socket<>& socket) {
    return socket.get_base_port().bind_count() > 0;
  };
  check("socket registers", registers.get_base_port().bind_count() > 0);
  check("socket dram0", is_bound(dram0));
  check("socket dram1", is_bound(dram1));
  check("socket instructions", is_bound(instructions));
  if (writer_) check("socket samples", is_bound(samples()));
  check("port reset", reset.bind_count() > 0);
  check("port interrupt", interrupt.bind_count() > 0);
  if (clock.bind_count() > 0) follow_clock();
}

std::vector<std::uint8_t> TcuDevice::stream(const std::vector<std::uint8_t>& program,
                                            const std::string& what) const {
  const std::size_t instruction =
      tcu::InstructionLayout(config_.system.tcu.architecture).instruction_bytes();
  const std::size_t unit = std::lcm(instruction, std::size_t{config_.system.axi_data_bits / 8});
  // No width is 0. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  const std::size_t bytes = (program.size() + unit - 1) / unit * unit;
  const std::size_t most = (std::size_t{1} << config_.length_bits) - 1;
  if (bytes == 0 || bytes > most) {
    user_error("{}: a program of {} bytes for {}; its MM2S_LENGTH has {} bits: allowed 1..{}", what,
               bytes, name(), config_.length_bits, most);
  }
  std::vector<std::uint8_t> padded = program;
  padded.resize(bytes);
  return padded;
}

std::vector<std::uint8_t> TcuDevice::program() {
  std::vector<std::uint8_t> bytes(program_.length);
  tlm::tlm_generic_payload access;
  access.set_command(tlm::TLM_READ_COMMAND);
  access.set_address(program_.address);
  access.set_data_ptr(bytes.data());
  access.set_data_length(program_.length);
  access.set_streaming_width(program_.length);
  if (instructions->transport_dbg(access) != program_.length) {
    user_error("{}: the memory refuses debug reads of the program, {} bytes at 0x{:x}", name(),
               program_.length, program_.address);
  }
  return bytes;
}

// ---- registers ---------------------------------------------------------------------------------

tlm::tlm_response_status TcuDevice::check(const tlm::tlm_generic_payload& access) const {
  const tcu::DeviceRegisterInfo* const info = tcu::find_device_register(access.get_address());
  if (info == nullptr || (info->of_samples && !writer_)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (access.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (access.get_data_length() != 4 || access.get_streaming_width() < 4) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (!access.is_read() && !access.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (access.is_write() && info->access == tcu::DeviceAccess::read) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

void TcuDevice::access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  tlm::tlm_response_status status = check(transaction);
  if (status == tlm::TLM_OK_RESPONSE) {
    if (delay != sc_core::SC_ZERO_TIME) {
      wait(delay);
      delay = sc_core::SC_ZERO_TIME;
    }
    if (follows_clock()) wait_for_step();
    const auto which = static_cast<DeviceRegister>(transaction.get_address());
    std::uint32_t value = 0;
    if (transaction.is_write()) {
      std::memcpy(&value, transaction.get_data_ptr(), sizeof value);
      status = tlm::TLM_GENERIC_ERROR_RESPONSE;
      if (!reset.read() && !resetting_) {
        status = reporting(status, [&] { return write(which, value); });
      }
    } else {
      value = this->value(which);
      std::memcpy(transaction.get_data_ptr(), &value, sizeof value);
    }
  }
  transaction.set_response_status(status);
}

/// Reads only: a debug access has no effect.
unsigned TcuDevice::access_debug(tlm::tlm_generic_payload& transaction) {
  if (!transaction.is_read() || check(transaction) != tlm::TLM_OK_RESPONSE) return 0;
  const std::uint32_t value = this->value(static_cast<DeviceRegister>(transaction.get_address()));
  std::memcpy(transaction.get_data_ptr(), &value, sizeof value);
  return sizeof value;
}

TcuDevice::Channel& TcuDevice::channel(DeviceRegister which) {
  return which < DeviceRegister::s2mm_dmacr ? program_ : samples_;
}

std::uint32_t TcuDevice::value(DeviceRegister which) {
  catch_up();
  const Decoder& decoder = system_.tcu().decoder();
  const std::uint64_t cycle =
      follows_clock() ? clock_.now : sc_core::sc_time_stamp().value() / config_.period.value();
  switch (which) {
    case DeviceRegister::mm2s_dmacr:
    case DeviceRegister::s2mm_dmacr:
      return channel(which).control;
    case DeviceRegister::mm2s_dmasr:
    case DeviceRegister::s2mm_dmasr:
      return channel(which).status;
    case DeviceRegister::mm2s_sa:
    case DeviceRegister::s2mm_da:
      return low(channel(which).address);
    case DeviceRegister::mm2s_sa_msb:
    case DeviceRegister::s2mm_da_msb:
      return high(channel(which).address);
    case DeviceRegister::mm2s_length:
    case DeviceRegister::s2mm_length:
      return channel(which).length;
    case DeviceRegister::control:
      return control_;
    case DeviceRegister::status: {
      const bool resets = resetting_ || reset.read();
      return (done_ ? tcu::status_done : 0) | (idle_ && !resets ? tcu::status_idle : 0) |
             (resets ? tcu::status_resetting : 0) | (error_ ? tcu::status_error : 0) |
             (decoder.timeout() ? tcu::status_timeout : 0) |
             (decoder.tracepoint() ? tcu::status_tracepoint : 0);
    }
    case DeviceRegister::program_counter:
      return decoder.registers().program_counter;
    case DeviceRegister::timeout:
      return decoder.registers().timeout;
    case DeviceRegister::tracepoint:
      return decoder.registers().tracepoint;
    case DeviceRegister::sample_interval:
      return decoder.registers().sample_interval;
    case DeviceRegister::samples_dropped:
      return resetting_ ? 0 : low(system_.sampler()->stats().dropped - dropped_before_);
    case DeviceRegister::retired:
      return resetting_ ? 0 : low(decoder.stats().retired - retired_before_);
    case DeviceRegister::retired_msb:
      return resetting_ ? 0 : high(decoder.stats().retired - retired_before_);
    case DeviceRegister::latency:
      return low(latency_);
    case DeviceRegister::latency_msb:
      return high(latency_);
    case DeviceRegister::cycle:
      return low(cycle);
    case DeviceRegister::cycle_msb:
      return high(cycle);
  }
  internal_error("{}: register 0x{:x} has no value", name(), static_cast<unsigned>(which));
}

tlm::tlm_response_status TcuDevice::write(DeviceRegister which, std::uint32_t value) {
  switch (which) {
    case DeviceRegister::mm2s_dmacr:
    case DeviceRegister::s2mm_dmacr:
      return write_control(channel(which), value);
    case DeviceRegister::mm2s_dmasr:
    case DeviceRegister::s2mm_dmasr:
      channel(which).status &= ~(value & (tcu::dmasr_complete | tcu::dmasr_error));
      break;
    case DeviceRegister::mm2s_sa:
    case DeviceRegister::s2mm_da:
      return write_address(channel(which), 0, value);
    case DeviceRegister::mm2s_sa_msb:
    case DeviceRegister::s2mm_da_msb:
      return write_address(channel(which), 32, value);
    case DeviceRegister::mm2s_length:
      return begin_program(value);
    case DeviceRegister::s2mm_length:
      return begin_samples(value);
    case DeviceRegister::control:
      control_ = value & (tcu::control_done_irq | tcu::control_error_irq);
      if ((value & tcu::control_reset) != 0) begin_reset();
      break;
    case DeviceRegister::status:
      if ((value & tcu::status_done) != 0) done_ = false;
      break;
    default:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  update_interrupt();
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status TcuDevice::write_control(Channel& channel, std::uint32_t value) {
  if ((value & tcu::dmacr_reset) != 0) {
    program_.reset();
    samples_.reset();
    in_next_cycle([this] { stop_channels(); });
    error_ = false;
    update_interrupt();
    return tlm::TLM_OK_RESPONSE;
  }
  constexpr std::uint32_t kept = tcu::dmacr_run | tcu::dmacr_complete_irq | tcu::dmacr_error_irq;
  channel.control = (channel.control & ~kept) | (value & kept);
  if ((value & tcu::dmacr_run) != 0) {
    channel.status &= ~tcu::dmasr_halted;
  } else if (!channel.busy) {
    channel.status |= tcu::dmasr_halted;
  }
  update_interrupt();
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status TcuDevice::write_address(Channel& channel, unsigned shift,
                                                  std::uint32_t value) {
  if (channel.busy) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  channel.address &= ~(std::uint64_t{0xFFFFFFFF} << shift);
  channel.address |= std::uint64_t{value} << shift;
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status TcuDevice::begin_program(std::uint32_t bytes) {
  if (!may_begin(program_, bytes, config_.system.axi_data_bits / 8)) {
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  catch_up();
  begin(program_, bytes);
  idle_ = false;
  in_next_cycle([this, address = program_.address, bytes] {
    fetch_.start(address, bytes);
    stream_failed_ = false;
    if (!runs_) {
      runs_ = true;
      access_failed_ = false;
      if (on_begin) on_begin();
    }
    wake();
  });
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status TcuDevice::begin_samples(std::uint32_t bytes) {
  if (!may_begin(samples_, bytes, 8)) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  catch_up();
  begin(samples_, bytes);
  in_next_cycle([this, address = samples_.address, bytes] {
    writer_->start(address, bytes);
    system_.hold_samples(false);
    wake();
  });
  return tlm::TLM_OK_RESPONSE;
}

bool TcuDevice::may_begin(const Channel& channel, std::uint32_t bytes, unsigned unit) const {
  const bool runs = (channel.control & tcu::dmacr_run) != 0 && !channel.busy;
  return runs && bytes != 0 && bytes >> config_.length_bits == 0 && bytes % unit == 0 &&
         channel.address % unit == 0 && bytes - 1 <= ~channel.address;
}

void TcuDevice::begin(Channel& channel, std::uint32_t bytes) {
  channel.busy = true;
  channel.length = bytes;
  channel.status &= ~tcu::dmasr_idle;
}

// ---- time --------------------------------------------------------------------------------------

/// Advances an idle unit to the first cycle that has not begun yet.
void TcuDevice::catch_up() {
  if (follows_clock() || driver_.running()) return;
  const std::uint64_t period = config_.period.value();
  const Cycle present = (sc_core::sc_time_stamp().value() + period - 1) / period;
  // Modules in the place of units have no clock edges in the past.
  if (!config_.system.own_units.empty() && clock_.now < present) {
    system_.pass_idle(present - clock_.now);
  }
  while (clock_.now < present) system_.advance(present - clock_.now);
}

void TcuDevice::wake() {
  catch_up();
  last_activity_ = clock_.now;
  if (is_awake()) return;
  if (follows_clock()) {
    is_awake_ = true;
  } else {
    driver_.begin();
  }
}

void TcuDevice::in_next_cycle(std::function<void()> change) {
  const bool waits =
      follows_clock() && (is_stepping_ || !edges_.is_at(sc_core::sc_time_stamp().value()));
  if (waits) {
    in_next_cycle_.push_back(std::move(change));
  } else {
    change();
  }
}

bool TcuDevice::tick(Cycle most) {
  const Cycle ahead = follows_clock() ? most : cycles_before_kernel(clock_, config_.most_ahead);
  system_.set_horizon({clock_.now + ahead, retires_to_border()});
  if (writer_) writer_->move();
  // Sequences are asked for where an advance begins: they may begin with the program.
  if (fetch_.first_word() > clock_.now) most = std::min(most, fetch_.first_word() - clock_.now);
  const Cycle quiet = system_.advance(most);
  if (on_advance) on_advance();
  return after_cycles(quiet);
}

/// Returns whether to go on.
bool TcuDevice::after_cycles(Cycle quiet) {
  if (clock_.progress != seen_progress_) {
    seen_progress_ = clock_.progress;
    last_activity_ = clock_.now - quiet;
  }
  check_stream();
  const bool samples =
      samples_.busy || (writer_ && system_.tcu().decoder().registers().sample_interval != 0);
  if (quiet == 0) return true;
  const bool idle = system_.idle();
  const Cycle patience =
      config_.system.stalls.percent() == 0 ? device_patience : device_patience_with_stalls;
  const bool stuck = !system_.waits_for_memory() && clock_.now - last_activity_ > patience;
  if (resetting_) {
    if (idle || stuck) finish_reset();
    return !(idle || stuck);
  }
  if (idle) end_program();
  return samples || !(idle || stuck);
}

/// Called in the cycle in which the last word of a stream is taken.
void TcuDevice::end_stream() {
  system_.pause();
  end_transfer(program_, clock_.time_of(fetch_.last_taken() + 1), 0);
}

/// Ends a stream that the memory has refused.
void TcuDevice::check_stream() {
  const tlm::tlm_response_status answer = fetch_.error();
  if (answer == tlm::TLM_OK_RESPONSE) return;
  const std::uint64_t time = fetch_.error_time();
  if (!stream_failed_) warn("instructions: " + fetch_.refused());
  stream_failed_ = true;
  fetch_.stop();
  end_transfer(program_, time, dma_error(answer));
  show_error(time);
}

void TcuDevice::end_samples() {
  const std::uint64_t time = writer_->answered();
  const tlm::tlm_response_status answer = writer_->error();
  std::uint32_t error = writer_->overflowed() ? tcu::dmasr_internal_error : 0;
  if (answer != tlm::TLM_OK_RESPONSE) {
    error = dma_error(answer);
    warn("samples: " + writer_->refused());
  }
  if (error != 0) show_error(time);
  change_at(time, [this, resets = samples_.resets, bytes = low(writer_->bytes())] {
    if (samples_.resets == resets) samples_.length = bytes;
  });
  end_transfer(samples_, time, error);
}

void TcuDevice::end_transfer(Channel& channel, std::uint64_t time, std::uint32_t error) {
  change_at(time, [&channel, error, resets = channel.resets] {
    if (channel.resets == resets) channel.end(error);
  });
}

void TcuDevice::warn(const std::string& what) const {
  SC_REPORT_WARNING(device_message_type, fmt::format("{}: {}", name(), what).c_str());
}

void TcuDevice::warn_of_serial_memory(const char* socket) {
  if (warned_of_serial_) return;
  warned_of_serial_ = true;
  warn(
      fmt::format("{}: the memory accepts a request only with the answer to the one before, which "
                  "costs cycles; with Transport::blocking several are under way",
                  socket));
}

void TcuDevice::show_error(std::uint64_t time) {
  change_at(time, [this, resets = program_.resets] {
    if (program_.resets == resets) error_ = true;
  });
}

std::uint64_t TcuDevice::last_event() const {
  std::uint64_t last = system_.tcu().decoder().stats().last_retire;
  for (unsigned p = 0; p < 2; ++p) {
    last = std::max(last, system_.port(p).splitter().stats().last_write_response);
  }
  return last;
}

void TcuDevice::end_program() {
  if (!runs_) return;
  runs_ = false;
  const std::uint64_t end = last_event();
  const bool failed = stream_failed_ || access_failed_;
  change_at(clock_.begin(), [this, failed, latency = end - std::min(end, fetch_.first_offered())] {
    idle_ = !runs_;
    if (failed) return;
    done_ = true;
    latency_ = latency;
  });
  if (on_end) on_end(failed);
}

// ---- reset and interrupt -----------------------------------------------------------------------

void TcuDevice::on_reset() {
  if (reset.read() && !resetting_) begin_reset();
}

/// Begins a reset. As AXI demands, bursts in flight are completed first; so instructions in the
/// unit finish, as far as they can without those that follow them.
void TcuDevice::begin_reset() {
  catch_up();
  control_ = 0;
  done_ = error_ = false;
  changes_.clear();
  latency_ = 0;
  program_.reset();
  samples_.reset();
  resetting_ = true;
  update_interrupt();
  in_next_cycle([this] {
    runs_ = false;
    stop_channels();
    wake();
  });
}

void TcuDevice::stop_channels() {
  fetch_.stop();
  system_.withdraw_word();
  if (writer_) writer_->stop();
  system_.hold_samples(true);
}

void TcuDevice::finish_reset() {
  for (auto& slave : slaves_) slave->reset();
  system_.reset();
  retired_before_ = system_.tcu().decoder().stats().retired;
  if (system_.sampler() != nullptr) dropped_before_ = system_.sampler()->stats().dropped;
  change_at(clock_.begin(), [this] {
    resetting_ = false;
    idle_ = true;
  });
}

void TcuDevice::change_at(std::uint64_t time, std::function<void()> change) {
  if (follows_clock()) {
    changes_.emplace(time, std::move(change));
    if (time <= edges_.last()) update_interrupt();
    return;  // step() applies the others
  }
  const std::uint64_t period = config_.period.value();
  const std::uint64_t edge = (time + period - 1) / period * period;
  changes_.emplace(edge, std::move(change));
  const sc_core::sc_time at = sc_core::sc_time::from_value(edge);
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  changed_.notify(at > now ? at - now : sc_core::SC_ZERO_TIME);
  ++clock_.transactions;  // the kernel has something to do, which ends what may run ahead
}

void TcuDevice::update_interrupt() { changed_.notify(sc_core::SC_ZERO_TIME); }

/// Makes the changes that are due and drives the interrupt. An access before it, even at the same
/// time, finds the state before: no write can clear a flag that has not raised the interrupt.
void TcuDevice::make_changes() {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  const std::uint64_t edge = follows_clock() ? edges_.last() : now;
  while (!changes_.empty() && changes_.begin()->first <= edge) {
    const std::function<void()> change = std::move(changes_.begin()->second);
    changes_.erase(changes_.begin());
    change();
  }
  if (!changes_.empty() && !follows_clock()) {
    changed_.notify(sc_core::sc_time::from_value(changes_.begin()->first - now));
  }
  const bool done = done_ && (control_ & tcu::control_done_irq) != 0;
  const bool error = error_ && (control_ & tcu::control_error_irq) != 0;
  interrupt.write(done || error || program_.interrupts() || samples_.interrupts());
}

}  // namespace tactus
