// Models that share units compute what they do alone, bit for bit.
#include "firmware/serving/serve.h"
#include "firmware/config/memory.h"
#include "tests/serving/networks.h"

namespace tactus {
namespace {

ServedModel served(const std::string& name, const std::string& path, std::vector<unsigned> units,
                   MemoryModel memory) {
  ServedModel model;
  model.name = name;
  model.model = read_model(path, ProgramChecks::strict);
  static_cast<BoardValues&>(model.config) = model.model.file.board->values;
  model.config.architecture = model.model.file.arch;
  model.config.memory_model = memory;
  resolve_memory(model.config);
  model.units = std::move(units);
  std::uint8_t next = 1;
  for (const Tensor& input : tensors(model.model.file.inputs)) {
    std::vector<std::uint8_t> bytes(input.size * model.config.architecture.vector_bytes());
    // Values of a 16-bit type with 8 fraction bits: a high byte of 0 keeps them below 1.
    for (std::size_t i = 0; i < bytes.size(); i += 2) bytes[i] = next += 37;
    model.inputs[input.name] = bytes;
  }
  return model;
}

class ServeTest : public ServingTest {};

TEST_F(ServeTest, ModelsOnOneUnitHaveBanksOfTheirOwnAndTheirOwnConstants) {
  compile_networks();
  for (const MemoryModel memory : {MemoryModel::fixed, MemoryModel::board}) {
    for (const HostMode mode : {HostMode::plain, HostMode::driver}) {
      Serving serving;
      serving.models.push_back(served("A", folder_ / a_file, {0, 1}, memory));
      serving.models.push_back(served("B", folder_ / b_file, {0}, memory));
      serving.models.push_back(served("A2", folder_ / a_file, {0, 2}, memory));
      serving.units = 3;
      serving.images = 3;
      const ServingPlan plan = plan_serving(serving);
      ASSERT_EQ(plan.placed.size(), 5U);
      for (std::size_t i = 0; i < plan.placed.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
          const PlacedModel &one = plan.placed[i], &other = plan.placed[k];
          if (memory == MemoryModel::fixed && one.unit != other.unit) continue;
          for (const unsigned p : {0U, 1U}) {
            EXPECT_TRUE(one.bases[p] + one.bytes[p] <= other.bases[p] ||
                        other.bases[p] + other.bytes[p] <= one.bases[p])
                << i << " and " << k;
          }
        }
      }
      RunRequest request;
      request.mode = mode;
      TcuMachines machines(plan.units);
      ServingResult result;
      ASSERT_FALSE(serve(serving, plan, machines, request, {}, result).has_value());
      ASSERT_EQ(result.requests.size(), 9U);
      EXPECT_GT(result.units[0].entering, 0U);
      EXPECT_EQ(result.units[1].entering, 0U) << "it has one model";
      for (unsigned m = 0; m < 3; ++m) {
        const ServedModel& model = serving.models[m];
        const ImageResult alone = run_once(model.config, model.model, model.inputs, request, {});
        EXPECT_TRUE(result.models[m].outputs == alone.outputs) << model.name;
        EXPECT_FALSE(alone.outputs.empty());
      }
    }
  }
}

TEST_F(ServeTest, AProgramThatMovesItsWindowIsRefused) {
  compile_networks();
  Serving serving;
  for (const char* name : {"A", "B"}) {
    serving.models.push_back(served(name, folder_ / a_file, {0}, MemoryModel::fixed));
  }
  Model& model = serving.models[1].model;
  const tcu::InstructionLayout layout(model.file.arch);
  model.program = tcu::encode_program(
      layout, {tcu::make_configure(layout, tcu::ConfigRegister::dram1_offset, 1)});
  try {
    (void)plan_serving(serving);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("sets the offset of a DRAM bank to 1"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tactus
