// A kernel prepared for execution. Each instruction is decoded once to its registers, unit, cycles
// and function, so that its execution needs no lookup and no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dpas/program.h"
#include "models/dpas/parameters.h"

namespace tactus::dpas {

/// Kinds of instructions, in the order of MachineInfo::kinds. Labels are not instructions.
enum class OperationKind : std::uint8_t {
  dpas,
  mov,
  add,
  cmp,
  load,
  load_block2d,
  store,
  store_block2d,
  fence,
  barrier,
  jmp,
  ret,
};
inline constexpr std::size_t operation_kinds = 12;

struct OperationKindInfo {
  std::string_view name;   ///< name in JSON
  std::string_view title;  ///< name in program text
};
[[nodiscard]] const OperationKindInfo& info(OperationKind kind);

/// Unit that executes an operation; the issue stage itself executes `control`.
enum class Target : std::uint8_t { array, alu, memory, control };

struct RegisterRange {
  std::uint16_t first = 0;
  std::uint16_t count = 0;

  [[nodiscard]] bool overlaps(const RegisterRange& o) const {
    return first < o.first + o.count && o.first < first + count;
  }
  bool operator==(const RegisterRange& o) const { return first == o.first && count == o.count; }
};

/// The properties that all DPAS of one form share. The cycles are those of isa/dpas/timing.h.
struct DpasForm {
  DpasConfig config;
  DpasFunction function = nullptr;
  std::uint64_t macs = 0;
  MacKind mac_kind = MacKind::integer;
  std::uint16_t rows = 0;       ///< cycles in which a row enters the array: P * RC
  std::uint16_t src1_load = 0;  ///< cycles to load src1, one per register
  std::uint16_t latency = 0;    ///< L: cycles from issue to use of the result
  std::uint16_t released = 0;   ///< cycles from issue until the sources may be overwritten
  bool holds_src1 = false, holds_src2 = false;  ///< true if the operand may stay in its buffer
};

struct Operation {
  OperationKind kind = OperationKind::ret;
  Target target = Target::control;
  std::uint8_t sources = 0;      ///< number of ranges in `source`
  bool annotated = false;        ///< true if it sets a token or waits for one
  bool joins_next = false;       ///< DPAS: true if the next instruction belongs to the same macro
  std::uint8_t writes_flag = 0;  ///< id of the predicate; 0: none
  std::uint8_t reads_flag = 0;
  std::uint16_t form = 0;       ///< DPAS: index of its DpasForm
  std::uint16_t occupancy = 1;  ///< ALU: cycles that it occupies
  std::uint8_t lanes = 0;       ///< ALU: execution size
  std::uint16_t latency = 0;    ///< ALU: cycles from issue to use of the result
  /// DPAS: number of rows with a bank conflict, if src1 is loaded and if it is in its buffer.
  std::uint8_t conflicts = 0, conflicts_held = 0;
  Annotations annotations;
  RegisterRange dst;  ///< count 0: none
  std::array<RegisterRange, 8> source;
  std::uint32_t dst_address = 0;  ///< DPAS: byte offset in the register file
  /// DPAS: byte offsets of src0, src1 and src2 in the register file.
  std::array<std::uint32_t, 3> src_address{};
  std::uint32_t next = 0;   ///< jmp: index of the target operation
  std::uint32_t index = 0;  ///< index of the instruction in the kernel
};

/// Position of an instruction: "k.visaasm:12" or "k.isa: offset 0x1F".
[[nodiscard]] std::string place(const Program& program, const Kernel& kernel,
                                std::size_t instruction);

/// A kernel that is ready to run. It refers to the kernel and the program, which must outlive it.
class DecodedKernel {
 public:
  /// Precondition: `kernel` is resolved for the profile of the parameters. Throws UserError with
  /// the position of an instruction that this machine cannot execute (dpasw, bdpas).
  DecodedKernel(const Program& program, const Kernel& kernel, const MachineParameters& parameters);

  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  [[nodiscard]] const DpasForm& form(const Operation& operation) const {
    return forms_[operation.form];
  }
  [[nodiscard]] const Instruction& instruction(const Operation& operation) const {
    return kernel_.instructions[operation.index];
  }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Program& program() const { return program_; }
  /// Position of an operation: "k.visaasm:12".
  [[nodiscard]] std::string place(const Operation& operation) const;
  [[nodiscard]] unsigned predicates() const {
    return static_cast<unsigned>(kernel_.predicates.size());
  }
  /// True if some instruction sets a token or waits for one. The program then protects its
  /// registers itself.
  [[nodiscard]] bool has_tokens() const { return has_tokens_; }
  [[nodiscard]] bool has_jumps() const { return has_jumps_; }
  /// Largest number of products per channel and stage of its DPAS; 0 without DPAS.
  [[nodiscard]] unsigned most_ops() const { return most_ops_; }

 private:
  Operation decode(const Instruction& instruction, const MachineParameters& parameters);
  void decode_dpas(const Instruction& instruction, const MachineParameters& parameters,
                   Operation& operation);
  /// Index of the form of a DPAS, which is added to forms_ if it is new.
  std::uint16_t form_of(const Instruction& instruction, const MachineParameters& parameters);
  /// Sets joins_next of the DPAS that form macros.
  void join_macros(const MachineParameters& parameters);

  const Program& program_;
  const Kernel& kernel_;
  std::vector<Operation> operations_;
  std::vector<DpasForm> forms_;
  bool has_tokens_ = false;
  bool has_jumps_ = false;
  unsigned most_ops_ = 0;
};

}  // namespace tactus::dpas
