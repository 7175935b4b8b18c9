#include "tests/darwinn/sample_package.h"

namespace tactus::darwinn {
namespace {

constexpr std::uint64_t token = 0x0123456789ABCDEF;

Field field(std::int16_t desc, std::int16_t position, std::int32_t bit,
            std::string_view name = {}) {
  return {Meta{desc, position, 0, name}, bit};
}

Layer layer(std::string_view name, AnyLayer kind, std::int32_t y, std::int32_t x, std::int32_t z,
            std::int32_t bytes) {
  Layer one;
  one.name = name;
  one.y = y;
  one.x = x;
  one.z = z;
  one.size_bytes = bytes;
  one.numerics = Numerics{128, 0.5F};
  one.kind = kind;
  one.has_value = true;
  return one;
}

Executable executable(std::int16_t type) {
  Executable one;
  one.name = "model";
  one.chip = "beagle";
  one.type = type;
  one.batch_size = 1;
  one.token = token;
  one.has_hints = true;
  one.fully_deterministic = true;
  return one;
}

}  // namespace

Hint descriptor(std::int16_t direction, std::int16_t desc, std::int32_t offset, std::int32_t size,
                std::string_view name) {
  Hint hint;
  hint.kind = HintKind::descriptor;
  hint.has_value = true;
  hint.direction = direction;
  hint.meta = Meta{desc, lower_32bit, 0, name};
  hint.offset = offset;
  hint.size = size;
  return hint;
}

Hint instruction(std::int32_t chunk) {
  Hint hint;
  hint.kind = HintKind::instruction;
  hint.has_value = true;
  hint.number = chunk;
  return hint;
}

Hint interrupt(std::int32_t number) {
  Hint hint;
  hint.kind = HintKind::interrupt;
  hint.has_value = true;
  hint.direction = outfeed;
  hint.number = number;
  return hint;
}

Hint fence() {
  Hint hint;
  hint.kind = HintKind::fence;
  hint.has_value = true;
  return hint;
}

SamplePackage::SamplePackage() {
  for (int i = 0; i < 16 * 16; ++i) code.push_back(static_cast<std::uint8_t>(i * 7));
  for (int i = 0; i < 5000; ++i) parameters.push_back(static_cast<std::uint8_t>(i * 3));
  package.min_runtime_version = 12;
  package.compiler_version = "test";

  Executable main_one = executable(execution_only);
  main_one.chunks.push_back(
      {ByteView(code.data(), 128),
       {field(parameter, lower_32bit, 70), field(parameter, upper_32bit, 198),
        field(scratch, lower_32bit, 326), field(darwinn::input, lower_32bit, 454, "in"),
        field(darwinn::input, upper_32bit, 582, "in")}});
  main_one.chunks.push_back({ByteView(code.data() + 128, 64),
                             {field(darwinn::output, lower_32bit, 70, "out"),
                              field(darwinn::output, upper_32bit, 198, "out")}});
  main_one.scratch_bytes = 256;
  main_one.parameters = ByteView(parameters.data(), 192);
  main_one.inputs.push_back(layer("in", AnyLayer::input, 4, 4, 3, 56));
  Layer out = layer("out", AnyLayer::output, 2, 4, 3, 32);
  out.layout = TileLayout{ints({0, 0}),       ints({0, 0, 1, 1}), ints({0, 16}),
                          ints({0, 4, 0, 4}), ints({0, 1}),       ints({8, 8, 8, 8})};
  out.shape = shape({{0, 0}, {0, 1}, {0, 3}, {0, 2}});
  main_one.outputs.push_back(out);
  main_one.hints = {instruction(0),
                    descriptor(infeed, darwinn::input, 0, 32, "in"),
                    descriptor(infeed, darwinn::input, 24, 32, "in"),
                    descriptor(infeed, parameter, 0, 192),
                    descriptor(outfeed, scratch, 0, 256),
                    fence(),
                    descriptor(infeed, scratch, 0, 256),
                    instruction(1),
                    descriptor(outfeed, darwinn::output, 0, 32, "out"),
                    interrupt(0)};
  package.executables.push_back(std::move(main_one));

  Executable caching_one = executable(parameter_caching);
  caching_one.chunks.push_back(
      {ByteView(code.data(), 64),
       {field(parameter, lower_32bit, 70), field(parameter, upper_32bit, 198)}});
  caching_one.parameters = parameters;
  caching_one.hints = {instruction(0), descriptor(infeed, parameter, 0, 5000), interrupt(0)};
  package.executables.push_back(std::move(caching_one));
}

void make_tcu(SamplePackage& sample) {
  sample.model =
      R"({"name": "copy", "prog": {"file_name": "", "size": 32}, "consts": [],
          "inputs": [{"name": "in", "base": 0, "size": 2}],
          "outputs": [{"name": "out", "base": 4, "size": 2}],
          "arch": {"data_type": "FP16BP8", "array_size": 8, "dram0_depth": 1048576,
                   "dram1_depth": 1048576, "local_depth": 8192, "accumulator_depth": 2048,
                   "simd_registers_depth": 1, "stride0_depth": 8, "stride1_depth": 8,
                   "number_of_threads": 1, "thread_queue_depth": 8}})";
  sample.code = {0, 0, 0, 0, 0, 0, 0, 0xF0, 4, 0, 0, 0, 0, 0, 0, 0xF0,
                 0, 0, 0, 0, 0, 0, 1, 0x20, 0, 0, 4, 0, 0, 0, 1, 0x21};
  sample.package.executables.pop_back();
  Executable& one = sample.main();
  one.type = stand_alone;
  one.chip = "tcu-artya7100t";
  one.token = 0;
  one.serialized_model =
      ByteView(reinterpret_cast<const std::uint8_t*>(sample.model.data()), sample.model.size());
  one.parameters = {};
  one.scratch_bytes = 6 * 16;
  one.chunks = {
      {sample.code, {field(scratch, lower_32bit, 4), field(parameter, lower_32bit, 64 + 4)}}};
  sample.input().y = sample.output().y = 1;
  sample.input().x = sample.output().x = 2;
  sample.input().z = sample.output().z = 5;
  sample.input().data_type = sample.output().data_type = signed_fixed_point16;
  sample.input().size_bytes = sample.output().size_bytes = 32;
  sample.output().shape.reset();
  sample.output().layout =
      TileLayout{sample.ints({0}),    sample.ints({0, 0}), sample.ints({0}),
                 sample.ints({0, 8}), sample.ints({0}),    sample.ints({16, 16})};
  one.hints = {descriptor(infeed, input, 0, 32, "in"), fence(), instruction(0),
               descriptor(outfeed, output, 0, 32, "out"), interrupt(0)};
}

}  // namespace tactus::darwinn
