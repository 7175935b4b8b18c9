// Selects the kernel on which SystemC's functions act, for designs that take turns.
//
// A scope's kernel is in use from its construction until the next scope begins. To use a design
// while younger scopes exist, enter its kernel. Scopes may then end in any order.
#pragma once

#include "models/sim/kernel_scope.h"

namespace tactus {

/// Enters a scope's kernel. The destructor returns to the kernel that was in use before, which may
/// be in the middle of a run. As with all of SystemC, never use it from two threads at a time.
class EnteredKernel {
 public:
  explicit EnteredKernel(const KernelScope& scope);
  ~EnteredKernel();
  EnteredKernel(const EnteredKernel&) = delete;
  EnteredKernel& operator=(const EnteredKernel&) = delete;

 private:
  sc_core::sc_simcontext* previous_current_;
  sc_core::sc_simcontext* previous_default_;
};

}  // namespace tactus
