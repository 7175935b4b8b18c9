// The only place that touches SystemC's simulation context.
#pragma once

#include <systemc>

namespace tactus {

/// A fresh SystemC kernel for the scope's lifetime, so that one process can build and run designs
/// one after the other (the standard allows no module after the first start). Construct before any
/// module of the design, destroy after them. Scopes nest, but only the innermost may be used. The
/// context is a process-wide variable: never from two threads.
class KernelScope {
 public:
  KernelScope()
      : previous_current_(sc_core::sc_curr_simcontext),
        previous_default_(sc_core::sc_default_global_context),
        context_(new sc_core::sc_simcontext) {
    sc_core::sc_curr_simcontext = context_;
    sc_core::sc_default_global_context = context_;
  }
  ~KernelScope() {
    delete context_;
    sc_core::sc_curr_simcontext = previous_current_;
    sc_core::sc_default_global_context = previous_default_;
  }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  sc_core::sc_simcontext* previous_current_;
  sc_core::sc_simcontext* previous_default_;
  sc_core::sc_simcontext* context_;
};

}  // namespace tactus
