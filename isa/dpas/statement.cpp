#include "isa/dpas/statement.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "isa/dpas/formats.h"
#include "isa/dpas/instruction_set.h"
#include "isa/dpas/semantics.h"
#include "isa/support/decimal.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

template <std::size_t n>
std::vector<std::string_view> as_list(const std::string_view (&names)[n]) {
  return {std::begin(names), std::end(names)};
}

/// Index of a name in a table; if it is absent, an error that lists the names.
template <std::size_t n>
unsigned index_of(const std::string_view (&names)[n], std::string_view name, std::string_view what,
                  std::size_t column) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) {
    TextCursor::fail_at(column, "{} is no {}; allowed {}", quote(name), what,
                        quote_list(as_list(names)));
  }
  return static_cast<unsigned>(found - std::begin(names));
}

std::string in_small_letters(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

class StatementParser {
 public:
  StatementParser(TextCursor& cursor, Kernel& kernel) : cursor_(cursor), kernel_(kernel) {}

  Instruction run() {
    cursor_.skip_blanks();
    if (cursor_.peek() == '(') predicate();
    cursor_.skip_blanks();
    start_ = cursor_.column();
    // The vISA pages write mnemonics in capitals, the reference's assembler in small letters.
    const std::string mnemonic = in_small_letters(cursor_.expect_word("an instruction"));
    if (mnemonic == "dpas" || mnemonic == "dpasw" || mnemonic == "bdpas") {
      dpas(mnemonic);
    } else if (mnemonic == "mov" || mnemonic == "add" || mnemonic == "cmp") {
      arithmetic(mnemonic);
    } else if (mnemonic == "lsc_load" || mnemonic == "lsc_store") {
      access(mnemonic == "lsc_load");
    } else if (mnemonic == "lsc_load_block2d" || mnemonic == "lsc_store_block2d") {
      block_access(mnemonic == "lsc_load_block2d");
    } else if (mnemonic == "lsc_fence") {
      fence();
    } else if (mnemonic == "barrier") {
      i_.opcode = Opcode::barrier;
    } else if (mnemonic == "jmp") {
      i_.opcode = Opcode::jmp;
      execution_size();
      cursor_.skip_blanks();
      i_.label = label_index(kernel_, cursor_.expect_name("a label"));
    } else if (mnemonic == "ret") {
      i_.opcode = Opcode::ret;
      execution_size();
    } else {
      unknown(mnemonic);
    }
    annotations();
    cursor_.expect_end();
    return i_;
  }

 private:
  [[noreturn]] void unknown(std::string_view mnemonic) const {
    std::vector<std::string_view> known;
    for (const InstructionInfo& each : instruction_set()) known.push_back(each.mnemonic);
    TextCursor::fail_at(start_, "{} is no instruction of the subset; allowed {}{}", quote(mnemonic),
                        quote_list(known), suggestion(mnemonic, known));
  }

  // ---- what stands around operands ----

  void predicate() {
    cursor_.expect("(");
    i_.predicate.inverse = cursor_.accept("!");
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    const std::string_view name = cursor_.expect_word("a predicate");
    i_.predicate.variable = static_cast<std::uint16_t>(predicate_id(name, column));
    if (cursor_.accept_here(".")) {
      const std::size_t at = cursor_.column();
      const std::string_view combine = cursor_.word();
      if (combine == "any") {
        i_.predicate.combine = PredicateControl::Combine::any;
      } else if (combine == "all") {
        i_.predicate.combine = PredicateControl::Combine::all;
      } else {
        TextCursor::fail_at(at, "{} combines no predicate; allowed \"any\", \"all\"",
                            quote(combine));
      }
    }
    cursor_.expect(")");
  }

  std::uint32_t predicate_id(std::string_view name, std::size_t column) const {
    for (std::size_t i = 0; i < kernel_.predicates.size(); ++i) {
      if (kernel_.predicates[i].name == name) return static_cast<std::uint32_t>(i + 1);
    }
    std::vector<std::string_view> names;
    for (const Predicate& p : kernel_.predicates) names.push_back(p.name);
    TextCursor::fail_at(column, "{} is no declared predicate{}", quote(name),
                        suggestion(name, names));
  }

  /// Parses (M1_NM, 16) or (16).
  void execution_size() {
    cursor_.expect("(");
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    if (cursor_.peek() == 'M') {
      const std::string_view mask = cursor_.word();
      const bool no_mask = mask.size() == 5 && mask.substr(2) == "_NM";
      if ((mask.size() != 2 && !no_mask) || mask[1] < '1' || mask[1] > '8') {
        TextCursor::fail_at(column, "{}{} is no mask; allowed M1..M8 and M1_NM..M8_NM", code_,
                            quote(mask));
      }
      i_.mask.code = static_cast<std::uint8_t>((mask[1] - '1') + (no_mask ? 8 : 0));
      cursor_.expect(",");
    }
    cursor_.skip_blanks();
    const std::size_t at = cursor_.column();
    const std::int64_t size = cursor_.expression();
    if (size < 1 || size > 32 || (size & (size - 1)) != 0) {
      TextCursor::fail_at(at, "{}{} is no execution size; allowed 1, 2, 4, 8, 16, 32", code_, size);
    }
    i_.execution_size = static_cast<std::uint8_t>(size);
    cursor_.expect(")");
  }

  /// Parses {Atomic,$3,$1.dst,$2.src}.
  void annotations() {
    if (!cursor_.accept("{")) return;
    do {
      cursor_.skip_blanks();
      const std::size_t column = cursor_.column();
      const std::string_view text = cursor_.dotted_word();
      if (text == "Atomic") {
        i_.annotations.atomic = true;
      } else if (text.size() > 1 && text[0] == '$') {
        token(text.substr(1), column);
      } else {
        TextCursor::fail_at(column, "{} is no annotation; allowed Atomic, $n, $n.dst, $n.src",
                            quote(text));
      }
    } while (cursor_.accept(","));
    cursor_.expect("}");
  }

  void token(std::string_view text, std::size_t column) {
    unsigned number = 0;
    std::size_t at = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && number < 100; ++at) {
      number = number * 10 + static_cast<unsigned>(text[at] - '0');
    }
    const std::string_view kind = text.substr(at);
    if (at == 0 || number > 31 || (!kind.empty() && kind != ".dst" && kind != ".src")) {
      TextCursor::fail_at(column, "{} is no token; allowed $n, $n.dst, $n.src, n in 0..31",
                          quote("$" + std::string(text)));
    }
    if (kind.empty() && i_.annotations.sets != Annotations::no_token) {
      TextCursor::fail_at(column, "an instruction sets one token");
    }
    if (kind.empty()) i_.annotations.sets = static_cast<std::uint8_t>(number);
    if (kind == ".dst") i_.annotations.waits_written |= std::uint32_t{1} << number;
    if (kind == ".src") i_.annotations.waits_read |= std::uint32_t{1} << number;
  }

  // ---- operands ----

  /// Sets the operand to the variable of this name; %null leaves its kind null.
  void variable(Operand& operand, std::string_view name, std::size_t column) const {
    if (name == "%null") {
      operand.kind = Operand::Kind::null;
      return;
    }
    for (const PredefinedVariable& p : predefined_variables) {
      if (p.name != name) continue;
      operand.variable = p.id;
      operand.type = p.type;
      return;
    }
    for (std::size_t i = 0; i < kernel_.variables.size(); ++i) {
      if (kernel_.variables[i].name != name) continue;
      operand.variable = first_user_variable + static_cast<std::uint32_t>(i);
      operand.type = kernel_.variables[i].type;
      return;
    }
    std::vector<std::string_view> names;
    for (const Variable& v : kernel_.variables) names.push_back(v.name);
    TextCursor::fail_at(column, "{}{} is not declared{}", code_, quote(name),
                        suggestion(name, names));
  }

  /// A name, of what the messages call `what`, as the operand's variable.
  void named_variable(Operand& operand, std::string_view what) {
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    variable(operand, cursor_.expect_word(what), column);
  }

  /// Value of a word's enumeration, whose names are given in its order.
  template <typename Enum, std::size_t n>
  Enum one_of(const std::string_view (&names)[n], std::string_view what) {
    const std::size_t column = cursor_.column();
    return static_cast<Enum>(index_of(names, cursor_.word(), what, column));
  }

  void no_modifier_or_indirection(std::string_view what) {
    const bool is_dpas = i_.is_dpas();
    if (cursor_.peek() == '(') {
      cursor_.fail("{}{} takes no modifier", is_dpas ? "E_DPAS_MODIFIER: " : "", what);
    }
    TextCursor ahead = cursor_;
    if (ahead.word() == "r" && ahead.peek() == '[') {
      cursor_.fail("{}{} cannot be indirect; allowed NAME.offset or NAME(row,column)",
                   is_dpas ? "E_DPAS_INDIRECT: " : "E_OPERAND: ", what);
    }
  }

  void no_region(std::string_view what) {
    if (cursor_.peek() != '<') return;
    cursor_.fail("{}{} takes no region", i_.is_dpas() ? "E_DPAS_REGION: " : "E_OPERAND: ", what);
  }

  /// Parses NAME.offset or NAME.(expression); with `short_form` also NAME.
  Operand raw(std::string_view what, bool short_form = false) {
    no_modifier_or_indirection(what);
    Operand operand;
    operand.kind = Operand::Kind::raw;
    named_variable(operand, what);
    if (cursor_.accept_here(".")) {
      operand.offset = static_cast<std::uint32_t>(offset("byte offset", 65535));
    } else if (!short_form) {
      cursor_.fail("{}{} is written NAME.offset, such as NAME.0", code_, what);
    }
    no_region(what);
    return operand;
  }

  std::int64_t offset(std::string_view what, std::int64_t max) {
    const std::size_t column = cursor_.column();
    const std::int64_t value = cursor_.primary();
    if (value < 0 || value > max) {
      TextCursor::fail_at(column, "{}{} {} is out of range; allowed 0..{}", code_, what, value,
                          max);
    }
    return value;
  }

  /// Parses (row,column).
  void row_and_column(Operand& operand) {
    cursor_.expect("(");
    operand.row = static_cast<std::uint8_t>(cursor_.expression("row", 0, 255));
    cursor_.expect(",");
    operand.column = static_cast<std::uint8_t>(cursor_.expression("column", 0, 255));
    cursor_.expect(")");
  }

  /// Parses NAME(row,column) without a region.
  Operand simple_vector(std::string_view what) {
    no_modifier_or_indirection(what);
    Operand operand;
    operand.kind = Operand::Kind::general;
    operand.region = {1, 1, 0};
    named_variable(operand, what);
    if (operand.kind == Operand::Kind::null && cursor_.accept_here(".")) {
      (void)offset("byte offset", 65535);
    } else if (cursor_.peek() == '(') {
      row_and_column(operand);
    } else {
      cursor_.fail("{}{} is written NAME(row,column), such as NAME(0,0)", code_, what);
    }
    no_region(what);
    return operand;
  }

  std::uint8_t stride(std::string_view what = "stride", std::int64_t min = 0,
                      std::int64_t max = 32) {
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    const std::uint32_t value = cursor_.expression(what, min, max);
    if ((value & (value - 1)) != 0) {
      TextCursor::fail_at(column, "{} {} is not allowed; allowed powers of two in {}..{}", what,
                          value, min, max);
    }
    return static_cast<std::uint8_t>(value);
  }

  Operand destination() {
    if (cursor_.peek() == '(') cursor_.fail("E_OPERAND: a destination takes no modifier");
    Operand operand;
    operand.kind = Operand::Kind::general;
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    const std::string_view name = cursor_.expect_word("a destination");
    const auto is_name = [name](const Predicate& p) { return p.name == name; };
    if (i_.opcode == Opcode::cmp &&
        std::any_of(kernel_.predicates.begin(), kernel_.predicates.end(), is_name)) {
      operand.kind = Operand::Kind::predicate;
      operand.variable = predicate_id(name, column);
      operand.type = Type::boolean;
      return operand;
    }
    variable(operand, name, column);
    row_and_column(operand);
    cursor_.expect("<");
    operand.region = {0, 1, stride()};
    cursor_.expect(">");
    return operand;
  }

  Modifier modifier() {
    for (const unsigned code : {3U, 2U, 1U}) {
      if (cursor_.accept(modifier_names[code])) return static_cast<Modifier>(code);
    }
    return Modifier::none;
  }

  /// Parses a constant or NAME(row,column)<v;w,h>; with `scalar` also NAME and NAME(row,column).
  Operand source(bool scalar = false) {
    Operand operand;
    operand.modifier = modifier();
    const char next = cursor_.peek();
    if (next == '-' || (next >= '0' && next <= '9')) return immediate(operand.modifier, scalar);
    no_modifier_or_indirection("a source");
    operand.kind = Operand::Kind::general;
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    named_variable(operand, "a source");
    if (operand.kind == Operand::Kind::null) {
      TextCursor::fail_at(column, "E_OPERAND: %null is no source");
    }
    operand.region = {0, 1, 0};
    if (scalar && cursor_.peek() != '(') return operand;
    row_and_column(operand);
    if (scalar && cursor_.peek() != '<') return operand;
    cursor_.expect("<");
    operand.region.vertical = stride();
    cursor_.expect(";");
    operand.region.width = stride("width", 1, 16);
    cursor_.expect(",");
    operand.region.horizontal = stride();
    cursor_.expect(">");
    return operand;
  }

  /// Parses 0x10:d, -1:w, 1.5:f. A hexadecimal number gives the bits of a float. With `scalar` the
  /// type is optional.
  Operand immediate(Modifier before, bool scalar) {
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    if (before != Modifier::none) cursor_.fail("E_OPERAND: a constant takes no modifier");
    std::string text;
    if (cursor_.accept("-")) text = "-";
    text += cursor_.dotted_word();
    // Continues with the exponent of a number such as 1.5e-3.
    if (text.size() > 1 && text.back() == 'e' && text.substr(0, 2) != "0x" &&
        (cursor_.peek_here() == '-' || cursor_.peek_here() == '+')) {
      text += cursor_.accept_here("-") ? "-" : (cursor_.accept_here("+"), "+");
      text += cursor_.word();
    }
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.region = {0, 1, 0};
    operand.type = text[0] == '-' ? Type::d : Type::ud;
    if (cursor_.accept_here(":")) {
      const std::size_t at = cursor_.column();
      const std::string_view name = cursor_.word();
      const auto type = find_type(name);
      if (!type) TextCursor::fail_at(at, "{} is no type", quote(name));
      operand.type = *type;
    } else if (!scalar) {
      cursor_.fail("a constant ends in its type, such as {}:d", text);
    }
    operand.immediate = immediate_bits(operand.type, text, column);
    return operand;
  }

  static std::uint64_t immediate_bits(Type type, const std::string& text, std::size_t column) {
    const unsigned width = info(type).bytes * 8U;
    const bool hexadecimal = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
    if (info(type).is_float && !hexadecimal && type != Type::vf) {
      double value = 0;
      if (!parse_decimal(text, value)) TextCursor::fail_at(column, "{} is no number", quote(text));
      std::uint64_t bits = 0;
      if (type == Type::df) {
        std::memcpy(&bits, &value, sizeof bits);
      } else {
        const float single = nearest_float(text, value);
        bits = type == Type::f    ? formats::bits_of(single)
               : type == Type::hf ? float_to_hf(single)
                                  : float_to_bf(single);
      }
      return bits;
    }
    TextCursor digits(text);
    const bool negative = digits.accept("-");
    std::uint64_t value = 0;
    if (hexadecimal) {
      value = hexadecimal_value(text, column);
    } else {
      try {
        value = static_cast<std::uint64_t>(digits.primary());
        digits.expect_end();
      } catch (const TextError&) {
        TextCursor::fail_at(column, "{} is no number of 64 bits", quote(text));
      }
    }
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
    const std::uint64_t most = negative ? (all >> 1) + 1 : all;
    if (value > most || (negative && !info(type).is_signed && value != 0)) {
      TextCursor::fail_at(column, "{} does not fit type {} of {} bits", text, info(type).name,
                          width);
    }
    return (negative ? 0 - value : value) & all;
  }

  static std::uint64_t hexadecimal_value(const std::string& text, std::size_t column) {
    std::uint64_t value = 0;
    bool good = text.size() > 2 && text.size() <= 18;
    for (std::size_t i = 2; i < text.size() && good; ++i) {
      good = std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
      value = value << 4 | static_cast<std::uint64_t>(text[i] <= '9' ? text[i] - '0'
                                                                     : (text[i] & 0xDF) - 'A' + 10);
    }
    if (!good) TextCursor::fail_at(column, "{} is no number of 64 bits", quote(text));
    return value;
  }

  // ---- dpas ----

  void dpas(std::string_view mnemonic) {
    i_.opcode = mnemonic == "dpas"    ? Opcode::dpas
                : mnemonic == "dpasw" ? Opcode::dpasw
                                      : Opcode::bdpas;
    code_ = "E_DPAS_SYNTAX: ";
    suffix();
    execution_size();
    i_.dst = raw("the destination");
    i_.source[0] = raw("src0");
    i_.source[1] = raw("src1");
    if (i_.opcode == Opcode::bdpas) {
      i_.source[2] = raw("src2");
      i_.source[3] = simple_vector("src3");
      i_.source[4] = simple_vector("src4");
    } else {
      i_.source[2] = simple_vector("src2");
    }
  }

  /// Parses .W.A.SD.RC, without blanks.
  void suffix() {
    const std::size_t column = cursor_.column();
    const std::string_view text = cursor_.peek_here() == '.' ? cursor_.dotted_word() : "";
    std::vector<std::string_view> fields;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('.', at + 1), text.size());
      fields.push_back(text.substr(at + 1, end - at - 1));
      at = end;
    }
    if (fields.size() == 5 && fields.back() == "sat") {
      TextCursor::fail_at(column, "E_DPAS_MODIFIER: a {} does not saturate", name(i_.opcode));
    }
    const auto one_of = [](std::string_view field, std::string_view digits) {
      return field.size() == 1 && digits.find(field[0]) != std::string_view::npos;
    };
    if (fields.size() != 4 || !one_of(fields[2], "1248") || !one_of(fields[3], "12345678")) {
      TextCursor::fail_at(column,
                          "{}{} is written .W.A.SD.RC with precisions W and A, SD in 1, 2, 4, 8 "
                          "and RC in 1..8, not {}",
                          code_, name(i_.opcode), quote(text));
    }
    i_.w = precision(fields[0], column);
    i_.a = precision(fields[1], column);
    i_.systolic_depth = static_cast<std::uint8_t>(fields[2][0] - '0');
    i_.repeat_count = static_cast<std::uint8_t>(fields[3][0] - '0');
  }

  Precision precision(std::string_view field, std::size_t column) const {
    if (const auto found = find_precision(field)) return *found;
    // The reference's lexer accepts a type letter and a width even if they form no precision.
    const bool token = field.size() == 2 &&
                       std::string_view("sSuUbBhH").find(field[0]) != std::string_view::npos &&
                       std::string_view("1248fF").find(field[1]) != std::string_view::npos;
    TextCursor::fail_at(column,
                        "{}{} is no precision; allowed u2, s2, u4, s4, u8, s8, bf, hf, tf32, bf8, "
                        "hf8, e2m1",
                        token ? "E_DPAS_PREC_RESERVED: " : code_, quote(field));
  }

  // ---- arithmetic ----

  void arithmetic(std::string_view mnemonic) {
    i_.opcode = mnemonic == "mov" ? Opcode::mov : mnemonic == "add" ? Opcode::add : Opcode::cmp;
    if (i_.opcode == Opcode::cmp) {
      cursor_.expect(".");
      i_.comparison = one_of<Comparison>(comparison_names, "comparison");
    } else if (cursor_.accept_here(".")) {
      const std::size_t column = cursor_.column();
      const std::string_view option = cursor_.word();
      if (option != "sat") {
        TextCursor::fail_at(column, "{} is no option; allowed \"sat\"", quote(option));
      }
      i_.saturate = true;
    }
    execution_size();
    i_.dst = destination();
    i_.source[0] = source();
    if (i_.opcode != Opcode::mov) i_.source[1] = source();
  }

  // ---- messages ----

  /// Parses .ugm.uc.uc behind the mnemonic.
  void unit_and_caching() {
    i_.opcode = Opcode::lsc_untyped;
    cursor_.expect(".");
    i_.lsc.unit = one_of<LscUnit>(unit_names, "unit of memory");
    for (std::uint8_t* caching : {&i_.lsc.l1_caching, &i_.lsc.l3_caching}) {
      if (!cursor_.accept_here(".")) return;
      *caching = one_of<std::uint8_t>(caching_names, "kind of caching");
    }
  }

  void data_size(std::string_view text, std::size_t column) {
    static constexpr std::string_view sizes[] = {"d8", "d16", "d32", "d64"};
    i_.lsc.data_size =
        static_cast<LscDataSize>(1 + index_of(sizes, text, "size of an element", column));
  }

  /// Parses NAME:d32x4t.
  Operand data_of_access() {
    Operand operand = raw("the data", true);
    cursor_.expect(":");
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    std::string_view text = cursor_.word();
    if (!text.empty() && text.back() == 't') {
      i_.lsc.transposed = true;
      text.remove_suffix(1);
    }
    const std::size_t times = text.find('x');
    data_size(text.substr(0, times), column);
    if (times != std::string_view::npos) {
      static constexpr std::string_view sizes[] = {"1", "2", "3", "4", "8", "16", "32", "64"};
      static constexpr std::uint8_t values[] = {1, 2, 3, 4, 8, 16, 32, 64};
      i_.lsc.vector_size =
          values[index_of(sizes, text.substr(times + 1), "number of elements", column)];
    }
    return operand;
  }

  /// Parses flat[4*ADDRESS+0x100]:a64.
  Operand address_of_access() {
    address_kind();
    const char next = cursor_.peek();
    if (next >= '0' && next <= '9') {
      i_.lsc.address_scale = static_cast<std::uint16_t>(offset("scale", 65535));
      cursor_.expect("*");
    }
    Operand operand = raw("the addresses", true);
    if (cursor_.accept("+")) {
      i_.lsc.address_offset = static_cast<std::int32_t>(offset("offset", INT32_MAX));
    } else if (cursor_.accept("-")) {
      i_.lsc.address_offset = static_cast<std::int32_t>(-offset("offset", INT32_MAX));
    }
    cursor_.expect("]");
    cursor_.expect(":");
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    static constexpr std::string_view sizes[] = {"a16", "a32", "a64"};
    i_.lsc.address_size = static_cast<LscAddressSize>(
        1 + index_of(sizes, cursor_.word(), "size of addresses", column));
    return operand;
  }

  void address_kind() {
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    const std::string_view kind = cursor_.expect_word("flat[...]");
    if (kind != "flat") {
      TextCursor::fail_at(column, "E_MESSAGE: {} addresses are not in the subset; allowed flat",
                          quote(kind));
    }
    cursor_.expect("[");
  }

  void access(bool load) {
    i_.lsc.operation = load ? LscOperation::load : LscOperation::store;
    unit_and_caching();
    execution_size();
    if (load) {
      i_.dst = data_of_access();
      i_.source[0] = address_of_access();
    } else {
      i_.source[0] = address_of_access();
      i_.source[1] = data_of_access();
    }
  }

  /// Parses NAME:d16.2x16x8nt.
  Operand data_of_block() {
    Operand operand = raw("the data", true);
    cursor_.expect(":");
    cursor_.skip_blanks();
    const std::size_t column = cursor_.column();
    std::string_view text = cursor_.dotted_word();
    const std::size_t dot = std::min(text.find('.'), text.size());
    data_size(text.substr(0, dot), column);
    block_shape(text.substr(std::min(dot + 1, text.size())), column);
    i_.lsc.block.element_bytes = static_cast<std::uint8_t>(i_.lsc.element_bytes());
    return operand;
  }

  void block_shape(std::string_view text, std::size_t column) {
    const auto wrong = [&]() {
      TextCursor::fail_at(column,
                          "{} is no block; allowed [blocks x] width x height and n or t for "
                          "transposed and n or t for transformed, such as 2x16x8nt",
                          quote(text));
    };
    std::vector<std::uint32_t> numbers;
    std::size_t at = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      std::uint32_t number = 0;
      for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at) {
        number = std::min<std::uint32_t>(number * 10 + static_cast<std::uint32_t>(text[at] - '0'),
                                         100000);
      }
      numbers.push_back(number);
      if (at >= text.size() || text[at] != 'x') break;
      ++at;
    }
    const std::string_view flags = text.substr(at);
    const auto is_flag = [](char c) { return c == 'n' || c == 't'; };
    const bool flags_good = flags.empty() || (flags.size() == 2 && is_flag(flags[0]) &&
                                              (is_flag(flags[1]) || flags[1] == 'v'));
    if (numbers.size() < 2 || numbers.size() > 3 || !flags_good) wrong();
    Block2d& block = i_.lsc.block;
    const auto last = numbers.size() - 1;
    if (numbers[last] > 65535 || numbers[last - 1] > 65535 || numbers[0] > 65535) wrong();
    if (numbers.size() == 3 && numbers[0] > 255) wrong();
    block.height = static_cast<std::uint16_t>(numbers[last]);
    block.width = static_cast<std::uint16_t>(numbers[last - 1]);
    block.blocks = numbers.size() == 3 ? static_cast<std::uint8_t>(numbers[0]) : std::uint8_t{1};
    block.transpose = !flags.empty() && flags[0] == 't';
    block.transform = !flags.empty() && flags[1] != 'n';
  }

  void address_of_block() {
    address_kind();
    for (unsigned n = 0; n < 6; ++n) {
      if (n != 0) cursor_.expect(",");
      i_.source[n] = source(true);
    }
    cursor_.expect("]");
  }

  void block_access(bool load) {
    i_.lsc.operation = load ? LscOperation::load_block2d : LscOperation::store_block2d;
    unit_and_caching();
    execution_size();
    if (load) i_.dst = data_of_block();
    address_of_block();
    if (!load) i_.source[6] = data_of_block();
  }

  void fence() {
    i_.opcode = Opcode::lsc_fence;
    cursor_.expect(".");
    i_.lsc.unit = one_of<LscUnit>(unit_names, "unit of memory");
    cursor_.expect(".");
    i_.fence = one_of<FenceOperation>(fence_names, "fence");
    cursor_.expect(".");
    i_.scope = one_of<FenceScope>(scope_names, "scope");
    if (cursor_.peek() == '(') execution_size();
  }

  TextCursor& cursor_;
  Kernel& kernel_;
  Instruction i_;
  std::size_t start_ = 0;
  std::string_view code_;  ///< precedes messages about the form of a dpas
};

}  // namespace

std::uint32_t label_index(Kernel& kernel, std::string_view name) {
  for (std::size_t i = 0; i < kernel.labels.size(); ++i) {
    if (kernel.labels[i].name == name) return static_cast<std::uint32_t>(i);
  }
  kernel.labels.push_back({std::string(name), false});
  return static_cast<std::uint32_t>(kernel.labels.size() - 1);
}

Instruction parse_instruction(TextCursor& cursor, Kernel& kernel) {
  return StatementParser(cursor, kernel).run();
}

}  // namespace tactus::dpas
