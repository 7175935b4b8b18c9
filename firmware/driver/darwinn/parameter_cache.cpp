#include "firmware/driver/darwinn/parameter_cache.h"

namespace tactus {

ParameterCache::Answer ParameterCache::request(const darwinn::Package& package) {
  Answer answer;
  const std::uint64_t token = package.main().token;
  if (token == 0 || token != token_) {
    answer.evicted = !resident_.empty();
    if (answer.evicted) ++stats_.evictions;
    clear();
  }
  const darwinn::Executable* const caching = package.caching();
  if (caching == nullptr) return answer;
  if (!resident_.insert(caching).second) {
    ++stats_.hits;
    return answer;
  }
  token_ = caching->token;
  ++stats_.loads;
  answer.load = true;
  return answer;
}

void ParameterCache::clear() {
  token_ = 0;
  resident_.clear();
}

}  // namespace tactus
