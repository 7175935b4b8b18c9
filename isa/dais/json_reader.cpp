#include <cmath>
#include <limits>

#include "isa/dais/check.h"
#include "isa/dais/json.h"
#include "isa/dais/json_tree.h"
#include "isa/support/byte_order_mark.h"
#include "isa/support/error.h"

namespace tactus::dais {
namespace {

constexpr std::size_t any_count = std::numeric_limits<std::uint32_t>::max();

Interval read_interval(const JsonValue& value, Problems& problems) {
  Interval interval;
  if (!value.expect_array("the interval", 3, 3, problems)) return interval;
  const std::vector<JsonValue> ends = value.elements();
  interval.min = ends[0].get_real("min", problems);
  interval.max = ends[1].get_real("max", problems);
  interval.step = ends[2].get_real("step", problems);
  return interval;
}

Op read_op(const JsonValue& value, Problems& problems) {
  Op op;
  if (!value.expect_array("the operation", 7, 7, problems)) return op;
  const std::vector<JsonValue> fields = value.elements();
  op.id0 = fields[0].get_i32("id0", problems);
  op.id1 = fields[1].get_i32("id1", problems);
  op.opcode = fields[2].get_i32("the opcode", problems);
  op.data = fields[3].get_word("data", problems);
  op.range = read_interval(fields[4], problems);
  op.latency = fields[5].get_real("the latency", problems);
  op.cost = fields[6].get_real("the cost", problems);
  if (const auto type = type_of(op.range)) {
    op.type = *type;
  } else if (!problems.full()) {
    problems.add(fields[4].path(),
                 fmt::format("[{}, {}, {}] is no interval; needed: finite min <= max, and a step "
                             "that is a power of two",
                             op.range.min, op.range.max, op.range.step));
  }
  return op;
}

Table read_table(const JsonValue& value, Problems& problems) {
  Table table;
  JsonValue spec = value, entries = value, field = value;
  if (!value.find("spec", spec) || !value.find("table", entries)) {
    problems.add(value.path(), R"(a table is an object with the keys "spec" and "table")");
    return table;
  }
  if (spec.find("hash", field)) table.hash = field.get_string("hash", problems);
  if (spec.find("inp_width", field)) table.input_width = field.get_i32("inp_width", problems);
  JsonValue interval = value;
  if (spec.find("out_qint", interval)) {
    if (interval.find("min", field)) table.range.min = field.get_real("min", problems);
    if (interval.find("max", field)) table.range.max = field.get_real("max", problems);
    if (interval.find("step", field)) table.range.step = field.get_real("step", problems);
  }
  if (!entries.expect_array("the table", 0, any_count, problems)) return table;
  table.entries.reserve(entries.size());
  entries.for_each([&](const JsonValue& entry) {
    table.entries.push_back(entry.get_i32("the entry", problems));
  });
  return table;
}

/// Number of the source's codes below the first entry of the table. The binary form stores this
/// pad; in the JSON form it follows from the source's interval.
std::int32_t left_pad(const Op& source) {
  const double lowest = source.type.is_signed != 0 ? std::ldexp(1.0, source.type.integer_bits) : 0;
  const double pad = std::nearbyint((source.range.min + lowest) / source.range.step);
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  return pad >= 0 && pad <= most ? static_cast<std::int32_t>(pad) : 0;
}

void place_pads(Program& program) {
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    Op& op = program.ops[i];
    if (kind_of(op.opcode) != OpKind::lookup) continue;
    if (op.id0 < 0 || static_cast<std::size_t>(op.id0) >= i) continue;  // the check reports it
    op.data = join_words(op.data_low(), left_pad(program.ops[static_cast<std::size_t>(op.id0)]));
  }
}

void read_outputs(const std::vector<JsonValue>& fields, std::size_t count, Program& program,
                  Problems& problems) {
  const bool lists = fields[2].expect_array("the output indices", count, count, problems) &&
                     fields[3].expect_array("the output shifts", count, count, problems) &&
                     fields[4].expect_array("the output negations", count, count, problems);
  if (!lists) return;
  program.outputs.resize(count);
  std::size_t i = 0;
  fields[2].for_each([&](const JsonValue& value) {
    program.outputs[i++].index = value.get_i32("the output index", problems);
  });
  i = 0;
  fields[3].for_each([&](const JsonValue& value) {
    program.outputs[i++].shift = value.get_i32("the output shift", problems);
  });
  i = 0;
  fields[4].for_each([&](const JsonValue& value) {
    program.outputs[i++].negative = value.get_bool("the output negation", problems);
  });
}

std::size_t read_count(const JsonValue& value, std::string_view what, Problems& problems) {
  const std::int32_t count = value.get_i32(what, problems);
  if (count < 0) problems.add(value.path(), fmt::format("{} is {}", what, count));
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

Program read_program(const JsonValue& value, Dialect dialect, Problems& problems) {
  Program program;
  program.dialect = dialect;
  if (!value.expect_array("the program", 8, 9, problems)) return program;
  const std::vector<JsonValue> fields = value.elements();
  if (!fields[0].expect_array("the shape", 2, 2, problems)) return program;
  const std::vector<JsonValue> shape = fields[0].elements();
  const std::size_t inputs = read_count(shape[0], "the number of inputs", problems);
  const std::size_t outputs = read_count(shape[1], "the number of outputs", problems);
  if (fields[1].expect_array("the input shifts", inputs, inputs, problems)) {
    fields[1].for_each([&](const JsonValue& shift) {
      program.input_shifts.push_back(shift.get_i32("the input shift", problems));
    });
  }
  read_outputs(fields, outputs, program, problems);
  if (fields[5].expect_array("the operations", 0, any_count, problems)) {
    program.ops.reserve(fields[5].size());
    fields[5].for_each([&](const JsonValue& op) { program.ops.push_back(read_op(op, problems)); });
  }
  program.carry_size = fields[6].get_i32("the carry size", problems);
  program.adder_size = fields[7].get_i32("the adder size", problems);
  if (fields.size() == 9 && fields[8].kind() != JsonValue::Kind::null &&
      fields[8].expect_array("the tables", 0, any_count, problems)) {
    fields[8].for_each(
        [&](const JsonValue& table) { program.tables.push_back(read_table(table, problems)); });
  }
  place_pads(program);
  return program;
}

/// True if the text is a pipeline, [[program, ...]]. In a program the first element is [inputs,
/// outputs], two numbers.
bool holds_stages(const JsonValue& root) {
  if (root.kind() != JsonValue::Kind::array || root.size() != 1) return false;
  bool nested = false;
  root.for_each([&nested](const JsonValue& list) {
    list.for_each([&nested](const JsonValue& stage) {
      nested = nested || stage.kind() == JsonValue::Kind::array;
    });
  });
  return nested;
}

}  // namespace

bool looks_like_json(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (bytes[start] != '[' && bytes[start] != '{')) return false;
  return bytes.find('\0') == std::string_view::npos;
}

Pipeline decode_json(std::string_view text, Dialect dialect, const std::string& where,
                     bool* is_pipeline) {
  const JsonTree tree(text, where);
  const JsonValue root = tree.root();
  Problems problems(where);
  Pipeline pipeline;
  const bool several = holds_stages(root);
  if (is_pipeline != nullptr) *is_pipeline = several;
  if (several) {
    root.for_each([&](const JsonValue& list) {
      list.for_each([&](const JsonValue& stage) {
        pipeline.stages.push_back(read_program(stage, dialect, problems));
      });
    });
  } else {
    pipeline.stages.push_back(read_program(root, dialect, problems));
  }
  problems.throw_if_any();
  check_pipeline(pipeline, where);
  return pipeline;
}

}  // namespace tactus::dais
