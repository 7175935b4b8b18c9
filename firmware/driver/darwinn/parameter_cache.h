// Parameters that the host believes to be on the device, by the runtime's rules of parameter
// caching.
//
// Before each inference: if the token of the main executable is 0 or is not the current one, the
// cache is cleared. If the package then has a PARAMETER_CACHING executable that is not cached, its
// token becomes the current one, and it must be run first. So packages of one token stay cached
// together, a package of another token evicts them all, and a stand-alone package of the current
// token evicts nothing.
#pragma once

#include <cstdint>
#include <set>

#include "isa/darwinn/package.h"

namespace tactus {

class ParameterCache {
 public:
  struct Answer {
    bool load = false;     ///< the package's PARAMETER_CACHING executable must be run first
    bool evicted = false;  ///< the cached parameters were evicted
  };
  struct Stats {
    std::uint64_t hits = 0;   ///< inferences whose parameters were cached
    std::uint64_t loads = 0;  ///< loads of parameters
    std::uint64_t evictions = 0;
  };

  /// Call before an inference of the package. Packages are identified by their addresses; they must
  /// have been accepted by verify().
  Answer request(const darwinn::Package& package);
  /// Call when the device was closed or reset.
  void clear();

  [[nodiscard]] std::uint64_t token() const { return token_; }
  [[nodiscard]] const Stats& stats() const { return stats_; }

 private:
  std::uint64_t token_ = 0;  ///< 0: the cache is empty
  std::set<const darwinn::Executable*> resident_;
  Stats stats_;
};

}  // namespace tactus
