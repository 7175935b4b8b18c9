// A small valid package, which tests change in one place.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

/// Executables EXECUTION_ONLY and PARAMETER_CACHING for beagle: an input of 4 x 4 x 3 bytes, a
/// tiled output of 2 x 4 x 3 bytes on 1 x 2 tiles, scratch memory, parameters.
struct SamplePackage {
  SamplePackage();
  SamplePackage(const SamplePackage&) = delete;
  SamplePackage& operator=(const SamplePackage&) = delete;

  Executable& main() { return package.executables[0]; }
  Executable& caching() { return package.executables[1]; }
  Layer& input() { return main().inputs[0]; }
  Layer& output() { return main().outputs[0]; }
  /// Makes a table or shape that lives as long as the package.
  IntView ints(std::vector<std::int32_t> values) {
    tables.push_back(std::move(values));
    return tables.back();
  }
  Shape shape(std::vector<Range> ranges) {
    shapes.push_back(std::move(ranges));
    return shapes.back();
  }

  Package package;
  std::vector<std::uint8_t> code, parameters;
  std::string model;
  std::list<std::vector<std::int32_t>> tables;
  std::list<std::vector<Range>> shapes;
};

/// Changes it to a STAND_ALONE package for a TCU of 8 x 8: Configure of both DRAM offsets, then a
/// copy of its input.
void make_tcu(SamplePackage& sample);

[[nodiscard]] Hint descriptor(std::int16_t direction, std::int16_t desc, std::int32_t offset,
                              std::int32_t size, std::string_view name = {});
[[nodiscard]] Hint instruction(std::int32_t chunk);
[[nodiscard]] Hint interrupt(std::int32_t number);
[[nodiscard]] Hint fence();

}  // namespace tactus::darwinn
