// Several TCUs behind one memory: each has a clock, an instruction stream and DRAM ports of its
// own, all of them the board's memory.
//
// Unit 0 has its banks where the board has them. Those of each further unit are at the next free
// places, from the board's base on, in steps of a bank's size rounded up to a power of two; behind
// the DRAM's end it goes on at 0. The program that is read out of the DRAM is there once, for all
// units. Each DRAM port has a path of its own of the kind that the board gives to the first unit's,
// and enters the controller where that does. This is a model of ours: no board with several units
// has been measured.
//
// Cycles count alike in all units, from 0 on. What a unit does between two programs takes no time.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "firmware/driver/common/memory_system.h"
#include "firmware/driver/tcu/simulation.h"

namespace tactus {

class TcuUnits {
 public:
  static constexpr unsigned most = 64;

  /// Precondition: the memory is the board's. `stream_bytes`: of the longest program that is read
  /// out of it, 0 for an ideal stream. Throws UserError if the units' banks do not fit the DRAM.
  TcuUnits(const TcuSimulationConfig& config, unsigned count, std::uint64_t stream_bytes);
  ~TcuUnits();
  TcuUnits(const TcuUnits&) = delete;
  TcuUnits& operator=(const TcuUnits&) = delete;

  /// Bytes of the DRAM that a program takes which is read out of it, padded to whole words; 0 where
  /// the stream is ideal.
  [[nodiscard]] static std::uint64_t stream_bytes(const TcuSimulationConfig& config,
                                                  std::uint64_t program_bytes);
  /// Throws UserError unless there is a run of `batch` images for each unit, and a memory in which
  /// they meet.
  static void check_deal(const TcuSimulationConfig& config, std::uint64_t units, std::uint64_t runs,
                         std::uint64_t batch);

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(units_.size()); }
  [[nodiscard]] TcuSimulation& operator[](unsigned unit) { return *units_[unit]->simulation; }

  /// Calls work(unit) for all units side by side: while one is in TcuSimulation::run(), the others
  /// go on. Returns when all have returned; what the first of them throws comes out of here, and
  /// the machine must not be used any more. The order in which units are called changes nothing
  /// that they see.
  void run(const std::function<void(unsigned)>& work);

  /// Figures of the memory since the machine was made.
  [[nodiscard]] DdrFigures memory_figures() { return memory_.figures(); }

 private:
  /// The place in the hierarchy, and the thread in which the unit's host works.
  class Unit final : public sc_core::sc_module {
   public:
    SC_HAS_PROCESS(Unit);
    Unit(const sc_core::sc_module_name& name, TcuUnits& all, unsigned number,
         const TcuSimulationConfig& config);
    sc_core::sc_event begin;
    std::unique_ptr<TcuSimulation> simulation;

   private:
    void work();
    TcuUnits& all_;
    unsigned number_;
  };

  KernelScope kernel_;  // before all modules
  MemorySystem memory_;
  std::vector<std::unique_ptr<Unit>> units_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned at_work_ = 0;
  std::exception_ptr error_;
};

/// Where each unit's banks begin, in bytes of the DRAM; see above.
[[nodiscard]] std::vector<std::array<std::uint64_t, 2>> bank_places(
    const TcuSimulationConfig& config, unsigned units, std::uint64_t stream_bytes);

}  // namespace tactus
