// The steps of one cycle: in the fixed order of a design, and as lists, so that a test can run them
// in any order.
#pragma once

#include <functional>
#include <vector>

namespace tactus {

/// Stages in which the wires of a cycle settle. A step may read wires that earlier stages wrote.
enum class Stage : unsigned {
  registers,  ///< valids and payloads that depend on registers only
  routers,    ///< valids and payloads that depend on those of other units
  ends,       ///< readies at the ends of the data paths
  results,    ///< readies for the results of the array and similar units
  sources,    ///< readies of the array and similar units
  reads,      ///< readies for the data that memories read
};

/// A step of settling a unit: a member function of the unit, and its stage. An empty type, so that
/// lists of steps cost nothing at run time.
template <Stage at, auto function>
struct SettleStep {
  static constexpr Stage stage = at;
  template <typename Unit>
  void operator()(Unit& unit) const {
    (unit.*function)();
  }
};
template <Stage at, auto function>
inline constexpr SettleStep<at, function> step{};

/// `settle` steps compute the wires of a cycle from registers and other wires. Repeating the list
/// in any order until nothing changes gives the same values as one pass in the fixed order.
/// `observe` steps read the settled wires and the registers before any commit, in any order.
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
