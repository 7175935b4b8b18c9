// Every golden program in every form computes what the reference interpreters computed, bit for
// bit.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/dais/executor.h"
#include "isa/dais/fast_executor.h"
#include "isa/dais/file.h"
#include "isa/support/error.h"
#include "tests/dais/golden.h"

namespace tactus::dais {
namespace {

/// Returns how many doubles differ in any bit, so that -0 differs from 0.
std::size_t differing_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return a.size() + b.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0) ++count;
  }
  return count;
}

struct Forms {
  std::string name;
  Program program;
};

/// Reads the binary forms, with and without a given dialect, and the JSON form.
std::vector<Forms> all_forms(const GoldenProgram& golden) {
  std::vector<Forms> forms;
  for (const std::string& dialect : golden.files) {
    const File named = read_file(golden.binary(dialect), dialect_named(dialect));
    forms.push_back({dialect, named.pipeline.stages.front()});
    const File found = read_file(golden.binary(dialect), std::nullopt);
    EXPECT_EQ(found.pipeline.stages.front().dialect, dialect_named(dialect)) << golden.name;
    forms.push_back({dialect + " found", found.pipeline.stages.front()});
  }
  forms.push_back(
      {"json", read_file(golden.path("comb.json"), std::nullopt).pipeline.stages.front()});
  return forms;
}

void expect_outputs(const GoldenProgram& golden, const Program& program, const std::string& suffix,
                    MuxCompare mux, const std::string& what) {
  const std::vector<double> inputs = golden.inputs();
  const auto expected = read_words<double>(golden.path("out" + suffix + ".f64"));
  const auto mantissas = read_words<std::int64_t>(golden.path("out" + suffix + ".i64"));
  const std::size_t samples = manifest().at("n_vectors").get<std::size_t>();
  ASSERT_EQ(inputs.size(), samples * program.input_count());
  ASSERT_EQ(expected.size(), samples * program.output_count());

  ExecutorOptions options;
  options.mux = mux;
  Executor plain(program, options);
  std::vector<double> row(program.output_count()), outputs(expected.size());
  std::size_t wrong_mantissas = 0;
  for (std::size_t s = 0; s < samples; ++s) {
    plain.run(inputs.data() + s * program.input_count(), row.data(), 1);
    std::copy(row.begin(), row.end(), outputs.data() + s * row.size());
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (plain.output_mantissa(j) != mantissas[s * row.size() + j]) ++wrong_mantissas;
    }
  }
  EXPECT_EQ(differing_bits(outputs, expected), 0U) << golden.name << " " << what;
  EXPECT_EQ(wrong_mantissas, 0U) << golden.name << " " << what;

  for (const HostIsa host : {HostIsa::portable, HostIsa::avx2, HostIsa::avx512}) {
    if (!supported(host)) continue;
    for (const unsigned lane_bits : {0U, 32U, 64U}) {
      FastOptions fast;
      fast.mux = mux;
      fast.host = host;
      fast.lane_bits = lane_bits;
      outputs.assign(outputs.size(), -1);
      FastExecutor(program, fast).run(inputs.data(), outputs.data(), samples);
      EXPECT_EQ(differing_bits(outputs, expected), 0U)
          << golden.name << " " << what << ", lanes of " << lane_bits << " bits, machine "
          << static_cast<int>(host);
    }
  }
}

TEST(DaisGolden, AllProgramsAreThere) {
  std::size_t binaries = 0;
  for (const GoldenProgram& golden : golden_programs()) binaries += golden.files.size();
  EXPECT_EQ(golden_programs().size(), 27U);
  EXPECT_EQ(binaries, 76U);
}

TEST(DaisGolden, EveryFormGivesTheReferenceOutputs) {
  std::size_t runs = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    if (golden.has_versions()) continue;
    for (const auto& [name, program] : all_forms(golden)) {
      EXPECT_EQ(program.ops.size(), golden.count("n_ops"));
      expect_outputs(golden, program, "", MuxCompare::documented, name);
      ++runs;
    }
  }
  EXPECT_EQ(runs, 25U + 2 * 70U);
}

TEST(DaisGolden, EveryIntermediateValueIsTheGoldenOne) {
  std::size_t values = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    const std::vector<double> inputs = golden.inputs();
    const auto expected = read_words<std::int64_t>(golden.path("buf8.i64"));
    for (const auto& [name, program] : all_forms(golden)) {
      // For the two programs whose results differ between interpreters, the golden buffer is that
      // of the interpreter named first.
      if (golden.has_versions() && name.rfind(golden.files.front(), 0) != 0) continue;
      ExecutorOptions options;
      if (golden.has_versions()) options.mux = MuxCompare::v0_3;
      Executor plain(program, options);
      std::vector<double> row(program.output_count());
      for (std::size_t s = 0; s < 8; ++s) {
        plain.run(inputs.data() + s * program.input_count(), row.data(), 1);
        const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(s * program.ops.size());
        EXPECT_TRUE(std::equal(plain.values().begin(), plain.values().end(), begin))
            << golden.name << " " << name << " sample " << s;
        values += program.ops.size();
      }
    }
  }
  EXPECT_GT(values, 100000U);
}

TEST(DaisGolden, OlderDialectsComputeWhatTheirInterpretersDid) {
  struct Version {
    const char* suffix;
    const char* dialect;
    MuxCompare mux;
  };
  std::size_t runs = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    if (!golden.has_versions()) continue;
    for (const Version& version :
         {Version{".v041", "seed", MuxCompare::v0_3}, Version{".v052", "v0", MuxCompare::v0_3},
          Version{".head", "v1", MuxCompare::v0_6}, Version{".doc", "v0", MuxCompare::documented},
          Version{".doc", "v1", MuxCompare::documented}}) {
      const File file = read_file(golden.binary(version.dialect), dialect_named(version.dialect));
      expect_outputs(golden, file.pipeline.stages.front(), version.suffix, version.mux,
                     version.suffix);
      ++runs;
    }
    const File json = read_file(golden.path("comb.json"), std::nullopt);
    expect_outputs(golden, json.pipeline.stages.front(), ".doc", MuxCompare::documented, "json");
  }
  EXPECT_EQ(runs, 10U);
}

TEST(DaisGolden, PipelinesEqualTheirPrograms) {
  std::size_t pipelines = 0;
  for (const GoldenProgram& golden : golden_programs()) {
    if (!golden.entry->contains("pipeline")) continue;
    const auto& entry = golden.entry->at("pipeline");
    const File file = read_file(golden_path(entry.at("path").get<std::string>()), std::nullopt);
    EXPECT_TRUE(file.is_pipeline);
    EXPECT_EQ(file.pipeline.stages.size(), entry.at("n_stages").get<std::size_t>());
    const std::vector<double> inputs = golden.inputs();
    const auto expected = read_words<double>(golden.path("out.f64"));
    std::vector<double> outputs(expected.size());
    const std::size_t samples = inputs.size() / file.pipeline.input_count();
    PipelineExecutor(file.pipeline).run(inputs.data(), outputs.data(), samples);
    EXPECT_EQ(differing_bits(outputs, expected), 0U) << golden.name;
    outputs.assign(outputs.size(), -1);
    FastPipelineExecutor(file.pipeline).run(inputs.data(), outputs.data(), samples);
    EXPECT_EQ(differing_bits(outputs, expected), 0U) << golden.name;
    ++pipelines;
  }
  EXPECT_EQ(pipelines, 6U);
}

}  // namespace
}  // namespace tactus::dais
