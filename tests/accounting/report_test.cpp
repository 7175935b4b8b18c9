// The HTML page: self-contained, and what a browser makes of it.
#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "firmware/report/html.h"
#include "firmware/report/svg.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

TEST(Html, TextIsEscaped) {
  EXPECT_EQ(html::escape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(html::escape("caf\xe9\n"), "caf\\xE9\\x0A");
}

TEST(Html, NumbersAreGrouped) {
  EXPECT_EQ(html::grouped(0), "0");
  EXPECT_EQ(html::grouped(999), "999");
  EXPECT_EQ(html::grouped(1000), "1\u202f000");
  EXPECT_EQ(html::grouped(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(html::percent(0.1234), "12.3 %");
}

TEST(Svg, TheBarsPartsFillIt) {
  const std::string bar = svg::stacked_bar({{1, 0, "a<"}, {0, 1, "absent"}, {3, 2, "b"}});
  EXPECT_NE(bar.find("x=\"0.00\" width=\"250.00\""), std::string::npos) << bar;
  EXPECT_NE(bar.find("x=\"250.00\" width=\"750.00\""), std::string::npos) << bar;
  EXPECT_NE(bar.find("<title>a&lt;</title>"), std::string::npos) << bar;
  EXPECT_EQ(bar.find("absent"), std::string::npos) << bar;
}

TEST(Svg, RooflinePointsLieBelowTheRoof) {
  // Ridge 4 MAC/byte: x from 0.1 to 100, y from 0.1 to 100; the drawing is 720 x 300.
  const std::string chart = svg::roofline({64, 16, {{4, 64, "ridge", true}}});
  const auto number = [&](const std::string& key) {
    return std::stod(chart.substr(chart.find(key) + key.size()));
  };
  EXPECT_NEAR(number("stroke=\"var(--c3)\" stroke-width=\"2.5\"/><line x1=\""), number("cx=\""),
              0.1);
  EXPECT_NEAR(number("cy=\""), 14 + (2 - std::log10(64)) / 3 * (300 - 14 - 42), 0.1);
}

class ReportTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
    const std::string model = read("m.tmodel");
    std::string named = model;
    named.replace(named.find("\"name\": \"m\""), 11, "\"name\": \"m <b>&amp; 'x'\"");
    named.insert(named.rfind('}'), R"(, "layers": [{"name": "conv <1>", "first": 0, "count": 4}])");
    write("m.tmodel", named);
    const Output run = tactus(
        "run --model m.tmodel --input x.csv --read-latency 9 --report r.html --stats s.json");
    ASSERT_EQ(run.code, 0) << run.err;
  }
};

TEST_F(ReportTest, LoadsNothingAndRunsNothing) {
  const std::string page = read("r.html");
  for (const char* text : {"http:", "https:", "<script", "src=", "@import", "url("}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0U);
  for (const char* text : {"m &lt;b&gt;&amp;amp; &#39;x&#39;", "conv &lt;1&gt;",
                           "Where the array&#39;s time goes", "Over time", "Roofline", "Units",
                           "Layers", "Instructions", "DRAM ports", "Configuration"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  const auto stats = nlohmann::json::parse(read("s.json"));
  const std::string cycles = html::grouped(stats.at("cycles").get<std::uint64_t>());
  EXPECT_NE(page.find("<b>" + cycles + "</b>"), std::string::npos) << cycles;
  const auto count = [&](const std::string& text) {
    std::size_t n = 0;
    for (auto at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++n;
    return n;
  };
  for (const char* tag : {"svg", "section", "table", "tr", "td", "div", "ul", "li", "p"}) {
    EXPECT_EQ(count(std::string("<") + tag + ">") + count(std::string("<") + tag + " "),
              count(std::string("</") + tag + ">"))
        << tag;
  }
}

TEST_F(ReportTest, OpensInABrowser) {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "chromium is not installed; apt-get install chromium";
  }
  const std::string dump =
      "cd " + folder_.string() +
      " && HOME=. timeout 60 chromium --headless --no-sandbox --disable-gpu "
      "--enable-logging=stderr "
      "--user-data-dir=./profile --virtual-time-budget=2000 --dump-dom \"file://$PWD/r.html\" "
      ">dom.html 2>log.txt";
  ASSERT_EQ(std::system(dump.c_str()), 0) << read("log.txt");
  const std::string dom = read("dom.html");
  for (const char* text : {"DRAM0 read, waiting for data", "conv &lt;1&gt;", "systolic array",
                           "multiply-accumulates per byte", "read_latency_cycles"}) {
    EXPECT_NE(dom.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(read("log.txt").find("CONSOLE"), std::string::npos) << read("log.txt");
  const std::string shot =
      "cd " + folder_.string() +
      " && HOME=. timeout 60 chromium --headless --no-sandbox --disable-gpu "
      "--user-data-dir=./profile "
      "--window-size=400,800 --screenshot=shot.png \"file://$PWD/r.html\" >/dev/null 2>&1";
  ASSERT_EQ(std::system(shot.c_str()), 0);
  EXPECT_GT(read("shot.png").size(), 10000U);
}

}  // namespace
}  // namespace tactus
