// The queues of models that share units, and who is served next. It knows times but no machines.
//
// Each model has a queue of requests. A unit that is free takes the request that came first of one
// of its models: of the next model in turn, or of the first model in the order of priority that has
// one. Of several free units the one with the lowest number takes it. A request that finds no free
// unit and a full queue is dropped. In a cycle, first those units that become free take waiting
// requests, then the requests of this cycle arrive.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/sim/clock.h"

namespace tactus {

enum class ServingOrder { turns, priority };

class Dispatcher {
 public:
  struct Queue {
    std::vector<Cycle> arrivals;  ///< in order; unused if `ready`
    /// True if there is always a request, up to `count`, that arrives when a unit takes it.
    bool ready = false;
    std::uint64_t count = 0;
    std::vector<unsigned> units;  ///< units that can run the model
  };
  struct Config {
    std::vector<Queue> models;
    unsigned units = 1;
    ServingOrder order = ServingOrder::turns;
    std::optional<std::uint64_t> most_waiting;  ///< length of each queue; empty: no limit
    std::optional<Cycle> end;                   ///< cycle from which on no request is taken
  };
  struct Request {
    unsigned model = 0;
    Cycle arrival = 0;
  };
  struct Counts {
    std::uint64_t arrived = 0, taken = 0, dropped = 0;
    /// Arrivals of the requests that wait.
    std::deque<Cycle> waiting;
  };

  explicit Dispatcher(Config config);

  /// Says that a unit is free in cycle `now`.
  void free(unsigned unit);
  /// Decides what the free units take in cycle `now`. Calls must be in order of time, and all units
  /// that become free in this cycle must have said so.
  void decide(Cycle now);
  /// The request that the unit has taken, once; none if there is none.
  [[nodiscard]] std::optional<Request> take(unsigned unit);
  /// The next cycle in which the free unit may get a request; none: it gets no more.
  [[nodiscard]] std::optional<Cycle> next(unsigned unit) const;
  /// Lets everything arrive that has not. Call when no unit takes any more.
  void finish();
  [[nodiscard]] const Counts& counts(unsigned model) const { return counts_[model]; }

 private:
  struct Unit {
    std::vector<unsigned> models;  ///< that it can run, in order
    std::size_t turn = 0;          ///< index of the model whose turn it is
    bool free = false;
    std::optional<Request> taken;
  };
  void arrive_before(unsigned model, Cycle now);
  void assign(Cycle now);
  [[nodiscard]] bool has_request(unsigned model) const;

  const Config config_;
  std::vector<Unit> units_;
  std::vector<Counts> counts_;
  std::vector<std::size_t> next_;  ///< index of each model's next arrival
};

}  // namespace tactus
