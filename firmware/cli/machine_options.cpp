#include "firmware/cli/machine_options.h"

#include <fmt/core.h>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr std::uint64_t most_latency_cycles = 1000000;

}  // namespace

Args::Option engine_option() {
  return {"engine", "step|fast|verify",
          "step: settle all wires in every cycle; verify: so, and stop where the fast engine would "
          "differ; both are slower, the result is the same (default fast)"};
}

Engine read_engine(const Args& args) {
  const std::string engine = args.text("engine").value_or("fast");
  if (engine == "step") return Engine::step;
  if (engine == "fast") return Engine::fast;
  if (engine == "verify") return Engine::verify;
  user_error("--engine {} is not allowed; allowed: step, fast, verify", quote(engine));
}

std::vector<Args::Option> machine_options() {
  return {
      {"board", "NAME|F.json",
       "clock, AXI width, latencies and architecture of a board of configs/boards or a file; other "
       "options win"},
      {"axi-data-bits", "N",
       "width of the DRAM ports and the instruction stream: 32..1024, a power "
       "of two (default 64)"},
      {"read-latency", "CYCLES", "from a read's address to its first data (default 1)"},
      {"write-latency", "CYCLES", "from a write's last data to its response (default 1)"},
      {"clock-mhz", "F", "clock frequency for times (default 100)"},
      {"mac-rounding", "sum|legacy", "legacy: RTL before March 2022 (default sum)"},
      {"decoder-timeout", "CYCLES", "reset value of the timeout register (default 100)"},
      {"feed-gap", "CYCLES", "idle cycles after each word of the instruction stream (default 0)"},
      {"stall-percent", "P", "random stalls at the memory's pins, 0..99 (default 0)"},
      {"stall-seed", "N", "seed of the stalls (default 1)"},
      engine_option(),
      {"shuffle-seed", "N", "evaluate units in random order: slow, changes nothing"},
  };
}

std::vector<Args::Option> sample_options() {
  return {
      {"samples", "F.tsample", "write the performance sampler's words, see tactus samples"},
      {"sample-interval", "CYCLES", "initial value of the interval register (default 0: off)"},
      {"sample-block", "N", "samples in a block (default 1024)"},
      {"sample-pause", "CYCLES",
       "the host takes no samples for so long after each block (default 0)"},
  };
}

void read_sample_options(const Args& args, TcuSimulationConfig& config) {
  for (const char* option : {"sample-interval", "sample-block", "sample-pause"}) {
    if (args.has(option) && !args.has("samples")) {
      user_error("tactus run: --{} needs --samples F.tsample", option);
    }
  }
  if (!args.has("samples")) return;
  config.sample_interval = static_cast<std::uint16_t>(args.number("sample-interval", 0, 0, 65535));
  config.sample_block_size =
      static_cast<std::uint32_t>(args.number("sample-block", 1024, 1, 0xFFFFFFFF));
  config.sample_pause = args.number("sample-pause", 0, 0, most_latency_cycles);
}

std::optional<Board> read_board_option(const Args& args, TcuSimulationConfig& config) {
  const auto name = args.text("board");
  if (!name) return std::nullopt;
  Board board = read_board(*name);
  config = board.simulation_config();
  return board;
}

void read_machine_options(const Args& args, TcuSimulationConfig& config) {
  config.axi_data_bits =
      static_cast<unsigned>(args.number("axi-data-bits", config.axi_data_bits, 32, 1024));
  config.read_latency = args.number("read-latency", config.read_latency, 1, most_latency_cycles);
  config.write_latency = args.number("write-latency", config.write_latency, 1, most_latency_cycles);
  config.clock_mhz = args.real("clock-mhz", config.clock_mhz, 0.001, 100000);
  config.decoder_timeout =
      static_cast<std::uint16_t>(args.number("decoder-timeout", 100, 0, 65535));
  config.feed_gap = args.number("feed-gap", 0, 0, most_latency_cycles);
  const auto percent = static_cast<unsigned>(args.number("stall-percent", 0, 0, 99));
  const auto seed = static_cast<std::uint32_t>(args.number("stall-seed", 1, 0, 0xFFFFFFFF));
  config.stalls = StallGenerator(seed, percent);
  config.engine = read_engine(args);
  if (args.has("shuffle-seed")) {
    config.shuffle_seed = static_cast<std::uint32_t>(args.number("shuffle-seed", 0, 0, 0xFFFFFFFF));
  }
  const std::string rounding = args.text("mac-rounding").value_or("sum");
  if (rounding != "sum" && rounding != "legacy") {
    user_error("--mac-rounding {} is not allowed; allowed: sum, legacy", quote(rounding));
  }
  config.rounding = rounding == "sum" ? tcu::MacRounding::sum : tcu::MacRounding::legacy;
  check_axi_width(config.architecture, config.axi_data_bits);
  warn_about_dais_blocks(config.architecture);
}

void warn_about_dais_blocks(const tcu::Architecture& architecture) {
  for (const std::string& line : tcu::dais_block_warnings(architecture)) {
    fmt::print(stderr, "tactus: warning: {}\n", line);
  }
}

}  // namespace tactus
