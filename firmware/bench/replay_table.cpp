#include "firmware/bench/replay_table.h"

#include "firmware/config/config_files.h"
#include "isa/support/files.h"
#include "isa/support/json.h"

namespace tactus::bench {
namespace {

constexpr std::uint64_t most_cycles = std::uint64_t{1} << 40;
constexpr double most_ms = 1e6;

ReplayRow decode_row(ObjectReader reader) {
  ReplayRow row;
  row.model = reader.get_string("model");
  row.file = reader.get_string("file");
  row.link = reader.get_string("link");
  const bool has_cycles = reader.has("cycles");
  row.cycles = reader.get_optional_u64("cycles", 1, most_cycles).value_or(0);
  row.cycles_source = reader.get_optional_string("cycles_source").value_or("");
  if (has_cycles == row.cycles_source.empty()) {
    reader.add_problem("cycles_source", "\"cycles\" and \"cycles_source\" go together");
  }
  row.published_ms = reader.get_real("published_ms", 0, most_ms);
  row.source = reader.get_string("source");
  row.left_out = reader.get_optional_string("left_out").value_or("");
  reader.finish();
  return row;
}

}  // namespace

std::optional<std::vector<ReplayRow>> parse_replay_rows(std::string_view json_text,
                                                        const std::string& where) {
  // Text without this key is a table of another kind or no JSON; the other kind's reader reports
  // it.
  if (json_text.find("\"replays\"") == std::string_view::npos) return std::nullopt;
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  const ArrayReader array = root.get_array("replays");
  std::vector<ReplayRow> rows;
  for (std::size_t i = 0; i < array.size(); ++i) rows.push_back(decode_row(array.get_object(i)));
  root.finish();
  document.problems().throw_if_any();
  return rows;
}

std::optional<std::vector<ReplayRow>> read_replay_rows(const std::string& name) {
  const std::string path = config_path("bench", name);
  return parse_replay_rows(read_text(path), path);
}

}  // namespace tactus::bench
