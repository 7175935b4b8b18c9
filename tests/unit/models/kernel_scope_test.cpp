// Several kernels in one process, one after the other and at the same time, with all kinds of
// processes.
#include "models/sim/kernel_scope.h"

#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "models/sim/entered_kernel.h"

namespace tactus {
namespace {

/// Calls a function when the object is destroyed.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> call) : call_(std::move(call)) {}
  ~AtEnd() { call_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  std::function<void()> call_;
};

/// A design with a thread that waits forever, a thread that ends, and a method.
class Design : public sc_core::sc_module {
 public:
  int unwound = 0;
  int methods = 0;

  explicit Design(const sc_core::sc_module_name& name) : sc_module(name) {
    using SC_CURRENT_USER_MODULE = Design;
    SC_THREAD(waits);
    SC_THREAD(ends);
    SC_METHOD(method);
  }

 private:
  void waits() {
    const AtEnd end([this] { ++unwound; });
    while (true) wait(sc_core::sc_time(1, sc_core::SC_MS));
  }
  void ends() { wait(sc_core::sc_time(1, sc_core::SC_PS)); }
  void method() { ++methods; }
};

TEST(KernelScope, ThreadsUnwindOnceWhileTheirModulesLive) {
  for (int i = 0; i < 50; ++i) {
    KernelScope kernel;
    Design design("design");
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
    EXPECT_EQ(design.unwound, 0);
    const int methods = design.methods;
    kernel.end_threads();
    EXPECT_EQ(design.unwound, 1);
    EXPECT_EQ(design.methods, methods);
    kernel.end_threads();  // there are no threads to end
    EXPECT_EQ(design.unwound, 1);
  }
}

TEST(KernelScope, EndsWithThreadsStillRunning) {
  for (int i = 0; i < 3; ++i) {
    KernelScope kernel;
    Design design("design");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  KernelScope kernel;
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
}

TEST(KernelScope, EndsThreadsOnlyOfADesignThatHasStarted) {
  KernelScope kernel;
  const Design design("design");
  kernel.end_threads();
  EXPECT_EQ(design.unwound, 0);
}

TEST(KernelScope, ScopesNest) {
  KernelScope outer;
  Design first("design");
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_NS));
  {
    KernelScope inner;
    Design second("design");
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(1, sc_core::SC_NS));
    inner.end_threads();
  }
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(2, sc_core::SC_NS));
  EXPECT_EQ(first.unwound, 0);
  outer.end_threads();
  EXPECT_EQ(first.unwound, 1);
}

/// A kernel with a design that counts picoseconds.
struct Machine {
  KernelScope kernel;
  Design design{"design"};
  void run(double nanoseconds) {
    const EnteredKernel entered(kernel);
    sc_core::sc_start(sc_core::sc_time(nanoseconds, sc_core::SC_NS));
  }
  sc_core::sc_time now() {
    const EnteredKernel entered(kernel);
    return sc_core::sc_time_stamp();
  }
  ~Machine() { kernel.end_threads(); }
};

TEST(KernelScope, TakeTurns) {
  Machine first;
  first.run(1);
  Machine second;
  second.run(10);
  first.run(2);
  second.run(20);
  EXPECT_EQ(first.now(), sc_core::sc_time(3, sc_core::SC_NS));
  EXPECT_EQ(second.now(), sc_core::sc_time(30, sc_core::SC_NS));
  // After a run the kernel that was constructed last is the current one again.
  EXPECT_EQ(sc_core::sc_time_stamp(), second.now());
}

TEST(KernelScope, EndInAnyOrder) {
  const sc_core::sc_simcontext* const before = sc_core::sc_curr_simcontext;
  for (int last = 0; last < 3; ++last) {
    std::unique_ptr<Machine> machines[3];
    for (auto& machine : machines) {
      machine = std::make_unique<Machine>();
      machine->run(1);
    }
    for (int i = 0; i < 3; ++i) {
      if (i != last) machines[i].reset();
    }
    machines[last]->run(5);
    EXPECT_EQ(machines[last]->now(), sc_core::sc_time(6, sc_core::SC_NS));
    EXPECT_EQ(machines[last]->design.unwound, 0);
  }
  EXPECT_EQ(sc_core::sc_curr_simcontext, before);
}

TEST(KernelScope, AScopeThatEndsLeavesTheOneInUse) {
  auto first = std::make_unique<Machine>();
  Machine second;
  auto third = std::make_unique<Machine>();
  second.run(7);
  const EnteredKernel entered(second.kernel);
  first.reset();
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(7, sc_core::SC_NS));
  third.reset();
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(7, sc_core::SC_NS));
}

}  // namespace
}  // namespace tactus
