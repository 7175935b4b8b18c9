// Sample files: what the sampler writes and what `tactus samples` reads from them. Source: hardware
// spec section 11, toolchain spec sections 6.4 and 10.5.
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/sample_file.h"
#include "models/sim/kernel_scope.h"
#include "models/tcu/system.h"
#include "tests/cli/cli.h"
#include "tests/support/program.h"

namespace tactus {
namespace {

using Json = nlohmann::json;

std::vector<std::uint64_t> words_of(const std::string& bytes) {
  std::vector<std::uint64_t> words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), words.size() * 8);
  return words;
}

std::string bytes_of(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * 8};
}

/// A memory that is never accessed.
class NoMemory final : public AxiTarget {
 public:
  void draw_stalls(StallGenerator&) override {}
  void drive() override {}
  void commit() override {}
  [[nodiscard]] bool idle() const override { return true; }
  [[nodiscard]] bool waits_for_memory() const override { return false; }
};

/// Offers one word per cycle, and the second word `pause` cycles late.
class PausingSource final : public InstructionSource {
 public:
  PausingSource(std::vector<std::uint8_t> bytes, Cycle pause)
      : bytes_(std::move(bytes)), pause_(pause) {}
  const std::uint8_t* word(Cycle now) override {
    return exhausted() || now < next_ ? nullptr : bytes_.data() + at_;
  }
  void taken(Cycle now) override {
    next_ = now + 1 + (at_ == 0 ? pause_ : 0);
    at_ += 8;
  }
  [[nodiscard]] bool exhausted() const override { return at_ >= bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
  Cycle pause_;
  std::size_t at_ = 0;
  Cycle next_ = 0;
};

/// The program has 1000 instructions, the first of which sets interval 10; blocks have 16 samples.
/// The published expectation, program counters 1, 9, 19, ... 999, 1000, comes from a rig whose
/// second instruction is two cycles late: 8 instructions retire between the first two samples, 10
/// between all others.
TEST(Samples, OneThousandNoOpsGiveThePublishedCounters) {
  const KernelScope kernel;
  Clock clock;
  TcuSystem::Config config;
  config.sample_block_size = 16;
  const tcu::InstructionLayout layout(config.tcu.architecture);
  std::vector<tcu::Instruction> program(1000, tcu::make_no_op());
  program[0] = make_configure(layout, tcu::ConfigRegister::sample_interval, 10);
  PausingSource source(encode_program(layout, program), 2);
  TcuSystem top("top", clock, config, source);
  NoMemory memory;
  top.attach(0, memory);
  top.attach(1, memory);
  std::vector<Sample> samples;
  top.on_sample = [&](const Sample& sample) { samples.push_back(sample); };
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  while (!top.idle() || clock.now < 1015) top.cycle();

  ASSERT_EQ(samples.size(), 102U);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::uint64_t counter = i == 0 ? 1 : std::min<std::uint64_t>(10 * i - 1, 1000);
    EXPECT_EQ(samples[i].word & 0xFFFFFFFF, counter) << i;
    EXPECT_EQ(samples[i].last, i % 16 == 15) << i;
    EXPECT_EQ(samples[i].word >> 48, 0U) << i;
    // NoOps use no channel. In every sampled cycle one NoOp is at the head and leaves, except in
    // the last cycle and in the first, which is in the pause. Without a valid head, ready is that
    // of the last NoOp.
    const bool head = i != 0 && counter < 1000;
    EXPECT_EQ(samples[i].word >> 32 & 0x5555, head ? 0x4000U : 0U) << i;
    EXPECT_EQ(samples[i].word >> 47 & 1, 1U) << i;
  }
  EXPECT_EQ(top.sampler()->stats().dropped, 0U);
}

class SamplesCli : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
    write("n.tasm", std::string("Configure SampleInterval = 10\n.repeat 1000\nNoOp\n.end\n"));
    ASSERT_EQ(tactus("asm n.tasm --arch a.tarch --output n.tprog").code, 0);
  }
};

TEST_F(SamplesCli, ARunWritesSamples) {
  const Output run = tactus(
      "run --program n.tprog --arch a.tarch --samples s.tsample --sample-block 16 --vcd w.vcd "
      "--trace-scope top.tcu.decoder.sampler");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<std::uint64_t> words = words_of(read("s.tsample"));
  // Instructions have six bytes and words eight. A word arrives in three of four cycles, so the
  // stream delivers one instruction per cycle. Configure retires with counter 0.
  ASSERT_GE(words.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(words[i] & 0xFFFFFFFF, 10 * i + 1) << i;
  EXPECT_NE(run.out.find(fmt::format("samples       {} in 6 whole blocks and {} of another, 0 "
                                     "dropped in s.tsample\n",
                                     words.size(), words.size() - 96)),
            std::string::npos)
      << run.out;
}

TEST_F(SamplesCli, AnOptionSetsTheInterval) {
  ASSERT_EQ(tactus("run --program m.tprog --arch a.tarch --samples s.tsample --sample-interval 1 "
                   "--sample-block 1 --stats s.json")
                .code,
            0);
  const std::vector<std::uint64_t> words = words_of(read("s.tsample"));
  // There is one sample per cycle from cycle 0 on, visible one cycle later. The run continues until
  // it is idle.
  const std::uint64_t cycles = Json::parse(read("s.json")).at("total_cycles");
  EXPECT_EQ(words.size(), cycles - 1);
  EXPECT_EQ(words[0] & 0xFFFFFFFF, 0U);

  const Output output = tactus("samples s.tsample --program m.tprog --arch a.tarch --json h.json");
  ASSERT_EQ(output.code, 0) << output.err;
  const Json json = Json::parse(read("h.json"));
  EXPECT_EQ(json.at("samples"), words.size());
  std::map<std::string, std::uint64_t> classes;
  for (const Json& one : json.at("classes")) {
    classes[one.at("name")] = one.at("samples");
    std::uint64_t sum = 0;
    for (const Json& pattern : one.at("patterns")) sum += pattern.at("samples").get<unsigned>();
    EXPECT_EQ(sum, one.at("samples"));
    for (const auto& [channel, states] : one.at("channels").items()) {
      EXPECT_EQ(states.at("moves").get<unsigned>() + states.at("waits").get<unsigned>() +
                    states.at("ready").get<unsigned>() + states.at("idle").get<unsigned>(),
                one.at("samples").get<unsigned>())
          << channel;
    }
  }
  // Occupancies of hardware spec 12.1 and 12.5 at latency 1 and one beat per vector. The counter
  // starts at 0, and the first instruction reaches the head in cycle 2.
  EXPECT_EQ(classes.at("DataMove DRAM1 -> Local"), 2U + 4 + 1 + 5);
  EXPECT_EQ(classes.at("LoadWeights"), 5U);
  EXPECT_EQ(classes.at("DataMove DRAM0 -> Local"), 4U + 1 + 4);
  EXPECT_EQ(classes.at("MatMul"), 4U);
  EXPECT_EQ(classes.at("DataMove Local -> DRAM0"), 4U);
  EXPECT_EQ(json.at("beyond_program"), words.size() - json.at("analysed").get<unsigned>());
  EXPECT_NE(output.out.find("DataMove DRAM1 -> Local"), std::string::npos);
}

/// Samples are lost while the host pauses after a block; the interval continues.
TEST_F(SamplesCli, APausingHostDropsSamples) {
  const Output run = tactus(
      "run --program n.tprog --arch a.tarch --samples s.tsample --sample-block 4 --sample-pause "
      "25");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<std::uint64_t> words = words_of(read("s.tsample"));
  // The sample captured 10 cycles after the last sample of a block waits in the register until the
  // host returns; the one captured 20 cycles after is lost.
  ASSERT_GE(words.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(words[i] & 0xFFFFFFFF, 1 + 10 * (i + (i < 4 ? 0 : (i - 1) / 4))) << i;
  }
  EXPECT_EQ(run.out.find(" 0 dropped"), std::string::npos) << run.out;
}

TEST_F(SamplesCli, TheRulesOfTheAnalysis) {
  const std::uint64_t instruction = std::uint64_t{3} << 46, waiting = std::uint64_t{1} << 44;
  // The first two samples belong to a configuration; then the counter falls to 1.
  write("s.tsample", bytes_of({5, 9 | instruction, 1 | instruction | waiting, 3 | instruction,
                               6 | instruction, 2}));
  const auto analyse = [this](const std::string& options) {
    const Output output = tactus("samples s.tsample --json h.json " + options);
    EXPECT_EQ(output.code, 0) << output.err;
    return Json::parse(read("h.json"));
  };
  Json json = analyse("");
  EXPECT_EQ(json.at("before_program"), 2);
  EXPECT_EQ(json.at("analysed"), 4);
  EXPECT_EQ(json.at("classes").size(), 1U);
  EXPECT_EQ(json.at("classes")[0].at("name"), "all");
  EXPECT_EQ(json.at("classes")[0].at("channels").at("memPortA").at("waits"), 1);
  EXPECT_EQ(json.at("classes")[0].at("channels").at("instruction").at("moves"), 3);

  // The program has six instructions: counter 6 is beyond the program and ends the analysis.
  json = analyse("--program m.tprog --arch a.tarch");
  EXPECT_EQ(json.at("before_program"), 2);
  EXPECT_EQ(json.at("analysed"), 2);
  EXPECT_EQ(json.at("beyond_program"), 2);
  EXPECT_EQ(json.at("classes")[0].at("name"), "LoadWeights");  // counter 1
  EXPECT_EQ(json.at("classes")[1].at("name"), "MatMul");       // counter 3
  EXPECT_EQ(analyse("--model m.tmodel"), json);

  json = analyse("--model m.tmodel --from-start");
  EXPECT_EQ(json.at("before_program"), 0);
  EXPECT_EQ(json.at("analysed"), 1);  // counter 9 is beyond the program
  // These samples have no request to local memory, which would contradict a program with another
  // start.
  write("s.tsample",
        bytes_of({5, 9 | instruction, 1 | instruction, 3 | instruction, 6 | instruction, 2}));
  json = analyse("--model m.tmodel --first-pc 1");
  EXPECT_EQ(json.at("classes").size(), 4U);
  EXPECT_EQ(json.at("classes")[1].at("name"), "DataMove DRAM1 -> Local");
  EXPECT_EQ(json.at("analysed"), 4);  // counter 6 is the program's last instruction

  // After a Configure the counter continues. Samples with counters below the program come before
  // it.
  write("s.tsample", bytes_of({0, 2, 3, 4, 8, 9, 10}));
  json = analyse("--model m.tmodel --first-pc 3");
  EXPECT_EQ(json.at("before_program"), 2);
  EXPECT_EQ(json.at("analysed"), 3);
  EXPECT_EQ(json.at("beyond_program"), 2);

  write("s.tsample", bytes_of({1, 2, 3}));  // the counter does not fall, so all samples count
  EXPECT_EQ(analyse("").at("analysed"), 3);
}

TEST_F(SamplesCli, SamplesOfAnotherProgramAreRefused) {
  const std::string why = "s.tsample: the samples are not of this program";
  ASSERT_EQ(
      tactus("run --program m.tprog --arch a.tarch --samples s.tsample --sample-interval 1").code,
      0);
  EXPECT_EQ(tactus("samples s.tsample --program m.tprog --arch a.tarch").code, 0);
  EXPECT_EQ(tactus("samples s.tsample --model m.tmodel").code, 0);
  // This program has instructions without requests where the samples show requests to local memory.
  write("other.tasm", std::string(".repeat 6\nMatMul.zeroes Acc(0), 1\n.end\n"));
  ASSERT_EQ(tactus("asm other.tasm --arch a.tarch --output other.tprog").code, 0);
  expect_error("samples s.tsample --program other.tprog --arch a.tarch --json h.json",
               why +
                   ": at program counter 0 a sample shows a request to local memory's port B, but "
                   "MatMul there makes none");
  // The program is right, but not its start.
  const std::string fits = ", unless it begins at another program counter (--first-pc {} fits): ";
  expect_error("samples s.tsample --program m.tprog --arch a.tarch --first-pc 1",
               why + fmt::format(fmt::runtime(fits), 0));
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --mode driver --samples s.tsample "
                   "--sample-interval 1")
                .code,
            0);
  // In driver mode a configuration comes first: three instructions and a NoOp of padding.
  expect_error("samples s.tsample --model m.tmodel", why + fmt::format(fmt::runtime(fits), 4));
  EXPECT_EQ(tactus("samples s.tsample --model m.tmodel --first-pc 4").code, 0);
  expect_error("samples s.tsample --program m.tprog --arch a.tarch --first-pc 1000",
               why + fmt::format(fmt::runtime(fits), 4) +
                   "no sample has a program counter within it, 1000..1005");
}

TEST_F(SamplesCli, BadInput) {
  expect_error("samples", "name exactly one file");
  expect_error("samples none.tsample", "none.tsample");
  write("s.tsample", std::string());
  expect_error("samples s.tsample", "s.tsample: no samples: the file is empty");
  write("s.tsample", std::string(12, '\0'));
  expect_error("samples s.tsample", "s.tsample: 12 bytes; allowed: whole samples of 8 bytes");
  write("s.tsample", bytes_of({1, std::uint64_t{1} << 50}));
  expect_error("samples s.tsample", "word 1 (byte 8) is 0x0004000000000000, not a sample");
  write("s.tsample", bytes_of({1, 2}));
  expect_error("samples s.tsample --program m.tprog", "--program and --arch go together");
  expect_error("samples s.tsample --program m.tprog --arch a.tarch --model m.tmodel", "not both");
  expect_error("samples s.tsample --first-pc 3", "--first-pc needs --program or --model");
  expect_error("samples s.tsample --json s.tsample", "would be written over a file");
  expect_error("samples s.tsample --json no/h.json", "no/h.json");
  const std::string run = "run --program n.tprog --arch a.tarch ";
  expect_error(run + "--sample-interval 3", "--sample-interval needs --samples F.tsample");
  expect_error(run + "--samples s --sample-interval 65536", "allowed: a whole number 0..65535");
  expect_error(run + "--samples s --sample-block 0", "allowed: a whole number 1..");
  expect_error(run + "--samples no/s", "no/s");
  expect_error(run + "--samples n.tprog", "would be written over a file");
}

TEST_F(SamplesCli, FailuresDuringTheRunKeepTheResult) {
  const Output none = tactus("run --program m.tprog --arch a.tarch --samples x.tsample");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.out.find("cycles        "), std::string::npos);
  EXPECT_NE(none.err.find("--samples: no sample was taken, because the interval register stayed 0"),
            std::string::npos)
      << none.err;
  EXPECT_FALSE(exists("x.tsample"));
  const Output full = tactus("run --program n.tprog --arch a.tarch --samples /dev/full");
  EXPECT_EQ(full.code, 2);
  EXPECT_NE(full.out.find("cycles        "), std::string::npos);
  EXPECT_NE(full.err.find("/dev/full: cannot be written: No space left on device"),
            std::string::npos)
      << full.err;
}

}  // namespace
}  // namespace tactus
