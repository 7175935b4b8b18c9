// The hardware block: when results come out, how many samples it holds, and that stalls change no
// data.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/dais/file.h"
#include "isa/support/error.h"
#include "models/dais/dais_block.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"
#include "tests/dais/golden.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

/// A pattern of cycles: true if one side is ready (the sink) or has a sample (the source).
using Willing = std::vector<bool>;

bool at(const Willing& pattern, Cycle cycle) {
  return cycle >= pattern.size() || pattern[static_cast<std::size_t>(cycle)];
}

struct Trace {
  std::vector<Cycle> accepted, offered, delivered;
  std::vector<double> outputs;
};

/// Connects a block to a source of samples and a sink.
class Rig {
 public:
  template <typename Logic>
  Rig(const Logic& logic, std::vector<double> samples)
      : inputs_(logic.input_count()),
        outputs_(logic.output_count()),
        samples_(std::move(samples)),
        block_("block", clock_, logic, {in_, out_}),
        driver_("driver", clock_, clock_period(100), [this](Cycle) { return cycle(); }) {}

  /// Runs on the SystemC kernel until all samples have left the block.
  Trace run(const Willing& source, const Willing& sink) {
    source_ = source, sink_ = sink;
    if (count() > 0) driver_.run();
    return trace_;
  }

  [[nodiscard]] const DaisBlock& block() const { return block_; }
  [[nodiscard]] std::size_t count() const { return samples_.size() / inputs_; }

 private:
  /// Simulates a cycle. The order of commits is random.
  bool cycle() {
    const std::size_t next = trace_.accepted.size();
    in_.valid = next < count() && at(source_, clock_.now);
    in_.bits = samples_.data() + (next < count() ? next * inputs_ : 0);
    block_.drive();
    out_.ready = at(sink_, clock_.now);
    block_.accept();
    if (random_() % 2 == 0) {
      block_.commit();
      observe();
    } else {
      observe();
      block_.commit();
    }
    ++clock_.now;
    return trace_.delivered.size() < count();
  }

  void observe() {
    if (in_.fires()) trace_.accepted.push_back(clock_.now);
    if (out_.valid && trace_.offered.size() == trace_.delivered.size()) {
      trace_.offered.push_back(clock_.now);
    }
    if (!out_.fires()) return;
    trace_.delivered.push_back(clock_.now);
    trace_.outputs.insert(trace_.outputs.end(), out_.bits, out_.bits + outputs_);
  }

  KernelScope kernel_;
  Clock clock_;
  Link<RealsRef> in_, out_;
  std::size_t inputs_, outputs_;
  std::vector<double> samples_;
  DaisBlock block_;
  ClockDriver driver_;
  std::mt19937 random_{1};
  Willing source_, sink_;
  Trace trace_;
};

dais::Program program(const std::string& name) {
  const std::string path = dais::golden_path("prog/" + name + "/prog.seed.bin");
  return dais::read_file(path, std::nullopt).pipeline.stages.front();
}

dais::Pipeline pipeline(const std::string& name) {
  return dais::read_file(dais::golden_path("pipe/" + name + ".json"), std::nullopt).pipeline;
}

std::vector<double> inputs(const std::string& name) {
  return dais::read_words<double>(dais::golden_path("prog/" + name + "/in.f64"));
}

std::vector<double> outputs(const std::string& name) {
  return dais::read_words<double>(dais::golden_path("prog/" + name + "/out.f64"));
}

const char* const pipelines[] = {"c01_cmvm8x8_w4",   "c02_cmvm8x8_w6",   "c04_cmvm16x16_w4",
                                 "c05_cmvm16x16_w8", "c08_cmvm32x64_w8", "m01_mlp16_16_5"};

TEST(DaisBlock, AProgramTakesOneCycleAndASampleACycle) {
  Rig rig(program("c01_cmvm8x8_w4"), inputs("c01_cmvm8x8_w4"));
  EXPECT_EQ(rig.block().latency(), 1U);
  const Trace trace = rig.run({}, {});
  for (std::size_t i = 0; i < rig.count(); ++i) {
    EXPECT_EQ(trace.accepted[i], i);
    EXPECT_EQ(trace.delivered[i], i + 1);
  }
  EXPECT_TRUE(trace.outputs == outputs("c01_cmvm8x8_w4"));
  EXPECT_EQ(rig.block().stats().accepted, 256U);
  EXPECT_EQ(rig.block().stats().delivered, 256U);
  EXPECT_EQ(rig.block().stats().stalled, 0U);
  EXPECT_TRUE(rig.block().idle());
}

TEST(DaisBlock, APipelineTakesItsStagesAndOneCycle) {
  for (const char* name : pipelines) {
    const dais::Pipeline stages = pipeline(name);
    const std::size_t latency = stages.stages.size() + 1;
    Rig rig(stages, inputs(name));
    EXPECT_EQ(rig.block().latency(), latency);
    const Trace trace = rig.run({}, {});
    for (std::size_t i = 0; i < rig.count(); ++i) {
      EXPECT_EQ(trace.accepted[i], i) << name;
      EXPECT_EQ(trace.delivered[i], i + latency) << name;
    }
    EXPECT_TRUE(trace.outputs == outputs(name)) << name;
  }
}

TEST(DaisBlock, AFullBlockStallsAndResumesWithoutAGap) {
  for (const bool staged : {false, true}) {
    const std::string name = "c02_cmvm8x8_w6";
    const auto rig = staged ? std::make_unique<Rig>(pipeline(name), inputs(name))
                            : std::make_unique<Rig>(program(name), inputs(name));
    const std::size_t ranks = rig->block().latency();
    constexpr Cycle release = 20;
    const Trace trace = rig->run({}, Willing(release, false));
    for (std::size_t i = 0; i < rig->count(); ++i) {
      // The block fills and stops. Then it accepts a sample in each cycle in which it delivers one.
      EXPECT_EQ(trace.accepted[i], i < ranks ? i : release + i - ranks);
      EXPECT_EQ(trace.delivered[i], release + i);
    }
    EXPECT_EQ(trace.offered[0], ranks);
    EXPECT_EQ(rig->block().stats().stalled, release - ranks);
    EXPECT_TRUE(trace.outputs == outputs(name));
  }
}

TEST(DaisBlock, SamplesBehindAStalledOneAdvanceUntilTheyMeetIt) {
  // A sample comes every third cycle while the sink is not ready: the gaps between the samples
  // close.
  const std::string name = "c05_cmvm16x16_w8";
  Rig rig(pipeline(name), inputs(name));
  Willing source(30, false), sink(30, false);
  for (std::size_t i = 0; i < 30; i += 3) source[i] = true;
  const Trace trace = rig.run(source, sink);
  ASSERT_EQ(rig.block().latency(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(trace.accepted[i], 3 * i);
  EXPECT_EQ(trace.accepted[5], 30U);
  for (std::size_t i = 0; i < rig.count(); ++i) EXPECT_EQ(trace.delivered[i], 30 + i);
}

/// Predicts the cycles in which each sample is accepted and delivered. Rule: a rank loads one cycle
/// after the previous rank did, but not before its own sample advances.
void predict(const Willing& source, const Willing& sink, std::size_t ranks, std::size_t count,
             std::vector<Cycle>& accepted, std::vector<Cycle>& delivered) {
  // cycles in which the previous sample entered each rank, and left the last
  std::vector<Cycle> before(ranks + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Cycle> now(ranks + 1, 0);
    for (std::size_t k = 0; k < ranks; ++k) {
      now[k] = k == 0 ? 0 : now[k - 1] + 1;
      if (i > 0) now[k] = std::max({now[k], before[k + 1], before[k] + 1});
      while (k == 0 && !at(source, now[0])) ++now[0];
    }
    now[ranks] = std::max(now[ranks - 1] + 1, i > 0 ? before[ranks] + 1 : 0);
    while (!at(sink, now[ranks])) ++now[ranks];
    accepted.push_back(now[0]);
    delivered.push_back(now[ranks]);
    before = now;
  }
}

TEST(DaisBlock, RandomStallsCostThePredictedCyclesAndChangeNoData) {
  for (const std::uint64_t seed : test_seeds(1, 60)) {
    std::mt19937_64 random(seed);
    const std::string name = pipelines[seed % 4];
    const auto pattern = [&](std::uint64_t percent) {
      Willing willing(2000);
      for (std::size_t i = 0; i < willing.size(); ++i) willing[i] = random() % 100 >= percent;
      return willing;
    };
    const Willing source = pattern(random() % 90), sink = pattern(random() % 90);
    const auto rig = seed % 2 == 0 ? std::make_unique<Rig>(pipeline(name), inputs(name))
                                   : std::make_unique<Rig>(program(name), inputs(name));
    const Trace trace = rig->run(source, sink);
    std::vector<Cycle> accepted, delivered;
    predict(source, sink, rig->block().latency(), rig->count(), accepted, delivered);
    EXPECT_EQ(trace.accepted, accepted) << "seed " << seed;
    EXPECT_EQ(trace.delivered, delivered) << "seed " << seed;
    EXPECT_TRUE(trace.outputs == outputs(name)) << "seed " << seed;
  }
}

TEST(DaisBlock, AFailedLookupNamesBlockStageAndSample) {
  const dais::File file = dais::read_file(dais::golden_path("bad/v1_lut_oob.bin"), std::nullopt);
  std::vector<double> samples(4 * 3, -4.0);  // -4 selects entry 0
  samples[4 * 2] = 3.875;
  Rig rig(file.pipeline, samples);
  try {
    (void)rig.run({}, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "block: stage 0: operation 8: sample 2: value 31 is entry 63 of table 0; allowed "
                 "0..2");
  }
}

}  // namespace
}  // namespace tactus
