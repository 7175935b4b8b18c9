#include "isa/tcu/model_file.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isa/support/files.h"
#include "isa/support/names.h"
#include "tests/unit/isa/test_files.h"

namespace tactus::tcu {
namespace {

namespace fs = std::filesystem;

constexpr const char* sample =
    R"({"name":"m","prog":{"file_name":"m.tprog","size":12},)"
    R"("consts":[{"file_name":"m.tdata","base":0,"size":30}],)"
    R"("inputs":[{"name":"x:0","base":0,"size":10}],"outputs":[{"name":"y","base":10,"size":6}],)"
    R"("arch":{"data_type":"FP16BP8","array_size":8,"dram0_depth":16,"dram1_depth":32,)"
    R"("local_depth":64,"accumulator_depth":64,"simd_registers_depth":1,"stride0_depth":8,)"
    R"("stride1_depth":8,"number_of_threads":1,"thread_queue_depth":8},)"
    R"("load_consts_to_local":true})";

/// Returns the sample with `from` replaced by `to`.
std::string sample_with(const std::string& from, const std::string& to) {
  std::string text = sample;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string model_error(const std::string& text) {
  return error_of([&] { (void)parse_model_file(text, "m.tmodel"); });
}

TEST(ModelFile, ReadsEveryMember) {
  const ModelFile model = parse_model_file(sample, "m.tmodel");
  EXPECT_EQ(model.name, "m");
  EXPECT_EQ(model.prog, (ProgramEntry{"m.tprog", 12}));
  EXPECT_EQ(model.consts, (std::vector<ConstantsEntry>{{"m.tdata", 0, 30}}));
  EXPECT_EQ(model.inputs, (std::vector<TensorEntry>{{"x:0", 0, 10}}));
  EXPECT_EQ(model.outputs, (std::vector<TensorEntry>{{"y", 10, 6}}));
  EXPECT_EQ(model.arch.dram0_depth, 16U);
  EXPECT_EQ(model.arch.dram1_depth, 32U);
  EXPECT_EQ(model.load_consts_to_local, true);
}

TEST(ModelFile, WritesTheSameBytes) {
  EXPECT_EQ(to_json(parse_model_file(sample, "m.tmodel")), sample);
}

TEST(ModelFile, OldFilesLackSomeKeys) {
  std::string old = sample_with(R"(,"load_consts_to_local":true)", "");
  const auto drop = [&](const std::string& text) { old.erase(old.find(text), text.size()); };
  drop(R"(,"size":12)");
  drop(R"(,"number_of_threads":1,"thread_queue_depth":8)");
  const ModelFile model = parse_model_file(old, "m.tmodel");
  EXPECT_EQ(model.prog.size, std::nullopt);
  EXPECT_EQ(model.load_consts_to_local, std::nullopt);
  EXPECT_EQ(model.arch.number_of_threads, 1U);
  EXPECT_EQ(model.arch.thread_queue_depth, 8U);
  // Keys that were missing in the file are not written, except that an architecture is always
  // written completely.
  EXPECT_EQ(to_json(model).find("load_consts"), std::string::npos);
  EXPECT_NE(to_json(model).find("\"thread_queue_depth\":8"), std::string::npos);
}

TEST(ModelFile, OptionalKeysAreStillChecked) {
  EXPECT_EQ(model_error(sample_with(R"("size":12)", R"("size":-1)")),
            "m.tmodel:/prog/size: -1 is out of range; allowed 0 or more");
  EXPECT_EQ(model_error(sample_with(R"("number_of_threads":1)", R"("number_of_threads":3)")),
            "m.tmodel:/arch/number_of_threads: 3 is out of range; allowed 1..2");
  EXPECT_EQ(
      model_error(sample_with(R"("load_consts_to_local":true)", R"("load_consts_to_local":1)")),
      "m.tmodel:/load_consts_to_local: must be true or false, is a number");
}

TEST(ModelFile, LayersAreOptionalAndLast) {
  const std::string layers =
      R"(,"layers":[{"name":"conv1","first":0,"count":1},{"name":"fc","first":1,"count":1}]})";
  const auto with_layers = [&](const std::string& from, const std::string& to) {
    std::string text =
        sample_with(R"("load_consts_to_local":true})", R"("load_consts_to_local":true)" + layers);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string text = with_layers("fc", "fc");
  const ModelFile model = parse_model_file(text, "m.tmodel");
  EXPECT_EQ(model.layers, (std::vector<LayerEntry>{{"conv1", 0, 1}, {"fc", 1, 1}}));
  EXPECT_EQ(to_json(model), text);
  // The program has 12 / 6 = 2 instructions.
  EXPECT_EQ(model_error(with_layers(R"("first":1)", R"("first":2)")),
            "m.tmodel:/layers/1: \"fc\" ends at instruction 3; a program of 12 bytes "
            "(/prog/size) has 2");
  EXPECT_EQ(model_error(with_layers(R"("count":1)", R"("count":2)")),
            "m.tmodel:/layers/1/first: instruction 1 belongs to the layer before; allowed 2 or "
            "more");
  EXPECT_EQ(model_error(with_layers(R"("count":1)", R"("count":0)")),
            "m.tmodel:/layers/0/count: 0 is out of range; allowed 1 or more");
  EXPECT_EQ(model_error(with_layers(R"("first":1)", R"("first":18446744073709551615)")),
            "m.tmodel:/layers/1/count: first + count is beyond 64 bits");
  EXPECT_EQ(model_error(with_layers(R"("count":1)", R"("cuont":1)")),
            "m.tmodel:/layers/0/count: missing key\n"
            "m.tmodel:/layers/0/cuont: unknown key; did you mean \"count\"?");
}

TEST(ModelFile, AnyNumberOfConstantsIsFine) {
  const std::string entry = R"({"file_name":"m.tdata","base":0,"size":30})";
  EXPECT_TRUE(parse_model_file(sample_with(entry, ""), "m").consts.empty());
  const std::string two = entry + R"(,{"file_name":"n.tdata","base":30,"size":2})";
  EXPECT_EQ(parse_model_file(sample_with(entry, two), "m").consts.size(), 2U);
}

TEST(ModelFile, ConstantsLieInsideDram1) {
  const std::string range = R"("base":0,"size":30)";
  EXPECT_EQ(model_error(sample_with(range, R"("base":2,"size":30)")), "no error");
  EXPECT_EQ(model_error(sample_with(range, R"("base":32,"size":0)")), "no error");
  EXPECT_EQ(model_error(sample_with(range, R"("base":0,"size":33)")),
            "m.tmodel:/consts/0: constants larger than DRAM1: 33 vectors; DRAM1 holds 32");
  EXPECT_EQ(model_error(sample_with(range, R"("base":3,"size":30)")),
            "m.tmodel:/consts/0: constants outside DRAM1: base 3 and 30 vectors; DRAM1 holds 32");
  EXPECT_EQ(model_error(sample_with(range, R"("base":18446744073709551615,"size":1)")),
            "m.tmodel:/consts/0: constants outside DRAM1: base 18446744073709551615 and 1 vectors; "
            "DRAM1 holds 32");
}

TEST(ModelFile, TensorsLieInsideDram0) {
  EXPECT_EQ(model_error(sample_with(R"("base":0,"size":10)", R"("base":6,"size":10)")), "no error");
  EXPECT_EQ(model_error(sample_with(R"("base":0,"size":10)", R"("base":7,"size":10)")),
            "m.tmodel:/inputs/0: input \"x:0\" outside DRAM0: base 7 and 10 vectors; "
            "DRAM0 holds 16");
  EXPECT_EQ(model_error(sample_with(R"("base":10,"size":6)", R"("base":10,"size":17)")),
            "m.tmodel:/outputs/0: output \"y\" larger than DRAM0: 17 vectors; DRAM0 holds 16");
  EXPECT_EQ(model_error(sample_with(R"("base":10,"size":6)", R"("base":10,"size":0)")),
            "m.tmodel:/outputs/0/size: 0 is out of range; allowed 1 or more");
}

TEST(ModelFile, FileNamesAreBare) {
  const auto error = [](const std::string& name) {
    return model_error(sample_with("m.tprog", name));
  };
  EXPECT_EQ(error("..tprog"), "no error");
  EXPECT_EQ(error(""), "m.tmodel:/prog/file_name: the file name is empty");
  for (const std::string name : {"/m.tprog", "a/m.tprog", "..", ".", "../m.tprog"}) {
    EXPECT_EQ(error(name), "m.tmodel:/prog/file_name: \"" + name +
                               "\" is not a bare file name; allowed a file in the folder of the "
                               "model file, without any folder in its name");
  }
  EXPECT_NE(error("a\\\\m.tprog"), "no error");
  EXPECT_NE(error("m\\u0000"), "no error");
  EXPECT_NE(model_error(sample_with("m.tdata", "x/m.tdata")), "no error");
}

TEST(ModelFile, AllProblemsAtOnce) {
  EXPECT_EQ(model_error(R"({
    "name": 5, "prog": {"filename": "m.tprog"}, "consts": {},
    "inputs": [{"name": "x", "base": 0, "size": 17}, 7], "outputs": [],
    "arch": {"data_type":"FP16BP8","array_size":1,"dram0_depth":16,"dram1_depth":32,
      "local_depth":64,"accumulator_depth":64,"simd_registers_depth":1,"stride0_depth":8,
      "stride1_depth":8}, "load_const_to_local": false})"),
            "m.tmodel:/name: must be a string, is a number\n"
            "m.tmodel:/prog/file_name: missing key\n"
            "m.tmodel:/prog/filename: unknown key; did you mean \"file_name\"?\n"
            "m.tmodel:/consts: must be an array, is an object\n"
            "m.tmodel:/inputs/1: must be an object, is a number\n"
            "m.tmodel:/arch/array_size: 1 is out of range; allowed 2..256\n"
            "m.tmodel:/load_const_to_local: unknown key; did you mean \"load_consts_to_local\"?\n"
            "m.tmodel:/inputs/0: input \"x\" larger than DRAM0: 17 vectors; DRAM0 holds 16");
}

TEST(ModelFile, KeysThatCannotBeReadAreReportedOnce) {
  EXPECT_EQ(model_error("[]"), "m.tmodel: must be an object, is an array");
  EXPECT_EQ(model_error(sample_with(R"("dram0_depth":16)", R"("dram0_depth":0)")),
            "m.tmodel:/arch/dram0_depth: 0 is out of range; allowed 1..2^62");
  EXPECT_EQ(model_error(sample_with(R"("arch":{)", R"("architecture":{)")),
            "m.tmodel:/arch: missing key\nm.tmodel:/architecture: unknown key; allowed \"name\", "
            "\"prog\", \"consts\", \"inputs\", \"outputs\", \"arch\", \"load_consts_to_local\", "
            "\"resident\", \"layers\", \"board\", \"batch\"");
}

class ModelFileOnDisk : public ScratchFolder {};

TEST_F(ModelFileOnDisk, WhatIsWrittenReadsBack) {
  const ModelFile model = parse_model_file(sample, "m.tmodel");
  write_model_file(path("m.tmodel"), model);
  EXPECT_EQ(read_model_file(path("m.tmodel")), model);
  EXPECT_EQ(read_text(path("m.tmodel")), sample);
}

TEST_F(ModelFileOnDisk, WhatWouldNotReadBackIsNotWritten) {
  ModelFile model = parse_model_file(sample, "m.tmodel");
  model.inputs[0].size = 17;
  const std::string file = path("m.tmodel");
  EXPECT_EQ(error_of([&] { write_model_file(file, model); }),
            file + ":/inputs/0: input \"x:0\" larger than DRAM0: 17 vectors; DRAM0 holds 16");
  EXPECT_FALSE(fs::exists(file));
  model.inputs[0].size = 1;
  model.name = "\xff";
  write_model_file(file, model);
  EXPECT_EQ(read_model_file(file).name, "\xEF\xBF\xBD");  // U+FFFD
}

TEST(ModelFile, CompiledModelsAreRewrittenByteForByte) {
  const fs::path programs = shared_root() / "golden/tcu/programs";
  if (!fs::is_directory(programs)) GTEST_SKIP() << programs << " is not there";
  std::size_t files = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(programs)) {
    if (!folder.is_directory()) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(folder.path())) {
      if (file.path().extension() != ".tmodel") continue;
      ++files;
      const std::string name = file.path().string();
      const ModelFile model = read_model_file(name);
      EXPECT_EQ(to_json(model), read_text(name)) << name;
      ASSERT_EQ(model.consts.size(), 1U);
      EXPECT_EQ(fs::file_size(resolve_beside(name, model.prog.file_name)), model.prog.size);
      EXPECT_EQ(fs::file_size(resolve_beside(name, model.consts[0].file_name)),
                model.consts[0].size * model.arch.vector_bytes());
    }
  }
  EXPECT_GT(files, 0U);
}

RC_GTEST_PROP(ModelFile, WhatIsWrittenReadsBackWhateverTheNames, ()) {
  // Characters include quotes, control characters and other bytes that JSON must escape.
  const auto text = rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange<char>(' ', '\x7f'), rc::gen::element('"', '\n', '\0')));
  ModelFile model = parse_model_file(sample, "m");
  model.name = *text;
  model.prog.size.reset();
  if (*rc::gen::arbitrary<bool>())
    // a whole number of instructions
    model.prog.size = 6 * std::uint64_t{*rc::gen::arbitrary<std::uint32_t>()};
  model.inputs.clear();
  for (const auto& name : *rc::gen::container<std::vector<std::string>>(text)) {
    const auto base = *rc::gen::inRange<std::uint64_t>(0, 16);
    model.inputs.push_back({name, base, *rc::gen::inRange<std::uint64_t>(1, 17 - base)});
  }
  ModelFile expected = model;
  expected.name = printable_name(model.name);
  for (TensorEntry& input : expected.inputs) input.name = printable_name(input.name);
  RC_ASSERT(parse_model_file(to_json(model), "m") == expected);
}

}  // namespace
}  // namespace tactus::tcu
