#include "isa/dpas/legality.h"

#include <array>
#include <vector>

#include "isa/dpas/assembly.h"
#include "isa/dpas/program.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Rule::token) + 1> codes = {
    "E_DPAS_SYNTAX",
    "E_DPAS_EXEC",
    "E_DPAS_SD",
    "E_DPAS_RC",
    "E_DPAS_PREC_RESERVED",
    "E_DPAS_PREC_MIX",
    "E_DPAS_PREC_PLATFORM",
    "E_DPAS_DST_TYPE",
    "E_DPAS_SRC0_TYPE",
    "E_DPAS_SRC1_TYPE",
    "E_DPAS_SRC2_TYPE",
    "E_DPAS_SIGN",
    "E_DPAS_ALIGN_DST",
    "E_DPAS_ALIGN_SRC0",
    "E_DPAS_ALIGN_SRC1",
    "E_DPAS_ALIGN_SRC2",
    "E_DPAS_BOUNDS",
    "E_DPAS_NULL",
    "E_DPAS_PRED",
    "E_DPAS_MODIFIER",
    "E_DPAS_REGION",
    "E_DPAS_INDIRECT",
    "E_DPAS_OVERLAP",
    "E_DPASW_PLATFORM",
    "E_DPASW_SHARE",
    "E_BDPAS_FORM",
    "E_BDPAS_PLATFORM",
    "W_DPAS_ATOMIC",
    "E_OPERAND",
    "E_BOUNDS",
    "E_EXEC",
    "E_MESSAGE",
    "E_REGISTERS",
    "E_LABEL",
    "E_TOKEN"};

constexpr std::array<std::string_view, 5> source_names = {"src0", "src1", "src2", "src3", "src4"};

std::uint32_t variable_bytes(const Kernel& kernel, const Operand& operand) {
  if (const Variable* const variable = kernel.variable(operand.variable)) return variable->bytes();
  return info(operand.type).bytes;  // predefined variables have one element
}

class DpasChecker {
 public:
  DpasChecker(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
              const LegalityOptions& options, const ReportRule& report)
      : profile_(profile), kernel_(kernel), i_(instruction), options_(options), report_(report) {}

  /// Checks the rules in order: later rules rely on sizes that earlier ones have checked.
  void run() {
    check_opcode();
    if (found_) return;
    check_shape();
    check_precisions();
    if (found_) return;
    check_form();
    check_types();
    if (found_) return;
    check_places();
  }

 private:
  template <typename... Args>
  void report(Rule rule, fmt::format_string<Args...> format, Args&&... args) {
    if (!is_warning(rule)) found_ = true;
    report_(rule, fmt::format(format, std::forward<Args>(args)...));
  }

  void check_opcode() {
    if (i_.opcode == Opcode::dpasw && !profile_.dpasw) {
      report(Rule::dpasw_platform, "{} has no dpasw; allowed dpas", profile_.name);
    }
    if (i_.opcode != Opcode::bdpas) return;
    check_bdpas_form();
    report(Rule::bdpas_platform, "{} has no bdpas; allowed dpas", profile_.name);
  }

  void check_bdpas_form() {
    if (i_.systolic_depth != 8 || i_.repeat_count != 8 || i_.execution_size != 16) {
      report(Rule::bdpas_form, "SD {}, RC {} and execution size {}; allowed 8, 8 and 16",
             i_.systolic_depth, i_.repeat_count, i_.execution_size);
    }
    const bool fp4 = info(i_.w).kind == PrecisionClass::fp4;
    for (const unsigned n : {3U, 4U}) {
      const Operand& scale = i_.source[n];
      if (!scale.present()) continue;
      if (scale.type != Type::ub) {
        report(Rule::bdpas_form, "{} has type {}; allowed ub", source_names[n],
               info(scale.type).name);
      }
      // src3 has one byte for each of 16 columns, src4 one for each of 8 rows.
      const unsigned step = n == 3 ? 16 : 8;
      const unsigned most = (fp4 ? 32U : 64U) - step;
      if (scale.column % step != 0 || scale.column > most) {
        report(Rule::bdpas_form,
               "{} begins at byte {} of its register; allowed 0..{} in steps of {}",
               source_names[n], scale.column, most, step);
      }
    }
  }

  void check_shape() {
    if (i_.execution_size != profile_.execution_size) {
      report(Rule::dpas_exec, "execution size {}; allowed {} on {}", i_.execution_size,
             profile_.execution_size, profile_.name);
    }
    const unsigned sd = i_.systolic_depth;
    const bool sd_possible = sd == 1 || sd == 2 || sd == 4 || sd == 8;
    if (profile_.any_systolic_depth ? !sd_possible : sd != 8) {
      report(Rule::dpas_sd, "SD {}; allowed {} on {}", sd,
             profile_.any_systolic_depth ? "1, 2, 4, 8" : "8", profile_.name);
    }
    if (i_.repeat_count < 1 || i_.repeat_count > 8) {
      report(Rule::dpas_rc, "RC {}; allowed 1..8", i_.repeat_count);
    }
  }

  static std::string name_of(Precision precision) {
    const std::string_view name = info(precision).name;
    return name.empty() ? fmt::format("code {}", static_cast<unsigned>(precision))
                        : std::string(name);
  }

  void check_precisions() {
    for (const Precision precision : {i_.w, i_.a}) {
      if (static_cast<unsigned>(precision) < precision_codes && !is_reserved(precision)) continue;
      report(Rule::dpas_prec_reserved, "precision {} is reserved; allowed {} on {}",
             name_of(precision), profile_.precision_list(), profile_.name);
      return;
    }
    if (ops_per_channel(i_.w, i_.a) == 0) {
      report(
          Rule::dpas_prec_mix,
          "{} with {}; allowed two of u2, s2, u4, s4, u8, s8, two of bf8, hf8, or twice the same",
          name_of(i_.w), name_of(i_.a));
      return;
    }
    for (const Precision precision : {i_.w, i_.a}) {
      if (profile_.has(precision)) continue;
      report(Rule::dpas_prec_platform, "{} has no {}; allowed {}", profile_.name,
             name_of(precision), profile_.precision_list());
      return;
    }
    if (profile_.equal_int_widths && is_integer(i_.w) && info(i_.w).bits != info(i_.a).bits) {
      report(Rule::dpas_prec_platform, "{} with {}; allowed integers of one width on {}",
             name_of(i_.w), name_of(i_.a), profile_.name);
    }
  }

  /// Rules that the text form cannot break but a binary can.
  void check_form() {
    if (i_.predicate.variable != 0) {
      report(Rule::dpas_pred, "a predicate stands before {}; allowed none", name(i_.opcode));
    }
    if (i_.saturate) report(Rule::dpas_modifier, "{} does not saturate", name(i_.opcode));
    if (!i_.dst.present())
      report(Rule::dpas_null, "the destination is null; allowed for src0 only");
    for (const unsigned n : {1U, 2U}) {
      if (!i_.source[n].present()) {
        report(Rule::dpas_null, "{} is null; allowed for src0 only", source_names[n]);
      }
    }
    const Operand& src2 = i_.source[2];
    if (src2.kind != Operand::Kind::general) return;
    if (src2.modifier != Modifier::none) {
      report(Rule::dpas_modifier, "src2 has a modifier; allowed none");
    }
    if (!(src2.region == Region{1, 1, 0})) {
      report(Rule::dpas_region, "src2 has the region <{};{},{}>; allowed <1;1,0>",
             src2.region.vertical, src2.region.width, src2.region.horizontal);
    }
  }

  [[nodiscard]] std::vector<Type> accumulator_types() const {
    switch (info(i_.w).kind) {
      case PrecisionClass::integer:
        return {Type::d, Type::ud};
      case PrecisionClass::bf:
        if (profile_.narrow_accumulators) return {Type::f, Type::bf};
        break;
      case PrecisionClass::hf:
        if (profile_.narrow_accumulators) return {Type::f, Type::hf};
        break;
      case PrecisionClass::fp8:
      case PrecisionClass::fp4:
        if (profile_.narrow_fp8_accumulators) return {Type::f, Type::bf};
        break;
      default:
        break;
    }
    return {Type::f};
  }

  void check_type(const Operand& operand, std::string_view what, const std::vector<Type>& allowed,
                  Rule rule) {
    if (!operand.present()) return;
    std::string list;
    for (const Type type : allowed) {
      if (operand.type == type) return;
      list += (list.empty() ? "" : ", ") + std::string(info(type).name);
    }
    report(rule, "{} has type {}; allowed {} with {} on {}", what, info(operand.type).name, list,
           name_of(i_.w), profile_.name);
  }

  void check_types() {
    const std::vector<Type> accumulators = accumulator_types();
    check_type(i_.dst, "the destination", accumulators, Rule::dpas_dst_type);
    check_type(i_.source[0], "src0", accumulators, Rule::dpas_src0_type);
    check_type(i_.source[1], "src1", {Type::ud, Type::d}, Rule::dpas_src1_type);
    check_type(i_.source[2], "src2", {Type::ud, Type::d}, Rule::dpas_src2_type);
    if (!options_.strict || i_.dst.type != Type::ud) return;
    const bool signed_source = i_.source[0].present() && i_.source[0].type == Type::d;
    if (signed_source || info(i_.w).is_signed || info(i_.a).is_signed) {
      report(Rule::dpas_sign,
             "the destination is ud; strict rules allow src0 ud and unsigned precisions only");
    }
  }

  // ---- places ----

  void check_bounds(const Operand& operand, std::string_view what) {
    const std::string problem = bounds_problem(profile_, kernel_, operand, what);
    if (!problem.empty()) report(Rule::dpas_bounds, "{}", problem);
  }

  void check_alignment(const Operand& operand, std::string_view what, std::uint32_t step,
                       Rule rule) {
    if (!operand.in_registers() || operand.address % step == 0) return;
    report(rule, "{} begins at byte {} of a register; allowed multiples of {}", what,
           operand.address % profile_.grf_bytes, step);
  }

  /// Alignment of an offset in a variable: a register if the variable has at least one, else a row
  /// of results.
  [[nodiscard]] std::uint32_t row_step(const Operand& operand) const {
    if (variable_bytes(kernel_, operand) >= profile_.grf_bytes) return profile_.grf_bytes;
    return profile_.execution_size * info(operand.type).bytes;
  }

  void check_places() {
    const std::uint32_t grf = profile_.grf_bytes;
    const Operand& src2 = i_.source[2];
    check_alignment(i_.dst, "the destination", row_step(i_.dst), Rule::dpas_align_dst);
    check_alignment(i_.source[0], "src0", row_step(i_.source[0]), Rule::dpas_align_src0);
    check_alignment(i_.source[1], "src1", grf, Rule::dpas_align_src1);
    // Rows of src2 are 8 * OPS elements apart, whatever SD is.
    const std::uint32_t row = std::uint32_t{info(i_.a).bits} * ops_per_channel(i_.w, i_.a);
    const bool full = profile_.src2_full_alignment && i_.repeat_count == 8;
    check_alignment(src2, "src2", full ? grf : row, Rule::dpas_align_src2);
    check_bounds(i_.dst, "the destination");
    for (const unsigned n : {0U, 1U, 2U}) check_bounds(i_.source[n], source_names[n]);
    if (!options_.allow_overlap && overlap(i_.dst, i_.source[1])) {
      report(Rule::dpas_overlap,
             "the destination (bytes {}..{}) overlaps src1 (bytes {}..{}); allowed with "
             "--allow-overlap",
             i_.dst.address, i_.dst.address + i_.dst.bytes - 1, i_.source[1].address,
             i_.source[1].address + i_.source[1].bytes - 1);
    }
    if (i_.opcode == Opcode::dpasw) check_sharing();
  }

  /// Warns of a dpasw whose src2 is a single register: the other half then has nothing to share.
  void check_sharing() {
    const unsigned bytes = info(i_.a).bits * ops_per_channel(i_.w, i_.a) * i_.repeat_count;
    if (bytes > 32) return;
    report(Rule::dpasw_share, "the two units share no register of src2, which has {} bytes", bytes);
  }

  const Profile& profile_;
  const Kernel& kernel_;
  const Instruction& i_;
  const LegalityOptions& options_;
  const ReportRule& report_;
  bool found_ = false;
};

}  // namespace

std::string bounds_problem(const Profile& profile, const Kernel& kernel, const Operand& operand,
                           std::string_view what) {
  if (!operand.in_registers()) return {};
  const std::uint32_t offset = offset_in_variable(operand, profile.grf_bytes);
  const std::uint32_t size = variable_bytes(kernel, operand);
  if (offset + operand.bytes > size) {
    return fmt::format("{} needs {} bytes from byte {} on; its variable has {}", what,
                       operand.bytes, offset, size);
  }
  if (operand.address + operand.bytes > profile.register_file_bytes()) {
    return fmt::format("{} ends at byte {}; the register file has {}", what,
                       operand.address + operand.bytes, profile.register_file_bytes());
  }
  return {};
}

std::string_view code(Rule rule) { return codes[static_cast<std::size_t>(rule)]; }

bool is_warning(Rule rule) { return rule == Rule::dpasw_share || rule == Rule::dpas_atomic; }

void check_dpas(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
                const LegalityOptions& options, const ReportRule& report) {
  DpasChecker(profile, kernel, instruction, options, report).run();
}

void check_instruction(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
                       const LegalityOptions& options, const ReportRule& report) {
  const Annotations& a = instruction.annotations;
  const std::uint32_t beyond =
      profile.tokens >= 32 ? 0 : ~((std::uint32_t{1} << profile.tokens) - 1U);
  const bool sets_beyond = a.sets != Annotations::no_token && a.sets >= profile.tokens;
  if (sets_beyond || ((a.waits_written | a.waits_read) & beyond) != 0) {
    report(Rule::token, fmt::format("a token is out of range; allowed $0..${} on {}",
                                    profile.tokens - 1, profile.name));
  }
  if (instruction.is_dpas()) {
    check_dpas(profile, kernel, instruction, options, report);
  } else {
    check_other(profile, kernel, instruction, report);
  }
}

}  // namespace tactus::dpas
