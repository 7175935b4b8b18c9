// Windows: the cycles in a dump, and that these have the same values as in a dump of all cycles.
#include <set>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/test_scale.h"
#include "tests/trace/traced_run.h"
#include "tests/trace/vcd_reader.h"

namespace tactus {
namespace {

using Values = std::map<std::string, std::string>;
using ByCycle = std::map<Cycle, Values>;

constexpr Cycle forever = ~Cycle{0};

/// Returns all values except the clock's, cycle by cycle.
ByCycle values_of(const std::string& path, std::size_t* gaps = nullptr) {
  VcdReader reader(path);
  VcdCycles walk(reader, test_period_ps);
  ByCycle all;
  while (walk.next()) {
    Values& values = all[walk.cycle()];
    for (const std::string& name : reader.names()) {
      if (name != "top.clock") values[name] = reader.digits(name);
    }
  }
  if (gaps != nullptr) *gaps = reader.dumpoffs();
  return all;
}

/// Returns a small program with a tracepoint on its third instruction. A Configure sets the program
/// counter back, so that triggers occur more than once.
RandomProgram program_of(std::uint64_t seed) {
  RandomOptions options;
  options.instructions = 14;
  RandomProgram program = random_program(seed, options);
  const tcu::InstructionLayout layout(program.architecture);
  auto& code = program.instructions;
  code.insert(code.begin() + 8, make_configure(layout, tcu::ConfigRegister::program_counter, 2));
  code.insert(code.begin(), make_configure(layout, tcu::ConfigRegister::tracepoint, 4));
  return program;
}

class Traces {
 public:
  explicit Traces(std::uint64_t seed) : program_(program_of(seed)) {
    config_ = machine_config(program_);
    config_.read_latency = 7;
    TracedSimulation traced(program_, config_);
    traced.run(folder_.path("full.vcd"), {});
    end_ = traced.simulation().now();
    full_ = values_of(folder_.path("full.vcd"));
  }

  enum class On { nothing, counter, tracepoint };
  struct Case {
    On on = On::nothing;
    Cycle first = 0, last = forever, pre = 0, post = 0;
    std::uint32_t low = 0, high = 0;  ///< range of the program counter
  };

  void check(const Case& c) const {
    SCOPED_TRACE(testing::Message() << "first " << c.first << " last " << c.last << " pre " << c.pre
                                    << " post " << c.post << " counter " << c.low << ":" << c.high
                                    << " on " << static_cast<int>(c.on));
    TracedSimulation traced(program_, config_);
    TraceSettings settings;
    settings.window = {c.first, c.last, {}, c.pre, c.post};
    const Decoder& decoder = traced.simulation().system().tcu().decoder();
    if (c.on == On::counter) {
      settings.window.condition = [&decoder, c] {
        const std::uint32_t counter = decoder.registers().program_counter;
        return counter >= c.low && counter <= c.high;
      };
    } else if (c.on == On::tracepoint) {
      settings.window.condition = [&decoder] { return decoder.tracepoint(); };
    }
    traced.run(folder_.path("part.vcd"), settings);

    // Derives the expected cycles from the window's definition and the dump of all cycles.
    std::set<Cycle> expected;
    for (const auto& [cycle, values] : full_) {
      if (cycle < c.first || cycle > c.last || !holds(c, values)) continue;
      for (Cycle t = cycle > c.pre ? cycle - c.pre : 0; t <= cycle + c.post && t < end_; ++t) {
        if (t >= c.first && t <= c.last) expected.insert(t);
      }
    }
    if (expected.empty()) {
      EXPECT_FALSE(std::filesystem::exists(folder_.path("part.vcd")));
      return;
    }
    std::size_t gaps = 0;
    const ByCycle part = values_of(folder_.path("part.vcd"), &gaps);
    std::set<Cycle> found;
    for (const auto& [cycle, values] : part) {
      found.insert(cycle);
      EXPECT_TRUE(values == full_.at(cycle)) << "cycle " << cycle;
    }
    EXPECT_EQ(found, expected);
    std::size_t expected_gaps = 0;
    for (const Cycle t : expected) {
      expected_gaps += t != *expected.begin() && expected.count(t - 1) == 0 ? 1 : 0;
    }
    EXPECT_EQ(gaps, expected_gaps);
    std::filesystem::remove(folder_.path("part.vcd"));
  }

  [[nodiscard]] Cycle end() const { return end_; }

 private:
  static bool holds(const Case& c, const Values& values) {
    if (c.on == On::nothing) return true;
    const auto number = [&](const char* name) {
      return std::stoull(values.at(std::string("top.tcu.decoder.") + name), nullptr, 2);
    };
    if (c.on == On::tracepoint) return number("program_counter") == number("config.tracepoint");
    return number("program_counter") >= c.low && number("program_counter") <= c.high;
  }

  TraceFolder folder_;
  RandomProgram program_;
  TcuSimulationConfig config_;
  ByCycle full_;
  Cycle end_ = 0;
};

using On = Traces::On;

TEST(TraceWindow, HasTheRequestedCycles) {
  for (const std::uint64_t seed : test_seeds(1, 2)) {
    SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed);
    const Traces traces(seed);
    const Cycle end = traces.end();
    traces.check({});
    traces.check({On::nothing, 5, 9});
    traces.check({On::nothing, end / 2});
    traces.check({On::nothing, end - 1, end + 100});
    traces.check({On::nothing, end});  // an empty window
    for (const Cycle pre : {0U, 1U, 1000U}) {
      for (const Cycle post : {0U, 9U}) {
        traces.check({On::counter, 0, forever, pre, post, 3, 5});
        traces.check({On::tracepoint, 0, forever, pre, post});
        traces.check({On::counter, end / 4, end / 2, pre, post, 3, 9});
      }
    }
    traces.check({On::counter, 0, forever, 3, 3, 1000, 2000});  // an empty window
    traces.check({On::tracepoint, 0, forever, 0, 1000000});
  }
}

TEST(TraceWindow, ARingThatIsTooLargeIsRefused) {
  const RandomProgram program = program_of(1);
  TracedSimulation traced(program, machine_config(program));
  const TraceFolder folder;
  TraceSettings settings;
  settings.window.pre = 100'000'000;
  settings.window.condition = [] { return true; };
  try {
    traced.run(folder.path("a.vcd"), settings);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("--trace-pre 100000000: the selected signals need"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tactus
