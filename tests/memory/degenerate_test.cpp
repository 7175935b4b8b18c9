// A path with ports as wide and as fast as the design's, in front of a memory without latency,
// equals a memory of fixed latency in every event, cycle and byte.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "firmware/driver/tcu/host.h"
#include "isa/tcu/vectors_file.h"
#include "models/axi/axi_slave.h"
#include "models/axi/port_path.h"
#include "models/sim/clock_driver.h"
#include "tests/memory/constant_memory.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"
#include "tests/support/shared.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

class PathWithMemory final : public sc_core::sc_module {
 public:
  PathWithMemory(const sc_core::sc_module_name& name, const TcuSimulationConfig& config,
                 const PathConfig& path, AxiSlave& slave)
      : sc_module(name),
        memory_("memory", 0, 0),
        path_("path", clock_, clock_period(config.clock_mhz), config.axi_data_bits / 8, path) {
    path_.reads.bind(memory_.socket);
    path_.writes.bind(memory_.socket);
    slave.socket.bind(path_.socket);
    slave.set_write_channel(path_);
  }

 private:
  Clock clock_;  // counts transactions, which this memory does not need
  ConstantMemory memory_;
  PortPath path_;
};

/// Returns a path as wide and as fast as the design. A write's latency includes one cycle for its
/// last beat through the port and one for its handshake.
PathConfig degenerate(const TcuSimulationConfig& config) {
  const std::uint64_t period = clock_period(config.clock_mhz).value();
  PathConfig path;
  path.data_bits = config.axi_data_bits;
  path.split_beats = 256;
  path.outstanding = 256;
  path.write_buffer_beats = 4096;
  path.fixed_ps = {(config.read_latency - 1) * period, (config.write_latency - 2) * period};
  return path;
}

TcuSimulationConfig behind_path(const TcuSimulationConfig& base, const PathConfig& path) {
  TcuSimulationConfig config = base;
  config.memory = [base, path](unsigned port, AxiSlave& slave) {
    return std::make_unique<PathWithMemory>(port == 0 ? "way0" : "way1", base, path, slave);
  };
  return config;
}

TEST(DegeneratePath, IsTheMemoryOfFixedLatencyInEveryCycle) {
  for (const std::uint64_t seed : test_seeds(31'000'000, 200)) {
    RandomOptions options;
    options.hazards = seed % 2 == 0 ? Hazards::none : Hazards::any;
    options.wrap = options.hazards == Hazards::none;
    const RandomProgram program = random_program(seed, options);
    Random random(seed ^ 0xDE6);
    TcuSimulationConfig config = machine_config(program);
    randomise_timing(random, config);
    config.write_latency += 1;  // at least 2: data pass the port before the response
    config.clock_mhz = random.pick({100.0, 333.0, 7.0});
    PathConfig path = degenerate(config);
    // Moving any part of the latency from the fixed latency to the interconnect changes nothing.
    for (unsigned d = 0; d < 2; ++d) {
      const std::uint64_t period = clock_period(config.clock_mhz).value();
      const std::uint64_t cycles = path.fixed_ps[d] / period / 2 * 2;
      if (!random.chance(50)) continue;
      path.interconnect_ps[d] = cycles * period;
      path.fixed_ps[d] -= cycles * period;
    }
    const std::string text =
        difference(record_run(program, config), record_run(program, behind_path(config, path)));
    ASSERT_EQ(text, "") << "seed " << seed << " " << describe(config);
  }
}

TEST(DegeneratePath, RunsResNet20InTheCyclesOfTheGoldenFigures) {
  const std::string folder = "golden/tcu/programs/resnet20v2_zcu104/";
  TACTUS_NEEDS_SHARED(folder + "resnet20v2_cifar_onnx_zcu104.tmodel");
  const std::string path = shared_folder() + "/" + folder;
  const Model model =
      read_model(path + "resnet20v2_cifar_onnx_zcu104.tmodel", ProgramChecks::strict);
  std::vector<std::uint8_t> image = tcu::read_vectors(path + "inputs.csv", model.file.arch);
  image.resize(1024 * model.file.arch.vector_bytes());
  TcuSimulationConfig config;
  config.architecture = model.file.arch;
  config.axi_data_bits = 128;
  config.read_latency = 20;
  config.write_latency = 5;
  TcuSimulation simulation(behind_path(config, degenerate(config)));
  Host host(simulation, model, HostMode::plain);
  ASSERT_FALSE(host.prepare());
  const ImageResult result = host.run_image({{model.file.inputs.at(0).name, image}}, {});
  EXPECT_EQ(result.run.cycles, 744591U);
}

}  // namespace
}  // namespace tactus
