#include "models/dpas/operation.h"

#include <algorithm>

#include "isa/dpas/timing.h"
#include "isa/support/error.h"

namespace tactus::dpas {
namespace {

constexpr std::array<OperationKindInfo, operation_kinds> kind_infos{{
    {"dpas", "dpas"},
    {"mov", "mov"},
    {"add", "add"},
    {"cmp", "cmp"},
    {"load", "lsc_load"},
    {"load_block2d", "lsc_load_block2d"},
    {"store", "lsc_store"},
    {"store_block2d", "lsc_store_block2d"},
    {"fence", "lsc_fence"},
    {"barrier", "barrier"},
    {"jmp", "jmp"},
    {"ret", "ret"},
}};

OperationKind kind_of(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::dpas:
      return OperationKind::dpas;
    case Opcode::mov:
      return OperationKind::mov;
    case Opcode::add:
      return OperationKind::add;
    case Opcode::cmp:
      return OperationKind::cmp;
    case Opcode::lsc_fence:
      return OperationKind::fence;
    case Opcode::barrier:
      return OperationKind::barrier;
    case Opcode::jmp:
      return OperationKind::jmp;
    case Opcode::lsc_untyped:
      switch (instruction.lsc.operation) {
        case LscOperation::load:
          return OperationKind::load;
        case LscOperation::load_block2d:
          return OperationKind::load_block2d;
        case LscOperation::store:
          return OperationKind::store;
        case LscOperation::store_block2d:
          return OperationKind::store_block2d;
      }
      break;
    default:
      break;
  }
  return OperationKind::ret;
}

Target target_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::dpas:
      return Target::array;
    case OperationKind::mov:
    case OperationKind::add:
    case OperationKind::cmp:
      return Target::alu;
    case OperationKind::load:
    case OperationKind::load_block2d:
    case OperationKind::store:
    case OperationKind::store_block2d:
      return Target::memory;
    default:
      return Target::control;
  }
}

RegisterRange registers_of(const Operand& operand, unsigned grf_bytes) {
  if (!operand.in_registers() || operand.bytes == 0) return {};
  const std::uint32_t first = operand.address / grf_bytes;
  const std::uint32_t last = (operand.address + operand.bytes - 1) / grf_bytes;
  return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last - first + 1)};
}

unsigned element_bytes(const Operand& operand) {
  return operand.present() && operand.kind != Operand::Kind::predicate
             ? unsigned{info(operand.type).bytes}
             : 0;
}

/// Cycles for which an instruction occupies the ALU: one for each register of its widest operand
/// (Tactus's own rule).
std::uint16_t alu_occupancy(const Instruction& instruction, unsigned grf_bytes) {
  const unsigned widest =
      std::max({element_bytes(instruction.dst), element_bytes(instruction.source[0]),
                element_bytes(instruction.source[1])});
  const unsigned bytes = instruction.execution_size * widest;
  return static_cast<std::uint16_t>(std::max(1U, (bytes + grf_bytes - 1) / grf_bytes));
}

std::uint16_t alu_latency(const Instruction& instruction, const Profile& profile) {
  if (instruction.execution_size <= 8) return static_cast<std::uint16_t>(profile.alu_latency);
  return static_cast<std::uint16_t>(instruction.execution_size <= 16 ? profile.alu_latency_simd16
                                                                     : profile.alu_latency_simd32);
}

/// Number of rows of a DPAS that read two registers of the same bank and bundle.
unsigned conflicting_rows(const Profile& profile, const DpasShape& shape,
                          const Instruction& instruction, bool src1_held) {
  const unsigned grf = profile.grf_bytes;
  unsigned rows = 0;
  for (unsigned r = 0; r < shape.rows; ++r) {
    std::array<unsigned, 3> read{};
    unsigned reads = 0;
    const auto reads_row = [&](const Operand& operand, unsigned bytes, unsigned of_rows) {
      if (!operand.in_registers() || of_rows == 0) return;
      read[reads++] = (operand.address + bytes / of_rows * r) / grf;
    };
    reads_row(instruction.source[0], shape.src0_bytes, shape.rows);
    reads_row(instruction.source[2], shape.src2_bytes, shape.rows);
    const unsigned src1_registers = shape.src1_bytes / grf;
    if (!src1_held && r < src1_registers) {
      read[reads++] = instruction.source[1].address / grf + r;
    }
    bool conflict = false;
    for (unsigned a = 0; a < reads; ++a) {
      for (unsigned b = 0; b < a; ++b) {
        conflict |= read[a] != read[b] && profile.bank(read[a]) == profile.bank(read[b]) &&
                    profile.bundle(read[a]) == profile.bundle(read[b]);
      }
    }
    rows += conflict ? 1 : 0;
  }
  return rows;
}

bool same(const DpasConfig& a, const DpasConfig& b) {
  return a.w == b.w && a.a == b.a && a.dst_type == b.dst_type && a.src0_type == b.src0_type &&
         a.src0_null == b.src0_null && a.execution_size == b.execution_size &&
         a.systolic_depth == b.systolic_depth && a.repeat_count == b.repeat_count;
}

}  // namespace

const OperationKindInfo& info(OperationKind kind) {
  return kind_infos[static_cast<std::size_t>(kind)];
}

std::string place(const Program& program, const Kernel& kernel, std::size_t instruction) {
  return program.source + (program.is_text ? ":" : ": ") + program.location(kernel, instruction);
}

std::string DecodedKernel::place(const Operation& operation) const {
  return dpas::place(program_, kernel_, operation.index);
}

DecodedKernel::DecodedKernel(const Program& program, const Kernel& kernel,
                             const MachineParameters& parameters)
    : program_(program), kernel_(kernel) {
  // Labels are removed; a jump to a label goes to the instruction that follows it.
  std::vector<std::uint32_t> place(kernel.instructions.size() + 1);
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[i];
    place[i] = static_cast<std::uint32_t>(operations_.size());
    if (instruction.opcode == Opcode::label) continue;
    if (instruction.opcode == Opcode::dpasw || instruction.opcode == Opcode::bdpas) {
      user_error("{}: {} is not executed: it needs {}", dpas::place(program, kernel, i),
                 name(instruction.opcode),
                 instruction.opcode == Opcode::dpasw ? "a pair of fused units, and this machine is "
                                                       "one"
                                                     : "an array that scales its operands");
    }
    Operation operation = decode(instruction, parameters);
    operation.index = static_cast<std::uint32_t>(i);
    operations_.push_back(operation);
  }
  if (operations_.empty() || operations_.back().kind != OperationKind::ret) {
    // A kernel without a final ret ends after its last instruction.
    Operation end;
    end.index = static_cast<std::uint32_t>(
        kernel.instructions.empty() ? 0 : kernel.instructions.size() - 1);
    operations_.push_back(end);
  }
  place[kernel.instructions.size()] = static_cast<std::uint32_t>(operations_.size() - 1);
  for (Operation& operation : operations_) {
    if (operation.kind != OperationKind::jmp) continue;
    operation.next = place[instruction(operation).target];
    has_jumps_ = true;
  }
  join_macros(parameters);
}

Operation DecodedKernel::decode(const Instruction& instruction,
                                const MachineParameters& parameters) {
  const Profile& profile = parameters.profile;
  Operation operation;
  operation.kind = kind_of(instruction);
  operation.target = target_of(operation.kind);
  operation.annotations = instruction.annotations;
  const Annotations& a = instruction.annotations;
  operation.annotated =
      a.sets != Annotations::no_token || a.waits_written != 0 || a.waits_read != 0;
  has_tokens_ |= operation.annotated;
  operation.reads_flag = static_cast<std::uint8_t>(instruction.predicate.variable);
  if (instruction.dst.kind == Operand::Kind::predicate) {
    operation.writes_flag = static_cast<std::uint8_t>(instruction.dst.variable);
  } else {
    operation.dst = registers_of(instruction.dst, profile.grf_bytes);
  }
  for (const Operand& source : instruction.source) {
    const RegisterRange range = registers_of(source, profile.grf_bytes);
    if (range.count > 0) operation.source[operation.sources++] = range;
  }
  if (operation.kind == OperationKind::dpas) decode_dpas(instruction, parameters, operation);
  if (operation.target == Target::alu) {
    operation.occupancy = alu_occupancy(instruction, profile.grf_bytes);
    operation.lanes = instruction.execution_size;
    operation.latency = operation.kind == OperationKind::cmp
                            ? static_cast<std::uint16_t>(profile.flag_latency)
                            : alu_latency(instruction, profile);
  }
  return operation;
}

void DecodedKernel::decode_dpas(const Instruction& instruction, const MachineParameters& parameters,
                                Operation& operation) {
  operation.form = form_of(instruction, parameters);
  operation.dst_address = instruction.dst.address;
  for (unsigned i = 0; i < 3; ++i) operation.src_address[i] = instruction.source[i].address;
  const Profile& profile = parameters.profile;
  if (profile.bank_conflict_cycles == 0) return;
  const DpasShape shape = shape_of(instruction);
  operation.conflicts =
      static_cast<std::uint8_t>(conflicting_rows(profile, shape, instruction, false));
  operation.conflicts_held =
      static_cast<std::uint8_t>(conflicting_rows(profile, shape, instruction, true));
}

std::uint16_t DecodedKernel::form_of(const Instruction& instruction,
                                     const MachineParameters& parameters) {
  const DpasConfig config = config_of(instruction, parameters.numerics);
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    if (same(forms_[i].config, config)) return static_cast<std::uint16_t>(i);
  }
  const Profile& profile = parameters.profile;
  DpasForm form;
  form.config = config;
  form.function = select_dpas(config);
  const DpasShape shape = shape_of(config);
  form.macs = shape.macs();
  form.mac_kind = mac_kind(config.w);
  form.rows = static_cast<std::uint16_t>(occupancy(profile, instruction, true));
  form.src1_load = static_cast<std::uint16_t>(src1_registers(profile, instruction));
  form.latency = static_cast<std::uint16_t>(latency(profile, instruction, parameters.latency));
  form.released = static_cast<std::uint16_t>(sources_released(profile, config.repeat_count));
  form.holds_src1 = holds_src1(profile, instruction);
  form.holds_src2 = holds_src2(profile, instruction);
  most_ops_ = std::max(most_ops_, shape.ops);
  forms_.push_back(form);
  return static_cast<std::uint16_t>(forms_.size() - 1);
}

void DecodedKernel::join_macros(const MachineParameters& parameters) {
  if (parameters.macros == Macros::off) return;
  const bool written =
      std::any_of(operations_.begin(), operations_.end(),
                  [](const Operation& operation) { return operation.annotations.atomic; });
  const auto is_dpas = [](const Operation& o) { return o.kind == OperationKind::dpas; };
  // A jump may lead to a DPAS between others. A new macro starts there.
  std::vector<bool> begins(operations_.size());
  for (const Operation& operation : operations_) {
    if (operation.kind == OperationKind::jmp) begins[operation.next] = true;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i + 1 < operations_.size(); ++i) {
    Operation& operation = operations_[i];
    const Operation& next = operations_[i + 1];
    // The members of a macro are consecutive in the kernel, without a label between them.
    const bool possible =
        is_dpas(operation) && is_dpas(next) && !begins[i + 1] && next.index == operation.index + 1;
    if (possible && written) {
      operation.joins_next = operation.annotations.atomic;
    } else if (possible) {
      operation.joins_next = joins_macro(parameters.profile, &instruction(operations_[first]),
                                         static_cast<unsigned>(i - first + 1), instruction(next));
    }
    if (!operation.joins_next) first = i + 1;
  }
}

}  // namespace tactus::dpas
