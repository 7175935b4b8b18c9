// Engine check finds errors that the fast engine could make: a unit that a channel does not wake,
// skipped cycles in which something happens, and wrongly remembered intervals.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "isa/support/error.h"
#include "isa/tcu/assembler.h"
#include "models/tcu/events.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"

namespace tactus {

/// Makes the remembered intervals wrong, in one of several ways.
class PlantedFault {
 public:
  explicit PlantedFault(const TcuSystem& system)
      : known_(*const_cast<TcuSequences*>(system.sequences())->setting_.known) {}

  void length() {
    for (KnownSequences::State& state : known_.states_) {
      if (state.cycles > 1) ++state.cycles;
    }
  }
  void count() {
    for (KnownSequences::Count& count : known_.counts_) ++count.growth;
  }
  void change() {
    for (KnownSequences::Change& change : known_.changes_) ++change.code;
  }
  /// Delays the remembered changes of one kind by a cycle. `is_one` selects the kind.
  void late(bool (KnownSequences::Change::*is_one)() const) {
    for (KnownSequences::Change& change : known_.changes_) {
      if ((change.*is_one)()) ++change.offset;
    }
  }
  /// Emulates a register that is missing from the states, or a property of an instruction that is
  /// missing from its shape: an interval does not always have the same successor.
  void successor() {
    KnownSequences::Id other = KnownSequences::none;
    for (KnownSequences::Edge& edge : known_.edges_) {
      if (edge.state != KnownSequences::none) std::swap(edge.state, other);
    }
    for (KnownSequences::State& state : known_.states_) state.next_shape = KnownSequences::none;
  }

 private:
  KnownSequences& known_;
};

namespace {

/// A program in which every unit is busy, in several ways.
RandomProgram program_of_all_units() {
  RandomProgram program;
  program.architecture.local_depth = 512;
  program.architecture.accumulator_depth = 256;
  program.instructions = tcu::assemble(program.architecture, R"(
      DataMove DRAM0(0) -> Local(0), 100
      DataMove DRAM1(0)@2 -> Local(300), 100
      .repeat 12 k
        LoadWeights Local(300 + k), 9
        MatMul Local(0) -> Acc(0), 60
        LoadWeights.zeroes 3
        MatMul.zeroes Acc(100), 7
        SIMD R1 = Max(I, I), read Acc(3)
        DataMove Acc(0) -> Local(200), 40
        DataMove Local(200) -> DRAM0(512), 40
      .end
    )",
                                       "all_units");
  for (unsigned port = 0; port < 2; ++port) {
    program.windows.push_back({port, 0, std::vector<std::uint8_t>(16 * 1024, 1)});
  }
  return program;
}

/// With a memory of fixed latency, or that of a board.
TcuSimulationConfig checking(const RandomProgram& program, bool on_board = false) {
  TcuSimulationConfig config = machine_config(program);
  config.read_latency = 3;
  if (on_board) {
    config = read_board("zcu104").simulation_config();
    config.architecture = program.architecture;
    config.axi_data_bits = program.axi_data_bits;
    config.memory_model = MemoryModel::board;
    resolve_memory(config);
  }
  config.engine = Engine::check;
  config.check_every = 1;
  return config;
}

std::string error_of(TcuSimulation& simulation, const RandomProgram& program) {
  try {
    (void)simulation.run(program.bytes());
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no difference";
}

class Listener final : public AccountObserver, public EventSink {
 public:
  void interval(const Account& /*account*/, unsigned /*code*/, Cycle /*from*/,
                Cycle /*to*/) override {}
  void event(const Event& /*event*/) override {}
  void end_of_cycle(Cycle /*cycle*/) override {}
  [[nodiscard]] EventKinds kinds() const override { return EventKinds{1} << TcuEvent::run; }
};

enum class Seen { nothing, accounts, events, samples };  ///< what the test observes

/// Runs the program twice and returns the error of the second run. `wrong` changes the machine
/// between the runs.
template <typename Wrong>
std::string outcome(Wrong wrong, Seen seen = Seen::nothing, bool on_board = false) {
  const RandomProgram program = program_of_all_units();
  TcuSimulationConfig config = checking(program, on_board);
  if (seen == Seen::samples) config.sample_block_size = config.sample_interval = 2;
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  Listener observer;
  if (seen == Seen::accounts) simulation.observe_accounts(&observer);
  if (seen == Seen::events) simulation.observe(&observer);
  EXPECT_EQ(simulation.run(program.bytes()).end, RunEnd::finished);
  EXPECT_GT(simulation.system().sequences()->taken(), 0U);
  wrong(simulation.system());
  return error_of(simulation, program);
}

void expect_found(const std::string& text, const char* what) {
  EXPECT_EQ(text.rfind("engine check: ", 0), 0U) << text;
  EXPECT_NE(text.find(what), std::string::npos) << text;
}

TEST(EngineCheck, AcceptsACorrectMachine) {
  EXPECT_EQ(outcome([](TcuSystem& /*system*/) {}), "no difference");
  EXPECT_EQ(outcome([](TcuSystem& /*system*/) {}, Seen::accounts, true), "no difference");
}

/// The stream has gaps, so there are no sequences and every cycle is evaluated.
TEST(EngineCheck, FindsAUnitThatAWireDoesNotWake) {
  const RandomProgram program = program_of_all_units();
  TcuSimulationConfig config = checking(program);
  config.feed_gap = 1;
  TcuSimulation simulation(config);
  UnitActivity nobody;
  simulation.system().pins(0).r.valid.wakes(nobody, 0);
  expect_found(error_of(simulation, program), "in a unit that is asleep: dram0");
}

/// A target that claims that nothing will happen for a long time, although transfers are pending.
class LyingTarget final : public AxiTarget {
 public:
  explicit LyingTarget(AxiTarget& target) : target_(target) {}
  void draw_stalls(StallGenerator& stalls) override { target_.draw_stalls(stalls); }
  void drive() override { target_.drive(); }
  void commit() override { target_.commit(); }
  [[nodiscard]] bool idle() const override { return target_.idle(); }
  [[nodiscard]] Cycle waits(Cycle most) const override { return most; }
  [[nodiscard]] bool waits_for_memory() const override { return target_.waits_for_memory(); }

 private:
  AxiTarget& target_;
};

TEST(EngineCheck, FindsCyclesThatMustNotBeLeftOut) {
  const RandomProgram program = program_of_all_units();
  TcuSimulationConfig config = checking(program);
  config.read_latency = 40;
  TcuSimulation simulation(config);
  LyingTarget lying(*simulation.system().target(0));
  simulation.system().attach(0, lying);
  expect_found(error_of(simulation, program), "which the fast engine leaves out");
}

TEST(EngineCheck, FindsAnIntervalOfWrongLength) {
  expect_found(outcome([](TcuSystem& system) { PlantedFault(system).length(); }),
               "differs in: number of cycles");
}

TEST(EngineCheck, FindsAWrongCount) {
  expect_found(outcome([](TcuSystem& system) { PlantedFault(system).count(); }),
               "counts something else in unit ");
}

TEST(EngineCheck, FindsAWrongChangeOfAnAccount) {
  for (const bool on_board : {false, true}) {
    expect_found(
        outcome([](TcuSystem& system) { PlantedFault(system).change(); }, Seen::accounts, on_board),
        " changes its state in other cycles");
  }
}

TEST(EngineCheck, FindsAnEventInAWrongCycle) {
  using Change = KnownSequences::Change;
  const auto late = [](bool (Change::*is_one)() const) {
    return [is_one](TcuSystem& system) { PlantedFault(system).late(is_one); };
  };
  for (const bool on_board : {false, true}) {
    expect_found(outcome(late(&Change::of_event), Seen::events, on_board),
                 "an event happens in other cycles");
    expect_found(outcome(late(&Change::of_level), Seen::events, on_board),
                 "queue's level changes in other");
    expect_found(outcome(late(&Change::of_flags), Seen::samples, on_board),
                 "flags change in other cycles");
  }
}

TEST(EngineCheck, FindsAWrongState) {
  expect_found(outcome([](TcuSystem& system) { PlantedFault(system).successor(); }),
               " of the registers of unit ");
}

}  // namespace
}  // namespace tactus
