#include "isa/dais/binary.h"

#include <limits>

#include "isa/dais/check.h"
#include "isa/dais/ranges.h"
#include "isa/support/byte_fields.h"
#include "isa/support/error.h"

namespace tactus::dais {
namespace {

constexpr unsigned word_bytes = 4;
constexpr std::uint64_t words_of_op = 8;
constexpr Dialect all_dialects[] = {Dialect::seed, Dialect::v0, Dialect::v1};

std::size_t header_words(Dialect dialect) { return dialect == Dialect::seed ? 3 : 6; }
std::int32_t version_word(Dialect dialect) { return dialect == Dialect::v1 ? 1 : 0; }

/// The words of a program, in their order in the file.
class ProgramWords {
 public:
  ProgramWords(ByteFields fields, Program& program, Problems& problems)
      : f_(fields), program_(program), problems_(problems) {}

  /// Reads or writes the program. Stops at the first words that cannot be right.
  void run() {
    const bool has_version = program_.dialect != Dialect::seed;
    if (has_version && !version()) return;
    const std::size_t inputs = count(program_.input_count(), "inputs");
    const std::size_t outputs = count(program_.output_count(), "outputs");
    const std::size_t ops = count(program_.ops.size(), "operations");
    const std::size_t tables = has_version ? count(program_.tables.size(), "tables") : 0;
    if (problems_.any()) return;
    // The length of a file with tables is known only from the tables' sizes, which follow the
    // operations.
    if (!holds(std::uint64_t{inputs} + 3 * std::uint64_t{outputs} + words_of_op * ops + tables,
               tables == 0)) {
      return;
    }
    program_.input_shifts.resize(inputs);
    program_.outputs.resize(outputs);
    program_.ops.resize(ops);
    for (std::int32_t& shift : program_.input_shifts) word(shift);
    for (Output& output : program_.outputs) word(output.index);
    for (Output& output : program_.outputs) word(output.shift);
    for (Output& output : program_.outputs) word(output.negative);
    for (Op& each : program_.ops) op(each);
    entries(tables);
  }

 private:
  template <typename T>
  void word(T& value) {
    f_.field(value, word_bytes, "a word");
  }

  bool version() {
    const std::int32_t needed = version_word(program_.dialect);
    std::int32_t version = needed;
    word(version);
    if (version != needed) {
      problems_.add("", fmt::format("version word {}; dialect {} needs {}", version,
                                    name(program_.dialect), needed));
      return false;
    }
    word(program_.firmware);
    return true;
  }

  /// A count; a negative one is a problem.
  std::size_t count(std::size_t written, const char* what, std::optional<std::size_t> table = {}) {
    if (written > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      user_error("{} elements; a DAIS file counts them with 31 bits", written);
    }
    auto value = static_cast<std::int32_t>(written);
    word(value);
    if (value >= 0) return static_cast<std::size_t>(value);
    problems_.add(table ? fmt::format("table {}", *table) : "",
                  fmt::format("{} {}; allowed 0 and above", value, what));
    return 0;
  }

  /// Checks that the file holds `words` more words (exactly so many if `exactly`).
  bool holds(std::uint64_t words, bool exactly) {
    const std::uint64_t left = (f_.end() - f_.at()) / word_bytes;
    if (!f_.reads() || left == words || (left > words && !exactly)) return true;
    problems_.add("", fmt::format("{} bytes; the counts in the header ask for {}{}", f_.end(),
                                  exactly ? "" : "at least ", f_.at() + words * word_bytes));
    return false;
  }

  void op(Op& op) {
    word(op.opcode);
    word(op.id0);
    word(op.id1);
    f_.field(op.data, 2 * word_bytes, "data");
    word(op.type.is_signed);
    word(op.type.integer_bits);
    word(op.type.fraction_bits);
    if (f_.reads()) op.range = interval_of(op.type);
  }

  /// The sizes of all tables, then the entries of all.
  void entries(std::size_t tables) {
    std::vector<std::size_t> sizes(tables);
    std::uint64_t words = 0;
    for (std::size_t i = 0; i < tables; ++i) {
      sizes[i] = count(f_.reads() ? 0 : program_.tables[i].entries.size(), "entries", i);
      if (problems_.any()) return;
      words += sizes[i];
    }
    if (!holds(words, true)) return;
    program_.tables.resize(tables);
    for (std::size_t i = 0; i < tables; ++i) {
      program_.tables[i].entries.resize(sizes[i]);
      for (std::int32_t& entry : program_.tables[i].entries) word(entry);
    }
  }

  ByteFields f_;
  Program& program_;
  Problems& problems_;
};

}  // namespace

Program try_decode_binary(const Bytes& bytes, Dialect dialect, Problems& problems) {
  Program program;
  program.dialect = dialect;
  if (bytes.size() % word_bytes != 0) {
    problems.add("", fmt::format("{} bytes; a DAIS file is whole 4-byte words", bytes.size()));
    return program;
  }
  const std::size_t header = header_words(dialect) * word_bytes;
  if (bytes.size() < header) {
    problems.add("", fmt::format("{} bytes; the header of dialect {} alone has {}", bytes.size(),
                                 name(dialect), header));
    return program;
  }
  const std::string no_place;  // lengths are checked before words are read
  ProgramWords(ByteFields(bytes.data(), bytes.size(), 0, no_place), program, problems).run();
  if (problems.any()) return program;
  check_program(program, problems);
  return program;
}

Program decode_binary(const Bytes& bytes, Dialect dialect, const std::string& where) {
  Problems problems(where);
  Program program = try_decode_binary(bytes, dialect, problems);
  problems.throw_if_any();
  return program;
}

Program decode_binary(const Bytes& bytes, const std::string& where) {
  std::optional<Program> found;
  std::string reasons;
  for (const Dialect dialect : all_dialects) {
    constexpr std::size_t reasons_each = 1;
    Problems problems(where, reasons_each);
    Program program = try_decode_binary(bytes, dialect, problems);
    if (!problems.any()) {
      if (found) {
        user_error("{}: fits both dialect {} and dialect {}; name the one it is", where,
                   name(found->dialect), name(dialect));
      }
      found = std::move(program);
      continue;
    }
    try {
      problems.throw_if_any();
    } catch (const UserError& error) {
      std::string_view text = error.what();
      text = text.substr(0, text.find('\n'));
      text.remove_prefix(where.size() + 1);  // the name and its colon
      if (text.front() == ' ') text.remove_prefix(1);
      reasons += fmt::format("\n{}: not {}: {}", where, name(dialect), text);
    }
  }
  if (!found) user_error("{}: fits no dialect of DAIS{}", where, reasons);
  return std::move(*found);
}

Bytes encode_binary(const Program& program, Dialect dialect, const std::string& where) {
  Program copy = program;
  copy.dialect = dialect;
  check_program(copy, where + ", as dialect " + std::string(name(dialect)));
  if (dialect == Dialect::seed && !program.tables.empty()) {
    user_error("{}: {} tables; dialect seed has none", where, program.tables.size());
  }
  Bytes bytes;
  Problems problems(where);
  ProgramWords(ByteFields(bytes), copy, problems).run();
  return bytes;
}

std::vector<std::string> conversion_notes(const Program& program, Dialect dialect) {
  std::vector<std::string> notes;
  if ((program.dialect == Dialect::seed) == (dialect == Dialect::seed)) return notes;
  const std::vector<OpRange> ranges = value_ranges(decode_steps(program));
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (kind_of(program.ops[i].opcode) != OpKind::mux || ranges[i].fits_type) continue;
    notes.push_back(
        fmt::format("operation {}: an operand of the mux may not fit its {} bits; "
                    "dialect seed keeps it, v0 and v1 cut it",
                    i, program.ops[i].type.width()));
  }
  return notes;
}

}  // namespace tactus::dais
