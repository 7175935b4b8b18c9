#include "firmware/bench/table_config.h"

#include <array>
#include <filesystem>
#include <utility>

#include "firmware/bench/tenants.h"
#include "firmware/config/config_files.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::bench {
namespace {

constexpr double most = 1e12;

/// Path of a file that a table refers to: a name is kept, a path is relative to the table's file.
std::string beside(const std::string& where, const std::string& name) {
  const bool path =
      name.find('/') != std::string::npos || !std::filesystem::path(name).extension().empty();
  return path ? resolve_beside(where, name) : name;
}

void decode_workload(ObjectReader& reader, const std::string& where, Row& row) {
  static constexpr std::array<std::pair<const char*, Source>, 3> sources{
      {{"network", Source::network}, {"onnx", Source::onnx}, {"model", Source::model}}};
  unsigned given = 0;
  for (const auto& [key, source] : sources) {
    const auto text = reader.get_optional_string(key);
    if (!text) continue;
    ++given;
    row.task.source = source;
    row.task.workload = source == Source::network ? *text : resolve_beside(where, *text);
    row.network = std::filesystem::path(*text).filename().string();
    if (source != Source::network) continue;
    try {
      (void)nn::zoo_entry(*text);
    } catch (const UserError& error) {
      reader.add_problem(key, error.what());
    }
  }
  if (given != 1) {
    reader.problems().add(reader.path(),
                          "must have exactly one of \"network\", \"onnx\" and \"model\"");
  }
}

/// Reads "architecture", whose keys replace those of the board's architecture.
void decode_changes(ObjectReader& reader, Row& row) {
  auto changes = reader.get_optional_object("architecture");
  if (!changes) return;
  row.task.architecture =
      tcu::decode_architecture(*changes, MissingKeys::allowed, row.board.architecture);
  for (const auto& parameter : tcu::architecture_parameters()) {
    if (!changes->has(parameter.key)) continue;
    const std::string text = to_text(parameter, parameter.get(row.task.architecture));
    row.changes += fmt::format("{}{} {}", row.changes.empty() ? "" : ", ", parameter.key,
                               parameter.type == ParameterType::whole ? text : quote(text));
  }
}

void decode_board(ObjectReader& reader, const std::string& where, Row& row) {
  const std::string name = reader.get_string("board");
  if (name.empty()) return;
  try {
    row.board = read_board(beside(where, name));
  } catch (const UserError& error) {
    reader.add_problem("board", error.what());
    return;
  }
  static_cast<BoardValues&>(row.task) = row.board;
  row.task.architecture = row.board.architecture;
}

void decode_compiler_options(ObjectReader& reader, Row& row) {
  compiler_parameters().read(reader, row.task, MissingKeys::allowed);
  const auto given = [&reader](const std::string& key) { return reader.has(key); };
  if (const auto wrong = choices_problem(row.task, given, false, quote)) {
    reader.add_problem(wrong->key, wrong->text);
  }
  if (row.task.source != Source::model) return;
  for (const auto& parameter : compiler_parameters()) {
    if (!reader.has(parameter.key)) continue;
    reader.add_problem(parameter.key, "belongs to rows that are compiled, not to a \"model\"");
  }
}

Row decode_row(ObjectReader reader, const std::string& where) {
  Row row;
  decode_workload(reader, where, row);
  decode_board(reader, where, row);
  decode_compiler_options(reader, row);
  request_parameters(Asker::rows).read(reader, row.task, MissingKeys::allowed);
  refuse_others(Asker::rows, reader);
  // Each unit executes one run.
  if (reader.has("tcus") && !is_served(row.task)) {
    row.task.images_wanted = row.task.tcus * row.task.batch;
  }
  decode_changes(reader, row);
  row.label = reader.get_optional_string("label").value_or("");
  if (auto values = reader.get_optional_object("board_values")) {
    board_parameters().read(*values, row.task, MissingKeys::allowed);
    values->finish();
  }
  row.standard = reader.get_optional_bool("standard").value_or(true);
  if (auto published = reader.get_optional_object("published")) {
    row.published = Row::Published{published->get_real("latency_ms", 0, most),
                                   published->get_string("source"), published->get_string("date")};
    published->finish();
  }
  if (auto measured = reader.get_optional_object("measured")) {
    row.measured = Row::Measured{measured->get_real("frames_per_second", 0, most),
                                 measured->get_string("source"), measured->get_string("date")};
    measured->finish();
  }
  if (is_served(row.task) && !reader.problems().any()) {
    try {
      check_serving(row.task);
    } catch (const UserError& error) {
      reader.problems().add(reader.path(), error.what());
    }
  }
  reader.finish();
  return row;
}

}  // namespace

std::string Row::program() const {
  std::string text = network;
  if (task.via == compiler::Via::stripe) {
    text += " via stripe";
  } else if (task.optimise) {
    text += " optimised";
    if (task.batch > 1) text += fmt::format(", {} images", task.batch);
    if (task.resident) text += ", resident";
  } else if (task.strategy != compiler::Strategy::local_isolated) {
    text += " " + std::string(compiler::to_string(task.strategy));
  }
  if (!task.beside.empty()) text += " beside " + task.beside;
  if (task.tcus > 1) text += fmt::format(", {} units", task.tcus);
  return label.empty() ? text : text + ", " + label;
}

std::vector<Row> parse_rows(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  const ArrayReader array = root.get_array("rows");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < array.size(); ++i) {
    rows.push_back(decode_row(array.get_object(i), where));
  }
  if (rows.empty() && !document.problems().any()) root.add_problem("rows", "has no rows");
  root.finish();
  document.problems().throw_if_any();
  return rows;
}

std::vector<Row> read_rows(const std::string& name) {
  const std::string path = config_path("bench", name);
  const std::string text = read_text(path);
  return parse_as(FileKind::table, path, text, [&] { return parse_rows(text, path); });
}

}  // namespace tactus::bench
