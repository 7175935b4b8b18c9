// The file that describes a sweep, and its points.
//
//   {"name": "array_size",
//    "base": {"workload": {"network": "resnet20v2"}, "board": {"name": "zcu104"}},
//    "axes": [{"key": "architecture.array_size", "values": [8, 16, 32]},
//             {"key": "board.read_latency", "from": 1, "to": 64, "factor": 2},
//             {"zip": [{"key": ...}, {"key": ...}]}],
//    "derived": {"architecture.local_depth": "1024 * array_size"},
//    "constraints": ["accumulator_depth <= local_depth"],
//    "sample": {"method": "latin-hypercube", "points": 50, "seed": 1}}
//
// A point is a whole configuration: the board's values, then `base`, the axes, `derived` in the
// file's order. Axes multiply; a "zip" runs its axes in step, a "product" inside it multiplies.
// A range holds from, from + step (or * factor), ... up to and including `to`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/sweep/configuration.h"
#include "firmware/sweep/expression.h"
#include "firmware/sweep/space.h"

namespace tactus::sweep {

struct Point {
  std::uint64_t index = 0;  ///< in the product of the axes
  std::string hash;         ///< of its configuration
};

enum class Sampling { all, random, latin_hypercube };

struct Definition {
  std::string path;    ///< for messages
  std::string beside;  ///< files are named relative to this one's folder
  std::string name;
  Base base_of_all;  ///< of points whose axes do not say another
  std::vector<Assignment> base;
  Space axes = Space::product({});
  struct Derived {
    std::string key;
    Expression expression;
  };
  std::vector<Derived> derived;
  std::vector<Expression> constraints;
  Sampling sampling = Sampling::all;
  std::uint64_t sample_points = 0;
  std::uint64_t seed = 0;
};

/// Throws UserError with all problems: unknown keys, empty axes, unequal zips, bad expressions.
[[nodiscard]] Definition read_definition(const std::string& path);
/// `beside`: files that it names lie beside this one; empty: beside `path`.
[[nodiscard]] Definition parse_definition(std::string_view json_text, const std::string& path,
                                          const std::string& beside = "");

struct Points {
  std::vector<Point> points;     ///< ascending indices, no two with one hash
  std::uint64_t dropped = 0;     ///< looked at, and refused by a constraint
  std::uint64_t duplicates = 0;  ///< same configuration as an earlier point
  std::uint64_t looked_at = 0;
};

/// All points, or the sample. Throws UserError if none is left, if there are more than a million,
/// or if a derived value does not suit its key.
[[nodiscard]] Points points(const Definition& definition);

/// Builds the configurations of points, which are too large to be kept for all of them.
class Configurations {
 public:
  /// The definition must outlive it.
  explicit Configurations(const Definition& definition);
  ~Configurations();
  Configurations(const Configurations&) = delete;
  Configurations& operator=(const Configurations&) = delete;

  /// Of a point that points() has found.
  [[nodiscard]] Configuration of(const Point& point) const;

 private:
  class Builder;
  friend Points points(const Definition& definition);
  std::unique_ptr<Builder> builder_;
};

}  // namespace tactus::sweep
