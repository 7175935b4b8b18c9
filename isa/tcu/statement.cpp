#include "isa/tcu/statement.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/instruction_set.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

struct Place {
  VectorMemory memory;
  Operand operand;
  std::size_t column;
};

/// The DataMove between a pair of memories; null if the hardware has none.
const MoveInfo* find_move(VectorMemory from, VectorMemory to, std::string_view modifier) {
  for (const MoveInfo& move : moves()) {
    const InstructionKindInfo& row = info(move.kind);
    if (row.from == from && row.to == to && move.modifier == modifier) return &move;
  }
  return nullptr;
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
    std::vector<std::string_view> names;
    for (const InstructionInfo& each : instruction_set()) {
      if (same_name(mnemonic.text, each.mnemonic)) {
        require(each.needs(), each.mnemonic, mnemonic.column);
        instruction_ = &each;
        return parse_operands();
      }
      if (has(layout_, each.needs())) names.push_back(each.mnemonic);
    }
    names.emplace_back("Raw");
    unknown("instruction", mnemonic, names);
  }

  Instruction parse_operands() {
    switch (instruction_->opcode) {
      case Opcode::no_op:
        return make_no_op();
      case Opcode::data_move:
        return parse_data_move();
      case Opcode::simd:
        return parse_simd();
      case Opcode::configure:
        return parse_configure();
      default:
        return parse_flow();
    }
  }

  /// Throws an error if the architecture lacks the extension.
  void require(Extension extension, std::string_view what, std::size_t column) const {
    if (has(layout_, extension)) return;
    syntax_error(column,
                 "{} needs {}, and this architecture has none; allowed with \"{}\" in the "
                 "architecture file",
                 what, info(extension).part, info(extension).key);
  }

  /// Local memory, what its vectors pass or where they go, and their number: as much of it as the
  /// instruction's row in the table has.
  Instruction parse_flow() {
    const InstructionKind kind = instruction_->kind();
    const InstructionKindInfo& row = info(kind);
    unsigned flags = parse_flags();
    const bool reads = (flags & row.zeroes) == 0;
    Operand local{0, 0}, other{0, 0};
    if (reads) local = parse_place({VectorMemory::local}).operand;
    if (row.action == Action::dais) {
      cursor_.expect("->");
      flags |=
          static_cast<unsigned>(parse_number("Block", "a DAIS block", layout_.dais_block_count))
          << 1;
    }
    if (row.to == VectorMemory::accumulators) {
      if (reads) cursor_.expect("->");
      other = parse_place({VectorMemory::accumulators}).operand;
    } else if (row.to == VectorMemory::lookup_tables) {
      cursor_.expect("->");
      other.address = parse_number("Table", "a lookup table", layout_.lookup_table_count);
    }
    const bool named = reads || row.to == VectorMemory::accumulators;
    return make_flow(layout_, kind, flags, local, other, parse_count(row.count, named));
  }

  /// "Block(0)" or "Block(NAME)", below `count`.
  std::uint64_t parse_number(std::string_view name, std::string_view what, unsigned count) {
    cursor_.expect(name);
    cursor_.expect("(");
    const Token& first = cursor_.peek();
    if (name == "Block" && first.kind == Token::Kind::name && !symbols_.contains(first.text)) {
      unknown("DAIS block", first, symbols_.block_names());
    }
    const std::uint64_t number = parse_bounded(what, 0, std::int64_t{count} - 1);
    cursor_.expect(")");
    return number;
  }

  /// The number of vectors, if a field says it.
  std::uint64_t parse_count(CountField field, bool comma) {
    if (field == CountField::table || field == CountField::parameters) return 0;
    if (comma) cursor_.expect(",");
    const std::int64_t most =
        highest(field == CountField::operand1 ? layout_.operand1 : layout_.operand2);
    return parse_bounded(
        field == CountField::samples ? "the number of samples" : "the number of vectors", 1,
        most == std::numeric_limits<std::int64_t>::max() ? most : most + 1);
  }

  Instruction parse_data_move() {
    const std::initializer_list<VectorMemory> all = {
        VectorMemory::local, VectorMemory::accumulators, VectorMemory::dram0, VectorMemory::dram1};
    const std::vector<const ModifierInfo*> given = parse_modifiers();
    const std::string_view modifier = given.empty() ? "" : given.back()->name;
    const bool one = std::all_of(given.begin(), given.end(),
                                 [&](const ModifierInfo* each) { return each->name == modifier; });
    const Place from = parse_place(all);
    cursor_.expect("->");
    const Place to = parse_place(all);
    const MoveInfo* const move = one ? find_move(from.memory, to.memory, modifier) : nullptr;
    if (move == nullptr) no_move(from, to, given);
    const bool into_local = to.memory == VectorMemory::local;
    return make_flow(layout_, move->kind, static_cast<unsigned>(info(move->kind).move),
                     (into_local ? to : from).operand, (into_local ? from : to).operand,
                     parse_count(info(move->kind).count, true));
  }

  [[noreturn]] static void no_move(const Place& from, const Place& to,
                                   const std::vector<const ModifierInfo*>& modifiers) {
    const auto is_act = [](const ModifierInfo* each) { return each->name == "act"; };
    if (std::any_of(modifiers.begin(), modifiers.end(), is_act)) {
      syntax_error(from.column,
                   "the activation unit takes part in a DataMove from Acc to Local only");
    }
    syntax_error(from.column, "there is no DataMove from {} to {}; allowed {}",
                 info(from.memory).written, info(to.memory).written,
                 modifiers.empty()
                     ? "Local -> DRAM0, DRAM1 or Acc, and DRAM0, DRAM1 or Acc -> Local"
                     : "Local -> Acc with .acc");
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
    while (index < simd_ops && !same_name(simd_op_infos[index].name, op.text)) ++index;
    if (index == simd_ops) {
      std::vector<std::string_view> names;
      for (const SimdOpInfo& each : simd_op_infos) {
        if (has(layout_, each.needs)) names.push_back(each.name);
      }
      unknown("SIMD operation", op, names);
    }
    require(simd_op_infos[index].needs, simd_op_infos[index].name, op.column);
    fields.op = static_cast<SimdOp>(index);
    const unsigned wanted = source_count(fields.op);
    std::vector<unsigned> sources;
    // Empty parentheses may be left out: "SIMD R1 = Zero".
    const bool listed = wanted == 0 ? cursor_.accept("(") : (cursor_.expect("("), true);
    if (listed && !cursor_.accept(")")) {
      do {
        sources.push_back(parse_selector("a source", "I"));
      } while (sources.size() < 2 && cursor_.accept(","));
      cursor_.expect(")");
    }
    if (sources.size() != wanted && sources.size() != 2) {
      syntax_error(op.column, "{} has {} source{}; allowed {}", info(fields.op).name,
                   sources.size(), sources.size() == 1 ? "" : "s",
                   wanted == 2 ? "2" : fmt::format("{}, or 2 to give both source fields", wanted));
    }
    if (sources.empty()) return;
    fields.left = sources.front();
    fields.right = sources.back();
  }

  /// Parses a selector: `zero` is the name of selector 0; Rk is selector k.
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
    const Place place = parse_place({VectorMemory::accumulators});
    if (place.operand.stride != 0) {
      syntax_error(place.column, "SIMD handles one vector; allowed Acc(address) without a step");
    }
    return place.operand.address;
  }

  Instruction parse_configure() {
    const Token& token = cursor_.peek();
    const bool is_named = token.kind == Token::Kind::name && !symbols_.contains(token.text);
    const ConfigRegister reg =
        is_named ? parse_register_name()
                 : static_cast<ConfigRegister>(parse_bounded("a configuration register", 0, 15));
    cursor_.expect("=");
    // A register given by its number takes any value that fits the instruction.
    const ConfigRegisterInfo& info = config_registers[static_cast<std::size_t>(reg)];
    const std::string what =
        is_named ? "the value of " + std::string(info.name) : "a configuration value";
    const std::uint64_t value = parse_bounded(what, 0, (1 << (is_named ? info.bits : 28U)) - 1);
    return make_configure(layout_, reg, static_cast<std::uint32_t>(value));
  }

  ConfigRegister parse_register_name() {
    const Token name = cursor_.next();
    std::vector<std::string_view> names;
    for (std::size_t number = 0; number < config_registers.size(); ++number) {
      const std::string_view known = config_registers[number].name;
      if (same_name(known, name.text)) return static_cast<ConfigRegister>(number);
      if (!known.empty()) names.push_back(known);
    }
    unknown("configuration register", name, names);
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
    std::size_t position = 0;  // position of the digit, from the least significant
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

  /// Parses the modifiers behind the mnemonic, in the order written.
  std::vector<const ModifierInfo*> parse_modifiers() {
    std::vector<const ModifierInfo*> given;
    while (!instruction_->modifiers.empty() && cursor_.accept(".")) {
      const Token token = cursor_.expect_name("a modifier");
      std::string allowed;
      const ModifierInfo* found = nullptr;
      for (const ModifierInfo& each : instruction_->modifiers) {
        if (!has(layout_, each.needs)) continue;
        if (same_name(token.text, each.name)) found = &each;
        allowed += fmt::format("{}.{}", allowed.empty() ? "" : " and ", each.name);
      }
      if (found == nullptr) {
        syntax_error(token.column, "unknown modifier {}; allowed {}", quote(token.text), allowed);
      }
      given.push_back(found);
    }
    return given;
  }

  unsigned parse_flags() {
    unsigned flags = 0;
    for (const ModifierInfo* each : parse_modifiers()) flags |= each->flags;
    return flags;
  }

  Place parse_place(std::initializer_list<VectorMemory> allowed) {
    const Token token = cursor_.peek();
    for (const VectorMemory each : allowed) {
      if (cursor_.accept(info(each).written)) {
        const bool local = each == VectorMemory::local;
        cursor_.expect("(");
        const std::uint64_t address = parse_bounded(
            "an address", 0, highest(local ? layout_.operand0_address : layout_.operand1_address));
        cursor_.expect(")");
        return {
            each, {address, parse_step(local ? layout_.stride0 : layout_.stride1)}, token.column};
      }
    }
    std::string choices;
    for (const VectorMemory each : allowed) {
      choices += fmt::format("{}{}(address)", choices.empty() ? "" : " or ", info(each).written);
    }
    syntax_error(token.column, "expected {}, found {}", choices, describe(token));
  }

  /// Parses "@step" and returns its stride code.
  unsigned parse_step(unsigned code_bits) {
    const std::size_t column = cursor_.peek().column;
    if (!cursor_.accept("@")) return 0;
    const std::int64_t step = evaluate_primary(cursor_, symbols_);
    // The last of the 64 codes of 6 bits is a step beyond the assembler's numbers.
    const unsigned last = code_bits >= 6 ? 62 : (1U << code_bits) - 1;
    for (unsigned code = 0; code <= last; ++code) {
      if (step == std::int64_t{1} << code) return code;
    }
    syntax_error(column, "the step cannot be {}; allowed powers of two, 1..{}", step,
                 std::int64_t{1} << last);
  }

  /// Largest value of a field, limited to the assembler's numbers.
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
  const InstructionInfo* instruction_ = nullptr;
};

}  // namespace

Statement parse_statement(const InstructionLayout& layout, const SymbolTable& symbols,
                          TokenCursor& cursor) {
  return StatementParser(layout, symbols, cursor).parse();
}

}  // namespace tactus::tcu
