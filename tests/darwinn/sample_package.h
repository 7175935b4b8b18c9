// A small valid package; each test changes one part of it.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

/// A package with the executables EXECUTION_ONLY and PARAMETER_CACHING for the chip beagle. It has
/// an input of 4 x 4 x 3 bytes, a tiled output of 2 x 4 x 3 bytes on 1 x 2 tiles, scratch memory
/// and parameters.
struct SamplePackage {
  SamplePackage();
  SamplePackage(const SamplePackage&) = delete;
  SamplePackage& operator=(const SamplePackage&) = delete;

  Executable& main() { return package.executables[0]; }
  Executable& caching() { return package.executables[1]; }
  Layer& input() { return main().inputs[0]; }
  Layer& output() { return main().outputs[0]; }
  /// Returns a table or shape that lives as long as this object.
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

/// Changes the sample to a STAND_ALONE package for a TCU with an 8 x 8 array: a Configure of both
/// DRAM offsets, then a copy of the input.
void make_tcu(SamplePackage& sample);

[[nodiscard]] Hint descriptor(std::int16_t direction, std::int16_t desc, std::int32_t offset,
                              std::int32_t size, std::string_view name = {});
[[nodiscard]] Hint instruction(std::int32_t chunk);
[[nodiscard]] Hint interrupt(std::int32_t number);
[[nodiscard]] Hint fence();

}  // namespace tactus::darwinn
