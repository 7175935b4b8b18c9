// One changed package for each refusal. Each refusal has the right code, and a message that names
// file, executable, index and value.
#include <functional>

#include <gtest/gtest.h>

#include "isa/darwinn/file.h"
#include "isa/darwinn/relayout.h"
#include "isa/darwinn/verify.h"
#include "isa/darwinn/writer.h"
#include "tests/darwinn/sample_package.h"

namespace tactus::darwinn {
namespace {

using Change = std::function<void(SamplePackage&)>;

struct Row {
  Code code;
  std::string says;  ///< text that the message must contain
  Change change;
  VerifyOptions options = {};
};

/// Returns the text of the refusal; empty if the package is accepted.
std::string refusal(const std::vector<std::uint8_t>& bytes, Code code,
                    const VerifyOptions& options = {}) {
  try {
    const File file(bytes, "f.dwn1");
    (void)verify(file.package(), "f.dwn1", options);
  } catch (const PackageError& error) {
    EXPECT_EQ(name(error.code()), name(code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

void expect_refused(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{}: {}", name(row.code), row.says));
    SamplePackage sample;
    row.change(sample);
    const std::string text = refusal(write_package(sample.package), row.code, row.options);
    EXPECT_EQ(text.find("f.dwn1: " + std::string(name(row.code)) + ": "), 0U) << text;
    EXPECT_NE(text.find(row.says), std::string::npos) << text;
  }
}

TEST(DarwinnRefusals, TheSamplesAreSound) {
  SamplePackage sample;
  const File file(write_package(sample.package), "f.dwn1");
  EXPECT_TRUE(verify(file.package(), "f.dwn1").empty());
  SamplePackage tcu;
  make_tcu(tcu);
  const File other(write_package(tcu.package), "f.dwn1");
  EXPECT_TRUE(verify(other.package(), "f.dwn1").empty());
}

// ---- container ----------------------------------------------------------------------------------

TEST(DarwinnRefusals, EachLevelOfAFileHasItsRefusal) {
  const SamplePackage sample;
  const auto good = write_package(sample.package);
  auto bytes = good;
  bytes[4] = 'X';
  EXPECT_NE(refusal(bytes, Code::magic).find("\"XWN1\""), std::string::npos);
  refusal({1, 2, 3}, Code::truncated);
  bytes = good;
  bytes.resize(5000);
  refusal(bytes, Code::verify_package);
  const auto damaged = [&](std::size_t at) {
    auto copy = good;
    for (std::size_t i = 0; i < 4; ++i) copy[at + i] = 0xFF;  // offset of the root table
    return copy;
  };
  refusal(damaged(0), Code::verify_package);
  refusal(damaged(4096), Code::verify_multi);
  refusal(damaged(8192), Code::verify_executable);
}

TEST(DarwinnRefusals, Package) {
  expect_refused({
      {Code::version, "min_runtime_version 15",
       [](auto& s) { s.package.min_runtime_version = 15; }},
      {Code::multi_chip, "-1", [](auto& s) { s.package.virtual_chip_id = -1; }},
      {Code::multi_chip, "2 packages", [](auto& s) { s.package.multi_chip_packages = 2; }},
      {Code::empty, "serialized_multi_executable", [](auto& s) { s.package.executables.clear(); }},
      {Code::duplicate_type, "EXECUTION_ONLY", [](auto& s) { s.caching().type = execution_only; }},
      {Code::combination, "STAND_ALONE", [](auto& s) { s.main().type = stand_alone; }},
      {Code::type, "type 3", [](auto& s) { s.main().type = 3; }},
      {Code::type, "type -1", [](auto& s) { s.main().type = -1; }},
      {Code::batch, "batch_size 0", [](auto& s) { s.main().batch_size = 0; }},
      {Code::batch, "batch_size 2; allowed for tcu-artya7100t: 1",
       [](auto& s) { make_tcu(s), s.main().batch_size = 2; }},
      {Code::chip, "no chip", [](auto& s) { s.main().chip.reset(); }},
      {Code::chip, "\"eagle\"", [](auto& s) { s.main().chip = "eagle"; }},
      {Code::chip, "another executable", [](auto& s) { s.caching().chip = "beagle_fpga"; }},
      {Code::chip,
       "the unit is \"tcu-pynqz1\"",
       [](auto& s) { make_tcu(s); },
       {"tcu-pynqz1", false, 0, false}},
      {Code::signature,
       "3 bytes",
       [](auto& s) { s.package.signature = ByteView(s.code.data(), 3); },
       {"", true, 0, false}},
      {Code::token, "token 0", [](auto& s) { s.caching().token = s.main().token = 0; }},
      {Code::token_pair, "0x7", [](auto& s) { s.main().token = 7; }},
      {Code::execution_only_alone, "0x123456789abcdef",
       [](auto& s) { s.package.executables.pop_back(); }},
  });
}

TEST(DarwinnRefusals, SomeFaultsAreWarnings) {
  const auto warnings = [](const Change& change, const VerifyOptions& options = {}) {
    SamplePackage sample;
    change(sample);
    const File file(write_package(sample.package), "f.dwn1");
    std::vector<Code> codes;
    for (const Warning& warning : file.warnings()) codes.push_back(warning.code);
    for (const Warning& warning : verify(file.package(), "f.dwn1", options)) {
      codes.push_back(warning.code);
    }
    return codes;
  };
  using Codes = std::vector<Code>;
  EXPECT_EQ(warnings([](auto& s) { s.package.min_runtime_version = 9; }), Codes{Code::version});
  EXPECT_EQ(warnings([](auto& s) { s.main().version = 1; }), Codes{Code::version});
  EXPECT_EQ(warnings([](auto& s) { s.caching().version = -1; }), Codes{Code::version});
  EXPECT_EQ(warnings([](auto& s) { s.package.keypair_version = 2; }), Codes{Code::version});
  EXPECT_EQ(warnings([](auto& s) { s.main().estimated_cycles_64bit = -1; }), Codes{Code::limit});
  EXPECT_EQ(warnings([](auto& s) { s.main().parameters_in_dram = true; }), Codes{Code::dram});
  EXPECT_EQ(warnings([](auto& s) { s.input().cache_on_dram = true; }), Codes{Code::dram});
  EXPECT_EQ(warnings([](auto& s) {
              s.main().chunks[0].fields.resize(3);
              s.main().fully_deterministic = false;
              s.main().hints = {instruction(0)};
            }),
            Codes{Code::unused_input});
  // These give no warning: parameters already on the chip; a signature that is not checked; a
  // caching executable alone.
  EXPECT_EQ(warnings([](auto& s) { s.package.executables.pop_back(); },
                     {"", false, 0x0123456789ABCDEF, false}),
            Codes{});
  EXPECT_EQ(warnings([](auto& s) { s.package.signature = ByteView(s.code.data(), 3); }), Codes{});
  EXPECT_EQ(warnings([](auto& s) {
              s.package.executables.erase(s.package.executables.begin());
              s.package.executables[0].token = 0;
            }),
            Codes{});
}

TEST(DarwinnRefusals, AnyOfTheFourInterruptsEndsARequest) {
  for (const std::int32_t number : {0, 1, 2, 3}) {
    SamplePackage sample;
    sample.main().hints.back().number = number;
    const File file(write_package(sample.package), "f.dwn1");
    EXPECT_TRUE(verify(file.package(), "f.dwn1").empty()) << number;
    EXPECT_EQ(file.package().main().hints.back().number, number);
  }
}

// ---- instructions -------------------------------------------------------------------------------

TEST(DarwinnRefusals, Code) {
  const auto meta = [](SamplePackage& s, std::size_t field) -> Meta& {
    return *s.main().chunks[0].fields[field].meta;
  };
  expect_refused({
      {Code::no_code, "no instructions", [](auto& s) { s.main().chunks.clear(); }},
      {Code::no_code, "chunk 1", [](auto& s) { s.main().chunks[1].code = {}; }},
      {Code::chunk_size, "120 bytes",
       [](auto& s) { s.main().chunks[0].code = ByteView(s.code.data(), 120); }},
      {Code::chunk_size, "28 bytes",
       [](auto& s) {
         make_tcu(s);
         s.main().chunks[0].code = ByteView(s.code.data(), 28);
       }},
      {Code::field_range, "field 4: 32 bits from bit 993",
       [](auto& s) { s.main().chunks[0].fields[4].offset_bit = 128 * 8 - 31; }},
      {Code::field_range, "bit -1", [](auto& s) { s.main().chunks[0].fields[4].offset_bit = -1; }},
      {Code::field_meta, "no meta", [](auto& s) { s.main().chunks[0].fields[0].meta.reset(); }},
      {Code::field_meta, "desc 4", [=](auto& s) { meta(s, 0).desc = 4; }},
      {Code::field_meta, "position 2", [=](auto& s) { meta(s, 0).position = 2; }},
      {Code::field_meta, "without the name", [=](auto& s) { meta(s, 3).name.reset(); }},
      {Code::field_meta, "no input layer \"inn\"", [=](auto& s) { meta(s, 3).name = "inn"; }},
      {Code::field_meta, "batch 1", [=](auto& s) { meta(s, 3).batch = 1; }},
      {Code::field_meta, "batch 1 of SCRATCH", [=](auto& s) { meta(s, 2).batch = 1; }},
      {Code::link_duplicate, "bits 70 and 101",
       [](auto& s) { s.main().chunks[0].fields[1].offset_bit = 101; }},
      {Code::field_units, "UPPER_32BIT",
       [=](auto& s) {
         make_tcu(s);
         meta(s, 0).position = upper_32bit;
       }},
      {Code::field_units, "bit 5 of instruction 0",
       [](auto& s) {
         make_tcu(s);
         s.main().chunks[0].fields[0].offset_bit = 5;
       }},
      {Code::field_units, "Configure of register 0x4",
       [=](auto& s) {
         make_tcu(s);
         meta(s, 1).desc = scratch;
       }},
      {Code::field_units, "opcode 0x2",
       [](auto& s) {
         make_tcu(s);
         s.main().chunks[0].fields[0].offset_bit = 2 * 64 + 4;
       }},
  });
}

// ---- hints --------------------------------------------------------------------------------------

TEST(DarwinnRefusals, Hints) {
  const auto hint = [](SamplePackage& s, std::size_t i) -> Hint& { return s.main().hints[i]; };
  const auto insert = [](SamplePackage& s, std::size_t at, const Hint& one) {
    s.main().hints.insert(s.main().hints.begin() + static_cast<std::ptrdiff_t>(at), one);
  };
  const auto erase = [](SamplePackage& s, std::size_t at) {
    s.main().hints.erase(s.main().hints.begin() + static_cast<std::ptrdiff_t>(at));
  };
  VerifyOptions usb;
  usb.needs_hints = true;
  expect_refused({
      {Code::hint_none, "hint 5: any_hint type 0",
       [=](auto& s) { hint(s, 5).kind = HintKind::none, hint(s, 5).has_value = false; }},
      {Code::hint_none, "type 5", [=](auto& s) { hint(s, 5).kind = static_cast<HintKind>(5); }},
      {Code::hint_none, "without a value", [=](auto& s) { hint(s, 5).has_value = false; }},
      {Code::hint_range, "hint 1: 32 bytes from -8", [=](auto& s) { hint(s, 1).offset = -8; }},
      {Code::hint_range, "hint 1: 0 bytes", [=](auto& s) { hint(s, 1).size = 0; }},
      {Code::hint_range, "hint 1: -1 bytes", [=](auto& s) { hint(s, 1).size = -1; }},
      {Code::hint_range, "hint 2: 33 bytes from 24 on; the padded input has 56",
       [=](auto& s) { hint(s, 2).size = 33; }},
      {Code::hint_range, "the block of parameters has 192",
       [=](auto& s) { hint(s, 3).size = 193; }},
      {Code::hint_range, "scratch memory has 256", [=](auto& s) { hint(s, 4).size = 257; }},
      {Code::hint_range, "the padded output has 32", [=](auto& s) { hint(s, 8).size = 33; }},
      {Code::hint_range, "2147483647 bytes",
       [=](auto& s) { hint(s, 8).size = hint(s, 8).offset = 2147483647; }},
      {Code::hint_chunk, "chunk 2; allowed 0..1", [=](auto& s) { hint(s, 7).number = 2; }},
      {Code::hint_chunk, "chunk -1", [=](auto& s) { hint(s, 7).number = -1; }},
      {Code::hint_order, "chunk 0 behind chunk 0", [=](auto& s) { hint(s, 7).number = 0; }},
      {Code::hint_order, "chunk 1 is never sent", [=](auto& s) { erase(s, 7); }},
      {Code::hint_order, "interrupt 0 ends", [=](auto& s) { insert(s, 5, interrupt(0)); }},
      {Code::hint_order, "the last hint", [=](auto& s) { erase(s, 9); }},
      {Code::hint_order, "first hint must be", [=](auto& s) { insert(s, 0, fence()); }},
      {Code::hint_order, "without a fence between",
       [=](auto& s) {
         make_tcu(s);
         insert(s, 3, descriptor(infeed, input, 0, 32, "in"));
       }},
      {Code::hint_order, "no fence before chunk 0",
       [=](auto& s) {
         make_tcu(s);
         erase(s, 1);
       }},
      {Code::hint_direction, "OUTFEED of PARAMETER",
       [=](auto& s) { hint(s, 3).direction = outfeed; }},
      {Code::hint_direction, "INFEED of OUTPUT", [=](auto& s) { hint(s, 8).direction = infeed; }},
      {Code::hint_direction, "direction 2", [=](auto& s) { hint(s, 8).direction = 2; }},
      {Code::hint_cover, "byte 20 of input", [=](auto& s) { hint(s, 1).size = 20; }},
      {Code::hint_cover, "byte 31 of output", [=](auto& s) { hint(s, 8).size = 31; }},
      {Code::hint_cover, "byte 0 of the parameters", [=](auto& s) { erase(s, 3); }},
      {Code::not_deterministic, "which this link needs",
       [](auto& s) { s.main().fully_deterministic = false; }, usb},
      {Code::not_deterministic, "no DMA hints",
       [](auto& s) {
         s.main().has_hints = false;
         s.main().fully_deterministic = false;
       }},
      {Code::interrupt, "interrupt 4", [=](auto& s) { hint(s, 9).number = 4; }},
      {Code::scratch, "scratch_size_bytes is 0", [](auto& s) { s.main().scratch_bytes = 0; }},
      {Code::scratch, "scratch_size_bytes -1", [](auto& s) { s.main().scratch_bytes = -1; }},
      {Code::parameters_missing, "hint 3", [](auto& s) { s.main().parameters = {}; }},
      {Code::field_meta, "hint 1: there is no input layer",
       [=](auto& s) { hint(s, 1).meta->name = "x"; }},
      {Code::field_meta, "hint 1: the descriptor has no meta",
       [=](auto& s) { hint(s, 1).meta.reset(); }},
  });
}

// ---- layers -------------------------------------------------------------------------------------

/// Gives the sample an output of two slices that split x.
void slice(SamplePackage& s) {
  Layer& out = s.output();
  out.has_shape_info = true;
  out.layout.reset();
  out.slices = {{s.shape({{0, 0}, {0, 1}, {0, 1}, {0, 2}}), s.ints({16, 8, 4, 1})},
                {s.shape({{0, 0}, {0, 1}, {2, 3}, {0, 2}}), s.ints({16, 8, 4, 1})}};
  out.slice_offsets = s.ints({0, 16});
}

TEST(DarwinnRefusals, Layers) {
  expect_refused({
      {Code::layer, "no name", [](auto& s) { s.input().name.reset(); }},
      {Code::layer, "second output layer",
       [](auto& s) { s.main().outputs.push_back(s.main().outputs[0]); }},
      {Code::layer, "input layer 0 (in): x_dim 0", [](auto& s) { s.input().x = 0; }},
      {Code::layer, "y_dim -4", [](auto& s) { s.input().y = -4; }},
      {Code::layer, "numerics", [](auto& s) { s.input().numerics.reset(); }},
      {Code::layer, "data_type 6", [](auto& s) { s.input().data_type = 6; }},
      {Code::layer, "data_type 10", [](auto& s) { s.input().data_type = 10; }},
      {Code::layer, "must be an OutputLayer", [](auto& s) { s.output().kind = AnyLayer::input; }},
      {Code::layer, "must be an InputLayer", [](auto& s) { s.input().kind = AnyLayer::output; }},
      {Code::layer, "execution_count_per_inference 0", [](auto& s) { s.input().executions = 0; }},
      {Code::layer_size, "need 48 bytes, size_bytes gives 40",
       [](auto& s) { s.input().size_bytes = 40; }},
      {Code::layer_size, "size_bytes 0", [](auto& s) { s.input().size_bytes = 0; }},
      {Code::layer_size, "more than 2147483647 bytes",
       [](auto& s) { s.input().y = s.input().x = s.input().z = 65536; }},
      {Code::layer_size, "its shape has 12 elements",
       [](auto& s) {
         s.output().shape = s.shape({{0, 1}, {0, 1}, {0, 2}});
       }},
      {Code::layer_size, "dimension 1 of its shape is 1..0",
       [](auto& s) {
         s.output().shape = s.shape({{0, 0}, {1, 0}});
       }},
      {Code::layout, "without a layout", [](auto& s) { s.output().layout.reset(); }},
      {Code::layout, "table x to tile has 3 entries; needed: 4",
       [](auto& s) {
         s.output().layout->column_tile = s.ints({0, 0, 1});
       }},
      {Code::layout, "there are 2 tiles",
       [](auto& s) {
         s.output().layout->column_tile = s.ints({0, 0, 1, 2});
       }},
      {Code::layout, "reaches to byte 35",
       [](auto& s) {
         s.output().layout->x_local = s.ints({0, 4, 0, 8});
       }},
      {Code::layout, "entry 1 of table y to row is -1",
       [](auto& s) {
         s.output().layout->y_local = s.ints({0, -1});
       }},
      {Code::layout, "a batch of 2",
       [](auto& s) {
         s.output().shape = s.shape({{0, 1}, {0, 1}, {0, 3}, {0, 2}});
         s.output().size_bytes = 64;
       }},
      {Code::executions_tiled, "tiled output", [](auto& s) { s.output().executions = 2; }},
      {Code::executions_tiled, "sliced output",
       [](auto& s) {
         slice(s);
         s.output().executions = 2;
       }},
      {Code::slice, "2 slice layouts and 1 slice offsets",
       [](auto& s) {
         slice(s);
         s.output().slice_offsets = s.ints({0});
       }},
      {Code::slice, "3 ranges and 4 strides",
       [](auto& s) {
         slice(s);
         s.output().slices[1].shape = s.shape({{0, 1}, {2, 3}, {0, 2}});
       }},
      {Code::slice, "2..4; allowed within 0..3",
       [](auto& s) {
         slice(s);
         s.output().slices[1].shape = s.shape({{0, 0}, {0, 1}, {2, 4}, {0, 2}});
       }},
      {Code::slice, "stride 7; needed: 8",
       [](auto& s) {
         slice(s);
         s.output().slices[0].stride = s.ints({16, 7, 4, 1});
       }},
      {Code::slice, "offset 1; allowed: multiples of 2",
       [](auto& s) {
         slice(s);
         s.output().data_type = fixed_point16;
         s.output().size_bytes = 64;
         s.output().slice_offsets = s.ints({1, 32});
       }},
      {Code::slice, "reaches to byte 39; the buffer has 32",
       [](auto& s) {
         slice(s);
         s.output().slice_offsets = s.ints({0, 24});
       }},
      {Code::slice, "have 18 elements, the tensor 24",
       [](auto& s) {
         slice(s);
         s.output().slices[1].shape = s.shape({{0, 0}, {0, 1}, {3, 3}, {0, 2}});
       }},
      {Code::slice, "an element in common",
       [](auto& s) {
         slice(s);
         s.output().slices[1].shape = s.shape({{0, 0}, {0, 1}, {1, 2}, {0, 2}});
       }},
      {Code::limit, "layers in batches of", [](auto& s) { s.main().batch_size = 1 << 20; }},
  });
}

TEST(DarwinnRefusals, TcuModels) {
  const auto replace = [](SamplePackage& s, const std::string& from, const std::string& to) {
    make_tcu(s);
    s.model.replace(s.model.find(from), from.size(), to);
    s.main().serialized_model =
        ByteView(reinterpret_cast<const std::uint8_t*>(s.model.data()), s.model.size());
  };
  expect_refused({
      {Code::architecture, "syntax", [=](auto& s) { replace(s, "{", "["); }},
      {Code::architecture, "is empty",
       [](auto& s) {
         make_tcu(s);
         s.main().serialized_model = {};
       }},
      {Code::architecture, "outside DRAM0",
       [=](auto& s) { replace(s, "\"base\": 4", "\"base\": 1048575"); }},
      {Code::architecture, "ends at vector 6; scratch memory of 80 bytes has 5",
       [](auto& s) {
         make_tcu(s);
         s.main().scratch_bytes = 80;
       }},
      {Code::architecture, "allowed: types of 1 bytes as FP8BP4",
       [=](auto& s) { replace(s, "FP16BP8", "FP8BP4"); }},
      {Code::architecture, "overlap in DRAM0",
       [=](auto& s) { replace(s, "\"base\": 4", "\"base\": 1"); }},
      {Code::architecture, "\"inn\" is not among",
       [=](auto& s) { replace(s, "\"in\"", "\"inn\""); }},
      {Code::architecture, "has 3 vectors",
       [=](auto& s) { replace(s, "\"base\": 4, \"size\": 2", "\"base\": 4, \"size\": 3"); }},
  });
}

TEST(DarwinnRefusals, UserBuffers) {
  SamplePackage sample;
  EXPECT_NO_THROW(check_input_bytes(sample.input(), 48, "x.bin"));
  EXPECT_NO_THROW(check_input_bytes(sample.input(), 56, "x.bin"));
  EXPECT_NO_THROW(check_output_bytes(sample.output(), 24, "y.bin"));
  EXPECT_THROW(check_input_bytes(sample.input(), 50, "x.bin"), PackageError);
  EXPECT_THROW(check_output_bytes(sample.output(), 32, "y.bin"), PackageError);
}

}  // namespace
}  // namespace tactus::darwinn
