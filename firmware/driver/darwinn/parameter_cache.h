// The host's record of the parameters that are on the device, by the runtime's rules of parameter
// caching.
//
// Before each inference, the cache is cleared if the token of the main executable is 0 or is not
// the current one. If the package has a PARAMETER_CACHING executable that is then not cached, that
// executable must be run first, and its token becomes the current one. So packages of one token
// stay cached together, a package of another token evicts them all, and a stand-alone package of
// the current token evicts nothing.
#pragma once

#include <cstdint>
#include <set>

#include "isa/darwinn/package.h"

namespace tactus {

class ParameterCache {
 public:
  struct Answer {
    bool load = false;     ///< true: the package's PARAMETER_CACHING executable must be run first
    bool evicted = false;  ///< true: the cached parameters were evicted
  };
  struct Stats {
    std::uint64_t hits = 0;   ///< inferences whose parameters were cached
    std::uint64_t loads = 0;  ///< loads of parameters
    std::uint64_t evictions = 0;
  };

  /// Records an inference of the package. Call it before the inference. A package is known by the
  /// address of its object; verify() must have accepted it.
  Answer request(const darwinn::Package& package);
  /// Clears the cache. Call it when the device was closed or reset.
  void clear();

  [[nodiscard]] std::uint64_t token() const { return token_; }
  [[nodiscard]] const Stats& stats() const { return stats_; }

 private:
  std::uint64_t token_ = 0;  ///< current token; 0: the cache is empty
  std::set<const darwinn::Executable*> resident_;
  Stats stats_;
};

}  // namespace tactus
