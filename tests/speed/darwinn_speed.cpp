// Speed of package handling: loading and verifying the largest real model, linking it, and laying
// out outputs, compared with copying the same number of bytes.
#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "isa/darwinn/file.h"
#include "isa/darwinn/linker.h"
#include "isa/darwinn/relayout.h"
#include "isa/darwinn/verify.h"
#include "isa/support/files.h"
#include "tests/darwinn/golden.h"

namespace tactus::darwinn {
namespace {

std::string largest_model() {
  std::string largest;
  std::uintmax_t bytes = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(golden_file("tflite"), none)) {
    if (entry.path().extension() != ".tflite" || entry.file_size() <= bytes) continue;
    bytes = entry.file_size();
    largest = entry.path();
  }
  return largest;
}

void load_and_verify(benchmark::State& state, const std::string& path) {
  for (auto _ : state) {
    const File file(path);
    benchmark::DoNotOptimize(verify(file.package(), path));
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

void link_all(benchmark::State& state, const std::string& path) {
  const File file(path);
  const Executable& main = file.package().main();
  BuddyAllocator allocator(extended_start, extended_bytes);
  const Addresses addresses = allocate(main, allocator);
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < main.chunks.size(); ++i) {
      benchmark::DoNotOptimize(link(main, i, addresses));
      bytes += static_cast<std::int64_t>(main.chunks[i].code.size());
    }
  }
  state.SetBytesProcessed(bytes);
}

/// A tensor of 512 x 512 x z on 4 x 4 tiles, with z rounded up to a multiple of 4; the speed is in
/// bytes of the tensor per second.
struct Tiled {
  explicit Tiled(std::int32_t z) {
    constexpr std::int32_t size = 512, part = size / 4;
    const std::int32_t step = (z + 3) / 4 * 4;
    for (std::int32_t i = 0; i < size; ++i) {
      row_tile.push_back(i / part * 4);
      column_tile.push_back(i / part);
      x_local.push_back(i % part * step);
      y_local.push_back(i % part);
      row_size.push_back(part * step);
    }
    for (std::int32_t i = 0; i < 16; ++i) tile_start.push_back(i * part * part * step);
    layer.y = layer.x = size;
    layer.z = z;
    layer.size_bytes = size * size * step;
    layer.layout = TileLayout{row_tile, column_tile, tile_start, x_local, y_local, row_size};
  }
  std::vector<std::int32_t> row_tile, column_tile, tile_start, x_local, y_local, row_size;
  Layer layer;
};

void relayout(benchmark::State& state) {
  const Tiled tiled(static_cast<std::int32_t>(state.range(0)));
  const Relayout plan(tiled.layer);
  std::vector<std::uint8_t> device(static_cast<std::size_t>(tiled.layer.padded_bytes()), 1);
  std::vector<std::uint8_t> host(static_cast<std::size_t>(tiled.layer.actual_bytes()));
  for (auto _ : state) {
    plan.run(device.data(), host.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (tiled.layer.padded_bytes()));
}

void copy(benchmark::State& state) {
  const Tiled tiled(static_cast<std::int32_t>(state.range(0)));
  std::vector<std::uint8_t> device(static_cast<std::size_t>(tiled.layer.padded_bytes()), 1);
  std::vector<std::uint8_t> host(device.size());
  for (auto _ : state) {
    std::memcpy(host.data(), device.data(), device.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * tiled.layer.padded_bytes());
}

}  // namespace
}  // namespace tactus::darwinn

int main(int argc, char** argv) {
  using namespace tactus::darwinn;
  const std::string model = largest_model();
  if (!model.empty()) {
    const std::string name = std::filesystem::path(model).stem();
    benchmark::RegisterBenchmark(("load_and_verify/" + name).c_str(), load_and_verify, model);
    benchmark::RegisterBenchmark(("link/" + name).c_str(), link_all, model);
  }
  benchmark::RegisterBenchmark("relayout/z", relayout)
      ->Arg(1)
      ->Arg(3)
      ->Arg(17)
      ->Arg(19)
      ->Arg(21)
      ->Arg(64);
  benchmark::RegisterBenchmark("copy/z", copy)->Arg(1)->Arg(3)->Arg(17)->Arg(19)->Arg(21)->Arg(64);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
