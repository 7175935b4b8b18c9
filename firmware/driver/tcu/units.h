// Several TCUs with the board's memory. Each has its own clock, instruction stream and two DRAM
// ports; they share the memory controller and the DRAM.
//
// The banks of unit 0 are at the board's bases. Each further unit gets the next free places
// (bank_places.h). A program that is read from the DRAM is stored once, for all units. Each DRAM
// port has a path of its own, configured like that of unit 0, to the same port of the controller.
// No board with several units has been measured.
//
// All clocks begin at cycle 0. No time passes between two programs of a unit, unless it rests. The
// memory gets requests in the order of their time, those of one cycle in the order of the units'
// numbers (models/sim/turns.h).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "firmware/driver/common/memory_system.h"
#include "firmware/driver/tcu/bank_places.h"
#include "firmware/driver/tcu/run_request.h"
#include "firmware/driver/tcu/simulation.h"

namespace tactus {

class TcuUnits {
 public:
  static constexpr unsigned most = 64;

  /// Precondition: the memory is the board's. `program_bytes` is the size of the longest program.
  /// Throws UserError if the units' banks do not fit the DRAM.
  TcuUnits(const TcuSimulationConfig& config, unsigned count, std::uint64_t program_bytes);
  /// Makes a unit of each configuration; they agree in all that belongs to the board, and each has
  /// the bases of its banks. With a memory of fixed latency the units share nothing.
  explicit TcuUnits(const std::vector<TcuSimulationConfig>& units);
  ~TcuUnits();
  TcuUnits(const TcuUnits&) = delete;
  TcuUnits& operator=(const TcuUnits&) = delete;

  /// Throws UserError for several units unless each has a run and the memory is the board's. A run
  /// has `batch` images.
  static void check_runs(MemoryModel memory, std::uint64_t units, std::uint64_t runs,
                         std::uint64_t batch);
  /// As check_runs(), for the runs of a model. For several units it also throws UserError if the
  /// program changes the offset of a DRAM bank, since it might then reach another unit's bank.
  static void check_deal(const TcuSimulationConfig& config, std::uint64_t units, std::uint64_t runs,
                         const Model& model);

  /// Throws UserError if the memory's arbitration names a unit that is none of so many.
  static void check_ports(const TcuSimulationConfig& config, std::uint64_t units);
  /// Throws UserError if the program changes the offset of a DRAM bank.
  static void check_window(const Model& model);

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(units_.size()); }
  [[nodiscard]] TcuSimulation& operator[](unsigned unit) { return *units_[unit]->simulation; }

  /// Calls work(unit) for all units concurrently: while one is in TcuSimulation::run(), the others
  /// advance. Returns when all calls have returned, or throws the first exception of any. run() may
  /// be called once. The order in which units are called does not affect the results.
  void run(const std::function<void(unsigned)>& work);
  /// Lets a unit rest up to a cycle of its clock, at least to its present one: the other units have
  /// come to this time when it returns. Call it in the unit's work.
  void rest_until(unsigned unit, Cycle cycle);
  /// Returns when all units that rest until the present cycle of this unit have come to it.
  void let_others_arrive(unsigned unit);
  /// Returns when all units have called it: the time to which the last one had come. All clocks
  /// then show their first cycle from this time on. May be called once.
  std::uint64_t meet(unsigned unit);
  /// The period of a unit's clock. Times and periods are in units of sc_time.
  [[nodiscard]] std::uint64_t period(unsigned unit) const;
  /// Runs a model: loads it into each unit, then calls run_image(unit, host, i) for run i of `runs`
  /// on unit i mod count(). If run_image() returns false, no unit begins another run. If loading
  /// does not finish on a unit, returns its result.
  [[nodiscard]] std::optional<TcuRunResult> deal(
      const Model& model, HostMode mode, std::size_t runs,
      const std::function<bool(unsigned unit, Host& host, std::size_t run)>& run_image);

  /// As MemorySystem's; nothing with a memory of fixed latency.
  void set_parties(unsigned parties) {
    if (memory_) memory_->set_parties(parties);
  }
  void set_party(unsigned unit, unsigned party) {
    if (memory_) memory_->set_party(unit, party);
  }
  /// Figures of the memory since the machine was made; none with a memory of fixed latency.
  [[nodiscard]] std::optional<DdrFigures> memory_figures() {
    if (!memory_) return std::nullopt;
    return memory_->figures();
  }

 private:
  /// Module that holds a unit and the SystemC thread in which its host works.
  class Unit final : public sc_core::sc_module {
   public:
    using SC_CURRENT_USER_MODULE = Unit;  // what SC_HAS_PROCESS defines before SystemC 3
    Unit(const sc_core::sc_module_name& name, TcuUnits& all, unsigned number,
         const TcuSimulationConfig& config);
    sc_core::sc_event begin;
    std::unique_ptr<TcuSimulation> simulation;

   private:
    void work();
    TcuUnits& all_;
    unsigned number_;
  };

  /// What a unit needs to take its turns at the memory; null with a memory of fixed latency.
  [[nodiscard]] Turn* turn(unsigned unit) { return memory_ ? &memory_->turn(unit) : nullptr; }
  /// The time at which a cycle of a unit begins, in units of sc_time.
  [[nodiscard]] std::uint64_t time_of(unsigned unit, Cycle cycle) const {
    return period(unit) * cycle;
  }

  KernelScope kernel_;                    // before all modules
  std::unique_ptr<MemorySystem> memory_;  ///< null with a memory of fixed latency
  std::shared_ptr<KnownDesigns> known_;   ///< what the units learn together
  std::vector<std::unique_ptr<Unit>> units_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned at_work_ = 0;
  unsigned met_ = 0;          ///< units that have called meet()
  std::uint64_t latest_ = 0;  ///< of the units' times then
  sc_core::sc_event all_met_;
  std::exception_ptr error_;
};

/// The units of a run: a machine alone, or several behind one memory.
class TcuMachines {
 public:
  /// Makes as many machines as the request asks for; for several, see TcuUnits.
  TcuMachines(const TcuSimulationConfig& config, const RunRequest& request,
              std::uint64_t program_bytes);
  /// Makes a machine of each configuration; for several, see TcuUnits.
  explicit TcuMachines(const std::vector<TcuSimulationConfig>& units);
  /// Uses an existing machine, which must outlive this object.
  explicit TcuMachines(TcuSimulation& simulation) : one_(&simulation) {}

  [[nodiscard]] unsigned count() const { return units_ ? units_->count() : 1; }
  [[nodiscard]] TcuSimulation& operator[](unsigned unit) {
    return units_ ? (*units_)[unit] : *one_;
  }
  /// These seven are as those of TcuUnits; a machine alone waits for no others.
  void set_parties(unsigned parties) {
    if (units_) units_->set_parties(parties);
  }
  void set_party(unsigned unit, unsigned party) {
    if (units_) units_->set_party(unit, party);
  }
  void run(const std::function<void(unsigned)>& work);
  void rest_until(unsigned unit, Cycle cycle);
  std::uint64_t meet(unsigned unit);
  void let_others_arrive(unsigned unit);
  [[nodiscard]] std::uint64_t period(unsigned unit) const;
  /// As TcuUnits::deal().
  [[nodiscard]] std::optional<TcuRunResult> deal(
      const Model& model, const RunRequest& request, std::size_t runs,
      const std::function<bool(unsigned unit, Host& host, std::size_t run)>& run_image);
  /// TcuUnits::memory_figures() of several units; none for one unit.
  [[nodiscard]] std::optional<DdrFigures> shared_memory();

 private:
  std::unique_ptr<TcuUnits> units_;  ///< null: there is one machine
  std::unique_ptr<TcuSimulation> own_;
  TcuSimulation* one_ = nullptr;
};

/// Results of a run's images.
struct TcuImages {
  std::vector<ImageResult> images;  ///< results in order; the last run may be unfinished
  std::uint64_t retired = 0;        ///< instructions of all runs that have ended
  unsigned tcus = 1;                ///< number of units to which the images were dealt out
  /// With several units: cycles of the first image on a unit that has the memory alone.
  Cycle alone = 0;
  std::optional<DdrFigures> shared_memory;  ///< figures of the memory; empty for one unit
};

/// Runs one image on a machine made for it. If loading the model does not finish, the result is
/// that of loading.
[[nodiscard]] ImageResult run_once(const TcuSimulationConfig& config, const Model& model,
                                   const TensorData& inputs, const RunRequest& request,
                                   const TcuRunOptions& options);

}  // namespace tactus
