// Executes whole instructions on the data of the TCU and of its memories, in program order and
// without time. This gives the units' results as long as no accumulator is read too early
// (Accumulator::early_reads()), because the units also access local memory and each DRAM in program
// order. Exception: with queued transfers, or with weights that have reads of their own, accesses
// to local memory may be late. An instruction then waits at the decoder's head as long as its
// access would overtake another access to the same vector of which one is a write; transfers keep
// their order among themselves, and so do weights.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/axi/axi_target.h"
#include "models/tcu/accumulators/accumulator_with_alu.h"
#include "models/tcu/activation/activation_unit.h"
#include "models/tcu/fast/program_items.h"
#include "models/tcu/memory/local_memory.h"
#include "models/tcu/systolic_array/systolic_array.h"

namespace tactus {

struct ConfigRegisters;

class TcuData {
 public:
  TcuData(const tcu::Architecture& architecture, tcu::MacRounding rounding, LocalMemory& local,
          SystolicArray& array, AccumulatorWithAlu& accumulators, ActivationUnit* activation,
          const ConfigRegisters& registers, const std::array<AxiTarget*, 2>& dram);

  void execute(const ProgramItem& item);

 private:
  /// Number of vectors that are processed at a time.
  static constexpr std::uint64_t batch = 64;
  void multiply(const ProgramItem& item);
  void load_weights(const ProgramItem& item);
  void from_dram(const ProgramItem& item);
  void to_dram(const ProgramItem& item);
  void accumulator_to_local(const ProgramItem& item);
  void simd(const ProgramItem& item);
  void write_accumulators(const Walk& walk, std::uint64_t first, std::uint64_t count,
                          const VectorRef* vectors, bool accumulate);
  [[nodiscard]] std::uint32_t dram_address(const ProgramItem& item, std::uint64_t i) const;
  [[nodiscard]] std::uint8_t* writable(DualPortMemory& memory, std::uint64_t address) {
    return address < memory.depth() ? memory.vector(address) : lost_.data();
  }

  const tcu::VectorKernels& kernels_;
  std::size_t lanes_;
  std::size_t vector_bytes_;
  bool copies_;  ///< bytes in DRAM are lanes
  LocalMemory& local_;
  SystolicArray& array_;
  AccumulatorWithAlu& accumulators_;
  ActivationUnit* activation_;  ///< null if there is none
  DualPortMemory& sums_;
  const ConfigRegisters& registers_;
  std::array<AxiTarget*, 2> dram_;
  std::array<VectorRef, batch> vectors_{};
  std::vector<std::uint8_t> results_;
  std::vector<std::uint8_t> lost_;  ///< takes data that is written beyond a depth
};

}  // namespace tactus
