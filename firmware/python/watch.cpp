#include "firmware/python/watch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

ParameterValue value_of(const ParameterInfo& info, const Json& json) {
  ParameterValue value;
  if (json.is_boolean()) value = json.get<bool>();
  if (info.type == ParameterType::whole) value = json.get<std::uint64_t>();
  if (info.type == ParameterType::real) value = json.get<double>();
  if (json.is_string()) value = json.get<std::string>();
  if (info.problem(value).empty()) return value;
  const bool named = info.type == ParameterType::choice;
  user_error("{} {} is not allowed; allowed: {}", info.key,
             json.is_string() ? quote(json.get<std::string>()) : json.dump(),
             named ? fmt::format("{}", fmt::join(info.choices, ", ")) : info.range());
}

}  // namespace

Request read_request(const std::string& text, Asker asker) {
  const Json json = json_of_text(text);
  Request request;
  for (const Parameter<RunRequest>& option : request_parameters(asker)) {
    if (json.contains(option.key)) option.set(request, value_of(option, json.at(option.key)));
  }
  request.event_rows = json.value("event_rows", false);
  request.account_rows = json.value("account_rows", false);
  GivenOutputs given{"", false};
  for (const std::string& key : run_output_keys()) {
    if (!json.contains(key) || json.at(key) == false) continue;
    std::vector<std::string>& texts = given.texts[key];
    for (const Json& one : json.at(key).is_array() ? json.at(key) : Json::array({json.at(key)})) {
      texts.push_back(one.is_string() ? one.get<std::string>() : one.dump());
    }
    const bool of_waveform = key.rfind("trace_", 0) == 0 || key == "gtkw" || key == "surfer";
    if ((of_waveform || key == "vcd_limit") && !json.contains("vcd") && !json.contains("fst")) {
      user_error("{}: gtkw, surfer, vcd_limit and trace_... need vcd or fst", key);
    }
  }
  static_cast<RunOutputs&>(request) = read_run_outputs(given);
  return request;
}

std::vector<std::pair<std::string, std::string>> request_keys(Asker asker) {
  std::vector<std::pair<std::string, std::string>> keys;
  const auto add = [&](const ParameterInfo& p) {
    keys.emplace_back(p.key, p.type == ParameterType::whole     ? "whole"
                             : p.type == ParameterType::real    ? "real"
                             : p.type == ParameterType::boolean ? "boolean"
                                                                : "text");
  };
  for (const auto& parameter : request_parameters(asker)) add(parameter);
  for (const RunOutput& output : run_outputs()) {
    if (!output.not_in_python.empty()) continue;
    keys.emplace_back(output.key, output.repeatable      ? "texts"
                                  : output.value.empty() ? "boolean"
                                                         : "text");
  }
  for (const auto& parameter : timeline_parameters()) add(parameter);
  for (const auto& parameter : trace_parameters()) add(parameter);
  return keys;
}

std::string why_not(const std::string& key, Asker asker) {
  for (const RunOutput& output : run_outputs()) {
    if (output.key == key) return fmt::format("is not for Python: {}", output.not_in_python);
  }
  return why_not_for(asker, key);
}

void require_finished(const RunResult& result, const RunRequest& request) {
  if (result.end == RunEnd::finished) return;
  throw Stuck(stuck_text(result, fmt::format("max_cycles {}", request.max_cycles.value_or(0))));
}

RunObservers RecordedRun::observers(const Request& request, Simulation& simulation) {
  RunObservers made;
  if (request.event_rows) {
    events = std::make_unique<EventRows>();
    made.events = events.get();
  }
  if (request.account_rows) {
    const std::vector<Account*> all = simulation.machine().accounts();
    for (const Account* account : all) {
      units.push_back({std::string(account->unit()), account->states()});
    }
    accounts = std::make_unique<AccountRows>(all);
    made.accounts = accounts.get();
  }
  return made;
}

void RecordedRun::finish(RunRecorder& recorder) {
  recorder.finish();
  recorder.write(nullptr);
  recorder.throw_failures();
  if (accounts) activity = recorder.activity();
  first_cycle = recorder.first_cycle();
  for (const auto& texts : {recorder.notes(), recorder.warnings()}) {
    for (const std::string& text : texts) note += (note.empty() ? "" : "\n") + text;
  }
}

void RecordedRun::set_unwritten(const std::string& name, const UnwrittenReads& reads) {
  unwritten = reads;
  if (reads.count == 0) return;
  note += fmt::format("{}{}: {}", note.empty() ? "" : "\n", name, reads.text());
}

}  // namespace tactus::python
