#define SC_INCLUDE_DYNAMIC_PROCESSES  // SystemC 2.3 declares sc_spawn only if this is set
#include "models/sim/kernel_scope.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "models/sim/entered_kernel.h"

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

/// The contexts used by SystemC's functions.
struct Contexts {
  sc_core::sc_simcontext* current;
  sc_core::sc_simcontext* global;
};

Contexts in_use() { return {sc_core::sc_curr_simcontext, sc_core::sc_default_global_context}; }
void use(const Contexts& contexts) {
  sc_core::sc_curr_simcontext = contexts.current;
  sc_core::sc_default_global_context = contexts.global;
}

/// A scope that exists.
struct Live {
  const KernelScope* scope;
  sc_core::sc_simcontext* context;
  Contexts before;  ///< contexts in use when it began, if they still exist
  /// Contexts in use when it was entered to be destroyed; empty: its own.
  std::optional<Contexts> after;
};
std::vector<Live>& scopes() {
  static std::vector<Live> all;
  return all;
}
Live& find(const KernelScope* scope) {
  return *std::find_if(scopes().begin(), scopes().end(),
                       [scope](const Live& live) { return live.scope == scope; });
}

/// Enters a scope's kernel for the rest of its life.
void enter_to_end(Live& live) {
  if (sc_core::sc_curr_simcontext == live.context) return;
  live.after = in_use();
  use({live.context, live.context});
}

}  // namespace

KernelScope::KernelScope()
    : previous_current_(sc_core::sc_curr_simcontext),
      previous_default_(sc_core::sc_default_global_context),
      context_(new sc_core::sc_simcontext) {
  scopes().push_back({this, context_, {previous_current_, previous_default_}, {}});
  use({context_, context_});
}

/// SystemC 3.0.1 deletes a context's coroutine package before its threads, whose destructors still
/// use the package: a context with threads that have stacks must not be deleted. After
/// end_threads() there are none, unless the kernel refused; then the context is kept.
KernelScope::~KernelScope() {
  enter_to_end(find(this));
  const bool started = sc_core::sc_get_status() != sc_core::SC_ELABORATION;
  if (started && !threads(*context_).empty()) {
    kept_contexts().push_back(context_);
  } else {
    delete context_;
  }
  const Live ended = find(this);
  scopes().erase(scopes().begin() + (&find(this) - scopes().data()));
  use(ended.after.value_or(ended.before));
  // Scopes that would return to this kernel now return to the one that this scope would return to.
  for (Live& live : scopes()) {
    if (live.before.current == context_) live.before = ended.before;
  }
}

EnteredKernel::EnteredKernel(const KernelScope& scope)
    : previous_current_(sc_core::sc_curr_simcontext),
      previous_default_(sc_core::sc_default_global_context) {
  sc_core::sc_simcontext* const context = find(&scope).context;
  use({context, context});
}

EnteredKernel::~EnteredKernel() { use({previous_current_, previous_default_}); }

/// Only a process may kill processes, so a process is made for this and runs in a last evaluation.
/// No handle may outlive it, since a thread is deleted with its last handle.
void KernelScope::end_threads() {
  enter_to_end(find(this));  // the destructors of modules need it, too
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
