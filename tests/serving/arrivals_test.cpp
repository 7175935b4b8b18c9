// Times of arrival: what may be written, and the cycles that follow.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "firmware/serving/arrivals.h"
#include "tests/support/error_of.h"

namespace tactus {
namespace {

constexpr Cycle endless = ~Cycle{0};

std::vector<Cycle> cycles(const std::string& text, Cycle end, std::uint64_t count = ~0ULL) {
  return arrival_cycles(read_arrivals(text, "a"), 100, end, count, "a");
}

std::string read_error(const std::string& text) {
  return error_of([&] { (void)read_arrivals(text, "--arrivals A"); });
}

/// A file of the test, removed at its end.
class TimesFile {
 public:
  explicit TimesFile(const std::string& content)
      : path_((std::filesystem::temp_directory_path() /
               ("arrivals" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv"))
                  .string()) {
    std::ofstream(path_) << content;
  }
  ~TimesFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Arrivals, PeriodicRequestsComeAtTheNextClockEdge) {
  EXPECT_EQ(cycles("30/s", 10000001), (std::vector<Cycle>{0, 3333334, 6666667, 10000000}));
  EXPECT_EQ(cycles("30/s", 10000000).size(), 3U) << "the end is excluded";
  EXPECT_EQ(cycles("30/s", endless, 2).size(), 2U);
  EXPECT_EQ(cycles("1e9/s", endless, 11).back(), 1U) << "several may arrive in a cycle";
}

TEST(Arrivals, RandomRequestsFollowTheirSeedAndRate) {
  const std::vector<Cycle> some = cycles("poisson:1000/s:7", endless, 20000);
  EXPECT_EQ(some, cycles("poisson:1000/s:7", endless, 20000));
  EXPECT_NE(some, cycles("poisson:1000/s:8", endless, 20000));
  EXPECT_EQ(cycles("poisson:1000/s", endless, 9), cycles("poisson:1000/s:1", endless, 9));
  ASSERT_TRUE(std::is_sorted(some.begin(), some.end()));
  // The mean of 20000 exponential times is within 4 % of the expected 100000 cycles, and a share of
  // 1/e of them is longer than that.
  EXPECT_NEAR(static_cast<double>(some.back()) / 20000, 1e5, 4e3);
  std::size_t longer = 0;
  for (std::size_t i = 1; i < some.size(); ++i) longer += some[i] - some[i - 1] > 100000 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(longer) / 20000, std::exp(-1), 0.02);
}

TEST(Arrivals, TimesComeFromAFile) {
  const TimesFile file("0\r\n0.07\n\n0.07\n2e-1\n");
  EXPECT_EQ(cycles(file.path(), endless), (std::vector<Cycle>{0, 7000000, 7000000, 20000000}));
}

TEST(Arrivals, AWrongLineIsNamed) {
  for (const auto& [content, line, what] :
       {std::tuple("0\nx\n", 2, "\"x\" is no time of an arrival"),
        std::tuple("0\n1,5\n", 2, "\"1,5\" is no time of an arrival"),
        std::tuple("-1\n", 1, "\"-1\" is no time of an arrival"),
        std::tuple("\n1\nnan\n", 3, "\"nan\" is no time of an arrival"),
        std::tuple("0\n2\n1\n", 3, "1 s is before 2 s")}) {
    const TimesFile file(content);
    const std::string error = read_error(file.path());
    EXPECT_EQ(error.find(file.path() + ":" + std::to_string(line) + ": " + what), 0U) << error;
  }
  const TimesFile empty("\n\n");
  EXPECT_EQ(read_error(empty.path()).find(empty.path() + ": it has no arrival"), 0U);
}

TEST(Arrivals, WrongRatesAreRefused) {
  for (const char* text : {"0/s", "-3/s", "1000000001/s", "x/s", "30", "", "/s", "inf/s", "nan/s",
                           "poisson:0/s", "poisson:30", "30/s:4"}) {
    EXPECT_NE(read_error(text).find("is no rate of requests; allowed: N/s with N above 0 and at "
                                    "most 1000000000"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(read_error("poisson:30/s:x").find("\"x\" is no seed"), std::string::npos);
  EXPECT_NE(read_error("poisson:30/s:").find("\"\" is no seed"), std::string::npos);
  EXPECT_NE(error_of([] {
              (void)cycles("1e9/s", 100 * Arrivals::most);
            }).find("more than 1000000 requests arrive"),
            std::string::npos);
}

TEST(Arrivals, DurationsHaveUnits) {
  EXPECT_EQ(read_seconds("2", "d"), 2);
  EXPECT_EQ(read_seconds("2s", "d"), 2);
  EXPECT_EQ(read_seconds("250ms", "d"), 0.25);
  EXPECT_NEAR(read_seconds("10us", "d"), 1e-5, 1e-18);
  for (const char* text : {"", "0", "s", "-1s", "1h", "1e9", "nan", "1 s"}) {
    EXPECT_NE(error_of([&] { (void)read_seconds(text, "d"); }).find("is no time"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace tactus
