// Rules of all instructions except dpas. Sources: the vISA pages of operands and LSC_UNTYPED.
// Limits of messages are those of the published hardware, restricted to what Tactus models.
#include <utility>

#include "isa/dpas/legality.h"
#include "isa/dpas/program.h"

namespace tactus::dpas {
namespace {

constexpr unsigned widest_block_bytes = 64;
constexpr unsigned highest_load = 32;
constexpr unsigned highest_store = 8;

class OtherChecker {
 public:
  OtherChecker(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
               const ReportRule& report)
      : profile_(profile), kernel_(kernel), i_(instruction), report_(report) {}

  void run() {
    check_predicate();
    switch (i_.opcode) {
      case Opcode::mov:
      case Opcode::add:
      case Opcode::cmp:
        check_arithmetic();
        break;
      case Opcode::lsc_untyped:
        if (i_.lsc.is_block2d()) {
          check_block();
        } else {
          check_access();
        }
        break;
      case Opcode::lsc_fence:
        check_unit();
        break;
      case Opcode::jmp:
      case Opcode::ret:
        if (i_.execution_size != 1) {
          report(Rule::exec,
                 "execution size {}; allowed 1: control flow is the same for all "
                 "channels",
                 i_.execution_size);
        }
        break;
      default:
        break;
    }
    if (!found_) check_all_bounds();
  }

 private:
  template <typename... Args>
  void report(Rule rule, fmt::format_string<Args...> format, Args&&... args) {
    found_ = true;
    report_(rule, fmt::format(format, std::forward<Args>(args)...));
  }

  void check_predicate() {
    const PredicateControl& p = i_.predicate;
    if (p.variable == 0) return;
    const bool takes_one =
        i_.opcode == Opcode::mov || i_.opcode == Opcode::add || i_.opcode == Opcode::jmp;
    if (!takes_one) {
      report(Rule::operand, "a predicate stands before {}; allowed before mov, add and jmp",
             name(i_.opcode));
    }
    check_predicate_size(p.variable);
  }

  void check_predicate_size(std::uint32_t id) {
    const Predicate& predicate = kernel_.predicates[id - 1];
    const unsigned needed = i_.mask.first_channel() + i_.execution_size;
    if (needed > 32) {
      report(Rule::exec, "channels {}..{} are selected; allowed 0..31", i_.mask.first_channel(),
             needed - 1);
    } else if (needed > predicate.elements) {
      report(Rule::bounds, "predicate {} has {} elements; {} are needed", predicate.name,
             predicate.elements, needed);
    }
  }

  // ---- mov, add, cmp ----

  static bool is_plain(Type type) {
    return type != Type::v && type != Type::vf && type != Type::uv && type != Type::boolean;
  }

  void check_arithmetic() {
    if (i_.dst.kind == Operand::Kind::predicate) {
      check_predicate_size(i_.dst.variable);
    } else {
      check_vector(i_.dst, true);
    }
    check_vector(i_.source[0], false);
    if (i_.opcode != Opcode::mov) check_vector(i_.source[1], false);
    if (i_.saturate && i_.opcode == Opcode::cmp) report(Rule::operand, "cmp does not saturate");
  }

  static bool is_power(unsigned value) { return (value & (value - 1)) == 0; }

  void check_vector(const Operand& operand, bool destination) {
    const char* const what = destination ? "the destination" : "a source";
    if (operand.kind != Operand::Kind::general && operand.kind != Operand::Kind::immediate) {
      report(Rule::operand, "{} is null or of a kind that {} does not take", what, name(i_.opcode));
      return;
    }
    if (!is_plain(operand.type)) {
      report(Rule::operand, "{} has type {}; allowed ud, d, uw, w, ub, b, uq, q, f, df, hf, bf",
             what, info(operand.type).name);
      return;
    }
    if (operand.kind == Operand::Kind::immediate) return;
    if (destination && operand.variable < first_user_variable) {
      report(Rule::operand, "the destination is a predefined variable, which is read only");
    }
    const Region& r = operand.region;
    const bool strides_good = is_power(r.horizontal) && r.horizontal <= 4 && is_power(r.vertical);
    if (!strides_good || (destination && r.horizontal == 0)) {
      report(
          Rule::operand,
          "{} has strides that are not allowed; allowed {}1, 2, 4 from element to element and 0, "
          "1, 2, 4, 8, 16, 32 from row to row",
          what, destination ? "" : "0, ");
      return;
    }
    if (!destination && (r.width == 0 || !is_power(r.width) || r.width > i_.execution_size)) {
      report(Rule::operand, "a source has rows of {} elements; allowed 1, 2, 4, 8, 16, at most {}",
             r.width, i_.execution_size);
      return;
    }
    const unsigned grf = profile_.grf_bytes;
    if (operand.bytes != 0 &&
        (operand.address + operand.bytes - 1) / grf > operand.address / grf + 1) {
      report(Rule::operand,
             "{} spans more than two registers; allowed {} bytes of neighbouring "
             "registers",
             what, 2 * grf);
    }
  }

  // ---- messages ----

  void check_unit() {
    if (i_.lsc.unit == LscUnit::ugm) return;
    report(Rule::message, "only unit ugm is modelled; allowed ugm");
  }

  void check_raw(const Operand& operand, const char* what) {
    if (operand.kind != Operand::Kind::raw) {
      report(Rule::operand, "{} are null; prefetches are not in the subset", what);
    } else if (operand.variable < first_user_variable) {
      report(Rule::operand, "{} are in a predefined variable", what);
    } else if (operand.address % profile_.grf_bytes != 0 && operand.bytes >= profile_.grf_bytes) {
      report(Rule::operand, "{} begin at byte {} of a register; allowed 0 for {} bytes and more",
             what, operand.address % profile_.grf_bytes, profile_.grf_bytes);
    }
  }

  void check_access() {
    const LscMessage& m = i_.lsc;
    check_unit();
    if (m.data_size != LscDataSize::d32 && m.data_size != LscDataSize::d64) {
      report(Rule::message, "elements of {} bits; allowed d32, d64", m.element_bytes() * 8);
    }
    if (m.address_size == LscAddressSize::a16) {
      report(Rule::message, "addresses of 16 bits; allowed a32, a64");
    }
    if (m.transposed && i_.execution_size != 1) {
      report(Rule::exec, "execution size {} of a transposed access; allowed 1", i_.execution_size);
    }
    if (!m.transposed && m.vector_size > 4) {
      report(Rule::message, "{} elements an address; allowed 1, 2, 3, 4, and more if transposed",
             m.vector_size);
    }
    check_raw(i_.source[0], "the addresses");
    check_raw(m.is_load() ? i_.dst : i_.source[1], "the data");
  }

  void check_block() {
    const LscMessage& m = i_.lsc;
    const Block2d& b = m.block;
    check_unit();
    if (i_.execution_size != 1) {
      report(Rule::exec, "execution size {} of a 2D block; allowed 1", i_.execution_size);
    }
    const unsigned row = b.width * b.element_bytes;
    const unsigned highest = m.is_load() ? highest_load : highest_store;
    if (b.width == 0 || row * b.blocks > widest_block_bytes || row % 4 != 0) {
      report(Rule::message,
             "{} blocks with rows of {} bytes; allowed 4..{} bytes in all blocks, multiples of 4",
             b.blocks, row, widest_block_bytes);
    }
    if (b.height == 0 || b.height > highest) {
      report(Rule::message, "a block of {} rows; allowed 1..{} in a {}", b.height, highest,
             m.is_load() ? "load" : "store");
    }
    const bool count_good = b.blocks == 1 || ((b.blocks == 2 || b.blocks == 4) && m.is_load());
    if (!count_good) {
      report(Rule::message, "{} blocks; allowed {}", b.blocks, m.is_load() ? "1, 2, 4" : "1");
    }
    check_rearrangement(b);
    for (unsigned n = 0; n < 6; ++n) check_scalar(i_.source[n], n == 0);
    check_raw(m.is_load() ? i_.dst : i_.source[6], "the data");
  }

  void check_rearrangement(const Block2d& b) {
    if (!i_.lsc.is_load() && (b.transpose || b.transform)) {
      report(Rule::message, "a store is neither transposed nor transformed; allowed nn");
    }
    if (b.transpose && b.transform) {
      report(Rule::message, "both transposed and transformed; allowed nn, tn, nt");
    } else if (b.transform && b.element_bytes > 2) {
      report(Rule::message, "elements of {} bits cannot be transformed; allowed d8, d16",
             b.element_bytes * 8);
    } else if (b.transform && b.height % (4U / b.element_bytes) != 0) {
      report(Rule::message, "{} rows cannot be interleaved by {}; allowed multiples", b.height,
             4U / b.element_bytes);
    } else if (b.transpose && b.element_bytes < 4) {
      report(Rule::message, "elements of {} bits cannot be transposed; allowed d32, d64",
             b.element_bytes * 8);
    }
  }

  void check_scalar(const Operand& operand, bool base) {
    const bool kind_good =
        operand.kind == Operand::Kind::general || operand.kind == Operand::Kind::immediate;
    if (!kind_good || info(operand.type).is_float || !is_plain(operand.type)) {
      report(Rule::operand, "an address or coordinate is no integer variable or constant");
      return;
    }
    if (operand.modifier != Modifier::none) {
      report(Rule::operand, "an address or coordinate has a modifier; allowed none");
    }
    if (base && info(operand.type).bytes != 8 && operand.kind == Operand::Kind::general) {
      report(Rule::operand, "the base address has type {}; allowed uq, q", info(operand.type).name);
    }
  }

  // ---- bounds ----

  void check_bounds(const Operand& operand, std::string_view what) {
    const std::string problem = bounds_problem(profile_, kernel_, operand, what);
    if (!problem.empty()) report(Rule::bounds, "{}", problem);
  }

  void check_all_bounds() {
    check_bounds(i_.dst, "the destination");
    for (const Operand& source : i_.source) check_bounds(source, "a source");
  }

  const Profile& profile_;
  const Kernel& kernel_;
  const Instruction& i_;
  const ReportRule& report_;
  bool found_ = false;
};

}  // namespace

void check_other(const Profile& profile, const Kernel& kernel, const Instruction& instruction,
                 const ReportRule& report) {
  OtherChecker(profile, kernel, instruction, report).run();
}

}  // namespace tactus::dpas
