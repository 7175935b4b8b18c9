// Feeds bytes to every DAIS loader. An accepted program must run with equal results in both
// executors, and must read back from every form in which it can be written. A refusal must be a
// UserError.
//
// With clang and libFuzzer (TACTUS_FUZZ) this is a program of its own; the replay test calls the
// same function with stored and mutated files.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dais/binary.h"
#include "isa/dais/check.h"
#include "isa/dais/cost.h"
#include "isa/dais/disassembler.h"
#include "isa/dais/executor.h"
#include "isa/dais/fast_executor.h"
#include "isa/dais/file.h"
#include "isa/dais/json.h"
#include "isa/support/error.h"

namespace {

using namespace tactus;
using namespace tactus::dais;

constexpr Dialect all_dialects[] = {Dialect::seed, Dialect::v0, Dialect::v1};

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "dais_fuzz: %s\n", what);
  std::abort();
}

/// Takes samples from the file's own bytes, so that a mutation of the file changes them too.
std::vector<double> samples_from(const std::uint8_t* data, std::size_t size, std::size_t count) {
  std::vector<double> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t word = 0;
    for (unsigned k = 0; k < 4; ++k) {
      word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) << 8 |
                                       data[(i * 7 + k * 3) % size]);
    }
    // Most samples are small numbers; every seventh may exceed 64 bits.
    samples[i] = i % 7 == 6 ? word * 1e12 : static_cast<double>(word >> 20) / 16;
  }
  return samples;
}

void expect_equal_runs(const Program& program, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t samples = 66;  // one block of the fast executor and a few more
  constexpr std::size_t most_values = 1 << 20;
  const std::size_t values = samples * (program.input_count() + program.output_count());
  if (values + program.ops.size() * samples > most_values) return;
  const std::vector<double> inputs = samples_from(data, size, samples * program.input_count());
  for (const MuxCompare mux : {MuxCompare::documented, MuxCompare::v0_3}) {
    std::vector<double> plain(samples * program.output_count()), fast(plain.size());
    std::string plain_error, fast_error;
    ExecutorOptions options;
    options.mux = mux;
    FastOptions fast_options;
    fast_options.mux = mux;
    try {
      Executor(program, options).run(inputs.data(), plain.data(), samples);
    } catch (const UserError& error) {
      plain_error = error.what();
    }
    try {
      FastExecutor(program, fast_options).run(inputs.data(), fast.data(), samples);
    } catch (const UserError& error) {
      fast_error = error.what();
    }
    require(plain_error == fast_error, "the executors fail differently");
    if (!plain_error.empty()) continue;
    require(
        plain.empty() || std::memcmp(plain.data(), fast.data(), plain.size() * sizeof(double)) == 0,
        "the executors differ");
  }
}

void expect_round_trips(const Program& program) {
  const Bytes reference = encode_binary(program, Dialect::v1, "program");
  for (const Dialect dialect : all_dialects) {
    Bytes bytes;
    try {
      bytes = encode_binary(program, dialect, "program");
    } catch (const UserError&) {
      require(dialect < program.dialect || !program.tables.empty(), "a program cannot be written");
      continue;
    }
    Program again = decode_binary(bytes, dialect, "again");
    again.firmware = program.firmware;
    require(encode_binary(again, Dialect::v1, "again") == reference, "binary does not read back");
    (void)conversion_notes(program, dialect);
  }
  std::string text;
  try {
    text = encode_json(program, "program");
  } catch (const UserError&) {
    return;
  }
  Pipeline again = decode_json(text, program.dialect, "again");
  again.stages.front().firmware = program.firmware;
  require(encode_binary(again.stages.front(), Dialect::v1, "again") == reference,
          "JSON does not read back");
}

void exercise(const Program& program, const std::uint8_t* data, std::size_t size) {
  check_program(program, "accepted");
  (void)disassemble(program);
  (void)estimate_cost(program);
  (void)input_ports(program);
  (void)output_ports(program);
  (void)value_ranges(decode_steps(program));
  expect_equal_runs(program, data, size);
  expect_round_trips(program);
}

template <typename Decode>
void exercise_if_accepted(Decode decode, const std::uint8_t* data, std::size_t size) {
  Pipeline pipeline;
  try {
    pipeline = decode();
  } catch (const UserError&) {
    return;
  }
  // From here on any exception is an error and ends the program.
  for (const Program& stage : pipeline.stages) exercise(stage, data, size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(data, data + size);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Dialect dialect : all_dialects) {
    const auto binary = [&] { return Pipeline{{decode_binary(bytes, dialect, "input")}}; };
    const auto json = [&] { return decode_json(text, dialect, "input"); };
    exercise_if_accepted(binary, data, size);
    if (looks_like_json(text)) exercise_if_accepted(json, data, size);
  }
  exercise_if_accepted([&] { return parse_file(bytes, std::nullopt, "input").pipeline; }, data,
                       size);
  return 0;
}
