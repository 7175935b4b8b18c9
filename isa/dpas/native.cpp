#include "isa/dpas/native.h"

#include "isa/dpas/program.h"
#include "isa/dpas/text_cursor.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

constexpr unsigned opcode_dpas = 0x59, opcode_dpasw = 0x5A, opcode_bdpas = 0x5C;
constexpr int no_code = -1;

// ---- codes of types -----------------------------------------------------------------------------

/// Codes of the types of dst and src0; a separate bit tells whether they are floats.
constexpr std::pair<Type, int> accumulator_codes[] = {
    {Type::ud, 2}, {Type::d, 6}, {Type::f, 2}, {Type::hf, 1}, {Type::bf, 5}};

int accumulator_code(Type type) {
  for (const auto& [known, code] : accumulator_codes) {
    if (known == type) return code;
  }
  return no_code;
}

std::optional<Type> accumulator_type(unsigned code, bool is_float) {
  for (const auto& [type, known] : accumulator_codes) {
    if (info(type).is_float == is_float && known == static_cast<int>(code)) return type;
  }
  return std::nullopt;
}

struct ElementCode {
  int type;
  unsigned sub_byte;  ///< 0: no; 1: 4 bits; 2: 2 bits
};
constexpr std::pair<Precision, ElementCode> element_codes[] = {
    {Precision::u8, {0, 0}}, {Precision::s8, {4, 0}}, {Precision::u4, {0, 1}},
    {Precision::s4, {4, 1}}, {Precision::u2, {0, 2}}, {Precision::s2, {4, 2}},
    {Precision::hf, {1, 0}}, {Precision::bf, {5, 0}}, {Precision::tf32, {6, 0}}};

ElementCode element_code(Precision precision) {
  for (const auto& [known, code] : element_codes) {
    if (known == precision) return code;
  }
  return {no_code, 0};
}

std::optional<Precision> element_precision(unsigned type, unsigned sub_byte) {
  for (const auto& [precision, code] : element_codes) {
    if (code.type == static_cast<int>(type) && code.sub_byte == sub_byte) return precision;
  }
  return std::nullopt;
}

/// Native text names bytes after their data types.
std::string_view element_name(Precision precision) {
  if (precision == Precision::u8) return "ub";
  if (precision == Precision::s8) return "b";
  return info(precision).name;
}

std::optional<Precision> find_element(std::string_view name) {
  if (name == "ub") return Precision::u8;
  if (name == "b") return Precision::s8;
  const auto found = find_precision(name);
  if (!found || *found == Precision::u8 || *found == Precision::s8) return std::nullopt;
  return found;
}

// ---- fields -------------------------------------------------------------------------------------

void put(NativeBits& bits, unsigned first, unsigned width, unsigned value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned at = first + i;
    if ((value >> i & 1U) != 0) bits[at / 8] |= static_cast<std::uint8_t>(1U << at % 8);
  }
}

unsigned get(const NativeBits& bits, unsigned first, unsigned width) {
  unsigned value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned at = first + i;
    value |= (bits[at / 8] >> at % 8 & 1U) << i;
  }
  return value;
}

struct Layout {
  unsigned swsb_bits;
  unsigned execution_at;
  unsigned sub_unit;  ///< bytes per sub-register number
};

Layout layout(const NativeForm& form) {
  return form.grf_bytes == 32 ? Layout{8, 16, 1} : Layout{10, 18, 2};
}

/// An operand's file, sub-register and register; the register number is 8 bits above the
/// sub-register.
struct OperandAt {
  unsigned file, sub, grf;
};
constexpr OperandAt dst_at{50, 51, 56}, src0_at{66, 67, 72}, src1_at{98, 99, 104},
    src2_at{114, 115, 120};

void put_operand(NativeBits& bits, const OperandAt& at, const NativeOperand& operand,
                 unsigned sub_unit) {
  if (operand.null) return;
  put(bits, at.file, 1, 1);
  put(bits, at.sub, 5, operand.byte / sub_unit);
  put(bits, at.grf, 8, operand.grf);
}

NativeOperand get_operand(const NativeBits& bits, const OperandAt& at, unsigned sub_unit) {
  NativeOperand operand;
  operand.null = get(bits, at.file, 1) == 0;
  if (operand.null) return operand;
  operand.byte = static_cast<std::uint8_t>(get(bits, at.sub, 5) * sub_unit);
  operand.grf = static_cast<std::uint8_t>(get(bits, at.grf, 8));
  return operand;
}

// ---- software scoreboard ------------------------------------------------------------------------

/// Upper bits of the field: the meaning of the token in the lower bits.
struct SwsbCodes {
  unsigned sets, written, read, mask;
};

SwsbCodes swsb_codes(const NativeForm& form) {
  return form.grf_bytes == 32 ? SwsbCodes{0x40, 0x20, 0x30, 0xF0}
                              : SwsbCodes{0xC0, 0x80, 0xA0, 0x3E0};
}

std::string swsb_text(unsigned swsb, const NativeForm& form) {
  if (swsb == 0) return {};
  const SwsbCodes codes = swsb_codes(form);
  const unsigned token = swsb & ~codes.mask;
  const unsigned kind = swsb & codes.mask;
  if (kind == codes.sets) return fmt::format("${}", token);
  if (kind == codes.written) return fmt::format("${}.dst", token);
  if (kind == codes.read) return fmt::format("${}.src", token);
  return fmt::format("swsb=0x{:x}", swsb);
}

// ---- text ---------------------------------------------------------------------------------------

/// Bytes per sub-register number in text: sub-registers count elements, or bytes for elements
/// smaller than a byte.
unsigned element_bytes(Precision precision) {
  return info(precision).bits < 8 ? 1 : info(precision).bits / 8U;
}

/// Text of an operand; a sub-register of 0 is left out, except for src2.
std::string operand_text(const NativeOperand& operand, unsigned bytes, std::string_view type,
                         bool src2 = false) {
  if (operand.null) return fmt::format("null:{}", type);
  if (operand.byte == 0 && !src2) return fmt::format("r{}:{}", operand.grf, type);
  return fmt::format("r{}.{}:{}", operand.grf, operand.byte / bytes, type);
}

class NativeParser {
 public:
  NativeParser(std::string_view line, const NativeForm& form) : cursor_(line), form_(form) {}

  NativeDpas run() {
    d_.write_all = cursor_.accept("(W)");
    const std::string_view mnemonic = cursor_.expect_word("dpas or dpasw");
    if (mnemonic != "dpas" && mnemonic != "dpasw") {
      cursor_.fail("{} has no native form here; allowed dpas, dpasw", quote(mnemonic));
    }
    d_.opcode = mnemonic == "dpas" ? Opcode::dpas : Opcode::dpasw;
    cursor_.expect(".");
    shape();
    execution();
    d_.dst_type = accumulator(operand(d_.dst));
    place(d_.dst, info(d_.dst_type).bytes);
    d_.src0_type = accumulator(operand(d_.src0));
    place(d_.src0, info(d_.src0_type).bytes);
    if (info(d_.dst_type).is_float != info(d_.src0_type).is_float) {
      cursor_.fail("dst and src0 are an integer and a float; allowed two of one kind");
    }
    d_.w = element(operand(d_.src1));
    place(d_.src1, element_bytes(d_.w));
    d_.a = element(operand(d_.src2));
    place(d_.src2, element_bytes(d_.a));
    options();
    cursor_.expect_end();
    return d_;
  }

 private:
  /// Parses SD and RC, one word such as 8x4.
  void shape() {
    const std::string_view text = cursor_.word();
    const auto digit = [&](std::size_t at, std::string_view allowed) {
      return at < text.size() && allowed.find(text[at]) != std::string_view::npos;
    };
    if (text.size() != 3 || text[1] != 'x' || !digit(0, "1248") || !digit(2, "12345678")) {
      cursor_.fail(
          "E_DPAS_SYNTAX: {} is no shape; allowed SDxRC with SD in 1, 2, 4, 8 and RC in 1..8",
          quote(text));
    }
    d_.systolic_depth = static_cast<std::uint8_t>(text[0] - '0');
    d_.repeat_count = static_cast<std::uint8_t>(text[2] - '0');
  }

  void execution() {
    cursor_.expect("(");
    const std::int64_t size = cursor_.expression();
    if (size != 8 && size != 16) cursor_.fail("execution size {}; allowed 8, 16", size);
    d_.execution_size = static_cast<std::uint8_t>(size);
    cursor_.expect("|");
    cursor_.expect("M0");
    cursor_.expect(")");
  }

  /// Parses r10:f, null:f or r50.0:bf and returns the type. The text behind the point is kept for
  /// place().
  std::string_view operand(NativeOperand& result) {
    cursor_.skip_blanks();
    sub_ = 0;
    const std::string_view name = cursor_.expect_word("a register");
    if (name == "null") {
      result.null = true;
    } else {
      if (name[0] != 'r') cursor_.fail("{} is no register; allowed r0..r255, null", quote(name));
      TextCursor number(name.substr(1));
      result.grf = static_cast<std::uint8_t>(number.expression("register", 0, 255));
      number.expect_end();
      if (cursor_.accept_here(".")) sub_ = cursor_.primary();
    }
    cursor_.expect(":");
    return cursor_.expect_word("a type");
  }

  void place(NativeOperand& operand, unsigned bytes) {
    const std::int64_t most = form_.grf_bytes / bytes - 1;
    if (sub_ < 0 || sub_ > most || sub_ * bytes % layout(form_).sub_unit != 0) {
      cursor_.fail("sub-register {} is out of range; allowed 0..{}", sub_, most);
    }
    operand.byte = static_cast<std::uint8_t>(sub_ * bytes);
  }

  Type accumulator(std::string_view name) {
    const auto type = find_type(name);
    if (!type || accumulator_code(*type) == no_code) {
      cursor_.fail("{} is no type of dst and src0; allowed d, ud, f, hf, bf", quote(name));
    }
    return *type;
  }

  Precision element(std::string_view name) {
    const auto precision = find_element(name);
    if (!precision || element_code(*precision).type == no_code) {
      cursor_.fail("{} is no type of src1 and src2; allowed ub, b, u4, s4, u2, s2, hf, bf, tf32",
                   quote(name));
    }
    return *precision;
  }

  void options() {
    if (!cursor_.accept("{")) return;
    do {
      cursor_.skip_blanks();
      const std::string_view text = cursor_.dotted_word();
      if (text == "Atomic") {
        d_.atomic = true;
      } else if (text == "swsb" && cursor_.accept("=")) {
        const unsigned most = (1U << layout(form_).swsb_bits) - 1U;
        d_.swsb = static_cast<std::uint16_t>(cursor_.expression("swsb", 0, most));
      } else if (!text.empty() && text[0] == '$') {
        token(text);
      } else {
        cursor_.fail("{} is no option; allowed Atomic, $n, $n.dst, $n.src, swsb=n", quote(text));
      }
    } while (cursor_.accept(","));
    cursor_.expect("}");
  }

  void token(std::string_view text) {
    const SwsbCodes codes = swsb_codes(form_);
    const std::size_t dot = text.find('.');
    const std::string_view kind = dot == std::string_view::npos ? "" : text.substr(dot);
    TextCursor digits(text.substr(1, dot == std::string_view::npos ? dot : dot - 1));
    const unsigned most = form_.grf_bytes == 32 ? 15 : 31;
    const std::uint32_t number = digits.expression("token", 0, most);
    digits.expect_end();
    if (!kind.empty() && kind != ".dst" && kind != ".src") {
      cursor_.fail("{} is no token; allowed $n, $n.dst, $n.src", quote(text));
    }
    if (d_.swsb != 0) cursor_.fail("two tokens; the native form has room for one");
    d_.swsb = static_cast<std::uint16_t>(number | (kind.empty()     ? codes.sets
                                                   : kind == ".dst" ? codes.written
                                                                    : codes.read));
  }

  TextCursor cursor_;
  NativeForm form_;
  NativeDpas d_;
  std::int64_t sub_ = 0;
};

}  // namespace

bool can_encode(const NativeDpas& d) {
  return element_code(d.w).type != no_code && element_code(d.a).type != no_code &&
         accumulator_code(d.dst_type) != no_code && accumulator_code(d.src0_type) != no_code;
}

NativeBits encode_native(const NativeDpas& d, const NativeForm& form) {
  const Layout at = layout(form);
  NativeBits bits{};
  put(bits, 0, 7, d.opcode == Opcode::dpas ? opcode_dpas : opcode_dpasw);
  put(bits, 8, at.swsb_bits, d.swsb);
  put(bits, at.execution_at, 3, d.execution_size == 16 ? 4 : 3);
  put(bits, 31, 1, d.write_all ? 1 : 0);
  put(bits, 32, 1, d.atomic ? 1 : 0);
  put(bits, 34, 1, d.saturate ? 1 : 0);
  put(bits, 36, 3, static_cast<unsigned>(accumulator_code(d.dst_type)));
  put(bits, 39, 1, info(d.dst_type).is_float ? 1 : 0);
  put(bits, 40, 3, static_cast<unsigned>(accumulator_code(d.src0_type)));
  put(bits, 43, 3, d.repeat_count - 1U);
  unsigned depth_code = 0;
  while ((1U << depth_code) < d.systolic_depth) ++depth_code;
  put(bits, 48, 2, depth_code);
  put_operand(bits, dst_at, d.dst, at.sub_unit);
  put_operand(bits, src0_at, d.src0, at.sub_unit);
  put_operand(bits, src1_at, d.src1, at.sub_unit);
  put_operand(bits, src2_at, d.src2, at.sub_unit);
  const ElementCode w = element_code(d.w), a = element_code(d.a);
  put(bits, 80, 3, static_cast<unsigned>(a.type));
  put(bits, 84, 2, a.sub_byte);
  put(bits, 86, 2, w.sub_byte);
  put(bits, 88, 3, static_cast<unsigned>(w.type));
  return bits;
}

NativeDpas decode_native(const NativeBits& bits, const NativeForm& form, const std::string& where) {
  const Layout at = layout(form);
  NativeDpas d;
  const unsigned opcode = get(bits, 0, 7);
  if (opcode == opcode_bdpas) {
    user_error("{}: E_BDPAS_PLATFORM: bdpas is not modelled; allowed dpas, dpasw", where);
  }
  if (opcode != opcode_dpas && opcode != opcode_dpasw) {
    user_error("{}: opcode 0x{:02X} is no dpas; allowed 0x59 (dpas), 0x5A (dpasw)", where, opcode);
  }
  d.opcode = opcode == opcode_dpas ? Opcode::dpas : Opcode::dpasw;
  d.swsb = static_cast<std::uint16_t>(get(bits, 8, at.swsb_bits));
  const unsigned size = get(bits, at.execution_at, 3);
  if (size != 3 && size != 4) {
    user_error("{}: E_DPAS_EXEC: execution size of code {}; allowed 3 (8), 4 (16)", where, size);
  }
  d.execution_size = size == 4 ? 16 : 8;
  d.write_all = get(bits, 31, 1) != 0;
  d.atomic = get(bits, 32, 1) != 0;
  d.saturate = get(bits, 34, 1) != 0;
  const bool is_float = get(bits, 39, 1) != 0;
  const auto dst_type = accumulator_type(get(bits, 36, 3), is_float);
  const auto src0_type = accumulator_type(get(bits, 40, 3), is_float);
  if (!dst_type) user_error("{}: E_DPAS_DST_TYPE: dst has no type of this code", where);
  if (!src0_type) user_error("{}: E_DPAS_SRC0_TYPE: src0 has no type of this code", where);
  d.dst_type = *dst_type;
  d.src0_type = *src0_type;
  d.repeat_count = static_cast<std::uint8_t>(get(bits, 43, 3) + 1);
  d.systolic_depth = static_cast<std::uint8_t>(1U << get(bits, 48, 2));
  const auto w = element_precision(get(bits, 88, 3), get(bits, 86, 2));
  const auto a = element_precision(get(bits, 80, 3), get(bits, 84, 2));
  if (!w || !a) user_error("{}: E_DPAS_PREC_RESERVED: a source has no type of this code", where);
  d.w = *w;
  d.a = *a;
  d.dst = get_operand(bits, dst_at, at.sub_unit);
  d.src0 = get_operand(bits, src0_at, at.sub_unit);
  d.src1 = get_operand(bits, src1_at, at.sub_unit);
  d.src2 = get_operand(bits, src2_at, at.sub_unit);
  const auto within = [&](const NativeOperand& operand, unsigned bytes, const char* what) {
    if (operand.byte % bytes == 0) return;
    user_error("{}: {} begins at byte {} of a register; allowed multiples of {}", where, what,
               operand.byte, bytes);
  };
  within(d.dst, info(d.dst_type).bytes, "E_DPAS_ALIGN_DST: dst");
  within(d.src0, info(d.src0_type).bytes, "E_DPAS_ALIGN_SRC0: src0");
  within(d.src1, element_bytes(d.w), "E_DPAS_ALIGN_SRC1: src1");
  within(d.src2, element_bytes(d.a), "E_DPAS_ALIGN_SRC2: src2");
  return d;
}

std::string native_text(const NativeDpas& d, const NativeForm& form) {
  std::string options = d.atomic ? "Atomic" : "";
  const std::string swsb = swsb_text(d.swsb, form);
  if (!swsb.empty()) options += (options.empty() ? "" : ",") + swsb;
  return fmt::format("{}{}.{}x{} ({}|M0) {} {} {} {}{}", d.write_all ? "(W) " : "", name(d.opcode),
                     d.systolic_depth, d.repeat_count, d.execution_size,
                     operand_text(d.dst, info(d.dst_type).bytes, info(d.dst_type).name),
                     operand_text(d.src0, info(d.src0_type).bytes, info(d.src0_type).name),
                     operand_text(d.src1, element_bytes(d.w), element_name(d.w)),
                     operand_text(d.src2, element_bytes(d.a), element_name(d.a), true),
                     options.empty() ? "" : " {" + options + "}");
}

NativeDpas parse_native(std::string_view line, const NativeForm& form, const std::string& where) {
  try {
    return NativeParser(line, form).run();
  } catch (const TextError& error) {
    user_error("{}:{}: {}", where, error.column, error.message);
  }
}

NativeDpas to_native(const Profile& profile, const Instruction& i, const std::string& where) {
  if (i.opcode != Opcode::dpas && i.opcode != Opcode::dpasw) {
    user_error("{}: {} has no native form here; allowed dpas, dpasw", where, name(i.opcode));
  }
  const NativeForm form{profile.grf_bytes};
  const auto operand = [&](const Operand& from) {
    NativeOperand to;
    to.null = !from.present();
    to.grf = static_cast<std::uint8_t>(from.address / profile.grf_bytes);
    to.byte = static_cast<std::uint8_t>(from.address % profile.grf_bytes);
    return to;
  };
  NativeDpas d;
  d.opcode = i.opcode;
  d.execution_size = i.execution_size;
  d.systolic_depth = i.systolic_depth;
  d.repeat_count = i.repeat_count;
  d.write_all = i.mask.no_mask();
  d.atomic = i.annotations.atomic;
  d.w = i.w;
  d.a = i.a;
  d.dst_type = i.dst.type;
  d.src0_type = i.source[0].present() ? i.source[0].type : i.dst.type;
  d.dst = operand(i.dst);
  d.src0 = operand(i.source[0]);
  d.src1 = operand(i.source[1]);
  d.src2 = operand(i.source[2]);
  if (!can_encode(d)) {
    user_error("{}: no native code is published for {} and {}; allowed integers, bf, hf, tf32",
               where, info(d.w).name, info(d.a).name);
  }
  if (i.mask.first_channel() != 0) user_error("{}: mask M1 only has a native form here", where);
  const Annotations& a = i.annotations;
  const SwsbCodes codes = swsb_codes(form);
  unsigned fields = 0;
  for (unsigned n = 0; n < 32; ++n) {
    const std::uint32_t token = std::uint32_t{1} << n;
    const auto use = [&](unsigned code) {
      d.swsb = static_cast<std::uint16_t>(code | n);
      ++fields;
    };
    if (a.sets == n) use(codes.sets);
    if ((a.waits_written & token) != 0) use(codes.written);
    if ((a.waits_read & token) != 0) use(codes.read);
  }
  if (fields > 1) user_error("{}: {} tokens; the native form has room for one", where, fields);
  return d;
}

}  // namespace tactus::dpas
