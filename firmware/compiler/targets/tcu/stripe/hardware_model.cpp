#include "firmware/compiler/targets/tcu/stripe/hardware_model.h"

#include <string>

#include "isa/support/error.h"

namespace tactus::tcu {
namespace {

/// Size of a memory in KiB, rounded down.
std::uint64_t size_of(const std::string& name, std::uint64_t vectors, std::uint64_t bytes) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(vectors, bytes, &product)) {
    user_error("{}: {} vectors of {} bytes do not fit 64 bits", name, vectors, bytes);
  }
  if (product < 1024)
    user_error("{}: {} bytes; a memory of the model has at least 1 KiB", name, product);
  return product / 1024;
}

stripe::Bus bus(std::vector<std::string> sources, std::vector<std::string> sinks,
                std::uint64_t bytes_per_cycle) {
  stripe::Bus result;
  for (std::string& name : sources) result.sources.push_back({std::move(name), 0});
  for (std::string& name : sinks) result.sinks.push_back({std::move(name), 0});
  result.bytes_per_cycle = static_cast<double>(bytes_per_cycle);
  return result;
}

/// Stencil of the array: k rows, n columns, and m vectors that stream through. Activations are
/// contiguous in k, weights and results in n.
stripe::Stencil array_stencil(std::int64_t n) {
  stripe::Stencil stencil;
  stencil.startup_cost = n;
  stencil.indexes = {{"k", n, {0}, {1, -1}}, {"n", n, {1}, {0, 1}}, {"m", -1, {-1}, {-1, 0}}};
  return stencil;
}

}  // namespace

stripe::HardwareModel hardware_model(const Architecture& architecture,
                                     const ModelParameters& parameters) {
  const std::uint64_t n = architecture.array_size;
  const std::uint64_t vector = architecture.vector_bytes();
  stripe::HardwareModel model;
  model.arch = "tcu";
  model.clock_mhz = parameters.clock_mhz;
  model.mem_units["DRAM0"] = {1, size_of("DRAM0", architecture.dram0_depth, vector), true};
  model.mem_units["DRAM1"] = {1, size_of("DRAM1", architecture.dram1_depth, vector), true};
  model.mem_units["LOCAL"] = {1, size_of("LOCAL", architecture.local_depth, vector), false};
  model.mem_units["ACC"] = {1, size_of("ACC", architecture.accumulator_depth, vector), false};
  model.mem_units["WREG"] = {1, ((n + 1) * vector + 1023) / 1024, false};
  model.exec_units["ARRAY"] = {
      1, n * n, parameters.pipeline_depth, {array_stencil(static_cast<std::int64_t>(n))}};
  model.exec_units["SIMD"] = {1, n, 1, {}};
  for (const char* mover : {"DMA0", "DMA1", "ACCMOVE", "WLOAD"}) model.tx_units[mover] = {1};
  const std::uint64_t axi = parameters.axi_bytes;
  for (const std::string number : {"0", "1"}) {
    model.buses.push_back(bus({"DRAM" + number}, {"DMA" + number}, axi));
    model.buses.push_back(bus({"DMA" + number}, {"DRAM" + number}, axi));
  }
  // A port of LOCAL takes one request a cycle, reading or writing: one entry each.
  model.buses.push_back(bus({"LOCAL", "ACCMOVE"}, {"ARRAY", "WLOAD", "ACCMOVE", "LOCAL"}, vector));
  model.buses.push_back(bus({"LOCAL", "DMA0", "DMA1"}, {"DMA0", "DMA1", "LOCAL"}, vector));
  model.buses.push_back(bus({"WLOAD"}, {"WREG"}, vector));
  model.buses.push_back(bus({"WREG"}, {"ARRAY"}, n * vector));
  model.buses.push_back(bus({"ARRAY"}, {"ACC"}, vector));
  model.buses.push_back(bus({"ACC"}, {"SIMD", "ACCMOVE"}, vector));
  model.buses.push_back(bus({"SIMD", "ACCMOVE"}, {"ACC"}, vector));
  model.params = {{"ARRAY_SIZE", n},
                  {"ELEM_BYTES", vector / n},
                  {"VECTOR_BYTES", vector},
                  {"LOCAL_DEPTH", architecture.local_depth},
                  {"ACC_DEPTH", architecture.accumulator_depth},
                  {"DRAM0_DEPTH", architecture.dram0_depth},
                  {"DRAM1_DEPTH", architecture.dram1_depth},
                  {"SIMD_REGS", architecture.simd_registers_depth},
                  {"AXI_BYTES", axi},
                  {"CLOCK_MHZ", parameters.clock_mhz},
                  {"PIPELINE_DEPTH", parameters.pipeline_depth}};
  return model;
}

}  // namespace tactus::tcu
