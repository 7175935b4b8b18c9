// Calls of b_transport in threads, so that the target may wait in them.
//
// The calls begin in the order in which they are requested, in the evaluation phase after the
// request, each in a thread of its own while earlier calls have not returned. A thread is made when
// none is free, and kept. The target gets the request's time as an annotated delay.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include <systemc>
#include <tlm>

namespace tactus {

class BlockingCalls {
 public:
  /// A call, and what happens with an access and its delay when the call has returned.
  using Function = std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>;

  BlockingCalls(Function call, Function answer)
      : call_(std::move(call)), answer_(std::move(answer)) {}

  /// Requests a call of an access that begins at `time`, in units of the kernel's time.
  void request(tlm::tlm_generic_payload& access, std::uint64_t time);

 private:
  struct Request {
    tlm::tlm_generic_payload* access;
    std::uint64_t time;
  };
  void run();

  const Function call_, answer_;
  std::deque<Request> requests_;  ///< calls that have not begun
  std::size_t free_ = 0;          ///< threads without a call
  sc_core::sc_event requested_;
};

}  // namespace tactus
