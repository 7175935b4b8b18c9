// The rules of legal instructions, each with a code.
//
// Source: spec section 5. A broken rule is an error; W_ codes and E_DPASW_SHARE are warnings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tactus::dpas {

struct Instruction;
struct Kernel;
struct Operand;
struct Profile;

enum class Rule : std::uint8_t {
  dpas_syntax,
  dpas_exec,
  dpas_sd,
  dpas_rc,
  dpas_prec_reserved,
  dpas_prec_mix,
  dpas_prec_platform,
  dpas_dst_type,
  dpas_src0_type,
  dpas_src1_type,
  dpas_src2_type,
  dpas_sign,
  dpas_align_dst,
  dpas_align_src0,
  dpas_align_src1,
  dpas_align_src2,
  dpas_bounds,
  dpas_null,
  dpas_pred,
  dpas_modifier,
  dpas_region,
  dpas_indirect,
  dpas_overlap,
  dpasw_platform,
  dpasw_share,  ///< warning
  bdpas_form,
  bdpas_platform,
  dpas_atomic,  ///< warning W_DPAS_ATOMIC
  // Rules of other instructions and of kernels; they are Tactus's own.
  operand,    ///< E_OPERAND: an operand of a kind, type or region that is not allowed
  bounds,     ///< E_BOUNDS: an operand leaves its variable or the register file
  exec,       ///< E_EXEC: execution size
  message,    ///< E_MESSAGE: what the load/store unit does not do
  registers,  ///< E_MESSAGE: not supported by the modelled load/store unit
  label,      ///< E_LABEL: missing or doubled labels, no end
  token,      ///< E_TOKEN: number of a token
};

/// "E_DPAS_SYNTAX", ...
[[nodiscard]] std::string_view code(Rule rule);
[[nodiscard]] bool is_warning(Rule rule);

struct LegalityOptions {
  bool strict = false;  ///< also checks E_DPAS_SIGN: an unsigned result needs unsigned operands
  bool allow_overlap = false;  ///< dst may overlap src1; all sources are read before dst is written
};

using ReportRule = std::function<void(Rule rule, std::string what)>;

/// Checks an instruction whose operands are resolved. A problem's `what` says what is wrong and
/// what is allowed.
void check_instruction(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
                       const LegalityOptions& options, const ReportRule& report);

/// What is wrong if the operand leaves its variable or the register file; empty if it does not.
[[nodiscard]] std::string bounds_problem(const Profile& profile, const Kernel& kernel,
                                         const Operand& operand, std::string_view what);

/// The parts of check_instruction() for dpas, dpasw and bdpas, and for all other instructions.
void check_dpas(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
                const LegalityOptions& options, const ReportRule& report);
void check_other(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
                 const ReportRule& report);

}  // namespace tactus::dpas
