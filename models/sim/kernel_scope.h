// The only place that touches SystemC's simulation context.
#pragma once

#include <systemc>

namespace tactus {

/// A new SystemC kernel for the scope's lifetime, so that a process can build and run several
/// designs (the standard allows no module after the first start). Construct it before all modules
/// of the design and destroy it after them. Scopes nest; only the innermost may be used unless
/// another is entered (EnteredKernel). The context belongs to the process: never use it from two
/// threads.
class KernelScope {
 public:
  KernelScope();
  ~KernelScope();
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

  /// Kills the design's threads, if any, so that their stacks unwind and are freed. Call it when
  /// the design is done, before its modules are destroyed. Models have threads only for calls of
  /// b_transport; TLM's sockets and memories of users may have some.
  void end_threads();

 private:
  sc_core::sc_simcontext* previous_current_;
  sc_core::sc_simcontext* previous_default_;
  sc_core::sc_simcontext* context_;
};

}  // namespace tactus
