// Packages on the simulated TCU: outputs and cycles equal those of the direct run, at any base
// addresses and with any other packages loaded.
#include <random>

#include <gtest/gtest.h>

#include "firmware/driver/darwinn/package_device.h"
#include "isa/darwinn/verify.h"
#include "tests/darwinn/golden.h"
#include "tests/darwinn/packed_model.h"
#include "tests/support/test_scale.h"

namespace tactus::darwinn {
namespace {

TcuSimulationConfig device_machine(const Model& model, Engine engine) {
  TcuSimulationConfig config;
  config.architecture = model.file.arch;
  config.read_latency = 10;
  config.write_latency = 4;
  config.engine = engine;
  return config;
}

TensorData device_image(const Model& model, unsigned number) {
  std::vector<std::uint8_t> bytes(vectors * model.file.arch.vector_bytes());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 7 + number * 31);
  }
  return {{"x", bytes}};
}

ImageResult direct_run(const Model& model, Engine engine, unsigned number) {
  TcuSimulation simulation(device_machine(model, engine));
  Host host(simulation, model, HostMode::plain);
  EXPECT_FALSE(host.prepare());
  return host.run_image(device_image(model, number), {});
}

PackOptions cached_options(std::uint64_t token = 0) {
  PackOptions how = options();
  how.cache_parameters = true;
  how.token = token;
  return how;
}

TEST(DarwinnPackageDevice, RunsAsTheModelDoesInEveryArena) {
  const Model model = sample_model(3);
  const File file(pack(model, options()), "m.dwn1");
  for (const Engine engine : {Engine::fast, Engine::step, Engine::check}) {
    TcuSimulation simulation(device_machine(model, engine));
    PackageDevice device(simulation, {&file.package(), &file.package()}, 3);
    for (unsigned i = 0; i < 6; ++i) {
      const ImageResult found = device.run(i / 3, i % 3, device_image(model, i), {});
      const ImageResult expected = direct_run(model, engine, i);
      EXPECT_EQ(found.outputs, expected.outputs);
      EXPECT_NE(found.outputs.at("y"), std::vector<std::uint8_t>(found.outputs.at("y").size()));
      EXPECT_EQ(found.run.cycles, expected.run.cycles + 2) << "one cycle for each Configure";
    }
  }
}

TEST(DarwinnPackageDevice, DeviceAddressesAreThoseOfTheTensors) {
  const Model model = sample_model(1);
  const File file(pack(model, options()), "m.dwn1");
  TcuSimulation simulation(device_machine(model, Engine::fast));
  const PackageDevice device(simulation, {&file.package()}, 2);
  const std::uint64_t bytes = model.file.arch.vector_bytes();
  const Addresses second = device.addresses(0, 1);
  EXPECT_EQ(second.scratch, 0x10000U);
  EXPECT_EQ(second.inputs[0][0], 0x10000 + input_base * bytes);
  EXPECT_EQ(second.outputs[0][0], 0x10000 + output_base * bytes);
  EXPECT_EQ(second.parameters, 0U);
}

TEST(DarwinnPackageDevice, TwoModelsShareTheDevice) {
  const Model a = sample_model(1, 5), b = sample_model(2, 9);
  const File file_a(pack(a, cached_options(7)), "a.dwn1"),
      file_b(pack(b, cached_options(7)), "b.dwn1");
  TcuSimulation simulation(device_machine(a, Engine::fast));
  PackageDevice device(simulation, {&file_a.package(), &file_b.package()}, 1);
  for (int round = 0; round < 2; ++round) {
    for (unsigned p = 0; p < 2; ++p) {
      EXPECT_EQ(device.cache_parameters(p, {}).end, RunEnd::finished);
    }
    EXPECT_NE(device.addresses(0, 0).parameters, device.addresses(1, 0).parameters);
    for (unsigned i = 0; i < 4; ++i) {
      const Model& model = i % 2 == 0 ? a : b;
      const ImageResult found = device.run(i % 2, 0, device_image(model, i), {});
      const ImageResult expected = direct_run(model, Engine::fast, i);
      EXPECT_EQ(found.outputs, expected.outputs) << i;
      EXPECT_EQ(found.run.cycles, expected.run.cycles + 2);
    }
    device.evict();
  }
}

TEST(DarwinnPackageDevice, ConstantsInLocalMemoryAreLoadedAhead) {
  Model model = sample_model(1);
  model.file.load_consts_to_local = true;
  // Removes the program's first instruction, which transfers the constants.
  const tcu::InstructionLayout layout(model.file.arch);
  model.program.erase(model.program.begin(), model.program.begin() + layout.instruction_bytes());
  const File file(pack(model, cached_options()), "m.dwn1");
  EXPECT_TRUE(verify(file.package(), "m.dwn1").empty());
  TcuSimulation simulation(device_machine(model, Engine::fast));
  PackageDevice device(simulation, {&file.package()}, 1);
  EXPECT_EQ(device.cache_parameters(0, {}).end, RunEnd::finished);
  for (unsigned i = 0; i < 2; ++i) {
    const ImageResult found = device.run(0, 0, device_image(model, i), {});
    const ImageResult expected = direct_run(model, Engine::fast, i);
    EXPECT_EQ(found.outputs, expected.outputs);
    EXPECT_EQ(found.run.cycles, expected.run.cycles + 2);
  }
}

TEST(DarwinnPackageDevice, RunsTheSamplePackageOfTheSpecification) {
  DARWINN_NEEDS_GOLDEN("tcu_profile_a_copy.dwn1");
  const File file(golden_file("tcu_profile_a_copy.dwn1"));
  EXPECT_TRUE(verify(file.package(), "copy").empty());
  const Model model = packaged_model(file);
  TcuSimulation simulation(device_machine(model, Engine::fast));
  PackageDevice device(simulation, {&file.package()}, 1);
  // The input has 4 vectors of 8 lanes of 16 bits; the tensor uses 5 lanes.
  std::vector<std::uint8_t> input(64);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(i);
  std::vector<std::uint8_t> expected = input;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i % 16 >= 10) expected[i] = 0;
  }
  const ImageResult found = device.run(0, 0, {{"x", input}}, {});
  EXPECT_EQ(found.outputs.at("y"), expected);
}

TEST(DarwinnPackageDevice, ArenasBeyondTheBankAreRefused) {
  Model model = sample_model(1);
  const std::uint64_t depth = model.file.arch.dram0_depth;
  ASSERT_EQ(depth * model.file.arch.vector_bytes(), std::uint64_t{1} << 24);
  model.file.outputs[0].base = depth - vectors;
  const File file(pack(model, options()), "m.dwn1");
  TcuSimulation simulation(device_machine(model, Engine::fast));
  const std::vector<const Package*> packages(17, &file.package());
  try {
    const PackageDevice device(simulation, packages, 16);
    ADD_FAILURE() << "17 * 16 * 16 MiB in a bank of 4 GiB";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("no free block"), std::string::npos) << error.what();
  }
}

/// Changes random bytes. An accepted package runs to some end; any other package is refused.
TEST(DarwinnPackageDevice, ChangedPackagesAreRefusedOrRun) {
  const std::vector<std::uint8_t> sound = pack(sample_model(1), options());
  std::size_t ran = 0, refused = 0;
  for (const std::uint64_t seed : test_seeds(1, 400)) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> bytes = sound;
    for (std::uint64_t count = 1 + random() % 3; count > 0; --count) {
      std::size_t at = random() % bytes.size();
      // Prefers bytes other than 0, since most of the file is padding.
      while (bytes[at] == 0 && random() % 16 != 0) at = random() % bytes.size();
      bytes[at] = static_cast<std::uint8_t>(random() % 2 == 0 ? random()
                                                              : bytes[at] ^ (1U << random() % 8));
    }
    try {
      const File file(bytes, "m.dwn1");
      (void)verify(file.package(), "m.dwn1");
      if (!is_tcu(*file.package().main().chip)) continue;
      const Model model = packaged_model(file);
      TcuSimulation simulation(device_machine(model, Engine::fast));
      PackageDevice device(simulation, {&file.package()}, 2);
      TensorData inputs;
      for (const Tensor& tensor : tensors(model.file.inputs)) {
        inputs[tensor.name].resize(tensor.size * model.file.arch.vector_bytes());
      }
      TcuRunOptions limit;
      limit.max_cycles = 20000;
      if (file.package().caching() != nullptr) (void)device.cache_parameters(0, limit);
      (void)device.run(0, 1, inputs, limit);
      ++ran;
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(ran, 0U);
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace tactus::darwinn
