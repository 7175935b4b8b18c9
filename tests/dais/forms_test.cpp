// Files of every form, text output, samples and cost.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/dais/binary.h"
#include "isa/dais/cost.h"
#include "isa/dais/disassembler.h"
#include "isa/dais/executor.h"
#include "isa/dais/fast_executor.h"
#include "isa/dais/file.h"
#include "isa/dais/json.h"
#include "isa/dais/samples_file.h"
#include "isa/support/error.h"
#include "tests/dais/golden.h"

namespace tactus::dais {
namespace {

template <typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string json_refusal(const std::string& text) {
  return refusal([&] { (void)decode_json(text, Dialect::v1, "F"); });
}

// ---- reading and writing ------------------------------------------------------------------------

TEST(DaisForms, GoldenBinariesAreWrittenAsTheyWere) {
  std::size_t files = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    for (const std::string& from : golden.files) {
      const File file = read_file(golden.binary(from), std::nullopt);
      for (const std::string& to : golden.files) {
        const Bytes bytes = encode_file(file, static_cast<Form>(dialect_named(to)), "F");
        EXPECT_TRUE(bytes == tactus::read_file(golden.binary(to))) << golden.name;
        ++files;
      }
    }
    const File json = read_file(golden.path("comb.json"), std::nullopt);
    for (const std::string& to : golden.files) {
      const Bytes bytes = encode_file(json, static_cast<Form>(dialect_named(to)), "F");
      EXPECT_TRUE(bytes == tactus::read_file(golden.binary(to))) << golden.name;
      ++files;
    }
  }
  EXPECT_EQ(files, 24U * 12 + 2 + 6 + 2);
}

/// Removes a null 9th element. In a program without tables it may be null or missing; encode_file()
/// leaves it out.
std::string without_null(std::string text) {
  for (std::size_t at; (at = text.find(",null]")) != std::string::npos;) text.erase(at, 5);
  return text;
}

TEST(DaisForms, GoldenJsonIsWrittenAsItWas) {
  std::size_t equal = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    const std::string text = read_text(golden.path("comb.json"));
    const File file = parse_file({text.begin(), text.end()}, std::nullopt, "F");
    const Bytes bytes = encode_file(file, Form::json, "F");
    // These files have packed words as unsigned numbers; encode_file() writes signed numbers.
    if (golden.name == "f01_fuzz64" || golden.name == "f02_fuzz256") continue;
    EXPECT_TRUE(std::string(bytes.begin(), bytes.end()) == without_null(text)) << golden.name;
    ++equal;
    if (!golden.entry->contains("pipeline")) continue;
    const std::string pipeline =
        read_text(golden_path(golden.entry->at("pipeline").at("path").get<std::string>()));
    const std::string again = encode_json(decode_json(pipeline, Dialect::v1, "F"), "F");
    EXPECT_TRUE(again == without_null(pipeline)) << golden.name;
    ++equal;
  }
  EXPECT_EQ(equal, 25U + 6U);
}

TEST(DaisForms, JsonFromBinaryComputesTheSame) {
  for (const GoldenProgram& golden : golden_programs()) {
    const std::string& dialect = golden.files.back();
    const File file = read_file(golden.binary(dialect), std::nullopt);
    const Program& program = file.pipeline.stages.front();
    const std::string text = encode_json(program, "F");
    const Pipeline again = decode_json(text, program.dialect, "again");
    EXPECT_TRUE(encode_binary(again.stages.front(), program.dialect, "F") ==
                tactus::read_file(golden.binary(dialect)))
        << golden.name;
  }
}

TEST(DaisForms, AProgramThatAFormCannotExpressIsRefused) {
  const auto write = [](const char* name, Form form) {
    const File file = read_file(golden_path(name), std::nullopt);
    return refusal([&] { (void)encode_file(file, form, "F"); });
  };
  EXPECT_EQ(write("prog/n01_lut_sin/prog.v0.bin", Form::seed).substr(0, 72),
            "F, as dialect seed:operation 8: opcode 8 needs dialect v0; this is seed\n");
  EXPECT_EQ(write("prog/n03_bitops/prog.v1.bin", Form::v0).substr(0, 69),
            "F, as dialect v0:operation 16: opcode 9 needs dialect v1; this is v0\n");
  EXPECT_EQ(write("pipe/c01_cmvm8x8_w4.json", Form::v1),
            "F: dialect v1 holds one program, not a pipeline; allowed json");
}

TEST(DaisForms, AConversionThatMayChangeAMuxIsNoted) {
  const File file = read_file(golden_path("prog/q02_mux_wrap/prog.seed.bin"), std::nullopt);
  const Program& program = file.pipeline.stages.front();
  const std::vector<std::string> notes = conversion_notes(program, Dialect::v1);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes[0],
            "operation 3: an operand of the mux may not fit its 7 bits; dialect seed keeps it, v0 "
            "and v1 cut it");
  EXPECT_TRUE(conversion_notes(program, Dialect::seed).empty());
}

// ---- JSON errors --------------------------------------------------------------------------------

TEST(DaisJson, ErrorsNameThePlace) {
  EXPECT_EQ(json_refusal(""), "F: the file is empty");
  EXPECT_EQ(json_refusal("[1,\n2,]").substr(0, 18), "F:2:3: syntax erro");
  EXPECT_EQ(json_refusal("{}"), "F: the program is an object; an array is needed");
  EXPECT_EQ(json_refusal("[1,2]"), "F: the program has 2 elements; 8..9 are needed");
  EXPECT_EQ(json_refusal("[[1,1],[0],[0],[0],[false],[[0,-1,-1,0,[-1.0,1.0,0.3],0,0]],-1,-1]"),
            "F:/5/0/4: [-1, 1, 0.3] is no interval; needed: finite min <= max, and a step that is "
            "a power of two");
  EXPECT_EQ(json_refusal("[[1,1],[0],[0],[0],[7],[[0,-1,-1.5,0,[-1.0,1.0,1],0,\"a\"]],-1,-1]"),
            "F:/4/0: the output negation is an integer; a boolean is needed\n"
            "F:/5/0/2: the opcode is a number; an integer is needed\n"
            "F:/5/0/6: the cost is a string; a number is needed");
  EXPECT_EQ(json_refusal("[[1,1],[0],[0],[0],[false],[[1,-1,-1,0,[-1.0,1.0,1.0],0,0]],-1,-1]"),
            "F:operation 0: id0 1 is no input; allowed 0..0");
  EXPECT_EQ(json_refusal("[[1,2],[0],[0],[0],[false],[],-1,-1]"),
            "F:/2: the output indices has 1 elements; 2 are needed");
  const std::string stage = "[[1,1],[0],[-1],[0],[false],[],-1,-1]";
  const std::string wide = "[[2,1],[0,0],[-1],[0],[false],[],-1,-1]";
  EXPECT_EQ(json_refusal("[[" + stage + "," + stage + "]]"), "accepted");
  EXPECT_EQ(json_refusal("[[" + stage + "," + wide + "]]"),
            "F:stage 1: 2 inputs; the stage before has 1 outputs");
  EXPECT_EQ(json_refusal(std::string(20, '[')), "F: more than 16 nested levels");
}

TEST(DaisJson, NumbersAbove63BitsAreWords) {
  const std::string text =
      "[[1,1],[0],[0],[0],[false],[[-1,-1,5,18446744073709551615,[-1.0,0.0,1.0],0,0]],-1,-1]";
  EXPECT_EQ(decode_json(text, Dialect::v1, "F").stages[0].ops[0].data, -1);
}

TEST(DaisJson, ATableStartsWhereItsSourceDoes) {
  // The source's values start at -2, but its signed type starts at -4, so the table is padded with
  // two entries.
  const std::string text =
      R"([[1,1],[0],[1],[0],[false],[[0,-1,-1,0,[-2.0,3.0,1.0],0.0,0.0],)"
      R"([0,-1,8,0,[0.0,7.0,1.0],1.0,0.0]],-1,-1,[{"spec":{"hash":"x","out_qint":)"
      R"({"min":0.0,"max":7.0,"step":1.0},"inp_width":3},"table":[1,2,3,4,5,6]}]])";
  const Pipeline pipeline = decode_json(text, Dialect::v1, "F");
  const Program& program = pipeline.stages.front();
  EXPECT_EQ(program.ops[1].data_high(), 2);
  Executor executor(program);
  double input = -2, output = 0;
  executor.run(&input, &output, 1);
  EXPECT_EQ(output, 1);
  input = -3;
  EXPECT_EQ(refusal([&] { executor.run(&input, &output, 1); }),
            "operation 1: sample 0: value -3 is entry -1 of table 0; allowed 0..5");
  // The binary form does not store the interval of the source. Reading it back gives the same
  // padding.
  const Program again = decode_binary(encode_binary(program, Dialect::v1, "F"), Dialect::v1, "F");
  const Pipeline once_more = decode_json(encode_json(again, "F"), Dialect::v1, "F");
  EXPECT_EQ(once_more.stages.front().ops[1].data_high(), 2);
}

// ---- types and cost -----------------------------------------------------------------------------

TEST(DaisTypes, IntervalsAndTypes) {
  EXPECT_EQ(type_of({-3, 3, 1}), (DataType{1, 2, 0}));
  EXPECT_EQ(type_of({-4, 3, 1}), (DataType{1, 2, 0}));
  EXPECT_EQ(type_of({-1, -1, 1}), (DataType{1, 0, 0}));
  EXPECT_EQ(type_of({0, 0, 8}), (DataType{0, 0, 0}));
  EXPECT_EQ(type_of({0, 6, 2}), (DataType{0, 3, -1}));
  EXPECT_EQ(type_of({-0.5, 0.375, 0.125}), (DataType{1, -1, 3}));
  EXPECT_EQ(type_of({1, 0, 1}), std::nullopt);
  EXPECT_EQ(type_of({0, 1, 3}), std::nullopt);
  EXPECT_EQ(type_of({0, 1, 0}), std::nullopt);
  EXPECT_EQ(type_of({0, 1, -1}), std::nullopt);
  for (std::int32_t fraction = -20; fraction <= 60; fraction += 5) {
    for (std::int32_t width = 1; width <= 64; ++width) {
      for (std::int32_t sign = 0; sign <= 1; ++sign) {
        const DataType type{sign, width - sign - fraction, fraction};
        EXPECT_EQ(type_of(interval_of(type)), type) << width << " " << sign << " " << fraction;
      }
    }
  }
}

TEST(DaisCost, EveryOperationOfTracedProgramsCostsWhatDa4mlStored) {
  std::size_t ops = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    // Hand-made programs store placeholders as costs; the raw stage stores other costs for a few
    // subtractions.
    const char family = golden.name[0];
    const bool traced = family == 'c' || family == 'm' || family == 'n';
    if (!traced || golden.name == "c02_cmvm8x8_w6_stage0") continue;
    const File file = read_file(golden.path("comb.json"), std::nullopt);
    const Program& program = file.pipeline.stages.front();
    const Cost cost = estimate_cost(program);
    EXPECT_DOUBLE_EQ(cost.lut, golden.entry->at("cost").get<double>()) << golden.name;
    EXPECT_EQ(cost.latency_max, golden.entry->at("latency_max").get<double>()) << golden.name;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      EXPECT_DOUBLE_EQ(cost.ops[i].cost, program.ops[i].cost) << golden.name << " " << i;
      EXPECT_EQ(cost.ops[i].latency, program.ops[i].latency) << golden.name << " " << i;
      ++ops;
    }
  }
  EXPECT_EQ(ops, 62U + 85 + 8 + 225 + 387 + 2526 + 374 + 92 + 76 + 12 + 34);
}

TEST(DaisCost, RegistersOfPipelines) {
  std::size_t pipelines = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    if (!golden.entry->contains("pipeline")) continue;
    const auto& entry = golden.entry->at("pipeline");
    const File file = read_file(golden_path(entry.at("path").get<std::string>()), std::nullopt);
    EXPECT_EQ(register_bits(file.pipeline), entry.at("reg_bits").get<std::uint64_t>());
    ++pipelines;
  }
  EXPECT_EQ(pipelines, 6U);
}

TEST(DaisCost, AnAdderDoesNotCrossAStage) {
  const File file = read_file(golden_path("prog/c01_cmvm8x8_w4/comb.json"), std::nullopt);
  Program program = file.pipeline.stages.front();
  program.carry_size = 4;  // the adders have 4..10 bits and take 1..3 units of latency
  CostOptions options;
  const double free = estimate_cost(program, options).latency_max;
  options.latency_cutoff = 3;
  const double cut = estimate_cost(program, options).latency_max;
  EXPECT_GT(cut, free);
  options.latency_cutoff = 1;
  EXPECT_EQ(refusal([&] { (void)estimate_cost(program, options); }),
            "an operation takes 2 units of latency; a stage of 1 cannot hold it");
}

TEST(DaisCost, PortsAfterScalingAndNegation) {
  const File file = read_file(golden_path("prog/q06_out_neg1/comb.json"), std::nullopt);
  const Program& program = file.pipeline.stages.front();
  const std::vector<Port> inputs = input_ports(program);
  ASSERT_EQ(inputs.size(), 1U);
  EXPECT_EQ(inputs[0].type, (DataType{1, 3, 2}));
  EXPECT_EQ(inputs[0].range, (Interval{-8, 7.75, 0.25}));
  const std::vector<Port> outputs = output_ports(program);
  ASSERT_EQ(outputs.size(), 4U);
  EXPECT_EQ(outputs[0].range, (Interval{-8, 7.75, 0.25}));
  EXPECT_EQ(outputs[1].width(), 0);
  // Operation 1 has the range -16..15.75. Doubled and negated it is -31.5..32, so the type needs
  // one more bit.
  EXPECT_EQ(outputs[2].range, (Interval{-31.5, 32, 0.5}));
  EXPECT_EQ(outputs[2].type, (DataType{1, 6, 1}));
}

// ---- text and samples ---------------------------------------------------------------------------

TEST(DaisDisassembler, PrintsEveryOperation) {
  const auto text = [](const char* name) {
    return disassemble(read_file(golden_path(name), std::nullopt).pipeline);
  };
  EXPECT_EQ(text("prog/q06_out_neg1/prog.seed.bin"),
            "# 1 inputs, 4 outputs, 2 operations, rules of dialect seed\n"
            "v0 : s3.2 = in0\n"
            "v1 : s4.2 = v0 + 0.25\n"
            "out0 = v0\n"
            "out1 = 0\n"
            "out2 = -v1 << 1\n"
            "out3 = 0\n");
  const std::string mux = text("prog/h06_mux_signed/prog.seed.bin");
  EXPECT_NE(mux.find("v5 : s5.3 = msb(v0) ? v1 : (-v2 << 1)\n"), std::string::npos) << mux;
  const std::string constants = text("prog/h05_const/prog.v1.bin");
  EXPECT_NE(constants.find("v4 : s0.4 = -0.5625\n"), std::string::npos) << constants;
  const std::string bits = text("prog/n03_bitops/prog.v1.bin");
  EXPECT_NE(bits.find("v16 : s3.2 = not(v8)\n"), std::string::npos) << bits;
  EXPECT_NE(bits.find("v33 : s3.3 = v13 ^ (-v14 >> 1)\n"), std::string::npos) << bits;
  const std::string table = text("prog/n01_lut_sin/prog.v0.bin");
  EXPECT_NE(table.find("v8 : s0.7 = table0[v4], first entry 0 codes above the smallest\n"),
            std::string::npos)
      << table;
  const std::string stages = text("pipe/c01_cmvm8x8_w4.json");
  EXPECT_NE(stages.find("# stage 1\n# 22 inputs, 8 outputs"), std::string::npos);
}

TEST(DaisSamples, TextAndRaw) {
  const std::vector<double> rows{1, -2.5, 0.1, 1e300};
  EXPECT_EQ(samples_to_csv(rows, 2), "1,-2.5\n0.1,1e+300\n");
  EXPECT_EQ(parse_samples_csv("1, -2.5\r\n 0.1,+1e300\n\n", 2, "F"), rows);
  const auto csv = [](const char* text) {
    return refusal([&] { (void)parse_samples_csv(text, 2, "F"); });
  };
  EXPECT_EQ(csv("1,2\n1\n"), "F:2: 1 numbers; expected 2");
  EXPECT_EQ(csv("1,2\n\n3,4\n"), "F:2: the line is empty; expected 2 numbers");
  EXPECT_EQ(csv("1,2\n3,x\n"), "F:2:2: \"x\" is not a decimal number");
  EXPECT_EQ(csv("1,\n"), "F:1:2: the cell is empty; a decimal number is needed");
  EXPECT_EQ(csv("1,1e999\n"), "F:1:2: \"1e999\" is beyond the range of a double");
  EXPECT_EQ(csv("1,-inf\n"), "F:1:2: \"-inf\" is not allowed; allowed are finite numbers");
  Bytes infinite(32);
  infinite[30] = 0xF0, infinite[31] = 0x7F;
  EXPECT_EQ(refusal([&] { (void)parse_samples_raw(infinite, 2, "F"); }),
            "F: row 2, column 2 is infinite; allowed are finite numbers");
  EXPECT_EQ(refusal([&] { (void)parse_samples_raw(Bytes(24), 2, "F"); }),
            "F: 24 bytes are not a whole number of rows; a row has 16 (2 doubles)");
  EXPECT_EQ(refusal([&] { (void)read_samples("x.txt", 2); }),
            "x.txt: the name must end in .csv (decimal text) or .f64 (raw doubles)");
}

TEST(DaisExecutor, AProgramThatBreaksARuleCannotRun) {
  Program program;
  program.input_shifts = {0};
  program.ops.emplace_back().opcode = 3;
  program.ops.front().id0 = 5;
  const char* const text = "DAIS program:operation 0: id0 5 is no earlier operation; there is none";
  EXPECT_EQ(refusal([&] { Executor executor(program); }), text);
  EXPECT_EQ(refusal([&] { FastExecutor executor(program); }), text);
  Pipeline pipeline;
  EXPECT_EQ(refusal([&] { PipelineExecutor executor(pipeline); }),
            "DAIS pipeline: a pipeline without stages");
  EXPECT_EQ(refusal([&] { FastPipelineExecutor executor(pipeline); }),
            "DAIS pipeline: a pipeline without stages");
}

TEST(DaisExecutor, AValueThatDoesNotFitItsTypeIsReportedOnRequest) {
  const File file = read_file(golden_path("prog/q02_mux_wrap/prog.seed.bin"), std::nullopt);
  const Program& program = file.pipeline.stages.front();
  ExecutorOptions options;
  options.check_types = true;
  Executor executor(program, options);
  // the condition selects 31, which is too large for s3.3
  const std::vector<double> inputs{-1, 31, 0};
  std::vector<double> outputs(3);
  EXPECT_EQ(refusal([&] { executor.run(inputs.data(), outputs.data(), 1, 5); }),
            "operation 3: sample 5: value 248 does not fit its type of 7 signed bits; allowed "
            "-64..63");
}

}  // namespace
}  // namespace tactus::dais
