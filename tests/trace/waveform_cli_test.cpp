// Output of tactus run --vcd, and all its errors.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "isa/support/files.h"
#include "tests/cli/cli.h"
#include "tests/trace/vcd_events.h"

namespace tactus {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t period_ps = 10000;
const std::string run = "run --program m.tprog --arch a.tarch --dram1 m.tdata ";
const std::string traced = run + "--vcd w.vcd ";

class Waveform : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
  }
  [[nodiscard]] std::string path(const std::string& file) const {
    return (folder_ / file).string();
  }
  /// Returns the lines of an event file, derived from the waveform.
  [[nodiscard]] std::string events_of(const std::string& file) const {
    TcuEventFormat format;
    format.array_size = 4;
    format.instruction_bytes = 6;
    VcdReader reader(path(file));
    VcdCycles cycles(reader, period_ps);
    std::vector<std::string> lines;
    while (cycles.next()) {
      for (const std::string& line : events_of_cycle(reader, format)) {
        lines.push_back(fmt::format("{} {}\n", cycles.cycle(), line));
      }
    }
    return fmt::format("{}", fmt::join(lines, ""));
  }
  /// Returns the run's event file, sorted within each cycle as in events_of().
  [[nodiscard]] std::string sorted_events(const std::string& file) const {
    std::map<std::uint64_t, std::vector<std::string>> cycles;
    std::istringstream text(read(file));
    for (std::string line; std::getline(text, line);) {
      cycles[std::stoull(line)].push_back(line + "\n");
    }
    std::string all;
    for (auto& [cycle, lines] : cycles) {
      std::sort(lines.begin(), lines.end());
      for (const std::string& line : lines) all += line;
    }
    return all;
  }
  /// Writes a program of NoOps. With a feed gap of a million cycles it is long, and nearly all
  /// cycles are idle.
  void write_long_program() const { write("long.tprog", std::string(6 * 400, '\0')); }
};

/// A full disk and a limit on file sizes leave a file of whole cycles and give a clear error.
TEST_F(Waveform, AFullDiskLeavesWholeCycles) {
  write("g.tasm", std::string("LoadWeights.zeroes 5\n.repeat 400\nMatMul.zeroes Acc(5), 3\n"
                              "SIMD O = Move(I), read Acc(5), write Acc(7)\n.end\n"));
  ASSERT_EQ(tactus("asm g.tasm --arch a.tarch --output g.tprog").code, 0);
  const std::string whole = "run --program g.tprog --arch a.tarch --vcd w.vcd";
  ASSERT_EQ(tactus(whole).code, 0);
  const std::string all = read("w.vcd");
  ASSERT_GT(all.size(), 50000U);
  std::filesystem::remove(folder_ / "w.vcd");
  for (const std::size_t kilobytes : {1, 32, 40}) {  // the header has about 15
    const Output limited = shell(fmt::format(
        "(ulimit -f {}; exec \"$0\" {}) | cat; exit ${{PIPESTATUS[0]}}", kilobytes, whole));
    EXPECT_EQ(limited.code, 2) << kilobytes;
    EXPECT_EQ(limited.err, "tactus: error: w.vcd: writing failed: File too large\n");
    EXPECT_NE(limited.out.find("cycles"), std::string::npos);
    if (kilobytes == 1) {
      EXPECT_FALSE(exists("w.vcd"));
      continue;
    }
    const std::string part = read("w.vcd");
    EXPECT_LE(part.size(), kilobytes * 1024);
    EXPECT_GT(part.size(), kilobytes * 1024 - 2000);
    EXPECT_EQ(part, all.substr(0, part.size()));
    EXPECT_EQ(all[part.size()], '#');
    VcdReader reader(path("w.vcd"));
    VcdCycles cycles(reader, period_ps);
    while (cycles.next()) continue;
    EXPECT_GT(cycles.cycle(), 5U);
  }
  // Other files are written completely or not at all.
  const Output events = shell(
      "(ulimit -f 1; exec \"$0\" run --program g.tprog --arch a.tarch --events e) | cat; "
      "exit ${PIPESTATUS[0]}");
  EXPECT_EQ(events.code, 2);
  EXPECT_EQ(events.err, "tactus: error: e: cannot be written: File too large\n");
  EXPECT_FALSE(exists("e"));
}

/// Unused values of channels also equal the RTL's: an address that an item does not use is 0, and
/// the ALU array is ready for the NoOp that it gets when there is no operation.
TEST_F(Waveform, UnusedValuesEqualThoseOfTheRtl) {
  write("g.tasm", std::string("MatMul.zeroes Acc(5), 3\n"
                              "SIMD O = Move(I), read Acc(5), write Acc(7)\n"
                              "DataMove Acc(7) -> Local(3), 2\n"));
  ASSERT_EQ(tactus("asm g.tasm --arch a.tarch --output g.tprog").code, 0);
  std::string other;
  for (const char* engine : {"step", "fast"}) {
    ASSERT_EQ(
        tactus(fmt::format("run --program g.tprog --arch a.tarch --vcd w.vcd --engine {}", engine))
            .code,
        0);
    VcdReader reader(path("w.vcd"));
    VcdCycles cycles(reader, period_ps);
    std::vector<std::uint64_t> reads, writes;
    unsigned results = 0;
    while (cycles.next()) {
      for (const std::string channel : {"top.tcu.decoder.acc", "top.tcu.accumulators.head"}) {
        if (!reader.is_high(channel + ".valid")) continue;
        const bool used_to_read = reader.is_high(channel + ".read");
        const bool used_to_write = reader.is_high(channel + ".write");
        const std::uint64_t read_address = reader.value(channel + ".read_address");
        const std::uint64_t write_address = reader.value(channel + ".write_address");
        if (!used_to_read) {
          EXPECT_EQ(read_address, 0U) << channel << ", cycle " << cycles.cycle();
        }
        if (!used_to_write) {
          EXPECT_EQ(write_address, 0U) << channel << ", cycle " << cycles.cycle();
        }
        if (!reader.is_high(channel + ".ready") || channel != "top.tcu.decoder.acc") continue;
        if (used_to_read) reads.push_back(read_address);
        if (used_to_write) writes.push_back(write_address);
      }
      // Phase 3: a SIMD instruction writes the result of the ALU array.
      if (reader.value("top.tcu.accumulators.phase") != 3) continue;
      ++results;
      EXPECT_FALSE(reader.is_high("top.tcu.alu.operation.valid"));
      EXPECT_TRUE(reader.is_high("top.tcu.alu.operation.ready")) << "cycle " << cycles.cycle();
    }
    EXPECT_EQ(reads, (std::vector<std::uint64_t>{5, 7, 8}));
    EXPECT_EQ(writes, (std::vector<std::uint64_t>{5, 6, 7, 7}));
    EXPECT_EQ(results, 1U);
    if (!other.empty()) {
      EXPECT_TRUE(other == read("w.vcd"));
    }
    other = read("w.vcd");
  }
}

TEST_F(Waveform, ChangesNoResult) {
  const Output plain = tactus(run + "--events e --stats s.json");
  ASSERT_EQ(plain.code, 0) << plain.err;
  const Output output = tactus(traced + "--events f --gtkw w.gtkw");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.err, "");
  EXPECT_EQ(read("e"), read("f"));
  EXPECT_NE(output.out.find("waveform      5"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find(" in w.vcd\n"), std::string::npos);
  EXPECT_EQ(events_of("w.vcd"), sorted_events("f"));
  EXPECT_EQ(read("w.gtkw").rfind("[dumpfile] \"" + path("w.vcd") + "\"\n", 0), 0U);

  VcdReader reader(path("w.vcd"));
  EXPECT_EQ(reader.timescale_ps(), 1000U);  // 100 MHz: a period of 10 ns, half of it high
  const std::string first = read("w.vcd");
  ASSERT_EQ(tactus(traced).code, 0);
  EXPECT_EQ(read("w.vcd"), first);  // the same input gives the same bytes
}

TEST_F(Waveform, AModelWithSeveralImages) {
  write("x.csv", read("x.csv") + read("x.csv"));
  const Output output =
      tactus("run --model m.tmodel --input x.csv --mode driver --vcd w.vcd --events e");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(events_of("w.vcd"), sorted_events("e"));
}

TEST_F(Waveform, ClockAndTimescale) {
  const std::pair<const char*, const char*> scales[] = {
      {"100", "1 ns"}, {"50", "10 ns"}, {"25", "10 ns"}, {"150", "1 ps"}, {"1", "100 ns"}};
  for (const auto& [clock, scale] : scales) {
    ASSERT_EQ(tactus(traced + "--trace-scope top.clock --clock-mhz " + clock).code, 0);
    const std::string text = read("w.vcd");
    EXPECT_NE(text.find(fmt::format("$timescale {} $end", scale)), std::string::npos) << clock;
  }
}

// GTKWave's times are in ms, us, ns or ps, also where a tick of the file is 10 or 100 of them.
TEST_F(Waveform, TheViewOfGtkwaveLiesInTheFileAtEveryClock) {
  struct Clock {
    const char* mhz;
    std::uint64_t units_per_cycle;
  };
  for (const Clock& clock : {Clock{"25", 40}, Clock{"50", 20}, Clock{"100", 10}, Clock{"200", 5000},
                             Clock{"333.33", 3000}, Clock{"400", 2500}, Clock{"1", 1000}}) {
    const Output output = tactus(traced +
                                 "--gtkw w.gtkw --trace-scope top.clock --trace-from 10 "
                                 "--clock-mhz " +
                                 clock.mhz);
    ASSERT_EQ(output.code, 0) << output.err;
    EXPECT_NE(read("w.gtkw").find(fmt::format("[timestart] {}\n", 10 * clock.units_per_cycle)),
              std::string::npos)
        << clock.mhz << read("w.gtkw");
  }
}

TEST_F(Waveform, Windows) {
  const auto cycles = [&](const std::string& options) {
    const Output output = tactus(traced + options);
    EXPECT_EQ(output.code, 0) << output.err;
    VcdReader reader(path("w.vcd"));
    VcdCycles walk(reader, period_ps);
    std::vector<std::uint64_t> found;
    while (walk.next()) found.push_back(walk.cycle());
    return found;
  };
  EXPECT_EQ(cycles("--trace-from 7 --trace-to 9"), (std::vector<std::uint64_t>{7, 8, 9}));
  // Instruction 1, LoadWeights, is at the head for 5 cycles. Instruction 0 was accepted in cycle 1,
  // reached the head in cycle 2 and took 4 + 1 + 5 cycles.
  EXPECT_EQ(cycles("--trace-pc 1"), (std::vector<std::uint64_t>{12, 13, 14, 15, 16}));
  EXPECT_EQ(cycles("--trace-pc 1:1 --trace-pre 2 --trace-post 1"),
            (std::vector<std::uint64_t>{10, 11, 12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(cycles("--trace-pc 1 --trace-pre 2 --trace-from 11 --trace-to 13"),
            (std::vector<std::uint64_t>{11, 12, 13}));
  write("t.tasm", std::string("Configure Tracepoint = 3\nNoOp\nNoOp\nNoOp\nNoOp\n"));
  ASSERT_EQ(tactus("asm t.tasm --arch a.tarch --output m.tprog").code, 0);
  EXPECT_EQ(cycles("--trace-tracepoint --trace-pre 1").size(), 2U);
  // With the register's reset value the timeout of an idle decoder comes late; with 0 the output is
  // high at once.
  write("t.tasm", std::string("Configure Timeout = 0\nNoOp\nNoOp\nConfigure Timeout = 9\nNoOp\n"));
  ASSERT_EQ(tactus("asm t.tasm --arch a.tarch --output m.tprog").code, 0);
  const std::vector<std::uint64_t> high = cycles("--trace-timeout");
  EXPECT_GE(high.size(), 3U);
  EXPECT_LE(high.size(), 8U);
}

TEST_F(Waveform, ScopesListAndDepth) {
  const Output list = tactus("run --arch a.tarch --trace-list");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("top.tcu.decoder.program_counter "), std::string::npos);
  EXPECT_NE(list.out.find("on request, 256 signals: v0 .. v255"), std::string::npos);
  EXPECT_EQ(tactus("run --model m.tmodel --trace-list").out, list.out);
  const Output config = tactus(run + "--axi-data-bits 32 --print-config");
  ASSERT_EQ(config.code, 0) << config.err;
  write("c.json", config.out);
  EXPECT_EQ(tactus("run --config c.json --trace-list").out,
            tactus("run --arch a.tarch --axi-data-bits 32 --trace-list").out);
  EXPECT_NE(tactus("run --config c.json --trace-list").out, list.out);
  const Output some = tactus("run --arch a.tarch --trace-list --trace-scope '*.local.cells.v1?'");
  EXPECT_EQ(std::count(some.out.begin(), some.out.end(), '\n'), 10);
  const Output sampler = tactus(
      "run --arch a.tarch --trace-list --trace-scope '*.sampler' --samples s --sample-block 4");
  EXPECT_NE(sampler.out.find("top.tcu.decoder.sampler.sample.word"), std::string::npos)
      << sampler.err;
  ASSERT_EQ(
      tactus(traced + "--trace-scope 'top.tcu.decoder.*' --trace-scope 'top.dram?.axi.ar'").code,
      0);
  const VcdReader chosen(path("w.vcd"));
  for (const std::string& name : chosen.names()) {
    EXPECT_TRUE(name.rfind("top.tcu.decoder.", 0) == 0 || name.rfind("top.dram", 0) == 0) << name;
  }
  ASSERT_EQ(tactus(traced + "--trace-depth 2").code, 0);
  EXPECT_FALSE(VcdReader(path("w.vcd")).has("top.tcu.decoder.timer"));
  EXPECT_TRUE(VcdReader(path("w.vcd")).has("top.dram0.axi.ar.valid"));
}

TEST_F(Waveform, ShowTheBoardsMemory) {
  const std::string zcu104 = std::string(TACTUS_SOURCE_DIR) + "/configs/boards/zcu104.json";
  nlohmann::ordered_json board = nlohmann::ordered_json::parse(read_text(zcu104));
  board["architecture"] = "a.tarch";
  board["axi_data_bits"] = 32;
  board.erase("provenance");
  write("b.json", board.dump());
  const std::string list = tactus("run --board b.json --trace-list").out;
  for (const char* name :
       {"top.memory.ddr.bank7.state ", "top.memory.ddr.bank0.row ", "top.memory.ddr.command.name ",
        "top.memory.ddr.reads ", "top.memory.ddr.port4.queue ", "top.memory.ddr.slots.* "}) {
    EXPECT_NE(list.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(tactus("run --board b.json --memory fixed --trace-list").out.find("top.memory"),
            std::string::npos);
  const std::string with_board = traced + "--board b.json --trace-scope 'top.memory.*' ";
  ASSERT_EQ(tactus(with_board + "--trace-scope 'top.memory.ddr.slots'").code, 0);
  const std::string fast = read("w.vcd");
  ASSERT_EQ(tactus(with_board + "--trace-scope 'top.memory.ddr.slots' --engine step").code, 0);
  EXPECT_EQ(read("w.vcd"), fast);
  // The waveform must show reads and an open row.
  VcdReader reader(path("w.vcd"));
  VcdCycles cycles(reader, period_ps);
  std::uint64_t open = 0, most_reads = 0;
  while (cycles.next()) {
    most_reads = std::max(most_reads, reader.value("top.memory.ddr.reads"));
    for (unsigned b = 0; b < 8; ++b) {
      const std::string bank = "top.memory.ddr.bank" + std::to_string(b);
      open += reader.value(bank + ".state") == 1 ? 1 : 0;
    }
  }
  EXPECT_GT(open, 0U);
  EXPECT_GT(most_reads, 0U);
}

TEST_F(Waveform, WrongOptionsCostNoRun) {
  expect_error(run + "--gtkw w.gtkw", "--gtkw needs --vcd F.vcd");
  expect_error(run + "--trace-scope top", "--trace-scope needs --vcd F.vcd");
  expect_error(traced + "--trace-scope top.tcu.decodr",
               "--trace-scope \"top.tcu.decodr\" matches no signal; nearest: \"top.tcu.decoder\"");
  expect_error(traced + "--trace-scope 'top.tcu.local.cells*'", "traced on request");
  expect_error(traced + "--trace-from 9 --trace-to 8", "the window is empty");
  expect_error(traced + "--trace-pc 9:8", "an empty window");
  for (const char* range : {"x", "1-2", "1:", ":", "-1", "5000000000", "1:2:3", ""}) {
    expect_error(traced + "--trace-pc '" + range + "'", "allowed: FIRST or FIRST:LAST");
  }
  expect_error(traced + "--trace-pre 4",
               "--trace-pre needs --trace-pc, --trace-tracepoint or --trace-timeout");
  expect_error(traced + "--trace-pc 1 --trace-tracepoint",
               "give one of --trace-pc, --trace-tracepoint and --trace-timeout");
  expect_error(traced + "--trace-pc 1 --trace-pre 999999999", "allowed: up to");
  expect_error(traced + "--trace-depth 0", "allowed: a whole number 1..100");
  expect_error(run + "--vcd no/such/w.vcd", "no/such/w.vcd: cannot be written");
  expect_error(run + "--vcd .", "is a directory; a file name is needed");
  expect_error(traced + "--gtkw no/w.gtkw", "no/w.gtkw: cannot be written");
  expect_error(run + "--vcd m.tprog", "would be written over a file");
  expect_error(traced + "--gtkw w.vcd", "would be written over a file");
  expect_error("run --trace-list", "--trace-list needs --arch F.tarch or --model F.tmodel");
}

/// An error that is found during the run does not lose the result: the result is printed and
/// written, then the exit code is 2.
TEST_F(Waveform, FailuresDuringTheRunKeepTheResult) {
  ASSERT_EQ(tactus(run + "--stats s.json").code, 0);
  const std::string total_cycles = Json::parse(read("s.json")).at("total_cycles").dump();
  const auto expect = [this](const std::string& options, const std::string& error) {
    std::filesystem::remove(folder_ / "s.json");
    const Output output = tactus(run + "--stats s.json " + options);
    EXPECT_EQ(output.code, 2) << options;
    EXPECT_NE(output.out.find("cycles        "), std::string::npos) << options;
    EXPECT_EQ(output.err, "tactus: error: " + error + "\n");
    EXPECT_TRUE(exists("s.json")) << options;
    EXPECT_FALSE(exists("w.vcd")) << options;
    EXPECT_FALSE(exists("w.gtkw")) << options;
  };
  expect("--vcd /dev/full", "/dev/full: writing failed: No space left on device");
  expect("--vcd w.vcd --gtkw w.gtkw --trace-from 100000",
         "--trace-from 100000: the run ended before, after " + total_cycles +
             " cycles; nothing was traced");
  expect("--vcd w.vcd --trace-pc 700:800",
         "--trace-pc 700:800: the program counter was never there; nothing was traced");
  expect("--vcd w.vcd --trace-tracepoint",
         "--trace-tracepoint: the program counter never met the tracepoint register; nothing was "
         "traced");
  expect("--vcd w.vcd --trace-timeout --decoder-timeout 65535",
         "--trace-timeout: the decoder's timeout output was never high; nothing was traced");
  // An empty window does not overwrite an existing file.
  write("w.vcd", std::string("old"));
  EXPECT_EQ(tactus(run + "--vcd w.vcd --trace-from 100000").code, 2);
  EXPECT_EQ(read("w.vcd"), "old");
  // A full disk for another file does not lose the result either.
  const Output full = tactus(run + "--stats /dev/full");
  EXPECT_EQ(full.code, 2);
  EXPECT_NE(full.out.find("cycles        "), std::string::npos);
}

TEST_F(Waveform, ARunThatDoesNotFinishLeavesAWholeFile) {
  const Output limit = tactus(traced + "--max-cycles 20 --events e");
  EXPECT_EQ(limit.code, 3);
  EXPECT_EQ(events_of("w.vcd"), sorted_events("e"));

  write("h.tasm", std::string("SIMD O = Move(I), write Acc(3)\nMatMul Local(0) -> Acc(0), 4\n"));
  ASSERT_EQ(tactus("asm h.tasm --arch a.tarch --output h.tprog --permissive").code, 0);
  const Output hang =
      tactus("run --program h.tprog --arch a.tarch --permissive --vcd w.vcd --events e");
  EXPECT_EQ(hang.code, 3);
  EXPECT_EQ(events_of("w.vcd"), sorted_events("e"));
}

/// --trace-layer and --timeline-layer select a layer's cycles as the window. The layer is also a
/// signal, and has a mark in the save file.
TEST_F(Waveform, LayersAreWindowsSignalsAndMarks) {
  write_model();
  write("l.json", std::string(R"({"layers": [{"name": "first", "first": 0, "count": 2},
                                             {"name": "second; one", "first": 2, "count": 3}]})"));
  const std::string of_layers = "run m.tmodel --input x.csv --regions l.json ";
  ASSERT_EQ(tactus(of_layers + "--layers-csv l.csv").code, 0);
  const std::string table = read("l.csv");
  const std::size_t row = table.find("second; one,");
  ASSERT_NE(row, std::string::npos) << table;
  const std::size_t begin = row + std::string("second; one,").size();
  const std::uint64_t from = std::stoull(table.substr(begin));
  const std::uint64_t to = std::stoull(table.substr(table.find(',', begin) + 1));
  EXPECT_GT(to, from);

  const Output one = tactus(of_layers + "--vcd w.vcd --gtkw w.gtkw --trace-layer 'second; one'");
  ASSERT_EQ(one.code, 0) << one.err;
  VcdReader reader(path("w.vcd"));
  VcdCycles cycles(reader, period_ps);
  std::vector<std::uint64_t> seen;
  while (cycles.next()) {
    if (!reader.known("top.layer")) continue;
    seen.push_back(cycles.cycle());
    EXPECT_EQ(reader.value("top.layer"), 1U) << cycles.cycle();
  }
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front(), from);
  EXPECT_EQ(seen.back(), to);
  EXPECT_NE(read("w.gtkw").find("\n[markername] Asecond; one\n"), std::string::npos)
      << read("w.gtkw");

  // In the waveform of the whole run, the signal shows each layer in its cycles, and no layer (2)
  // after the last.
  ASSERT_EQ(tactus(of_layers + "--vcd all.vcd").code, 0);
  VcdReader all(path("all.vcd"));
  VcdCycles every(all, period_ps);
  while (every.next()) {
    const std::uint64_t cycle = every.cycle();
    EXPECT_EQ(all.value("top.layer"), cycle < from ? 0U : cycle <= to ? 1U : 2U) << cycle;
  }
  const std::string timeline = "--timeline t.json --timeline-layer first ";
  ASSERT_EQ(tactus(of_layers + timeline).code, 0);
  ASSERT_EQ(tactus(of_layers + fmt::format("--timeline u.json --timeline-to {}", from - 1)).code,
            0);
  EXPECT_EQ(read("t.json"), read("u.json"));
  EXPECT_NE(tactus("run m.tmodel --trace-list --regions l.json").out.find("top.tcu"),
            std::string::npos);

  expect_error(of_layers + "--trace-layer first", "--trace-layer needs --vcd F.vcd or --fst F.fst");
  expect_error(of_layers + "--timeline-layer first", "--timeline-layer needs --timeline F.json");
  const std::string traced_run = of_layers + "--vcd w.vcd ";
  expect_error(traced_run + "--trace-layer firts", "did you mean \"first\"?");
  expect_error(traced_run + "--trace-layer first --trace-to 9", "are two windows; give one");
  expect_error(traced_run + "--trace-layer first --trace-pc 1", "are two windows; give one");
  expect_error("run m.tmodel --input x.csv --vcd w.vcd --trace-layer first",
               "the run names no layers");
}

TEST_F(Waveform, ASignalLeavesAWholeFile) {
  write_long_program();
  const auto start = [&](const std::string& program, const std::string& scope) {
    std::vector<std::string> command =
        words("run --program " + program +
              " --arch a.tarch --vcd w.vcd --gtkw w.gtkw --stats s.json --trace-scope " + scope);
    command.insert(command.begin(), TACTUS_BINARY);
    return std::make_unique<Process>(command,
                                     Process::Files{folder_, folder_ / "o", folder_ / "e"});
  };
  const auto seconds = [](double count) { return std::chrono::duration<double>(count); };
  for (const int signal : {SIGINT, SIGTERM}) {
    // The signal is sent after the trace has begun, even on a slow host.
    std::filesystem::remove(folder_ / "w.vcd");
    const auto process = start("long.tprog --feed-gap 1000000", "top.tcu");
    for (int i = 0; i < 300 && !exists("w.vcd"); ++i) std::this_thread::sleep_for(seconds(0.1));
    std::this_thread::sleep_for(seconds(0.7));
    process->signal(signal);
    EXPECT_EQ(process->wait(), 128 + signal) << read("e");
    EXPECT_NE(read("e").find("tactus: interrupted by a signal after "), std::string::npos)
        << read("e");
    EXPECT_NE(read("o").find("interrupted   in run 1, after "), std::string::npos) << read("o");
    EXPECT_NE(read("s.json").find("\"end\": \"interrupted\""), std::string::npos);
    std::filesystem::remove(folder_ / "s.json");
    EXPECT_TRUE(exists("w.gtkw"));
    for (const std::string& file : files()) {
      EXPECT_EQ(file.find(".partial"), std::string::npos) << file;
    }
    VcdReader reader(path("w.vcd"));
    while (reader.next_time()) {
    }
    const std::uint64_t stopped = std::stoull(read("e").substr(read("e").find("after ") + 6));
    EXPECT_EQ(reader.time(), stopped * period_ps / reader.timescale_ps());
    EXPECT_GT(reader.changes(), 100U);
    std::filesystem::remove(folder_ / "w.gtkw");
  }
  // SIGKILL cannot be handled, but the file still contains only whole cycles.
  write("g.tasm", std::string(".repeat 300000\nMatMul.zeroes Acc(5), 3\n"
                              "SIMD O = Move(I), read Acc(5), write Acc(7)\n.end\n"));
  ASSERT_EQ(tactus("asm g.tasm --arch a.tarch --output g.tprog").code, 0);
  // The signal is sent after changes have reached the file: its header has about 15 kB.
  std::filesystem::remove(folder_ / "w.vcd");
  const auto process = start("g.tprog", "top");
  const auto written = [&] { return exists("w.vcd") ? file_size(folder_ / "w.vcd") : 0; };
  for (int i = 0; i < 600 && written() < 200000; ++i) std::this_thread::sleep_for(seconds(0.1));
  EXPECT_FALSE(process->wait_for(0));
  process->signal(SIGKILL);
  EXPECT_EQ(process->wait(), 128 + SIGKILL);
  VcdReader reader(path("w.vcd"));
  while (reader.next_time()) {
  }
  EXPECT_GT(reader.changes(), 1000U);
}

/// An FST has the content of the VCD; the VCD is removed unless it was requested.
TEST_F(Waveform, AsFst) {
  if (!installed("vcd2fst") || !installed("fst2vcd")) {
    GTEST_SKIP() << "vcd2fst and fst2vcd are not installed (Debian: gtkwave)";
  }
  const Output output = tactus(run + "--fst w.fst --gtkw w.gtkw --surfer w.sucl");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_NE(output.out.find(" in w.fst\n"), std::string::npos) << output.out;
  EXPECT_FALSE(exists("w.fst.vcd"));
  EXPECT_EQ(read("w.gtkw").rfind("[dumpfile] \"" + path("w.fst") + "\"\n", 0), 0U);
  EXPECT_EQ(read("w.sucl").rfind("# surfer --command-file F.sucl " + path("w.fst") + "\n", 0), 0U);
  EXPECT_EQ(shell("grep -l '^1 MatMul$' w.gtkw.*.txt | wc -l").out, "1\n");
  ASSERT_EQ(tactus(run + "--fst v.fst --vcd v.vcd").code, 0);
  ASSERT_EQ(program({"fst2vcd", "w.fst"}, folder_ / "w.vcd").code, 0);
  VcdReader ours(path("v.vcd"));
  VcdReader back(path("w.vcd"));
  VcdCycles a(ours, period_ps), b(back, period_ps);
  std::uint64_t cycles = 0;
  for (; a.next(); ++cycles) {
    ASSERT_TRUE(b.next());
    for (const std::string& name : ours.names()) ASSERT_EQ(ours.digits(name), back.digits(name));
  }
  EXPECT_GT(cycles, 10U);
}

TEST_F(Waveform, AnFstNeedsItsProgram) {
  write_model();
  const Output output = shell("PATH=/nowhere \"$0\" " + run + "--fst w.fst");
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.err.find("--fst needs vcd2fst, which is not installed"), std::string::npos)
      << output.err;
  EXPECT_FALSE(exists("w.fst.vcd"));
}

/// GTKWave's converters can read the file: converted to FST and back, every value of every cycle is
/// the same.
TEST_F(Waveform, OtherToolsReadIt) {
  if (!installed("vcd2fst") || !installed("fst2vcd")) {
    GTEST_SKIP() << "vcd2fst and fst2vcd are not installed (Debian: gtkwave)";
  }
  for (const char* options :
       {"", "--trace-pc 1:3 --trace-pre 2", "--trace-depth 3 --clock-mhz 100"}) {
    ASSERT_EQ(tactus(traced + options).code, 0);
    const Output there = program({"vcd2fst", "w.vcd", "w.fst"});
    ASSERT_EQ(there.code, 0) << there.err;
    const Output back_again = program({"fst2vcd", "w.fst"}, folder_ / "back.vcd");
    ASSERT_EQ(back_again.code, 0) << back_again.err;
    VcdReader ours(path("w.vcd"));
    VcdReader back(path("back.vcd"));
    ASSERT_EQ(std::set<std::string>(ours.names().begin(), ours.names().end()),
              std::set<std::string>(back.names().begin(), back.names().end()));
    VcdCycles a(ours, period_ps), b(back, period_ps);
    std::uint64_t cycles = 0;
    while (a.next()) {
      ASSERT_TRUE(b.next());
      ASSERT_EQ(a.cycle(), b.cycle());
      for (const std::string& name : ours.names()) {
        ASSERT_EQ(ours.digits(name), back.digits(name)) << name << " in cycle " << a.cycle();
      }
      ++cycles;
    }
    EXPECT_GT(cycles, 10U);
  }
}

}  // namespace
}  // namespace tactus
