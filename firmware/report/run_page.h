// The report of one run as a self-contained HTML page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/report/activity.h"

namespace tactus {

struct RunPage {
  std::string title;   ///< of the model or program
  std::string lead;    ///< one line: machine, tool
  std::string ending;  ///< empty, or why the run did not finish
  Cycle cycles = 0;    ///< of the first image, as the summary has it
  double clock_mhz = 100;
  std::size_t images = 1;
  const RunResult* run = nullptr;  ///< the first image
  const TcuSimulationConfig* config = nullptr;
  const Activity* activity = nullptr;  ///< of the first image
  std::vector<std::pair<std::string, std::string>> configuration;
};

[[nodiscard]] std::string run_page_html(const RunPage& page);

}  // namespace tactus
