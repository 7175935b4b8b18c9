// Selection of signals, the exact file format, save files, and values of signal families.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/tcu/arithmetic.h"
#include "models/sim/trace/gtkwave_save.h"
#include "tests/trace/traced_run.h"
#include "tests/trace/vcd_reader.h"

namespace tactus {
namespace {

// ---- the writer, with signals of the test -------------------------------------------------------

struct Wires {
  Link<MemoryRequest> link;
  std::uint64_t low = 0, high = 0;  ///< a register of 70 bits
  unsigned count = 0;
};

}  // namespace

namespace trace {

static void describe_payload(Payload& payload, const MemoryRequest& request) {
  payload.field("write", 1, [&request] { return request.write; });
  payload.field("address", 9, [&request] { return request.address; });
}

}  // namespace trace

namespace {

class Writer : public testing::Test {
 protected:
  Writer() : registry_(std::make_shared<TcuWidths>(tcu::Architecture{}, 64)) {
    const trace::Scope top(registry_, "top");
    top.clock("clock");
    const trace::Scope unit = top.unit("unit");
    unit.channel("request", wires_.link);
    unit.level("count", 5, [this] { return wires_.count; });
    unit.vector_register("wide", [] { return VectorRef{}; });
    top.unit("other").channel("in", wires_.link);
  }

  void cycle(trace::Tracer& tracer, Cycle now) {
    tracer.settled(now);
    tracer.committed(now);
  }

  Wires wires_;
  trace::Registry registry_;
  TraceFolder folder_;
};

TEST_F(Writer, WritesTheExpectedFile) {
  const trace::Plan plan = make_plan(registry_, {});
  trace::VcdWriter writer(folder_.path("a.vcd"), plan, {"tool 1", "what ran", 2'500'000});
  trace::Tracer tracer(plan, {2, 9, [this] { return wires_.count != 4; }, 0, 0}, writer);
  for (Cycle now = 0; now < 8; ++now) {
    wires_.count = static_cast<unsigned>(now);
    wires_.link.valid = now == 3 || now == 6 || now == 7;
    wires_.link.ready = now >= 6;
    wires_.link.bits = {now == 6, now == 6 ? 0x1A5U : 0U};
    cycle(tracer, now);
  }
  writer.close();
  EXPECT_EQ(writer.error(), "");
  EXPECT_EQ(tracer.cycles(), 5U);  // cycles 2, 3, 5, 6, 7
  const std::string header =
      "$version tool 1 $end\n"
      "$comment what ran $end\n"
      "$timescale 10 ps $end\n"
      "$scope module top $end\n"
      "$var wire 1 ' clock $end\n"
      "$scope module unit $end\n"
      "$var wire 3 % count [2:0] $end\n"
      "$var reg 128 & wide [127:0] $end\n"
      "$scope module request $end\n"
      "$var wire 1 ! valid $end\n"
      "$var wire 1 \" ready $end\n"
      "$var wire 1 # write $end\n"
      "$var wire 9 $ address [8:0] $end\n"
      "$upscope $end\n"
      "$upscope $end\n"
      "$scope module other $end\n"
      "$scope module in $end\n"
      "$var wire 1 ! valid $end\n"
      "$var wire 1 \" ready $end\n"
      "$var wire 1 # write $end\n"
      "$var wire 9 $ address [8:0] $end\n"
      "$upscope $end\n"
      "$upscope $end\n"
      "$upscope $end\n"
      "$enddefinitions $end\n";
  const std::string changes =
      "#500\n$dumpvars\n1'\nb10 %\nb0 &\n0!\n0\"\nx#\nbx $\n$end\n#625\n0'\n"
      "#750\n1'\nb11 %\n1!\n0#\nb0 $\n#875\n0'\n"
      "#1000\n$dumpoff\nx'\nbx %\nbx &\nx!\nx\"\nx#\nbx $\n$end\n"
      "#1250\n$dumpon\n1'\nb101 %\nb0 &\n0!\n0\"\nx#\nbx $\n$end\n#1375\n0'\n"
      "#1500\n1'\nb110 %\n1!\n1\"\n1#\nb110100101 $\n#1625\n0'\n"
      "#1750\n1'\nb111 %\n0#\nb0 $\n#1875\n0'\n"
      "#2000\n";
  EXPECT_EQ(read_text(folder_.path("a.vcd")), header + changes);
}

TEST_F(Writer, CyclesWithoutAChangeWriteNothing) {
  trace::Selection selection;
  selection.globs = {"top.unit.*"};
  const trace::Plan plan = make_plan(registry_, selection);
  trace::VcdWriter writer(folder_.path("a.vcd"), plan, {"tool", "", 1'000'000});
  trace::Tracer tracer(plan, {}, writer);
  for (Cycle now = 0; now < 1000; ++now) {
    wires_.count = now < 700 ? 1 : 2;
    cycle(tracer, now);
  }
  writer.close();
  const std::string text = read_text(folder_.path("a.vcd"));
  EXPECT_NE(text.find("$timescale 100 ps $end"), std::string::npos);  // one tick is half a period
  const std::string tail = "$end\n#7000\nb10 %\n#10000\n";
  ASSERT_GT(text.size(), tail.size());
  EXPECT_EQ(text.substr(text.size() - tail.size()), tail);
}

TEST_F(Writer, TheClockIsNotWrittenWhileNothingElseChanges) {
  const trace::Plan plan = make_plan(registry_, {});
  trace::VcdWriter writer(folder_.path("a.vcd"), plan, {"tool", "", 1'000'000});
  trace::Tracer tracer(plan, {}, writer);
  for (Cycle now = 0; now < 1'000'000; ++now) {
    wires_.count = now < 700'000 ? 1 : 2;
    cycle(tracer, now);
  }
  writer.close();
  EXPECT_EQ(tracer.cycles(), 1'000'000U);
  const std::string text = read_text(folder_.path("a.vcd"));
  const std::string tail = "$end\n#5\n0'\n#7000000\n1'\nb10 %\n#7000005\n0'\n#10000000\n";
  ASSERT_GT(text.size(), tail.size());
  EXPECT_EQ(text.substr(text.size() - tail.size()), tail);
}

TEST_F(Writer, AClockThatIsTracedAloneHasAllItsEdges) {
  trace::Selection selection;
  selection.globs = {"top.clock"};
  const trace::Plan plan = make_plan(registry_, selection);
  trace::VcdWriter writer(folder_.path("a.vcd"), plan, {"tool", "", 1'000'000});
  trace::Tracer tracer(plan, {}, writer);
  for (Cycle now = 0; now < 3; ++now) cycle(tracer, now);
  writer.close();
  const std::string text = read_text(folder_.path("a.vcd"));
  EXPECT_EQ(text.substr(text.find("#0\n")),
            "#0\n$dumpvars\n1!\n$end\n#5\n0!\n#10\n1!\n#15\n0!\n#20\n1!\n#25\n0!\n#30\n");
}

/// A file that reaches the size limit equals the file of a window that ends there.
TEST_F(Writer, TheLimitEndsTheFileWithAWholeCycle) {
  const trace::Plan plan = make_plan(registry_, {});
  const auto run = [&](const char* file, std::uint64_t limit, Cycle last) {
    trace::VcdWriter writer(folder_.path(file), plan, {"tool", "", 1'000'000, limit});
    trace::Tracer tracer(plan, {0, last, {}, 0, 0}, writer);
    for (Cycle now = 0; now < 1000; ++now) {
      if (tracer.next(now) != now) continue;
      wires_.count = static_cast<unsigned>(now);
      cycle(tracer, now);
    }
    writer.close();
    EXPECT_EQ(writer.error(), "");
    EXPECT_EQ(tracer.cycles(), writer.end());
    return std::pair(writer.full(), writer.end());
  };
  EXPECT_EQ(run("all.vcd", ~std::uint64_t{0}, 999), std::pair(false, Cycle{1000}));
  const auto size = std::filesystem::file_size(folder_.path("all.vcd"));
  const auto [full, end] = run("part.vcd", size / 2, 999);
  EXPECT_TRUE(full);
  EXPECT_GT(end, 100U);
  EXPECT_LE(std::filesystem::file_size(folder_.path("part.vcd")), size / 2);
  EXPECT_GT(std::filesystem::file_size(folder_.path("part.vcd")), size / 2 - 100);
  (void)run("window.vcd", ~std::uint64_t{0}, end - 1);
  EXPECT_EQ(read_text(folder_.path("part.vcd")), read_text(folder_.path("window.vcd")));
}

TEST_F(Writer, ValuesAreTruncatedToTheirWidth) {
  trace::Selection selection;
  selection.globs = {"top.unit.count"};
  const trace::Plan plan = make_plan(registry_, selection);
  trace::VcdWriter writer(folder_.path("a.vcd"), plan, {"tool", "", 1'000'000});
  trace::Tracer tracer(plan, {}, writer);
  wires_.count = 0x1235;
  cycle(tracer, 0);
  writer.close();
  EXPECT_NE(read_text(folder_.path("a.vcd")).find("\nb101 !\n"), std::string::npos);
}

TEST_F(Writer, AFullDiskIsReportedAtTheEnd) {
  const trace::Plan plan = make_plan(registry_, {});
  trace::VcdWriter writer("/dev/full", plan, {"tool", "", 1'000'000});
  trace::Tracer tracer(plan, {}, writer);
  for (Cycle now = 0; now < 200000; ++now) cycle(tracer, now);
  writer.close();
  EXPECT_EQ(writer.error(), "/dev/full: writing failed: No space left on device");
}

// ---- selection
// --------------------------------------------------------------------------------------

class Selecting : public testing::Test {
 protected:
  Selecting() : traced_(program_, {}) {}

  std::vector<std::string> names(const trace::Selection& selection) {
    const trace::Plan plan = make_plan(traced_.registry(), selection);
    std::vector<std::string> found;
    for (const trace::Chosen& chosen : plan.chosen) found.push_back(chosen.name);
    return found;
  }
  std::string refusal(const std::vector<std::string>& globs, unsigned depth = 0) {
    try {
      names({globs, depth});
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }

  static RandomProgram one_instruction() {
    RandomProgram program;
    program.instructions = {tcu::make_no_op()};
    return program;
  }

  RandomProgram program_ = one_instruction();
  TracedSimulation traced_;
};

TEST_F(Selecting, ByGlobAndDepth) {
  EXPECT_EQ(names({{}, 1}), std::vector<std::string>{"top.clock"});
  EXPECT_EQ(names({{"top.tcu.array.head"}, 0}),
            (std::vector<std::string>{"top.tcu.array.head.valid", "top.tcu.array.head.ready",
                                      "top.tcu.array.head.load", "top.tcu.array.head.zeroes"}));
  EXPECT_EQ(names({{"*.decoder.config.dram?_offset"}, 0}),
            (std::vector<std::string>{"top.tcu.decoder.config.dram0_offset",
                                      "top.tcu.decoder.config.dram1_offset"}));
  EXPECT_EQ(
      names({{"top.dram[01].axi.b.valid", "top.clock"}, 0}),
      (std::vector<std::string>{"top.clock", "top.dram0.axi.b.valid", "top.dram1.axi.b.valid"}));
  // Every unit named in the specification has a scope. Depth 3 includes the units of the TCU, but
  // not the inside of the accumulators.
  for (const char* unit :
       {"decoder", "array", "accumulators", "alu", "local", "local_router", "host_router"}) {
    EXPECT_FALSE(names({{std::string("top.tcu.") + unit}, 3}).empty()) << unit;
  }
  for (const char* unit : {"converter", "queue", "boundary_splitter", "axi"}) {
    EXPECT_FALSE(names({{std::string("top.dram1.") + unit + ".*"}, 0}).empty()) << unit;
  }
  EXPECT_NE(refusal({"top.tcu.accumulators.accumulator"}, 3)
                .find("matches no signal at --trace-depth 3 or less"),
            std::string::npos);
}

TEST_F(Selecting, FamiliesOnlyOnRequest) {
  const tcu::Architecture architecture;
  for (const std::string& name : names({})) {
    EXPECT_EQ(name.find(".cells."), std::string::npos) << name;
    EXPECT_EQ(name.find(".lanes."), std::string::npos) << name;
    EXPECT_EQ(name.find(".interior."), std::string::npos) << name;
  }
  for (const std::string& name : names({{"top.tcu.*"}, 0})) {
    EXPECT_EQ(name.find(".cells."), std::string::npos) << name;
  }
  EXPECT_EQ(names({{"top.tcu.local.cells.*"}, 0}).size(), architecture.local_depth);
  EXPECT_EQ(names({{"*.cells.v17"}, 0}),
            (std::vector<std::string>{"top.tcu.accumulators.accumulator.acc.cells.v17",
                                      "top.tcu.local.cells.v17"}));
  EXPECT_EQ(names({{"top.tcu.array.interior"}, 0}).size(), 8U * 9);
  EXPECT_EQ(names({{"top.tcu.array.input.lanes.*"}, 0}).size(), 8U);
}

TEST_F(Selecting, WrongGlobsNameTheNearest) {
  EXPECT_EQ(refusal({"top.tcu.decodr.*"}),
            "--trace-scope \"top.tcu.decodr.*\" matches no signal; nearest: \"top.tcu.decoder\", "
            "\"top.tcu.decoder.acc\", \"top.tcu.local\" (--trace-list prints all)");
  EXPECT_NE(refusal({"top.clock", "deocder"}).find("nearest: \"top.tcu.decoder\""),
            std::string::npos)
      << refusal({"deocder"});
  EXPECT_NE(refusal({""}).find("matches no signal"), std::string::npos);
  EXPECT_NE(refusal({"top.tcu.local.c*"}).find("matches only signals that are traced on request"),
            std::string::npos);
}

TEST_F(Selecting, NamesAreUniqueAndListed) {
  const std::string list = list_signals(traced_.registry(), {});
  std::set<std::string> seen;
  for (const std::string& name : names({})) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_NE(list.find(name + " "), std::string::npos) << name;
  }
  EXPECT_NE(list.find("top.tcu.local.cells.*"), std::string::npos);
  EXPECT_NE(list.find("on request, 8192 signals: v0 .. v8191"), std::string::npos);
}

// ---- save files
// -------------------------------------------------------------------------------------

TEST_F(Selecting, TheSaveFileNamesSignalsOfTheDump) {
  const TraceFolder folder;
  traced_.run(folder.path("a.vcd"), {});
  const VcdReader reader(folder.path("a.vcd"));
  std::istringstream save(gtkwave_save(traced_.plan(), "a.vcd"));
  std::vector<std::string> groups;
  std::size_t signals = 0;
  std::string flags;
  std::size_t of_the_instruction = 0;
  bool zoomed = false;
  for (std::string line; std::getline(save, line);) {
    if (line[0] == '[') continue;
    if (line[0] == '*') {
      // The zoom shows 100 cycles (of one tick each) on 1000 pixels, i.e. 20 in GTKWave's 200.
      EXPECT_EQ(line.rfind("*-4.321928 0 -1 -1", 0), 0U) << line;
      zoomed = true;
      continue;
    }
    if (line[0] == '@') {
      flags = line;
    } else if (line[0] == '-') {
      if (flags == "@800200" || flags == "@c00200") {
        groups.push_back(line);
      } else {
        ASSERT_TRUE(flags == "@1000200" || flags == "@1401200") << flags;
        ASSERT_FALSE(groups.empty());
        EXPECT_EQ(groups.back(), line);
        groups.pop_back();
      }
    } else {
      const std::string name = line.substr(0, line.find('['));
      ASSERT_TRUE(reader.has(name)) << line;
      const unsigned width = reader.width(name);
      EXPECT_EQ(line, width == 1 ? name : name + "[" + std::to_string(width - 1) + ":0]");
      EXPECT_EQ(flags == "@28", width == 1) << line;
      ++signals;
      if (!groups.empty() && groups.front() == "-instruction") ++of_the_instruction;
    }
  }
  EXPECT_TRUE(groups.empty());
  // The signals of the instruction appear twice, first in a group of their own.
  EXPECT_GE(of_the_instruction, 7U);
  EXPECT_EQ(signals - of_the_instruction, reader.names().size());
  EXPECT_TRUE(zoomed);
}

TEST_F(Selecting, ValuesWithNamesAreTranslated) {
  const TraceFolder folder;
  traced_.run(folder.path("a.vcd"), {});
  std::map<std::string, std::string> files;  // by signal name
  for (const trace::Translation& one : translations(traced_.plan())) {
    for (const std::string& signal : one.signals) files[signal] = one.text;
  }
  EXPECT_EQ(files.at("top.tcu.decoder.head.opcode"),
            "0 NoOp\n1 MatMul\n2 DataMove\n3 LoadWeights\n4 SIMD\nF Configure\n");
  EXPECT_GE(files.size(), 2U);
  // A mask has no names of values.
  EXPECT_EQ(files.count("top.tcu.decoder.head.done"), 0U);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < translations(traced_.plan()).size(); ++i) {
    paths.push_back("names." + std::to_string(i));
  }
  const std::string save = gtkwave_save(traced_.plan(), "a.vcd", {7, 10000}, paths);
  EXPECT_NE(save.find("\n[timestart] 70000\n"), std::string::npos);
  std::size_t translated = 0;
  for (std::size_t at = save.find("@2022\n^"); at != std::string::npos;
       at = save.find("@2022\n^", at + 1)) {
    ++translated;
  }
  EXPECT_GE(translated, files.size());  // opcode appears twice
}

TEST_F(Selecting, SurfersCommandsNameSignalsOfTheDump) {
  const TraceFolder folder;
  traced_.run(folder.path("a.vcd"), {});
  const VcdReader reader(folder.path("a.vcd"));
  std::istringstream commands(surfer_commands(traced_.plan(), "/x/a.vcd", {7, 1, 10000}));
  std::string line, last;
  std::getline(commands, line);
  EXPECT_EQ(line, "# surfer --command-file F.sucl /x/a.vcd");
  std::set<std::string> seen;
  const std::string variable = "variable_add ";
  while (std::getline(commands, line)) {
    if (line.rfind(variable, 0) == 0) {
      const std::string name = line.substr(variable.size());
      EXPECT_TRUE(reader.has(name)) << name;
      seen.insert(name);
    } else if (line.rfind("divider_add ", 0) == 0) {
      // Surfer accepts one word of letters, digits and _.
      const std::string name = line.substr(12);
      EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(c) != 0 || c == '_';
      })) << line;
    } else if (line != "zoom_fit") {
      last += line;
    }
  }
  EXPECT_EQ(last, "zoom_to 70000ps 1070000ps");
  EXPECT_EQ(seen.size(), reader.names().size());
}

// ---- values of signal families ------------------------------------------------------------------

TEST(TraceFamilies, WeightsCellsAndLanes) {
  // The program loads weights of 5 vectors at local 0.., then computes one product. One of the
  // types has narrow lanes in wide storage.
  for (const tcu::DataType type : {tcu::DataType::fp16bp8, tcu::DataType::fp18bp10}) {
    RandomProgram program;
    program.architecture.data_type = type;
    program.architecture.array_size = 4;
    program.architecture.local_depth = 64;
    program.architecture.accumulator_depth = 16;
    const tcu::InstructionLayout layout(program.architecture);
    program.instructions = {
        make_data_move(layout, tcu::DataMoveKind::dram1_to_local, {0, 0}, {0, 0}, 5),
        make_load_weights(layout, {0, 0}, 5), make_mat_mul(layout, {1, 0}, {3, 0}, 2)};
    const unsigned bytes = info(type).storage_bytes;
    RandomProgram::Window window{1, 0, {}};
    const auto number = [](unsigned i) { return (i % 2 == 0 ? 1 : -1) * static_cast<int>(i + 1); };
    for (unsigned i = 0; i < 20; ++i) {
      const auto mask = (std::uint64_t{1} << info(type).width_bits) - 1;
      for (unsigned b = 0; b < bytes; ++b) {
        window.bytes.push_back(
            static_cast<std::uint8_t>((static_cast<std::uint64_t>(number(i)) & mask) >> (8 * b)));
      }
    }
    program.windows = {window};

    const TraceFolder folder;
    TracedSimulation traced(program, machine_config(program));
    TraceSettings settings;
    settings.selection.globs = {"*.interior.*", "*.cells.*", "*.lanes.*", "top"};
    traced.run(folder.path("a.vcd"), settings);
    VcdReader reader(folder.path("a.vcd"));
    VcdCycles walk(reader, test_period_ps);
    unsigned vectors = 0;
    const unsigned bits = info(type).width_bits;
    const auto mask = (std::uint64_t{1} << bits) - 1;
    const auto expected = [&](unsigned i) { return static_cast<std::uint64_t>(number(i)) & mask; };
    while (walk.next()) {
      const std::string input = "top.tcu.array.input";
      if (!reader.is_high(input + ".valid")) {
        EXPECT_FALSE(reader.known(input + ".lanes.lane0"));
        continue;
      }
      for (unsigned lane = 0; lane < 4; ++lane) {
        const std::uint64_t shown = reader.value(input + ".lanes.lane" + std::to_string(lane));
        EXPECT_EQ(shown, reader.bits(input + ".bits", lane * bits, bits));
        EXPECT_EQ(shown, expected(4 * (1 + vectors) + lane));
      }
      vectors += reader.is_high(input + ".ready") ? 1 : 0;
    }
    EXPECT_EQ(vectors, 2U);
    // Memory holds the bias first, then the weights of each input j.
    for (unsigned row = 0; row < 4; ++row) {
      const std::string w = "top.tcu.array.interior.";
      EXPECT_EQ(reader.value(w + "bias" + std::to_string(row)), expected(row));
      for (unsigned j = 0; j < 4; ++j) {
        EXPECT_EQ(reader.value(w + "w" + std::to_string(row) + "_" + std::to_string(j)),
                  expected(4 * (1 + j) + row));
      }
    }
    for (unsigned v = 0; v < 5; ++v) {
      for (unsigned lane = 0; lane < 4; ++lane) {
        EXPECT_EQ(reader.bits("top.tcu.local.cells.v" + std::to_string(v), lane * bits, bits),
                  expected(4 * v + lane));
      }
    }
    const DualPortMemory& acc =
        traced.simulation().system().tcu().accumulators().accumulator().memory();
    for (unsigned lane = 0; lane < 4; ++lane) {
      EXPECT_EQ(reader.bits("top.tcu.accumulators.accumulator.acc.cells.v4", lane * bits, bits),
                static_cast<std::uint64_t>(tcu::lane(type, acc.vector(4), lane)) & mask);
    }
  }
}

}  // namespace
}  // namespace tactus
