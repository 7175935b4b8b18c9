#include "isa/dais/binary.h"

#include <limits>

#include "isa/dais/check.h"
#include "isa/dais/ranges.h"
#include "isa/support/error.h"

namespace tactus::dais {
namespace {

constexpr std::size_t word_bytes = 4;
constexpr std::size_t words_of_op = 8;
constexpr Dialect all_dialects[] = {Dialect::seed, Dialect::v0, Dialect::v1};

std::size_t header_words(Dialect dialect) { return dialect == Dialect::seed ? 3 : 6; }
std::int32_t version_word(Dialect dialect) { return dialect == Dialect::v1 ? 1 : 0; }

class WordReader {
 public:
  explicit WordReader(const Bytes& bytes) : bytes_(bytes) {}

  std::int32_t next() {
    if (bytes_.size() - position_ < word_bytes) internal_error("DAIS: read beyond the file");
    std::uint32_t word = 0;
    for (unsigned i = 0; i < word_bytes; ++i) {
      word |= std::uint32_t{bytes_[position_++]} << (8 * i);
    }
    return static_cast<std::int32_t>(word);
  }
  [[nodiscard]] std::uint64_t words_left() const {
    return (bytes_.size() - position_) / word_bytes;
  }

 private:
  const Bytes& bytes_;
  std::size_t position_ = 0;
};

struct Counts {
  std::size_t inputs = 0, outputs = 0, ops = 0, tables = 0;
};

/// Reads a count of the header; a negative count is a problem.
std::size_t read_count(WordReader& reader, const char* what, Problems& problems) {
  const std::int32_t count = reader.next();
  if (count < 0) problems.add("", fmt::format("{} {}; allowed 0 and above", count, what));
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

Counts read_header(WordReader& reader, Program& program, Problems& problems) {
  Counts counts;
  const bool has_version = program.dialect != Dialect::seed;
  if (has_version) {
    const std::int32_t version = reader.next();
    if (version != version_word(program.dialect)) {
      problems.add("", fmt::format("version word {}; dialect {} needs {}", version,
                                   name(program.dialect), version_word(program.dialect)));
      return counts;
    }
    program.firmware = reader.next();
  }
  counts.inputs = read_count(reader, "inputs", problems);
  counts.outputs = read_count(reader, "outputs", problems);
  counts.ops = read_count(reader, "operations", problems);
  if (has_version) counts.tables = read_count(reader, "tables", problems);
  return counts;
}

/// Checks that the file holds `words` more words (exactly so many if `exactly`). Reports a problem
/// and returns false otherwise.
bool check_length(const WordReader& reader, std::uint64_t words, bool exactly, const Bytes& bytes,
                  Problems& problems) {
  const std::uint64_t left = reader.words_left();
  if (left == words || (left > words && !exactly)) return true;
  const std::uint64_t read = bytes.size() - left * word_bytes;
  problems.add("", fmt::format("{} bytes; the counts in the header ask for {}{}", bytes.size(),
                               exactly ? "" : "at least ", read + words * word_bytes));
  return false;
}

Op read_op(WordReader& reader) {
  Op op;
  op.opcode = reader.next();
  op.id0 = reader.next();
  op.id1 = reader.next();
  const std::int32_t low = reader.next();
  op.data = join_words(low, reader.next());
  op.type.is_signed = reader.next();
  op.type.integer_bits = reader.next();
  op.type.fraction_bits = reader.next();
  op.range = interval_of(op.type);
  return op;
}

bool read_tables(WordReader& reader, std::size_t count, const Bytes& bytes, Program& program,
                 Problems& problems) {
  std::vector<std::size_t> sizes(count);
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t size = reader.next();
    if (size < 0) {
      problems.add(fmt::format("table {}", i),
                   fmt::format("{} entries; allowed 0 and above", size));
      return false;
    }
    sizes[i] = static_cast<std::size_t>(size);
    words += sizes[i];
  }
  if (!check_length(reader, words, true, bytes, problems)) return false;
  for (const std::size_t size : sizes) {
    Table& table = program.tables.emplace_back();
    table.entries.resize(size);
    for (std::int32_t& entry : table.entries) entry = reader.next();
  }
  return true;
}

void read_body(WordReader& reader, const Counts& counts, Program& program) {
  program.input_shifts.resize(counts.inputs);
  for (std::int32_t& shift : program.input_shifts) shift = reader.next();
  program.outputs.resize(counts.outputs);
  for (Output& output : program.outputs) output.index = reader.next();
  for (Output& output : program.outputs) output.shift = reader.next();
  for (Output& output : program.outputs) output.negative = reader.next() != 0;
  program.ops.reserve(counts.ops);
  for (std::size_t i = 0; i < counts.ops; ++i) program.ops.push_back(read_op(reader));
}

class WordWriter {
 public:
  void add(std::int32_t value) {
    const auto word = static_cast<std::uint32_t>(value);
    for (unsigned i = 0; i < word_bytes; ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
    }
  }
  void add_count(std::size_t count) {
    if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      user_error("{} elements; a DAIS file counts them with 31 bits", count);
    }
    add(static_cast<std::int32_t>(count));
  }
  void add(const Op& op) {
    for (const std::int32_t word :
         {op.opcode, op.id0, op.id1, op.data_low(), op.data_high(), op.type.is_signed,
          op.type.integer_bits, op.type.fraction_bits}) {
      add(word);
    }
  }
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
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
  WordReader reader(bytes);
  const Counts counts = read_header(reader, program, problems);
  if (problems.any()) return program;
  const std::uint64_t words = std::uint64_t{counts.inputs} + 3 * std::uint64_t{counts.outputs} +
                              words_of_op * std::uint64_t{counts.ops} + counts.tables;
  // The length of a file with tables is known only from the tables' sizes, which follow the
  // operations.
  if (!check_length(reader, words, counts.tables == 0, bytes, problems)) return program;
  read_body(reader, counts, program);
  if (!read_tables(reader, counts.tables, bytes, program, problems)) return program;
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
  WordWriter writer;
  if (dialect != Dialect::seed) {
    writer.add(version_word(dialect));
    writer.add(program.firmware);
  }
  writer.add_count(program.input_count());
  writer.add_count(program.output_count());
  writer.add_count(program.ops.size());
  if (dialect != Dialect::seed) writer.add_count(program.tables.size());
  for (const std::int32_t shift : program.input_shifts) writer.add(shift);
  for (const Output& output : program.outputs) writer.add(output.index);
  for (const Output& output : program.outputs) writer.add(output.shift);
  for (const Output& output : program.outputs) writer.add(output.negative ? 1 : 0);
  for (const Op& op : program.ops) writer.add(op);
  for (const Table& table : program.tables) writer.add_count(table.entries.size());
  for (const Table& table : program.tables) {
    for (const std::int32_t entry : table.entries) writer.add(entry);
  }
  return writer.take();
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
