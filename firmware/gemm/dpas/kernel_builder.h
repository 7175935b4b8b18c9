// Builds a kernel instruction by instruction.
#pragma once

#include <cstdint>
#include <string>

#include "isa/dpas/program.h"

namespace tactus::gemm {

/// Appends to a kernel. Ids of variables, predicates and labels are those of the kernel.
class KernelBuilder {
 public:
  explicit KernelBuilder(const std::string& kernel_name);

  [[nodiscard]] std::uint32_t variable(const std::string& name, dpas::Type type,
                                       std::uint32_t elements);
  /// Declares an input: a one-element variable at byte `offset` of the register file.
  [[nodiscard]] std::uint32_t input(const std::string& name, dpas::Type type, std::uint32_t offset);
  [[nodiscard]] std::uint16_t predicate(const std::string& name, std::uint32_t elements);
  [[nodiscard]] std::uint32_t label(const std::string& name);

  // ---- operands
  /// Operand NAME.offset, in bytes.
  [[nodiscard]] dpas::Operand raw(std::uint32_t variable, std::uint32_t offset = 0) const;
  /// Operand of consecutive elements, from element `column` of the variable on.
  [[nodiscard]] dpas::Operand vector(std::uint32_t variable, std::uint8_t column = 0) const;
  /// Operand of one element, the same for all channels.
  [[nodiscard]] dpas::Operand scalar(std::uint32_t variable, std::uint8_t column = 0) const;
  [[nodiscard]] static dpas::Operand immediate(std::int64_t value, dpas::Type type = dpas::Type::d);
  [[nodiscard]] static dpas::Operand null(dpas::Type type);

  // ---- instructions; `channels` is their execution size
  void mov(unsigned channels, const dpas::Operand& dst, const dpas::Operand& source);
  void add(unsigned channels, const dpas::Operand& dst, const dpas::Operand& x,
           const dpas::Operand& y, std::uint16_t predicate = 0);
  void cmp(unsigned channels, dpas::Comparison comparison, std::uint16_t predicate,
           const dpas::Operand& x, const dpas::Operand& y);
  void place(std::uint32_t label);
  void jump(std::uint32_t label, std::uint16_t predicate = 0);
  void ret();
  void append(const dpas::Instruction& instruction);

  [[nodiscard]] dpas::Kernel& kernel() { return kernel_; }

 private:
  dpas::Kernel kernel_;
};

}  // namespace tactus::gemm
