// What `tactus run` serves with several models, or with requests that arrive: options read and
// checked, files loaded.
#pragma once

#include <optional>
#include <string>

#include "firmware/cli/run/run_plan.h"
#include "firmware/serving/serving_plan.h"

namespace tactus {

struct ServingRequest : RunOutputs {
  RunRequest request;
  Serving serving;
  ServingPlan plan;
  std::string board;                       ///< in one line; empty: none was named
  std::optional<std::string> request_log;  ///< file of --request-log
  bool wants_slowdowns = false;
};

/// The options that only such a run has.
[[nodiscard]] std::vector<Args::Option> serving_options();
/// True if the command line asks for it: it names several models, or has one of these options.
[[nodiscard]] bool is_served(const Args& args);
/// Reads every file the run needs. Throws UserError before anything has been simulated or written.
[[nodiscard]] ServingRequest read_serving_request(const Args& args);

}  // namespace tactus
