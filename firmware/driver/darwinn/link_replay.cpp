#include "firmware/driver/darwinn/link_replay.h"

#include <utility>

#include "isa/support/error.h"

namespace tactus {

LinkReplayResult replay_on_link(const darwinn::Executable& executable, const LinkValues& link,
                                std::uint64_t cycles) {
  LinkReplayResult result;
  static_cast<ReplayResult&>(result) = replay(executable, link, cycles);
  LinkRequest request;
  request.steps = std::move(result.steps);
  request.compute = result.compute_end - result.compute_start;
  LinkRun run = run_requests({std::move(request)}, link);
  result.steps = std::move(run.requests[0].steps);
  result.compute_start = run.requests[0].compute_start;
  result.compute_end = run.requests[0].compute_end;
  result.total = run.end + link.fixed_ps;
  result.listed = result.total;
  result.out = run.to_device;
  result.in = run.to_host;
  return result;
}

LinkValues ideal_link(const LinkValues& link) {
  if (link.out_bytes_per_second != link.in_bytes_per_second) {
    user_error("a wire has one rate; the link has {} and {} bytes/s", link.out_bytes_per_second,
               link.in_bytes_per_second);
  }
  LinkValues ideal;
  ideal.out_bytes_per_second = link.out_bytes_per_second;
  ideal.in_bytes_per_second = link.in_bytes_per_second;
  ideal.fixed_ps = link.fixed_ps;
  ideal.outfeed_blocks_infeed = link.outfeed_blocks_infeed;
  ideal.needs_hints = link.needs_hints;
  ideal.core_hz = link.core_hz;
  ideal.wire_bytes_per_second = link.out_bytes_per_second;
  return ideal;
}

}  // namespace tactus
