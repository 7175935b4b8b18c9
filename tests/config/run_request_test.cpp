// The table of what is asked of a run: who may ask for what.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "firmware/driver/tcu/run_request.h"

namespace tactus {
namespace {

constexpr Asker askers[] = {Asker::command, Asker::python,  Asker::points,
                            Asker::rows,    Asker::kernels, Asker::products};

TEST(RunRequest, NobodyHasAKeyTwice) {
  for (const Asker asker : askers) {
    std::set<std::string> keys;
    for (const auto& p : request_parameters(asker)) EXPECT_TRUE(keys.insert(p.key).second) << p.key;
    EXPECT_FALSE(keys.empty());
  }
}

TEST(RunRequest, AnOptionAppliesToAllOrSaysWhyNot) {
  for (const RunOption& option : request_options()) {
    const std::string& key = option.parameter.key;
    unsigned some = 0;
    bool says = false;
    for (const RunOption& other : request_options()) {
      if (other.parameter.key != key) continue;
      some |= other.askers;
      says = says || !other.elsewhere.empty();
    }
    bool all = true;
    for (const Asker asker : askers) all = all && (some & static_cast<unsigned>(asker)) != 0;
    EXPECT_NE(all, says) << key;
  }
}

TEST(RunRequest, TheReasonIsToldToThoseWhoDoNotHaveAnOption) {
  for (const RunOption& option : request_options()) {
    for (const Asker asker : askers) {
      const auto& table = request_parameters(asker);
      const bool has = std::any_of(table.begin(), table.end(), [&](const auto& parameter) {
        return parameter.key == option.parameter.key;
      });
      EXPECT_EQ(why_not_for(asker, option.parameter.key).empty(), has) << option.parameter.key;
    }
  }
  EXPECT_EQ(why_not_for(Asker::rows, "energy"), "does not apply here: rows have no column for it");
  EXPECT_EQ(why_not_for(Asker::rows, "enargy"), "");
}

TEST(RunRequest, AFieldIsSetByEachWhoMayAskForIt) {
  for (const Asker asker : askers) {
    for (const auto& p : request_parameters(asker)) {
      if (p.type != ParameterType::whole) continue;
      RunRequest request;
      p.set(request, std::uint64_t{7});
      EXPECT_EQ(p.get(request), ParameterValue(std::uint64_t{7})) << p.key;
      EXPECT_NE(p.get(RunRequest()), p.get(request)) << p.key;
    }
  }
}

}  // namespace
}  // namespace tactus
