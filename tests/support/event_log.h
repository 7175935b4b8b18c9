// The events of a run as lines "CYCLE EVENT ...", as `tactus run --events` writes them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/sim/events.h"

namespace tactus {

/// Appends the lines of every cycle to a list, which must outlive it.
class EventLog final : public EventLines {
 public:
  EventLog(EventFormat format, std::vector<std::string>& log)
      : EventLines(std::move(format)), log_(log) {}

 protected:
  void lines(Cycle cycle, const std::vector<std::string>& lines) override {
    for (const std::string& line : lines) log_.push_back(std::to_string(cycle) + " " + line);
  }

 private:
  std::vector<std::string>& log_;
};

}  // namespace tactus
