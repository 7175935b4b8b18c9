// Which parameters the host believes to be on the device: the runtime's rules of parameter caching.
//
// Before each inference: if the token of the main executable is 0 or not the present one, all is
// forgotten. If the package then has an executable PARAMETER_CACHING that is not there, its token
// becomes the present one, and it has to run first. So packages of one token stay together, any
// other evicts them all, and a stand-alone package of the present token evicts nothing.
#pragma once

#include <cstdint>
#include <set>

#include "isa/darwinn/package.h"

namespace tactus {

class ParameterCache {
 public:
  struct Answer {
    bool load = false;     ///< the package's PARAMETER_CACHING executable has to run first
    bool evicted = false;  ///< what was there is not any more
  };
  struct Stats {
    std::uint64_t hits = 0;   ///< inferences whose parameters were there
    std::uint64_t loads = 0;  ///< of parameters
    std::uint64_t evictions = 0;
  };

  /// An inference of the package is about to be submitted. Packages are told apart by their
  /// addresses; they must have been accepted by verify().
  Answer request(const darwinn::Package& package);
  /// The device was closed or reset.
  void clear();

  [[nodiscard]] std::uint64_t token() const { return token_; }
  [[nodiscard]] const Stats& stats() const { return stats_; }

 private:
  std::uint64_t token_ = 0;  ///< 0: nothing is cached
  std::set<const darwinn::Executable*> resident_;
  Stats stats_;
};

}  // namespace tactus
