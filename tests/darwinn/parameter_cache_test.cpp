// Requests that load parameters by the runtime's rules, for synthetic packages and real models.
#include <algorithm>
#include <list>
#include <random>

#include <gtest/gtest.h>

#include "firmware/driver/darwinn/parameter_cache.h"
#include "isa/darwinn/file.h"
#include "tests/darwinn/golden.h"

namespace tactus::darwinn {
namespace {

Package cached(std::uint64_t token) {
  Package package;
  package.executables.resize(2);
  package.executables[0].type = execution_only;
  package.executables[1].type = parameter_caching;
  for (Executable& one : package.executables) one.token = token;
  return package;
}

Package stand_alone_package(std::uint64_t token) {
  Package package;
  package.executables.resize(1);
  package.executables[0].token = token;
  return package;
}

/// Returns one letter per request: 'L' loads, 'E' evicts and loads, 'X' only evicts, '.' does
/// neither.
std::string answers(ParameterCache& cache, const std::vector<const Package*>& requests) {
  std::string text;
  for (const Package* one : requests) {
    const ParameterCache::Answer answer = cache.request(*one);
    text += answer.load ? (answer.evicted ? 'E' : 'L') : (answer.evicted ? 'X' : '.');
  }
  return text;
}

TEST(DarwinnParameterCache, ParametersOfOneTokenStayTogether) {
  const Package a = cached(7), b = cached(7), c = cached(9);
  ParameterCache cache;
  EXPECT_EQ(answers(cache, {&a, &a, &b, &a, &b, &c, &c, &a, &b}), "L.L..E.EL");
  EXPECT_EQ(cache.stats().hits, 4U);
  EXPECT_EQ(cache.stats().loads, 5U);
  EXPECT_EQ(cache.stats().evictions, 2U);
  EXPECT_EQ(cache.token(), 7U);
  cache.clear();
  EXPECT_EQ(answers(cache, {&b}), "L");
}

TEST(DarwinnParameterCache, StandAlonePackages) {
  const Package a = cached(7), none = stand_alone_package(0), same = stand_alone_package(7),
                other = stand_alone_package(8);
  ParameterCache cache;
  EXPECT_EQ(answers(cache, {&none, &a, &same, &a, &none, &a, &other, &a}), ".L..XLXL");
}

TEST(DarwinnParameterCache, OfThreeExecutablesTheMainOneCachesNothing) {
  Package all = cached(7);
  all.executables.emplace_back();
  all.executables.back().token = 7;
  ParameterCache cache;
  EXPECT_EQ(answers(cache, {&all, &all}), "..");
}

TEST(DarwinnParameterCache, CocompiledModelsLoadOnceInAnyOrder) {
  DARWINN_NEEDS_GOLDEN("manifest.json");
  std::list<File> files;
  std::vector<const Package*> requests;
  for (const char* name : {"0.25_128", "0.5_160", "0.75_192"}) {
    files.emplace_back(golden_file(std::string("tflite/mobilenet_v1_") + name +
                                   "_quant_cocompiled_with_3quant_edgetpu.tflite"));
    for (int i = 0; i < 3; ++i) requests.push_back(&files.back().package());
  }
  std::mt19937_64 random(1);
  for (int order = 0; order < 50; ++order) {
    std::shuffle(requests.begin(), requests.end(), random);
    ParameterCache cache;
    (void)answers(cache, requests);
    EXPECT_EQ(cache.stats().loads, 3U);
    EXPECT_EQ(cache.stats().hits, 6U);
    EXPECT_EQ(cache.stats().evictions, 0U);
  }
}

TEST(DarwinnParameterCache, UnrelatedModelsReloadEveryTime) {
  DARWINN_NEEDS_GOLDEN("manifest.json");
  const File a(golden_file("tflite/split_concat_edgetpu.tflite"));
  const File b(golden_file("tflite/mobilenet_v1_0.25_128_quant_edgetpu.tflite"));
  ParameterCache cache;
  EXPECT_EQ(answers(cache, {&a.package(), &b.package(), &a.package(), &b.package()}), "LEEE");
}

}  // namespace
}  // namespace tactus::darwinn
