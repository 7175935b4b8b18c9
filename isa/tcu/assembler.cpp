#include "isa/tcu/assembler.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/problems.h"
#include "isa/support/text.h"
#include "isa/tcu/names.h"
#include "isa/tcu/statement.h"

namespace tactus::tcu {
namespace {

constexpr std::size_t max_errors = 20;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Finds ".name" at the start of a line without splitting the line into tokens, so that blocks are
/// recognised even if the rest of the line is wrong.
bool is_directive(std::string_view line, std::string_view name) {
  const std::size_t dot = line.find_first_not_of(" \t\r");
  if (dot == std::string_view::npos || line[dot] != '.') return false;
  line.remove_prefix(dot + 1);
  const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(start);
  if (!same_name(line.substr(0, name.size()), name)) return false;
  const char after = line.size() > name.size() ? line[name.size()] : ' ';
  return std::string_view(" \t\r#;/").find(after) != std::string_view::npos;
}

class Assembler {
 public:
  Assembler(const Architecture& architecture, std::string_view text, const std::string& source_name,
            AssemblerChecks checks)
      : architecture_(architecture),
        layout_(architecture),
        checks_(checks),
        lines_(split_lines(text)),
        problems_(source_name, max_errors) {
    const std::array<std::uint64_t, predefined_names.size()> values = {
        architecture.array_size,        architecture.dram0_depth,
        architecture.dram1_depth,       architecture.local_depth,
        architecture.accumulator_depth, architecture.simd_registers_depth};
    for (std::size_t i = 0; i < values.size(); ++i) {
      symbols_.define_predefined(predefined_names[i], static_cast<std::int64_t>(values[i]));
    }
    for (std::size_t i = 0; i < architecture.dais_blocks.size(); ++i) {
      symbols_.define_block(architecture.dais_blocks[i].name, static_cast<std::int64_t>(i));
    }
  }

  std::vector<Instruction> run() {
    match_blocks();
    for (line_ = 0; line_ < lines_.size() && within_budget(); ++line_) {
      if (is_directive(lines_[line_], "repeat")) {
        begin_block();
      } else if (is_directive(lines_[line_], "end")) {
        end_block();
      } else {
        guarded([&] { statement(); });
      }
    }
    problems_.throw_if_any();
    return std::move(program_);
  }

 private:
  struct Block {
    std::size_t first_line;  ///< line of .repeat
    std::int64_t count;
    std::int64_t index;
    std::string counter;  ///< may be empty
  };

  /// Finds the .end of every .repeat, so that a body repeated 0 times can be skipped.
  void match_blocks() {
    std::vector<std::size_t> open;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (is_directive(lines_[line], "repeat")) {
        open.push_back(line);
      } else if (is_directive(lines_[line], "end") && !open.empty()) {
        block_ends_[open.back()] = line;
        open.pop_back();
      }
    }
    for (const std::size_t line : open) {
      report(line, 1, "the block has no .end");
      block_ends_[line] = lines_.size();
    }
  }

  void begin_block() {
    Block block{line_, 1, 0, {}};
    // A block with an error in its first line is assembled once, to find further errors.
    if (!guarded([&] { block_header(block); }) && block.counter.empty()) presume_counter(block);
    if (block.count == 0) {
      if (!block.counter.empty()) symbols_.remove(block.counter);
      line_ = block_ends_[line_];
    } else {
      blocks_.push_back(std::move(block));
    }
  }

  void block_header(Block& block) {
    tokenize(lines_[line_], tokens_);
    TokenCursor cursor(tokens_);
    cursor.expect(".");
    cursor.expect("repeat");
    const std::size_t column = cursor.peek().column;
    if (blocks_.size() >= max_repeat_nesting) {
      syntax_error(column, "blocks are nested too deeply; allowed {} levels", max_repeat_nesting);
    }
    const std::int64_t count = evaluate(cursor, symbols_);
    if (count < 0) {
      syntax_error(column, "a block cannot be repeated {} times; allowed 0 or more", count);
    }
    if (cursor.peek().kind == Token::Kind::name) {
      const Token name = cursor.next();
      symbols_.define(name, SymbolTable::Kind::counter, 0);
      block.counter = name.text;
    }
    cursor.expect_end_of_line();
    block.count = count;
  }

  /// Defines the counter after an error in the first line of a block, so that the body does not
  /// report it as unknown.
  void presume_counter(Block& block) {
    if (tokens_.size() < 4) return;
    const Token& last = tokens_[tokens_.size() - 2];
    if (last.kind != Token::Kind::name || symbols_.contains(last.text)) return;
    symbols_.define_invalid(last, SymbolTable::Kind::counter);
    block.counter = last.text;
  }

  void end_block() {
    guarded([&] {
      tokenize(lines_[line_], tokens_);
      TokenCursor cursor(tokens_);
      cursor.expect(".");
      cursor.expect("end");
      cursor.expect_end_of_line();
      if (blocks_.empty()) syntax_error(1, ".end without .repeat");
    });
    if (blocks_.empty()) return;
    Block& block = blocks_.back();
    // After an error the program is not used, and each line should be reported once, so the block
    // is not repeated.
    if (++block.index < block.count && !problems_.any()) {
      if (!block.counter.empty()) symbols_.set(block.counter, block.index);
      line_ = block.first_line;
      return;
    }
    if (!block.counter.empty()) symbols_.remove(block.counter);
    blocks_.pop_back();
  }

  void statement() {
    tokenize(lines_[line_], tokens_);
    TokenCursor cursor(tokens_);
    if (cursor.peek().kind == Token::Kind::end_of_line) return;
    if (cursor.accept(".")) return directive(cursor);
    const Statement parsed = parse_statement(layout_, symbols_, cursor);
    if (checks_ == AssemblerChecks::strict && !parsed.raw) {
      std::string wrong = check(architecture_, layout_, parsed.instruction);
      if (!wrong.empty()) throw SyntaxError{tokens_.front().column, std::move(wrong)};
    }
    program_.push_back(parsed.instruction);
  }

  void directive(TokenCursor& cursor) {
    const Token name = cursor.expect_name("a directive");
    if (!same_name(name.text, "equ")) {
      const std::string suggested = suggestion(name.text, {"equ", "repeat", "end"});
      syntax_error(name.column, "unknown directive {}{}", quote(name.text),
                   suggested.empty() ? "; allowed .equ, .repeat and .end" : suggested);
    }
    const Token constant = cursor.expect_name("a name");
    try {
      const std::int64_t value = evaluate(cursor, symbols_);
      cursor.expect_end_of_line();
      symbols_.define(constant, SymbolTable::Kind::assigned, value);
    } catch (const SyntaxError&) {
      symbols_.define_invalid(constant, SymbolTable::Kind::assigned);
      throw;
    } catch (const DependsOnError&) {
      symbols_.define_invalid(constant, SymbolTable::Kind::assigned);
    }
  }

  bool within_budget() {
    if (blocks_.empty() || ++repeated_statements_ <= max_repeated_statements) return true;
    report(blocks_.front().first_line, 1,
           fmt::format("the block expands to more than {0} lines; allowed {0} in all blocks",
                       max_repeated_statements));
    return false;
  }

  /// Runs the action and reports its errors. Returns false if it failed.
  template <typename Action>
  bool guarded(Action action) {
    try {
      action();
      return true;
    } catch (const SyntaxError& error) {
      report(line_, error.column, error.message);
    } catch (const DependsOnError&) {
      // its cause is reported already
    } catch (const UserError& error) {
      report(line_, tokens_.front().column, error.what());
    }
    return false;
  }

  void report(std::size_t line, std::size_t column, std::string what) {
    problems_.add(fmt::format("{}:{}", line + 1, column), std::move(what));
  }

  const Architecture& architecture_;
  InstructionLayout layout_;
  AssemblerChecks checks_;
  std::vector<std::string_view> lines_;
  Problems problems_;
  SymbolTable symbols_;
  std::unordered_map<std::size_t, std::size_t> block_ends_;  ///< line of .repeat to line of .end
  std::vector<Block> blocks_;  ///< blocks being repeated, outermost first
  std::vector<Token> tokens_;  ///< tokens of the current line
  std::vector<Instruction> program_;
  std::uint64_t repeated_statements_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

std::vector<Instruction> assemble(const Architecture& architecture, std::string_view text,
                                  const std::string& source_name, AssemblerChecks checks) {
  return Assembler(architecture, text, source_name, checks).run();
}

std::vector<std::uint8_t> assemble_bytes(const Architecture& architecture, std::string_view text,
                                         const std::string& source_name, AssemblerChecks checks) {
  return encode_program(InstructionLayout(architecture),
                        assemble(architecture, text, source_name, checks));
}

}  // namespace tactus::tcu
