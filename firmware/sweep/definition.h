// The definition of a sweep, which is a JSON file, and the points of the sweep.
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
// A point is a whole configuration. Its keys get the values of the board first, then those of
// `base`, of the axes, and of `derived` in the order of the file; a later value replaces an earlier
// one. The points are the product of the axes. A "zip" advances its axes together, and a "product"
// inside a zip combines axes again. A range has the values from, from + step, ... or from, from *
// factor, ..., up to and including `to`.
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
  std::uint64_t index = 0;  ///< number in the product of the axes
  std::string hash;         ///< hash of the point's configuration
};

enum class Sampling { all, random, latin_hypercube };

struct Definition {
  std::string path;    ///< path of the definition, for messages
  std::string beside;  ///< file names are relative to this file's folder
  std::string name;
  Base base_of_all;  ///< base of the points, unless an axis sets another
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

/// Reads a definition from a file. Throws UserError with all problems: unknown keys, empty axes,
/// zips of unequal length, bad expressions.
[[nodiscard]] Definition read_definition(const std::string& path);
/// Reads a definition from its text. `path` is the file name in messages. File names in the
/// definition are relative to the folder of `beside`; empty: of `path`.
[[nodiscard]] Definition parse_definition(std::string_view json_text, const std::string& path,
                                          const std::string& beside = "");

struct Points {
  std::vector<Point> points;     ///< by ascending index, without duplicate hashes
  std::uint64_t dropped = 0;     ///< points that a constraint excluded
  std::uint64_t duplicates = 0;  ///< points with the configuration of an earlier point
  std::uint64_t looked_at = 0;   ///< all points that were tried
};

/// All points that the constraints allow, or the sample of them. Throws UserError if no point is
/// left, if there are more than a million, or if a derived value does not suit its key.
[[nodiscard]] Points points(const Definition& definition);

/// Builds the configuration of a point on demand, since the configurations of all points would take
/// too much memory.
class Configurations {
 public:
  /// The definition must outlive this object.
  explicit Configurations(const Definition& definition);
  ~Configurations();
  Configurations(const Configurations&) = delete;
  Configurations& operator=(const Configurations&) = delete;

  /// The configuration of a point that points() returned.
  [[nodiscard]] Configuration of(const Point& point) const;

 private:
  class Builder;
  friend Points points(const Definition& definition);
  std::unique_ptr<Builder> builder_;
};

}  // namespace tactus::sweep
