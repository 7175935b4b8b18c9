// Every malformed golden file is refused for the right reason, with the expected message.
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/dais/binary.h"
#include "isa/dais/check.h"
#include "isa/dais/executor.h"
#include "isa/dais/fast_executor.h"
#include "isa/dais/file.h"
#include "isa/support/error.h"
#include "tests/dais/golden.h"

namespace tactus::dais {
namespace {

/// Expected messages after the file's name, by file name without dialect.
const std::map<std::string, std::string>& messages() {
  static const std::map<std::string, std::string> all{
      {"id0_fwd", ":operation 3: id0 7 is no earlier operation; allowed 0..2"},
      {"id0_self", ":operation 3: id0 3 is no earlier operation; allowed 0..2"},
      {"id1_fwd", ":operation 4: id1 11 is no earlier operation; allowed 0..3"},
      {"cond_fwd", ":operation 3: condition 9 is no earlier operation; allowed 0..2"},
      {"unknown_op", ":operation 5: unknown opcode 42"},
      {"op_minus1x", ":operation 5: unknown opcode -4"},
      {"wide_warn", ":operation 3: the type (1, 70, 0) has 71 bits; allowed 0..64"},
      {"op9_in_v041", ":operation 5: opcode 9 needs dialect v1; this is seed"},
      {"mux_two_shifts", ":operation 4: the type has 6 fraction bits; the operation gives 3"},
      {"bitop_sub", ":operation 5: unknown bit operation 7; allowed 0 (and), 1 (or), 2 (xor)"},
      {"unary_sub", ":operation 5: unknown bit operation 3; allowed 0 (not), 1 (any), 2 (all)"},
      {"id0_neg", ":operation 3: id0 -1 is no earlier operation; allowed 0..2"},
      {"id1_neg", ":operation 3: id1 -1 is no earlier operation; allowed 0..2"},
      {"inp_oob", ":operation 0: id0 3 is no input; allowed 0..2"},
      {"cond_neg", ":operation 3: condition -1 is no earlier operation; allowed 0..2"},
      {"frac_grow",
       ":operation 2: the type has 8 fraction bits and the value before 4; the operation can drop "
       "0..63"},
      {"cadd_frac_drop",
       ":operation 1: the type has 1 fraction bits and the value before 3; the operation can add "
       "0..63"},
      {"frac_drop64",
       ":operation 2: the type has -70 fraction bits and the value before 4; the operation can "
       "drop "
       "0..63"},
      {"out_oob", ":output 8: there is no operation 12; the program has 12"},
      {"neg_nin", ": -1 inputs; allowed 0 and above"},
      {"as_v0", ": version word 1; dialect v0 needs 0"},
      {"as_v1", ": version word 3; dialect v1 needs 1"},
      {"as_seed", ": 528 bytes; the counts in the header ask for 112"},
  };
  return all;
}

/// Expected messages whose numbers depend on the dialect's header.
const std::map<std::string, std::string>& length_messages() {
  static const std::map<std::string, std::string> all{
      {"seed_truncated", ": 512 bytes; the counts in the header ask for 516"},
      {"seed_extra", ": 520 bytes; the counts in the header ask for 516"},
      {"seed_odd", ": 515 bytes; a DAIS file is whole 4-byte words"},
      {"seed_empty", ": 0 bytes; the header of dialect seed alone has 12"},
      {"seed_8bytes", ": 8 bytes; the header of dialect seed alone has 12"},
      {"seed_16bytes", ": 16 bytes; the counts in the header ask for 516"},
      {"v1_truncated", ": 524 bytes; the counts in the header ask for 528"},
      {"v1_extra", ": 532 bytes; the counts in the header ask for 528"},
      {"v1_odd", ": 527 bytes; a DAIS file is whole 4-byte words"},
      {"v1_empty", ": 0 bytes; the header of dialect v1 alone has 24"},
      {"v1_8bytes", ": 8 bytes; the header of dialect v1 alone has 24"},
      {"v1_16bytes", ": 16 bytes; the header of dialect v1 alone has 24"},
  };
  return all;
}

std::string refusal(const Bytes& bytes, Dialect dialect) {
  try {
    (void)decode_binary(bytes, dialect, "F");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

/// Returns the dialects whose interpreters accepted the file, or the file's own dialect if none
/// did.
std::vector<Dialect> dialects_of(const nlohmann::json& entry) {
  std::vector<Dialect> dialects;
  for (const auto& [version, response] : entry.at("responses").items()) {
    dialects.push_back(version == "v041"   ? Dialect::seed
                       : version == "v052" ? Dialect::v0
                                           : Dialect::v1);
  }
  if (dialects.empty()) dialects.push_back(dialect_named(entry.at("format").get<std::string>()));
  return dialects;
}

TEST(DaisMalformed, EveryFileIsRefusedForItsReason) {
  std::size_t refused = 0;
  for (const auto& entry : manifest().at("malformed")) {
    const auto name = entry.at("name").get<std::string>();
    if (name.find("lut_oob") != std::string::npos) continue;  // tested below
    const Bytes bytes = tactus::read_file(golden_path(entry.at("path").get<std::string>()));
    const auto length = length_messages().find(name);
    const std::string expected = length != length_messages().end()
                                     ? length->second
                                     : messages().at(name.substr(name.find('_') + 1));
    for (const Dialect dialect : dialects_of(entry)) {
      EXPECT_EQ(refusal(bytes, dialect), "F" + expected) << name;
      ++refused;
    }
  }
  EXPECT_EQ(refused, 42U);
}

TEST(DaisMalformed, TheSameFilesAreRefusedInVersionZero) {
  std::size_t refused = 0;
  for (const auto& [name, message] : messages()) {
    // v1_op9_in_v041 is a file of dialect seed in spite of its name.
    const std::string path = golden_path("bad/v1_" + name + ".bin");
    if (name.rfind("as_", 0) == 0 || name == "op9_in_v041" || access(path.c_str(), R_OK) != 0)
      continue;
    Bytes bytes = tactus::read_file(path);
    ASSERT_EQ(bytes[0], 1);
    bytes[0] = 0;
    std::string expected = "F" + message;
    if (name == "bitop_sub") {
      expected = "F:operation 5: opcode 10 needs dialect v1; this is v0";
    } else if (name == "unary_sub") {
      expected = "F:operation 5: opcode 9 needs dialect v1; this is v0";
    }
    EXPECT_EQ(refusal(bytes, Dialect::v0), expected);
    ++refused;
  }
  EXPECT_EQ(refused, 10U);
}

TEST(DaisMalformed, ALookupOutsideItsTableFailsAtTheSample) {
  for (const std::uint8_t version : {std::uint8_t{0}, std::uint8_t{1}}) {
    Bytes bytes = tactus::read_file(golden_path("bad/v1_lut_oob.bin"));
    bytes[0] = version;
    const Program program = decode_binary(bytes, version == 0 ? Dialect::v0 : Dialect::v1, "F");
    std::vector<double> inputs(100 * 4, -4.0), outputs(100 * 4);  // -4 selects entry 0
    inputs[70 * 4 + 1] = 3.875;
    const std::string expected =
        "operation 9: sample 70: value 31 is entry 63 of table 0; allowed 0..2";
    const auto message = [&](auto run) -> std::string {
      try {
        run();
      } catch (const UserError& error) {
        return error.what();
      }
      return "no error";
    };
    EXPECT_EQ(message([&] { Executor(program).run(inputs.data(), outputs.data(), 100); }),
              expected);
    EXPECT_EQ(message([&] { FastExecutor(program).run(inputs.data(), outputs.data(), 100); }),
              expected);
  }
}

Bytes bytes_of(const std::vector<std::int32_t>& words) {
  Bytes bytes;
  for (const std::int32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(word) >> shift));
    }
  }
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  try {
    (void)decode_binary(bytes, "F");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DaisMalformed, AFileThatFitsTwoDialectsIsRefused) {
  // As dialect seed the file has one input, one output and one copy. As v1 it has one input, one
  // output of zero, no operation, and an unused table of four entries.
  const Bytes bytes = bytes_of({1, 1, 1, 1, 0, 1, 0, -1, 0, -1, 4, 0, 1, 3, 4});
  EXPECT_EQ(decode_binary(bytes, Dialect::seed, "F").ops.size(), 1U);
  EXPECT_EQ(decode_binary(bytes, Dialect::v1, "F").ops.size(), 0U);
  EXPECT_EQ(refusal(bytes), "F: fits both dialect seed and dialect v1; name the one it is");
}

TEST(DaisMalformed, AFileThatFitsNoDialectIsRefusedWithAllReasons) {
  EXPECT_EQ(refusal(bytes_of({7, 0, 0, 0, 0, 0})),
            "F: fits no dialect of DAIS\n"
            "F: not seed: 24 bytes; the counts in the header ask for 40\n"
            "F: not v0: version word 7; dialect v0 needs 0\n"
            "F: not v1: version word 7; dialect v1 needs 1");
}

TEST(DaisMalformed, HugeCountsAreRefusedWithoutAllocation) {
  constexpr std::int32_t most = 2147483647;
  EXPECT_EQ(refusal(bytes_of({most, most, most}), Dialect::seed),
            "F: 12 bytes; the counts in the header ask for 103079215068");
  EXPECT_EQ(refusal(bytes_of({1, 0, most, most, most, most}), Dialect::v1),
            "F: 24 bytes; the counts in the header ask for at least 111669149668");
  EXPECT_EQ(refusal(bytes_of({1, 0, 0, 0, 0, 1, most}), Dialect::v1),
            "F: 28 bytes; the counts in the header ask for 8589934616");
  EXPECT_EQ(refusal(bytes_of({1, 0, 0, 0, 0, 1, -1}), Dialect::v1),
            "F:table 0: -1 entries; allowed 0 and above");
}

/// Returns the error for a program of one input, which is copied as signed 3.2, and the operation
/// `op`.
std::string refusal_of(Op op, Dialect dialect = Dialect::v1) {
  Program program;
  program.dialect = dialect;
  program.input_shifts = {0};
  program.tables.resize(2);
  program.tables[0].entries = {1, 2};
  Op copy;
  copy.opcode = -1;
  copy.id0 = 0;
  copy.type = {1, 3, 2};
  program.ops = {copy, op};
  program.outputs = {{1, 0, false}};
  try {
    check_program(program, "F");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

Op op_of(std::int32_t opcode, std::int32_t id0, std::int32_t id1, std::int64_t data,
         const DataType& type) {
  Op op;
  op.opcode = opcode, op.id0 = id0, op.id1 = id1, op.data = data, op.type = type;
  return op;
}

TEST(DaisMalformed, RulesTheReferenceDoesNotCheck) {
  constexpr std::int64_t word = std::int64_t{1} << 32;
  const DataType good{1, 3, 2};
  EXPECT_EQ(refusal_of(op_of(3, 0, -1, 0, good)), "accepted");
  EXPECT_EQ(refusal_of(op_of(3, 0, 0, 0, good)),
            "F:operation 1: opcode 3 does not use id1, so it must be -1; it is 0");
  EXPECT_EQ(refusal_of(op_of(5, 0, -1, 0, good)),
            "F:operation 1: opcode 5 does not use id0, so it must be -1; it is 0");
  EXPECT_EQ(refusal_of(op_of(3, 0, -1, 0, {2, 3, 2})),
            "F:operation 1: the sign flag of the type is 2; allowed 0 and 1");
  EXPECT_EQ(refusal_of(op_of(3, 0, -1, 0, {0, -3, 2})),
            "F:operation 1: the type (0, -3, 2) has -1 bits; allowed 0..64");
  EXPECT_EQ(refusal_of(op_of(8, 0, -1, 2, good)),
            "F:operation 1: there is no table 2; the program has 2");
  EXPECT_EQ(refusal_of(op_of(8, 0, -1, -1, good)),
            "F:operation 1: there is no table -1; the program has 2");
  EXPECT_EQ(refusal_of(op_of(8, 0, -1, 1, good)), "F:operation 1: table 1 is empty");
  EXPECT_EQ(refusal_of(op_of(0, 0, 0, 0, {1, 3, 3})),
            "F:operation 1: the type has 3 fraction bits; the operation gives 2");
  EXPECT_EQ(refusal_of(op_of(0, 0, 0, 0, {1, 4, 1})), "accepted");
  EXPECT_EQ(refusal_of(op_of(0, 0, 0, 0, {1, 4, 1}), Dialect::v0),
            "F:operation 1: the type has 1 fraction bits; the operation gives 2");
  EXPECT_EQ(refusal_of(op_of(0, 0, 0, 64, {1, 3, 2})),
            "F:operation 1: the operands are 64 bits apart; allowed 0..63");
  EXPECT_EQ(refusal_of(op_of(6, 0, 0, -64 * word, {1, 1, 66 - 64})),
            "F:operation 1: the type has 2 fraction bits; the operation gives 66\n"
            "F:operation 1: the operands are 64 bits apart; allowed 0..63");
  EXPECT_EQ(refusal_of(op_of(7, 0, 0, 0, good)),
            "F:operation 1: the type has 2 fraction bits; the operation gives 4");
  EXPECT_EQ(refusal_of(op_of(9, 0, -1, 1, good)),
            "F:operation 1: the type has 2 fraction bits; the operation gives 0");
  EXPECT_EQ(refusal_of(op_of(-1, 0, -1, 0, {1, -1020, 1023})),
            "F:operation 1: scales by 2^1023; allowed 2^-1022..2^1022\n"
            "F:output 0: scales by 2^-1023; allowed 2^-1022..2^1022");
}

}  // namespace
}  // namespace tactus::dais
