// Places for the DRAM banks of several TCUs, or of several models on one TCU, in one DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// Bytes of the two banks that a model sees, or the byte addresses in the DRAM at which they begin.
using BankBytes = std::array<std::uint64_t, 2>;
using BankBases = std::array<std::uint64_t, 2>;

/// Sizes of the banks of an architecture.
[[nodiscard]] BankBytes bank_bytes(const tcu::Architecture& architecture);

/// Places pairs of banks in the DRAM of the configuration, whose memory is the board's. The first
/// pair is at the board's bases, each further bank at the next free place: the search begins at the
/// board's base, advances in steps of the largest bank's size rounded up to a power of two, at
/// least `least_step` bytes, and wraps from the DRAM's end. `stream_bytes` is the size of the
/// program at the base of the board's stream; 0 for an ideal stream. Returns the places of the
/// pairs that fit: fewer than asked if the DRAM is too small.
[[nodiscard]] std::vector<BankBases> place_bank_pairs(const TcuSimulationConfig& config,
                                                      const std::vector<BankBytes>& pairs,
                                                      std::uint64_t stream_bytes,
                                                      std::uint64_t least_step = 1);

/// Returns the byte addresses in the DRAM at which the banks of equal units begin. Throws UserError
/// if the banks do not fit. `stream_bytes` is as in place_bank_pairs().
[[nodiscard]] std::vector<BankBases> bank_places(const TcuSimulationConfig& config, unsigned units,
                                                 std::uint64_t stream_bytes);

/// Size of the longest program in the DRAM, with the padding to whole words of the stream; 0 if the
/// instruction stream is not read from the DRAM.
[[nodiscard]] std::uint64_t stream_bytes_of(const TcuSimulationConfig& config,
                                            std::uint64_t program_bytes);

}  // namespace tactus
