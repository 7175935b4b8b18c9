// The registers of a TcuDevice (models/tcu/device) on its bus: 32 bits each, at byte offsets.
//
// This table is the one source of offsets, access rules and reset values: the device decodes by it,
// its page prints it, the tests go through it. 0x00..0x5B are the registers of the AXI DMA in its
// simple mode (PG021, "Direct Register Mode"): MM2S streams instructions from memory to the unit,
// S2MM samples from the unit to memory. The unit's own registers begin at 0x100.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/reference.h"

namespace tactus::tcu {

enum class DeviceRegister : std::uint16_t {
  mm2s_dmacr = 0x00,
  mm2s_dmasr = 0x04,
  mm2s_sa = 0x18,
  mm2s_sa_msb = 0x1C,
  mm2s_length = 0x28,
  s2mm_dmacr = 0x30,
  s2mm_dmasr = 0x34,
  s2mm_da = 0x48,
  s2mm_da_msb = 0x4C,
  s2mm_length = 0x58,
  control = 0x100,
  status = 0x104,
  program_counter = 0x108,
  timeout = 0x10C,
  tracepoint = 0x110,
  sample_interval = 0x114,
  samples_dropped = 0x118,
  retired = 0x120,
  retired_msb = 0x124,
  latency = 0x128,
  latency_msb = 0x12C,
  cycle = 0x130,
  cycle_msb = 0x134,
};

/// Bits of MM2S_DMACR and S2MM_DMACR.
inline constexpr std::uint32_t dmacr_run = 1U << 0, dmacr_reset = 1U << 2,
                               dmacr_complete_irq = 1U << 12, dmacr_error_irq = 1U << 14;
/// Bits of MM2S_DMASR and S2MM_DMASR.
inline constexpr std::uint32_t dmasr_halted = 1U << 0, dmasr_idle = 1U << 1,
                               dmasr_internal_error = 1U << 4, dmasr_slave_error = 1U << 5,
                               dmasr_decode_error = 1U << 6, dmasr_complete = 1U << 12,
                               dmasr_error = 1U << 14;
/// Bits of TCU_CONTROL.
inline constexpr std::uint32_t control_done_irq = 1U << 0, control_reset = 1U << 1,
                               control_error_irq = 1U << 2;
/// Bits of TCU_STATUS.
inline constexpr std::uint32_t status_done = 1U << 0, status_idle = 1U << 1,
                               status_resetting = 1U << 2, status_timeout = 1U << 3,
                               status_tracepoint = 1U << 4, status_error = 1U << 5;

enum class DeviceAccess : std::uint8_t {
  read,        ///< writes are errors
  read_write,  ///< written bits without a meaning are ignored
  clear,       ///< a 1 written to a flag clears it
  start,       ///< a write starts a transfer
};

struct DeviceRegisterInfo {
  DeviceRegister address;
  std::string_view name;
  DeviceAccess access;
  std::uint32_t reset;
  bool of_samples;  ///< only in a unit with a sampler
  std::string_view text;
};

inline constexpr std::array<DeviceRegisterInfo, 23> device_registers{{
    {DeviceRegister::mm2s_dmacr, "MM2S_DMACR", DeviceAccess::read_write, 0x00010002, false,
     "bit 0 RS: 1 runs the channel, 0 stops it after the transfer under way; bit 2 Reset: resets "
     "both channels, reads 0; bit 12 IOC_IrqEn, bit 14 Err_IrqEn: the interrupts"},
    {DeviceRegister::mm2s_dmasr, "MM2S_DMASR", DeviceAccess::clear, 0x00000001, false,
     "bit 0 Halted; bit 1 Idle: the transfer is complete; bit 5 DMASlvErr, bit 6 DMADecErr: what "
     "the memory answered; flags: bit 12 IOC_Irq, transfer complete, bit 14 Err_Irq"},
    {DeviceRegister::mm2s_sa, "MM2S_SA", DeviceAccess::read_write, 0, false,
     "address of the program, bits 31:0; whole words of the stream"},
    {DeviceRegister::mm2s_sa_msb, "MM2S_SA_MSB", DeviceAccess::read_write, 0, false,
     "address of the program, bits 63:32"},
    {DeviceRegister::mm2s_length, "MM2S_LENGTH", DeviceAccess::start, 0, false,
     "bytes of the program, whole words of the stream; starts the transfer"},
    {DeviceRegister::s2mm_dmacr, "S2MM_DMACR", DeviceAccess::read_write, 0x00010002, true,
     "as MM2S_DMACR, of the samples"},
    {DeviceRegister::s2mm_dmasr, "S2MM_DMASR", DeviceAccess::clear, 0x00000001, true,
     "as MM2S_DMASR; bit 4 DMAIntErr: the buffer was full before the block's last sample"},
    {DeviceRegister::s2mm_da, "S2MM_DA", DeviceAccess::read_write, 0, true,
     "address of the buffer, bits 31:0; a multiple of 8"},
    {DeviceRegister::s2mm_da_msb, "S2MM_DA_MSB", DeviceAccess::read_write, 0, true,
     "address of the buffer, bits 63:32"},
    {DeviceRegister::s2mm_length, "S2MM_LENGTH", DeviceAccess::start, 0, true,
     "bytes of the buffer, a multiple of 8; starts the transfer; reads the bytes received once it "
     "is complete"},
    {DeviceRegister::control, "TCU_CONTROL", DeviceAccess::read_write, 0, false,
     "bit 0 DoneIrqEn, bit 2 ErrorIrqEn: the interrupts; bit 1 Reset: as the pin, reads 0"},
    {DeviceRegister::status, "TCU_STATUS", DeviceAccess::clear, 0x00000002, false,
     "flag: bit 0 Done, a program has ended and its results are in memory; bit 1 Idle; bit 2 "
     "Resetting; bit 3 Timeout, bit 4 Tracepoint: outputs of the decoder; bit 5 Error: a memory "
     "has "
     "refused an access of a DMA or a DRAM port, or samples did not fit into their buffer; stays "
     "set until a reset of the device or of a channel"},
    {DeviceRegister::program_counter, "TCU_PROGRAM_COUNTER", DeviceAccess::read, 0, false,
     "the decoder's program counter"},
    {DeviceRegister::timeout, "TCU_TIMEOUT", DeviceAccess::read, 100, false,
     "cycles without progress at the decoder's head before its timeout output rises; the reset "
     "value is that of the configuration"},
    {DeviceRegister::tracepoint, "TCU_TRACEPOINT", DeviceAccess::read, 0xFFFFFFFF, false,
     "program counter at which the tracepoint output is high"},
    {DeviceRegister::sample_interval, "TCU_SAMPLE_INTERVAL", DeviceAccess::read, 0, true,
     "cycles from one sample to the next, 0: none; the reset value is that of the configuration"},
    {DeviceRegister::samples_dropped, "TCU_SAMPLES_DROPPED", DeviceAccess::read, 0, true,
     "samples that nobody took in time"},
    {DeviceRegister::retired, "TCU_RETIRED", DeviceAccess::read, 0, false,
     "instructions that retired, bits 31:0"},
    {DeviceRegister::retired_msb, "TCU_RETIRED_MSB", DeviceAccess::read, 0, false, "bits 63:32"},
    {DeviceRegister::latency, "TCU_LATENCY", DeviceAccess::read, 0, false,
     "cycles of the last program, from its first word to its last retire or write response, bits "
     "31:0"},
    {DeviceRegister::latency_msb, "TCU_LATENCY_MSB", DeviceAccess::read, 0, false, "bits 63:32"},
    {DeviceRegister::cycle, "TCU_CYCLE", DeviceAccess::read, 0, false,
     "the present cycle of the clock, bits 31:0"},
    {DeviceRegister::cycle_msb, "TCU_CYCLE_MSB", DeviceAccess::read, 0, false, "bits 63:32"},
}};

/// Bytes of the address space that the registers take.
inline constexpr std::uint64_t device_register_bytes = 0x1000;

/// Null if there is no register at this offset.
[[nodiscard]] constexpr const DeviceRegisterInfo* find_device_register(std::uint64_t offset) {
  for (const DeviceRegisterInfo& info : device_registers) {
    if (static_cast<std::uint64_t>(info.address) == offset) return &info;
  }
  return nullptr;
}

/// The table, as the device's page and `tactus explain` have it.
[[nodiscard]] ReferenceTable device_register_table();

}  // namespace tactus::tcu
