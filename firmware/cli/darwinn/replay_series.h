// Replays of several Edge TPU models in turn: which requests load parameters, and what that costs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/darwinn/parameter_cache.h"
#include "firmware/driver/darwinn/replay.h"
#include "isa/darwinn/file.h"

namespace tactus {

struct SeriesModel {
  const darwinn::File* file = nullptr;
  Picoseconds inference = 0;
  std::optional<Picoseconds> caching;  ///< loading of its parameters, if they are cached
  std::string words;                   ///< a sentence on what its replay includes and leaves out
};

/// A series of requests to the models in turn, one after the other.
class ReplaySeries {
 public:
  ReplaySeries(std::vector<SeriesModel> models, std::size_t requests);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  struct Request {
    std::size_t model;
    ParameterCache::Answer answer;
    Picoseconds start, end;
  };
  [[nodiscard]] std::string parameters_text(const Request& request) const;

  std::vector<SeriesModel> models_;
  std::vector<Request> requests_;
  ParameterCache cache_;
};

}  // namespace tactus
