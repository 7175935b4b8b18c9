// A machine with a DPAS array, as read from configs/dpas/*.json.
//
// The provenance of every value in the shipped files is given: published, or assumed (Tactus's
// model). The firmware finds a file by its name: read_profile(config_path("dpas", "pvc")).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dpas/precision.h"
#include "isa/support/provenance.h"

namespace tactus::dpas {

/// Latency of a DPAS from issue to its last row: `model` is Tactus's model for every repeat count,
/// `igc` the table of Intel's compiler including its catch-all values. See timing.h.
enum class LatencyModel : std::uint8_t { model, igc };

struct Profile {
  std::string name;   ///< "pvc"
  std::string title;  ///< "Xe-HPC (Ponte Vecchio)"

  // ---- what programs see ----
  std::uint32_t execution_size = 16;  ///< N: channels of a DPAS; 8 or 16
  std::uint32_t grf_bytes = 64;       ///< G: bytes of a register; 32 or 64
  std::uint32_t grf_count = 128;      ///< registers of a thread
  std::uint32_t tokens = 16;          ///< tokens of a thread
  std::uint32_t threads = 8;          ///< hardware threads, 1..16
  PrecisionSet precisions = 0;
  bool equal_int_widths = false;         ///< both integer precisions must have the same width
  bool narrow_accumulators = true;       ///< dst and src0 may be BF (for bf) and HF (for hf)
  bool narrow_fp8_accumulators = false;  ///< and BF for bf8, hf8 and e2m1
  bool src2_full_alignment = false;      ///< src2 of RC = 8 must start at a register
  bool any_systolic_depth = false;       ///< SD 1, 2, 4 and 8 instead of 8 only
  bool dpasw = false;                    ///< has DPASW

  // ---- the array ----
  std::uint32_t array_depth = 8;  ///< Dp: stages that exist; 8, 4 or 2. P = 8 / Dp passes
  std::uint32_t overhead = 13;    ///< o of the latency model, cycles
  std::array<std::uint32_t, 8> igc_latency{};  ///< for RC = 1..8, from the compiler's table
  /// compiler's value for bf8/hf8 with RC = 8; 0: as for others
  std::uint32_t igc_latency_fp8 = 0;
  std::uint32_t src1_buffer_bytes = 512;  ///< operand buffer of src1, groups of 8 registers
  std::uint32_t src2_buffer_bytes = 0;    ///< operand buffer of src2, groups of 4 registers
  bool macro_src1_below_rc8 = true;       ///< a macro of RC < 8 may change src1 between its members

  // ---- register file ----
  std::uint32_t bank_period = 4;     ///< bank = (r mod period) / (period / 2): 0 or 1
  std::uint32_t bundle_period = 64;  ///< bundle = (r mod period) / bundle_registers
  std::uint32_t bundle_registers = 4;
  /// for a row whose reads are in the same bank and bundle; 0: off
  std::uint32_t bank_conflict_cycles = 0;

  // ---- around the array, cycles ----
  std::uint32_t alu_latency = 10;  ///< for execution size 8 and less
  std::uint32_t alu_latency_simd16 = 11;
  std::uint32_t alu_latency_simd32 = 13;
  std::uint32_t flag_latency = 16;  ///< from a comparison to a predicated instruction
  std::uint32_t branch_latency = 23;
  std::uint32_t barrier_latency = 30;
  std::uint32_t fence_latency = 35;
  /// until a message's sources are read, plus 1 cycle per register
  std::uint32_t send_latency = 8;
  std::uint32_t l1_latency = 45;   ///< load, hit in L1
  std::uint32_t l3_latency = 200;  ///< load, hit in L3

  ProvenanceByKey provenance;  ///< by key; empty if the file has none

  [[nodiscard]] bool has(Precision precision) const { return (precisions & bit(precision)) != 0; }
  /// P: passes through the array of an instruction with SD = 8.
  [[nodiscard]] unsigned passes() const { return 8 / array_depth; }
  [[nodiscard]] std::uint32_t register_file_bytes() const { return grf_bytes * grf_count; }
  [[nodiscard]] unsigned bank(unsigned grf) const { return grf % bank_period / (bank_period / 2); }
  [[nodiscard]] unsigned bundle(unsigned grf) const {
    return grf % bundle_period / bundle_registers;
  }
  /// Supported precisions as text, "u2, s2, u4, ...", in the order of their codes.
  [[nodiscard]] std::string precision_list() const;
};

/// Compares all values that the table of parameters lists.
[[nodiscard]] bool operator==(const Profile& a, const Profile& b);

/// Throws UserError "file:/path: what; allowed ...", one line per mistake.
[[nodiscard]] Profile parse_profile(std::string_view json, const std::string& where);
[[nodiscard]] Profile read_profile(const std::string& path);

}  // namespace tactus::dpas
