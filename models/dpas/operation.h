// A kernel as the machine runs it: instructions decoded once, with their registers, unit, cycles
// and function, so that an execution looks nothing up and allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dpas/program.h"
#include "models/dpas/parameters.h"

namespace tactus::dpas {

/// Kinds of instructions, in the order of MachineInfo::kinds. Labels are no instructions.
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
  std::string_view name;   ///< in JSON
  std::string_view title;  ///< as in program text
};
[[nodiscard]] const OperationKindInfo& info(OperationKind kind);

/// Where an operation goes from the issue stage; `control` stays in it.
enum class Target : std::uint8_t { array, alu, memory, control };

struct RegisterRange {
  std::uint16_t first = 0;
  std::uint16_t count = 0;

  [[nodiscard]] bool overlaps(const RegisterRange& o) const {
    return first < o.first + o.count && o.first < first + count;
  }
  bool operator==(const RegisterRange& o) const { return first == o.first && count == o.count; }
};

/// What all DPAS of one form have in common. Cycles: isa/dpas/timing.h.
struct DpasForm {
  DpasConfig config;
  DpasFunction function = nullptr;
  std::uint64_t macs = 0;
  MacKind mac_kind = MacKind::integer;
  std::uint16_t rows = 0;       ///< cycles in which a row enters the array: P * RC
  std::uint16_t src1_load = 0;  ///< cycles to load src1: its registers
  std::uint16_t latency = 0;    ///< L
  std::uint16_t released = 0;   ///< sources may be overwritten so many cycles after issue
  bool holds_src1 = false, holds_src2 = false;  ///< may stay in their operand buffers
};

struct Operation {
  OperationKind kind = OperationKind::ret;
  Target target = Target::control;
  std::uint8_t sources = 0;      ///< ranges in `source`
  bool annotated = false;        ///< sets or awaits a token
  bool joins_next = false;       ///< a DPAS: the next one belongs to the same macro
  std::uint8_t writes_flag = 0;  ///< predicate id, 0: none
  std::uint8_t reads_flag = 0;
  std::uint16_t form = 0;       ///< a DPAS: its DpasForm
  std::uint16_t occupancy = 1;  ///< cycles in the ALU
  std::uint8_t lanes = 0;       ///< of the ALU: its execution size
  std::uint16_t latency = 0;    ///< of the ALU: issue to use
  /// A DPAS: rows whose reads meet in one bank and bundle, with src1 loaded and with src1 held.
  std::uint8_t conflicts = 0, conflicts_held = 0;
  Annotations annotations;
  RegisterRange dst;  ///< count 0: none
  std::array<RegisterRange, 8> source;
  std::uint32_t dst_address = 0;               ///< a DPAS: bytes in the register file
  std::array<std::uint32_t, 3> src_address{};  ///< of src0, src1, src2
  std::uint32_t next = 0;                      ///< jmp: the operation it goes to
  std::uint32_t index = 0;                     ///< of the instruction in the kernel
};

/// "k.visaasm:12" or "k.isa: offset 0x1F".
[[nodiscard]] std::string place(const Program& program, const Kernel& kernel,
                                std::size_t instruction);

/// A kernel that is ready to run. Refers to the kernel and the program, which must stay.
class DecodedKernel {
 public:
  /// `kernel` is resolved for the parameters' profile. Throws UserError with the place of an
  /// instruction that this machine does not execute (dpasw, bdpas).
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
  /// "k.visaasm:12".
  [[nodiscard]] std::string place(const Operation& operation) const;
  [[nodiscard]] unsigned predicates() const {
    return static_cast<unsigned>(kernel_.predicates.size());
  }
  /// The program says itself what waits for what: some instruction sets or awaits a token.
  [[nodiscard]] bool has_tokens() const { return has_tokens_; }
  [[nodiscard]] bool has_jumps() const { return has_jumps_; }
  /// Most products a channel and stage of its DPAS, 0 without any.
  [[nodiscard]] unsigned most_ops() const { return most_ops_; }

 private:
  Operation decode(const Instruction& instruction, const MachineParameters& parameters);
  void decode_dpas(const Instruction& instruction, const MachineParameters& parameters,
                   Operation& operation);
  std::uint16_t form_of(const Instruction& instruction, const MachineParameters& parameters);
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
