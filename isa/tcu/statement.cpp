#include "isa/tcu/statement.h"

#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "isa/support/text.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

enum class Memory { local, accumulator, dram0, dram1 };

constexpr std::string_view memory_name(Memory memory) {
  constexpr std::array<std::string_view, 4> names = {"Local", "Acc", "DRAM0", "DRAM1"};
  return names[static_cast<std::size_t>(memory)];
}

struct Place {
  Memory memory;
  Operand operand;
  std::size_t column;
};

struct Modifiers {
  bool activated = false;
  bool accumulate = false;
  bool zeroes = false;
};

/// The kind that moves from one memory to the other, if the hardware has it.
std::optional<DataMoveKind> find_kind(Memory from, Memory to, bool accumulate) {
  if (accumulate) {
    if (from != Memory::local || to != Memory::accumulator) return std::nullopt;
    return DataMoveKind::local_to_accumulator_accumulate;
  }
  if ((from == Memory::local) == (to == Memory::local)) return std::nullopt;
  const bool into_local = to == Memory::local;
  switch (into_local ? from : to) {
    case Memory::dram0:
      return into_local ? DataMoveKind::dram0_to_local : DataMoveKind::local_to_dram0;
    case Memory::dram1:
      return into_local ? DataMoveKind::dram1_to_local : DataMoveKind::local_to_dram1;
    default:
      return into_local ? DataMoveKind::accumulator_to_local : DataMoveKind::local_to_accumulator;
  }
}

class StatementParser {
 public:
  StatementParser(const InstructionLayout& layout, const SymbolTable& symbols, TokenCursor& cursor)
      : layout_(layout), symbols_(symbols), cursor_(cursor) {}

  Statement parse() {
    const Token mnemonic = cursor_.expect_name("an instruction");
    const bool raw = same_name(mnemonic.text, "Raw");
    const Statement statement{raw ? parse_raw() : parse_instruction(mnemonic), raw};
    cursor_.expect_end_of_line();
    return statement;
  }

 private:
  Instruction parse_instruction(const Token& mnemonic) {
    if (same_name(mnemonic.text, "MatMul")) return parse_mat_mul();
    if (same_name(mnemonic.text, "DataMove")) return parse_data_move();
    if (same_name(mnemonic.text, "LoadWeights")) return parse_load_weights();
    if (same_name(mnemonic.text, "SIMD")) return parse_simd();
    if (same_name(mnemonic.text, "Configure")) return parse_configure();
    if (same_name(mnemonic.text, "NoOp")) return make_no_op();
    if (same_name(mnemonic.text, "Dais")) return parse_dais(mnemonic);
    if (same_name(mnemonic.text, "LoadLUT")) return parse_load_lut(mnemonic);
    if (same_name(mnemonic.text, "LoadActivation")) {
      if (!layout_.activation_unit) {
        syntax_error(mnemonic.column,
                     "LoadActivation needs an activation unit, and this architecture has none; "
                     "allowed with \"activation_unit\" in the architecture file");
      }
      return make_load_activation(layout_, parse_place({Memory::local}).operand);
    }
    std::vector<std::string_view> names = {"NoOp", "MatMul",    "DataMove", "LoadWeights",
                                           "SIMD", "Configure", "Raw"};
    if (layout_.dais_block_count > 0) names.emplace_back("Dais");
    if (layout_.lookup_table_count > 0) names.emplace_back("LoadLUT");
    if (layout_.activation_unit) names.emplace_back("LoadActivation");
    unknown("instruction", mnemonic, names);
  }

  Instruction parse_mat_mul() {
    const Modifiers modifiers = parse_modifiers(true, true);
    Operand local{0, 0};
    if (!modifiers.zeroes) {
      local = parse_place({Memory::local}).operand;
      cursor_.expect("->");
    }
    const Place accumulator = parse_place({Memory::accumulator});
    cursor_.expect(",");
    return make_mat_mul(layout_, local, accumulator.operand, parse_count(layout_.operand2),
                        modifiers.accumulate, modifiers.zeroes);
  }

  Instruction parse_data_move() {
    const std::initializer_list<Memory> all = {Memory::local, Memory::accumulator, Memory::dram0,
                                               Memory::dram1};
    const Modifiers modifiers = parse_modifiers(true, false, layout_.activation_unit);
    const bool accumulate = modifiers.accumulate;
    const Place from = parse_place(all);
    cursor_.expect("->");
    const Place to = parse_place(all);
    std::optional<DataMoveKind> kind = find_kind(from.memory, to.memory, accumulate);
    if (modifiers.activated) {
      if (accumulate || kind != DataMoveKind::accumulator_to_local) {
        syntax_error(from.column, "the activation unit works on moves from Acc to Local only");
      }
      kind = DataMoveKind::accumulator_to_local_activated;
    }
    if (!kind) {
      syntax_error(from.column, "there is no move from {} to {}; allowed {}",
                   memory_name(from.memory), memory_name(to.memory),
                   accumulate ? "Local -> Acc with .acc"
                              : "Local -> DRAM0, DRAM1 or Acc, and DRAM0, DRAM1 or Acc -> Local");
    }
    cursor_.expect(",");
    const bool into_local = to.memory == Memory::local;
    return make_data_move(layout_, *kind, (into_local ? to : from).operand,
                          (into_local ? from : to).operand, parse_count(layout_.operand2));
  }

  Instruction parse_load_weights() {
    const bool zeroes = parse_modifiers(false, true).zeroes;
    Operand local{0, 0};
    if (!zeroes) {
      local = parse_place({Memory::local}).operand;
      cursor_.expect(",");
    }
    return make_load_weights(layout_, local, parse_count(layout_.operand1), zeroes);
  }

  Instruction parse_simd() {
    SimdFields fields{};
    fields.dest = parse_selector("a destination", "O");
    cursor_.expect("=");
    parse_operation(fields);
    std::optional<std::uint64_t> read, write;
    bool accumulate = false;
    while (cursor_.accept(",")) {
      const Token part = cursor_.expect_name("read, write or accumulate");
      if (same_name(part.text, "read") && !read) {
        read = parse_simd_address();
      } else if (same_name(part.text, "write") && !write) {
        write = parse_simd_address();
      } else if (same_name(part.text, "accumulate") && !accumulate) {
        accumulate = true;
      } else {
        syntax_error(part.column, "unexpected {}; allowed read, write and accumulate, each once",
                     describe(part));
      }
    }
    if (fields.op == SimdOp::no_op && (read || write)) {
      syntax_error(cursor_.peek().column,
                   "SIMD NoOp with read or write bypasses the ALU and means something else; "
                   "allowed Move, or Raw");
    }
    return make_simd(layout_, fields, write.value_or(0), read.value_or(0), read.has_value(),
                     write.has_value(), accumulate);
  }

  void parse_operation(SimdFields& fields) {
    const Token op = cursor_.expect_name("a SIMD operation");
    std::size_t index = 0;
    while (index < simd_op_names.size() && !same_name(simd_op_names[index], op.text)) ++index;
    const bool tables = layout_.lookup_table_count > 0;
    if (index == static_cast<std::size_t>(SimdOp::lookup) && !tables)
      no_lookup_tables("Lookup", op);
    if (index == simd_op_names.size()) {
      const auto end = tables ? simd_op_names.end() : simd_op_names.begin() + rtl_simd_ops;
      unknown("SIMD operation", op, {simd_op_names.begin(), end});
    }
    fields.op = static_cast<SimdOp>(index);
    std::vector<unsigned> sources;
    cursor_.expect("(");
    if (!cursor_.accept(")")) {
      do {
        sources.push_back(parse_selector("a source", "I"));
      } while (sources.size() < 2 && cursor_.accept(","));
      cursor_.expect(")");
    }
    const unsigned wanted = source_count(fields.op);
    if (sources.size() != wanted && sources.size() != 2) {
      syntax_error(op.column, "{} has {} source{}; allowed {}", simd_op_names[index],
                   sources.size(), sources.size() == 1 ? "" : "s",
                   wanted == 2 ? "2" : fmt::format("{}, or 2 to give both source fields", wanted));
    }
    if (sources.empty()) return;
    fields.left = sources.front();
    fields.right = sources.back();
  }

  /// `zero` is what selector 0 is called; k is Rk.
  unsigned parse_selector(std::string_view what, std::string_view zero) {
    const unsigned last = (1U << layout_.simd_selector) - 1;
    const std::string allowed = fmt::format("{} or R1..R{}", zero, last);
    const Token token = cursor_.expect_name(fmt::format("{} ({})", what, allowed));
    if (same_name(token.text, zero)) return 0;
    unsigned selector = 0;
    bool valid = token.text.size() > 1 && same_name(token.text.substr(0, 1), "R");
    for (const char c : token.text.substr(1)) {
      valid = valid && c >= '0' && c <= '9' && selector <= last;
      if (valid) selector = selector * 10 + static_cast<unsigned>(c - '0');
    }
    if (!valid || selector == 0 || selector > last) {
      syntax_error(token.column, "{} is not {}; allowed {}", quote(token.text), what, allowed);
    }
    return selector;
  }

  std::uint64_t parse_simd_address() {
    const Place place = parse_place({Memory::accumulator});
    if (place.operand.stride != 0) {
      syntax_error(place.column, "SIMD handles one vector; allowed Acc(address) without a step");
    }
    return place.operand.address;
  }

  Instruction parse_dais(const Token& mnemonic) {
    if (layout_.dais_block_count == 0) {
      syntax_error(mnemonic.column,
                   "Dais needs a DAIS block, and this architecture has none; allowed with "
                   "\"dais_blocks\" in the architecture file");
    }
    const bool accumulate = parse_modifiers(true, false).accumulate;
    const Place local = parse_place({Memory::local});
    cursor_.expect("->");
    cursor_.expect("Block");
    cursor_.expect("(");
    const std::uint64_t block =
        parse_bounded("a DAIS block", 0, std::int64_t{layout_.dais_block_count} - 1);
    cursor_.expect(")");
    cursor_.expect("->");
    const Place accumulator = parse_place({Memory::accumulator});
    cursor_.expect(",");
    return make_dais(layout_, static_cast<unsigned>(block), local.operand, accumulator.operand,
                     parse_count(layout_.operand2, "the number of samples"), accumulate);
  }

  [[noreturn]] static void no_lookup_tables(std::string_view what, const Token& token) {
    syntax_error(token.column,
                 "{} needs a lookup table, and this architecture has none; allowed with "
                 "\"lookup_tables\" in the architecture file",
                 what);
  }

  Instruction parse_load_lut(const Token& mnemonic) {
    if (layout_.lookup_table_count == 0) no_lookup_tables("LoadLUT", mnemonic);
    const Place local = parse_place({Memory::local});
    cursor_.expect("->");
    cursor_.expect("Table");
    cursor_.expect("(");
    const std::uint64_t table =
        parse_bounded("a lookup table", 0, std::int64_t{layout_.lookup_table_count} - 1);
    cursor_.expect(")");
    return make_load_lut(layout_, local.operand, table);
  }

  Instruction parse_configure() {
    const ConfigRegister reg = parse_config_register();
    cursor_.expect("=");
    const std::uint64_t value = parse_bounded("a configuration value", 0, (1 << 28) - 1);
    return make_configure(layout_, reg, static_cast<std::uint32_t>(value));
  }

  ConfigRegister parse_config_register() {
    const Token& token = cursor_.peek();
    if (token.kind == Token::Kind::name && !symbols_.contains(token.text)) {
      const Token name = cursor_.next();
      std::vector<std::string_view> names;
      for (std::size_t number = 0; number < config_register_names.size(); ++number) {
        if (same_name(config_register_names[number], name.text)) {
          return static_cast<ConfigRegister>(number);
        }
        if (!config_register_names[number].empty()) names.push_back(config_register_names[number]);
      }
      unknown("configuration register", name, names);
    }
    return static_cast<ConfigRegister>(parse_bounded("a configuration register", 0, 15));
  }

  Instruction parse_raw() {
    const Token token = cursor_.next();
    const unsigned length = layout_.instruction_bytes();
    const bool hexadecimal = token.kind == Token::Kind::number && token.text.size() > 2 &&
                             same_name(token.text.substr(0, 2), "0x");
    if (!hexadecimal) {
      syntax_error(token.column, "expected a hexadecimal number of {} bytes (0x...), found {}",
                   length, describe(token));
    }
    std::vector<std::uint8_t> bytes(length);
    const std::string_view digits = token.text.substr(2);
    std::size_t position = 0;  // of the digit, counted from the least significant
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      if (*digit == '_') continue;
      const int value = hex_digit(*digit);
      if (value < 0) syntax_error(token.column, "{} is not hexadecimal", quote(token.text));
      if (position >= std::size_t{2} * length && value != 0) {
        syntax_error(token.column, "{} is too long; allowed {} hexadecimal digits",
                     printable(token.text), 2 * length);
      }
      if (value != 0) {
        bytes[position / 2] |= static_cast<std::uint8_t>(value << (position % 2 == 0 ? 0 : 4));
      }
      ++position;
    }
    return decode(layout_, bytes.data());
  }

  static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  Modifiers parse_modifiers(bool accumulate_allowed, bool zeroes_allowed,
                            bool activation_allowed = false) {
    Modifiers modifiers;
    while (cursor_.accept(".")) {
      const Token token = cursor_.expect_name("a modifier");
      if (same_name(token.text, "acc") && accumulate_allowed) {
        modifiers.accumulate = true;
      } else if (same_name(token.text, "act") && activation_allowed) {
        modifiers.activated = true;
      } else if (same_name(token.text, "zeroes") && zeroes_allowed) {
        modifiers.zeroes = true;
      } else {
        syntax_error(token.column, "unknown modifier {}; allowed {}", quote(token.text),
                     activation_allowed    ? ".acc and .act"
                     : !zeroes_allowed     ? ".acc"
                     : !accumulate_allowed ? ".zeroes"
                                           : ".acc and .zeroes");
      }
    }
    return modifiers;
  }

  Place parse_place(std::initializer_list<Memory> allowed) {
    const Token token = cursor_.peek();
    for (const Memory each : allowed) {
      if (cursor_.accept(memory_name(each))) {
        const bool local = each == Memory::local;
        cursor_.expect("(");
        const std::uint64_t address = parse_bounded(
            "an address", 0, highest(local ? layout_.operand0_address : layout_.operand1_address));
        cursor_.expect(")");
        return {
            each, {address, parse_step(local ? layout_.stride0 : layout_.stride1)}, token.column};
      }
    }
    std::string choices;
    for (const Memory each : allowed) {
      choices += fmt::format("{}{}(address)", choices.empty() ? "" : " or ", memory_name(each));
    }
    syntax_error(token.column, "expected {}, found {}", choices, describe(token));
  }

  /// The stride code of "@step".
  unsigned parse_step(unsigned code_bits) {
    const std::size_t column = cursor_.peek().column;
    if (!cursor_.accept("@")) return 0;
    const std::int64_t step = evaluate_primary(cursor_, symbols_);
    // Of the 64 codes that 6 bits can hold, the last is a step beyond the assembler's numbers.
    const unsigned last = code_bits >= 6 ? 62 : (1U << code_bits) - 1;
    for (unsigned code = 0; code <= last; ++code) {
      if (step == std::int64_t{1} << code) return code;
    }
    syntax_error(column, "the step cannot be {}; allowed powers of two, 1..{}", step,
                 std::int64_t{1} << last);
  }

  std::uint64_t parse_count(unsigned size_bits, std::string_view what = "the number of vectors") {
    const std::int64_t most = highest(size_bits);
    return parse_bounded(what, 1,
                         most == std::numeric_limits<std::int64_t>::max() ? most : most + 1);
  }

  /// The largest value of a field, as far as the assembler's numbers go.
  static std::int64_t highest(unsigned bits) {
    return bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  }

  std::uint64_t parse_bounded(std::string_view what, std::int64_t least, std::int64_t most) {
    const std::size_t column = cursor_.peek().column;
    const std::int64_t value = evaluate(cursor_, symbols_);
    if (value < least || value > most) {
      syntax_error(column, "{} cannot be {}; allowed {}..{}", what, value, least, most);
    }
    return static_cast<std::uint64_t>(value);
  }

  [[noreturn]] static void unknown(std::string_view what, const Token& token,
                                   const std::vector<std::string_view>& names) {
    const std::string suggested = suggestion(token.text, names);
    std::string list;
    for (const std::string_view each : names)
      list += (list.empty() ? "" : ", ") + std::string(each);
    syntax_error(token.column, "unknown {} {}{}", what, quote(token.text),
                 suggested.empty() ? "; allowed " + list : suggested);
  }

  const InstructionLayout& layout_;
  const SymbolTable& symbols_;
  TokenCursor& cursor_;
};

}  // namespace

Statement parse_statement(const InstructionLayout& layout, const SymbolTable& symbols,
                          TokenCursor& cursor) {
  return StatementParser(layout, symbols, cursor).parse();
}

}  // namespace tactus::tcu
