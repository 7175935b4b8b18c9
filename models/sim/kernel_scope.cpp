#define SC_INCLUDE_DYNAMIC_PROCESSES  // SystemC 2.3 declares sc_spawn only if this is set
#include "models/sim/kernel_scope.h"

#include <vector>

namespace tactus {
namespace {

std::vector<sc_core::sc_process_handle> threads(sc_core::sc_simcontext& context) {
  std::vector<sc_core::sc_process_handle> found;
  for (sc_core::sc_object* object = context.first_object(); object != nullptr;
       object = context.next_object()) {
    const sc_core::sc_process_handle process(object);  // valid if the object is a process
    if (!process.valid() || process.terminated()) continue;
    if (process.proc_kind() != sc_core::SC_METHOD_PROC_) found.push_back(process);
  }
  return found;
}

/// Contexts that could not be deleted. They stay reachable, so that no leak detector objects.
std::vector<sc_core::sc_simcontext*>& kept_contexts() {
  static std::vector<sc_core::sc_simcontext*> contexts;
  return contexts;
}

}  // namespace

KernelScope::KernelScope()
    : previous_current_(sc_core::sc_curr_simcontext),
      previous_default_(sc_core::sc_default_global_context),
      context_(new sc_core::sc_simcontext) {
  sc_core::sc_curr_simcontext = context_;
  sc_core::sc_default_global_context = context_;
}

/// SystemC 3.0.1 deletes a context's coroutine package before its threads, whose destructors still
/// use the package: a context with threads that have stacks must not be deleted. After
/// end_threads() there are none, unless the kernel refused; then the context is kept.
KernelScope::~KernelScope() {
  const bool started = sc_core::sc_get_status() != sc_core::SC_ELABORATION;
  if (started && !threads(*context_).empty()) {
    kept_contexts().push_back(context_);
  } else {
    delete context_;
  }
  sc_core::sc_curr_simcontext = previous_current_;
  sc_core::sc_default_global_context = previous_default_;
}

/// Only a process may kill processes; one is made for this, and runs in a last evaluation. No
/// handle may outlive it: a thread is deleted with its last handle.
void KernelScope::end_threads() {
  std::vector<sc_core::sc_process_handle> killed = threads(*context_);
  if (killed.empty() || sc_core::sc_get_status() != sc_core::SC_PAUSED) return;
  const auto kill = [&killed] {
    for (sc_core::sc_process_handle& thread : killed) thread.kill();
    killed.clear();
  };
  try {
    sc_core::sc_spawn(kill, "end_threads");  // a thread, which ends with its function
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const sc_core::sc_report&) {  // NOLINT(bugprone-empty-catch)
    // The kernel refuses to go on, for instance after an error; the context is kept.
  }
}

}  // namespace tactus
