#define SC_INCLUDE_DYNAMIC_PROCESSES  // SystemC 2.3 declares sc_spawn only if this is set
#include "models/axi/blocking_calls.h"

#include <algorithm>

namespace tactus {

void BlockingCalls::request(tlm::tlm_generic_payload& access, std::uint64_t time) {
  requests_.push_back({&access, time});
  if (requests_.size() <= free_) {
    requested_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  ++free_;
  sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("b_transport"));
}

/// The threads wait for one event, and whichever runs first takes the oldest request: the kernel
/// promises no order of events of its own for each.
void BlockingCalls::run() {
  for (;;) {
    while (requests_.empty()) sc_core::wait(requested_);
    const Request request = requests_.front();
    requests_.pop_front();
    --free_;
    const std::uint64_t now = sc_core::sc_time_stamp().value();
    sc_core::sc_time delay = sc_core::sc_time::from_value(std::max(request.time, now) - now);
    call_(*request.access, delay);
    ++free_;
    answer_(*request.access, delay);
  }
}

}  // namespace tactus
