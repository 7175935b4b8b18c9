// Designs that take turns: which kernel SystemC's functions act on.
//
// A scope's kernel is in use from its construction on, until another one's begins. Whoever uses a
// design while younger scopes live enters its kernel; scopes may then end in any order, too.
#pragma once

#include "models/sim/kernel_scope.h"

namespace tactus {

/// Enters a scope's kernel, and in the end goes back to the one that was in use before, which may
/// be in the middle of a run. Like all of SystemC: never from two threads at a time.
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
