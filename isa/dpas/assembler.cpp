// Assembler for a subset of vISA assembly; `tactus explain asm --machine dpas` prints its reference
// from instruction_set.cpp.
//
// One instruction or directive per line; // and /* */ are comments. Offsets are integer
// expressions. Constants end in their type, 0x10:d, -1:w, 1.5:f; a hexadecimal constant gives the
// bits of a float. Text in braces is Tactus's own: annotations that vISA leaves to the native form.
#include <algorithm>
#include <iterator>
#include <utility>

#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/dpas/statement.h"
#include "isa/support/byte_order_mark.h"
#include "isa/support/error.h"
#include "isa/support/problems.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

constexpr std::size_t max_errors = 20;
constexpr std::uint32_t max_attribute_number = (1U << 24U) - 1U;
constexpr std::size_t longest_kernel_name = 255;

/// Replaces comments by blanks; line ends stay.
std::string without_comments(std::string_view text, const std::string& source_name) {
  std::string result(text);
  for (std::size_t i = 0; i + 1 < result.size(); ++i) {
    if (result[i] == '"') {
      const std::size_t end = result.find_first_of("\"\n", i + 1);
      if (end == std::string::npos) break;
      i = end;
    } else if (result[i] == '/' && result[i + 1] == '/') {
      for (; i < result.size() && result[i] != '\n'; ++i) result[i] = ' ';
    } else if (result[i] == '/' && result[i + 1] == '*') {
      const std::size_t end = result.find("*/", i + 2);
      if (end == std::string::npos) {
        const auto line =
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n') + 1;
        user_error("{}:{}: the comment has no end; allowed /* ... */", source_name, line);
      }
      for (; i < end + 2; ++i) {
        if (result[i] != '\n') result[i] = ' ';
      }
      --i;
    }
  }
  return result;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127; });
}

class Assembler {
 public:
  Assembler(std::string_view text, const std::string& source_name)
      : text_(without_comments(text, source_name)), problems_(source_name, max_errors) {
    program_.source = source_name;
  }

  Program run() {
    std::string_view rest = text_;
    for (line_ = 1; !rest.empty() && !problems_.full(); ++line_) {
      const std::size_t end = rest.find('\n');
      statement(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (!problems_.any()) check_kernels();
    problems_.throw_if_any();
    return std::move(program_);
  }

 private:
  void statement(std::string_view line) {
    TextCursor cursor(line);
    try {
      if (cursor.at_end()) return;
      if (cursor.accept(".")) return directive(cursor);
      TextCursor ahead = cursor;
      const std::string_view name = ahead.word();
      Kernel& kernel = current(cursor);
      if (!name.empty() && ahead.accept(":")) {
        (void)cursor.expect_name("a label");
        ahead.expect_end();
        return label(kernel, name, cursor.column());
      }
      Instruction instruction = parse_instruction(cursor, kernel);
      append(kernel, instruction);
    } catch (const TextError& error) {
      report(error.column, error.message);
    }
  }

  Kernel& current(const TextCursor& cursor) {
    if (program_.kernels.empty()) cursor.fail(".kernel \"name\" has to come first");
    return program_.kernels.back();
  }

  void append(Kernel& kernel, const Instruction& instruction) {
    kernel.instructions.push_back(instruction);
    kernel.places.push_back(static_cast<std::uint32_t>(line_));
  }

  void label(Kernel& kernel, std::string_view name, std::size_t column) {
    Instruction instruction;
    instruction.opcode = Opcode::label;
    instruction.label = label_index(kernel, name);
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
      const Instruction& other = kernel.instructions[i];
      if (other.opcode == Opcode::label && other.label == instruction.label) {
        TextCursor::fail_at(column, "E_LABEL: {} is a label already, in line {}", quote(name),
                            kernel.places[i]);
      }
    }
    append(kernel, instruction);
  }

  void directive(TextCursor& cursor) {
    const std::size_t column = cursor.column();
    const std::string_view name = cursor.expect_word("a directive");
    if (name == "version") return version(cursor);
    if (name == "kernel") return kernel(cursor);
    if (name == "decl") return declaration(cursor);
    if (name == "input") return input(cursor);
    if (name == "kernel_attr") return attribute(cursor);
    const std::vector<std::string_view> known = {"version", "kernel", "decl", "input",
                                                 "kernel_attr"};
    TextCursor::fail_at(column, "unknown directive {}; allowed {}{}", quote(name),
                        quote_list(known), suggestion(name, known));
  }

  void version(TextCursor& cursor) {
    program_.major = static_cast<std::uint8_t>(cursor.expression("version", 3, 3));
    cursor.expect(".");
    program_.minor = static_cast<std::uint8_t>(cursor.expression("minor version", 0, 255));
    cursor.expect_end();
  }

  void kernel(TextCursor& cursor) {
    cursor.skip_blanks();
    const std::size_t column = cursor.column();
    Kernel made;
    made.name = cursor.string_or_word("a name");
    cursor.expect_end();
    if (made.name.empty() || made.name.size() > longest_kernel_name) {
      TextCursor::fail_at(column, "a kernel's name has {} characters; allowed 1..{}",
                          made.name.size(), longest_kernel_name);
    }
    if (!is_printable(made.name)) {
      TextCursor::fail_at(column, "a kernel's name is {}; allowed printable ASCII characters",
                          quote(made.name));
    }
    for (const Kernel& other : program_.kernels) {
      if (other.name == made.name) {
        TextCursor::fail_at(column, "kernel {} is there already", quote(made.name));
      }
    }
    program_.kernels.push_back(std::move(made));
  }

  /// Reads "key=" of a declaration; keys may come in any order.
  static std::string_view key(TextCursor& cursor, std::size_t& column) {
    cursor.skip_blanks();
    column = cursor.column();
    const std::string_view name = cursor.expect_word("a property such as num_elts=64");
    cursor.expect("=");
    return name;
  }

  void declaration(TextCursor& cursor) {
    Kernel& k = current(cursor);
    cursor.skip_blanks();
    const std::size_t name_column = cursor.column();
    const std::string name(cursor.expect_name("a name"));
    check_free_name(k, name, name_column);
    bool is_predicate = false, has_type = false, has_elements = false, has_kind = false;
    Variable variable;
    variable.name = name;
    while (!cursor.at_end()) {
      std::size_t column = 0;
      const std::string_view property = key(cursor, column);
      cursor.skip_blanks();
      const std::size_t value_column = cursor.column();
      if (property == "v_type") {
        const std::string_view kind = cursor.word();
        if (kind != "G" && kind != "P") {
          TextCursor::fail_at(value_column,
                              "variables of v_type {} are not in the subset; allowed \"G\", \"P\"",
                              quote(kind));
        }
        is_predicate = kind == "P";
        has_kind = true;
      } else if (property == "type") {
        variable.type = type(cursor.word(), value_column);
        has_type = true;
      } else if (property == "num_elts") {
        variable.elements = cursor.expression("num_elts", 1, 65535);
        has_elements = true;
      } else if (property == "align") {
        variable.align = align(cursor.word(), value_column);
      } else if (property == "alias") {
        alias(cursor, k, variable);
      } else {
        const std::vector<std::string_view> known = {"v_type", "type", "num_elts", "align",
                                                     "alias"};
        TextCursor::fail_at(column, "unknown property {}; allowed {}{}", quote(property),
                            quote_list(known), suggestion(property, known));
      }
    }
    if (!has_kind) TextCursor::fail_at(name_column, "v_type is missing; allowed v_type=G or P");
    if (!has_elements) TextCursor::fail_at(name_column, "num_elts is missing");
    if (is_predicate) return declare_predicate(k, variable, name_column);
    if (!has_type) TextCursor::fail_at(name_column, "type is missing");
    variable.place = static_cast<std::uint32_t>(line_);
    k.variables.push_back(std::move(variable));
  }

  static void declare_predicate(Kernel& k, const Variable& variable, std::size_t column) {
    const std::uint32_t n = variable.elements;
    if (n > 32 || (n & (n - 1)) != 0) {
      TextCursor::fail_at(column, "a predicate of {} elements; allowed 1, 2, 4, 8, 16, 32", n);
    }
    k.predicates.push_back({variable.name, n});
  }

  static void check_free_name(const Kernel& k, const std::string& name, std::size_t column) {
    const auto named = [&](const auto& list) {
      return std::any_of(list.begin(), list.end(), [&](const auto& v) { return v.name == name; });
    };
    if (named(k.variables) || named(k.predicates)) {
      TextCursor::fail_at(column, "{} is declared already", quote(name));
    }
  }

  static Type type(std::string_view name, std::size_t column) {
    const auto found = find_type(name);
    const bool packed = found && (*found == Type::v || *found == Type::vf || *found == Type::uv ||
                                  *found == Type::boolean);
    if (!found || packed) {
      TextCursor::fail_at(column,
                          "{} is no type of a variable; allowed ud, d, uw, w, ub, b, uq, q, f, df, "
                          "hf, bf",
                          quote(name));
    }
    return *found;
  }

  static Align align(std::string_view name, std::size_t column) {
    const auto found = std::find(std::begin(align_names), std::end(align_names), name);
    if (found == std::end(align_names)) {
      TextCursor::fail_at(column, "{} is no alignment; allowed {}", quote(name),
                          quote_list({std::begin(align_names), std::end(align_names)}));
    }
    return static_cast<Align>(found - std::begin(align_names));
  }

  /// <NAME,byte offset>
  static void alias(TextCursor& cursor, const Kernel& k, Variable& variable) {
    cursor.expect("<");
    cursor.skip_blanks();
    const std::size_t column = cursor.column();
    const std::string_view name = cursor.expect_word("a variable");
    variable.alias_of = find(k, name, column);
    cursor.expect(",");
    variable.alias_offset = cursor.expression("alias offset", 0, 65535);
    cursor.expect(">");
  }

  static std::uint32_t find(const Kernel& k, std::string_view name, std::size_t column) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < k.variables.size(); ++i) {
      if (k.variables[i].name == name) return first_user_variable + static_cast<std::uint32_t>(i);
      names.push_back(k.variables[i].name);
    }
    TextCursor::fail_at(column, "{} is no declared variable{}", quote(name),
                        suggestion(name, names));
  }

  void input(TextCursor& cursor) {
    Kernel& k = current(cursor);
    cursor.skip_blanks();
    const std::size_t name_column = cursor.column();
    Input made;
    made.variable = find(k, cursor.expect_word("a variable"), name_column);
    bool has_offset = false, has_size = false;
    while (!cursor.at_end()) {
      std::size_t column = 0;
      const std::string_view property = key(cursor, column);
      if (property == "offset") {
        made.offset = cursor.expression("offset", 0, 32767);
        has_offset = true;
      } else if (property == "size") {
        made.size = cursor.expression("size", 1, 65535);
        has_size = true;
      } else {
        TextCursor::fail_at(column, "unknown property {}; allowed \"offset\", \"size\"",
                            quote(property));
      }
    }
    if (!has_offset || !has_size) {
      TextCursor::fail_at(name_column, "{} is missing", has_offset ? "size" : "offset");
    }
    made.place = static_cast<std::uint32_t>(line_);
    k.inputs.push_back(made);
  }

  void attribute(TextCursor& cursor) {
    Kernel& k = current(cursor);
    cursor.skip_blanks();
    const std::size_t column = cursor.column();
    Attribute made;
    made.name = std::string(cursor.expect_name("a name"));
    if (cursor.accept("=")) {
      if (cursor.peek() == '"') {
        made.value = cursor.string_or_word("a value");
        check_text_value(made, column);
      } else {
        made.is_number = true;
        made.value = std::to_string(cursor.expression("value", 0, max_attribute_number));
      }
    } else {
      made.is_number = true;
      made.value = "1";
    }
    cursor.expect_end();
    check_attribute(made, column);
    k.attributes.push_back(std::move(made));
  }

  /// Checks attributes whose form in binaries is fixed.
  static void check_attribute(const Attribute& made, std::size_t column) {
    if (made.name == annotation_attribute || (made.name == "Target" && made.is_number)) {
      TextCursor::fail_at(column, "attribute {} cannot be given this way", quote(made.name));
    }
    if (!is_byte_attribute(made.name)) return;
    if (!made.is_number || std::stoull(made.value) > 255) {
      TextCursor::fail_at(column, "{} is {}; allowed 0..255", made.name, quote(made.value));
    }
  }

  static void check_text_value(const Attribute& made, std::size_t column) {
    if (made.value.empty() || made.value.size() > 255 || !is_printable(made.value)) {
      TextCursor::fail_at(column, "a text value has 1..255 printable ASCII characters");
    }
    if (made.name == "Target" && made.value != "cm" && made.value != "3d") {
      TextCursor::fail_at(column, "Target {} is unknown; allowed \"cm\", \"3d\"",
                          quote(made.value));
    }
  }

  void check_kernels() {
    if (program_.kernels.empty()) report(0, "no .kernel in the file");
    for (const Kernel& k : program_.kernels) {
      if (k.instructions.empty()) {
        problems_.add("", fmt::format("kernel {} has no instructions", quote(k.name)));
      }
    }
  }

  void report(std::size_t column, std::string what) {
    problems_.add(column == 0 ? std::string() : fmt::format("{}:{}", line_, column),
                  std::move(what));
  }

  std::string text_;
  Problems problems_;
  Program program_;
  std::size_t line_ = 0;
};

}  // namespace

Program assemble(std::string_view text, const std::string& source_name) {
  return Assembler(without_byte_order_mark(text), source_name).run();
}

}  // namespace tactus::dpas
