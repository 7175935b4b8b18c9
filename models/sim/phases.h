// The steps of one cycle as lists, so that a test can run them in an order other than the fixed
// one.
#pragma once

#include <functional>
#include <vector>

namespace tactus {

/// `settle` steps compute the wires of a cycle from registers and other wires: repeating the list
/// in any order until nothing moves reaches the same values as the fixed order does in one pass.
/// `observe` steps look at the settled wires and at registers, before any commit, in any order.
/// `commit` steps are the clock edge of each unit: once each, in any order.
struct Phases {
  std::vector<std::function<void()>> settle;
  std::vector<std::function<void()>> observe;
  std::vector<std::function<void()>> commit;

  void append(const Phases& other) {
    settle.insert(settle.end(), other.settle.begin(), other.settle.end());
    observe.insert(observe.end(), other.observe.begin(), other.observe.end());
    commit.insert(commit.end(), other.commit.begin(), other.commit.end());
  }
};

}  // namespace tactus
