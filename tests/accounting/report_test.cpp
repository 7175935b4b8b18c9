// The HTML page: it needs no other file, and a browser shows it as expected.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/report/axes.h"
#include "firmware/report/html.h"
#include "firmware/report/scatter.h"
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

TEST(Svg, PartsOfABarFillIt) {
  const std::string bar = svg::stacked_bar({{1, 0, "a<"}, {0, 1, "absent"}, {3, 2, "b"}});
  EXPECT_NE(bar.find("x=\"0.00\" width=\"250.00\""), std::string::npos) << bar;
  EXPECT_NE(bar.find("x=\"250.00\" width=\"750.00\""), std::string::npos) << bar;
  EXPECT_NE(bar.find("<title>a&lt;</title>"), std::string::npos) << bar;
  EXPECT_EQ(bar.find("absent"), std::string::npos) << bar;
}

TEST(Svg, RooflinePointsLieBelowTheRoof) {
  // The ridge is at 4 MAC/byte, so x and y both go from 0.1 to 100. The drawing has 720 x 300
  // units.
  const std::string chart = svg::roofline({64, 16, {{4, 64, "ridge", true}}, {}, {}, {}, {}});
  const auto number = [&](const std::string& key) {
    return std::stod(chart.substr(chart.find(key) + key.size()));
  };
  EXPECT_NEAR(number("stroke=\"var(--c3)\" stroke-width=\"2.5\"/><line x1=\""), number("cx=\""),
              0.1);
  EXPECT_NEAR(number("cy=\""), 14 + (2 - std::log10(64)) / 3 * (300 - 14 - 42), 0.1);
}

double luminance(const std::string& colour) {  // "#rrggbb"
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (unsigned i = 0; i < 3; ++i) {
    const double share = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/// Any two colours of a page have a WCAG contrast of at least 1.35, on light pages and on dark
/// ones.
TEST(Html, ColoursDifferInLightness) {
  const std::string page = html::Page("x").html();
  const std::regex colour("--c[0-6]:(#[0-9a-f]{6})");
  std::vector<double> all;
  for (std::sregex_iterator match(page.begin(), page.end(), colour), end; match != end; ++match) {
    all.push_back(luminance(match->str(1)));
  }
  ASSERT_EQ(all.size(), 14U);
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < (a < 7 ? 7U : 14U); ++b) {
      const double contrast = (std::max(all[a], all[b]) + 0.05) / (std::min(all[a], all[b]) + 0.05);
      EXPECT_GE(contrast, 1.35) << "colours " << a % 7 << " and " << b % 7;
    }
  }
}

TEST(Svg, ColumnsHaveAnAxisOfShares) {
  const std::string chart = svg::columns({{{"a", 0}}, {{0.5}}, "0", "9", "cycles"});
  for (const char* tick : {">100 %<", ">50 %<", ">0 %<"}) {
    EXPECT_NE(chart.find(tick), std::string::npos) << tick;
  }
}

/// The name of the point with the most weight is placed first. A name that would cover another is
/// left out.
TEST(Svg, RooflinePointsAreNamedWhereThereIsRoom) {
  svg::RooflineChart chart{64, 16, {}, "array", "DRAM", "all", "parts"};
  chart.points.push_back({1, 2, "", false, "small", 1});
  chart.points.push_back({1, 2.01, "", false, "large", 5});
  chart.points.push_back({1, 20, "", false, "apart", 2});
  const std::string drawn = svg::roofline(chart);
  EXPECT_NE(drawn.find(">large<"), std::string::npos);
  EXPECT_NE(drawn.find(">apart<"), std::string::npos);
  const std::size_t large = drawn.find(">large<"), small = drawn.find(">small<");
  EXPECT_TRUE(small == std::string::npos || small > large) << "or on the other side";
}

/// A name must not touch another point, or readers would take it for that point's name.
TEST(Svg, NamesDoNotCoverOtherPoints) {
  svg::Frame frame;
  frame.x = svg::Scale::linear(0, frame.width);
  frame.y = svg::Scale::linear(0, frame.height);
  const std::vector<svg::NamedPlace> places{{200, 150, "12"}, {214, 148, "7"}, {186, 152, "3"}};
  const std::string drawn = svg::names_beside(frame, places, 12);
  const std::regex text("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" text-anchor=\"([a-z]+)\">([0-9]+)<");
  std::size_t names = 0;
  for (std::sregex_iterator found(drawn.begin(), drawn.end(), text), end; found != end; ++found) {
    ++names;
    const double width = svg::text_width((*found)[4].str());
    const double at = std::stod((*found)[1]), base = std::stod((*found)[2]);
    const double left = at - ((*found)[3] == "start" ? 0
                              : (*found)[3] == "end" ? width
                                                     : width / 2);
    for (const svg::NamedPlace& place : places) {
      if (place.name == (*found)[4]) continue;
      EXPECT_TRUE(left > place.x + 3 || left + width < place.x - 3 || base < place.y - 3 ||
                  base - 10 > place.y + 3)
          << (*found)[4] << " at the point of " << place.name;
    }
  }
  EXPECT_EQ(names, 3U) << drawn;
}

TEST(Html, LongNamesMayBreakAfterEachPart) {
  EXPECT_EQ(html::breakable("conv_1+add<0>"), "conv_<wbr>1+<wbr>add&lt;0&gt;");
  EXPECT_EQ(html::breakable("end_"), "end_");
  EXPECT_EQ(html::breakable(""), "");
}

TEST(Html, TilesStateTheLengthOfTheirFigure) {
  EXPECT_EQ(html::length("117\u202f736\u202f833"), 11U);
  html::Page page("");
  page.tile("cycles", "117\u202f736\u202f833", "");
  EXPECT_NE(page.html().find("--n:11\""), std::string::npos);
}

std::vector<std::string> labels(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const svg::Tick& tick : svg::number_ticks(values)) texts.push_back(tick.label);
  return texts;
}

TEST(Axes, LabelsOfDifferentValuesDiffer) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(labels({10.49, 10.495, 10.5}), (Texts{"10.490", "10.495", "10.500"}));
  EXPECT_EQ(labels({123456.001, 123456.002, 123456.003}),
            (Texts{"123456.001", "123456.002", "123456.003"}));
  EXPECT_EQ(labels({2, 4, 6}), (Texts{"2", "4", "6"}));
  EXPECT_EQ(labels({0.001, 0.01, 0.1, 1}), (Texts{"0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(labels({10000, 20000}), (Texts{"10\u202f000", "20\u202f000"}));
  std::mt19937 engine(3);
  for (int round = 0; round < 500; ++round) {
    const double low = std::pow(10, static_cast<double>(engine() % 12) - 4);
    const double span = low * std::pow(10, -static_cast<double>(engine() % 7));
    const svg::Scale scale = svg::Scale::around({low, low + span});
    const Texts texts = labels(scale.ticks());
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size())
        << low << " " << span;
  }
}

/// Returns x and label of the texts below a frame.
std::vector<std::pair<double, std::string>> texts_below(const std::string& drawing, double y) {
  std::vector<std::pair<double, std::string>> texts;
  const std::regex text("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" text-anchor=\"middle\">([^<]*)<");
  for (std::sregex_iterator it(drawing.begin(), drawing.end(), text), end; it != end; ++it) {
    if (std::abs(std::stod((*it)[2]) - y) < 0.1) texts.emplace_back(std::stod((*it)[1]), (*it)[3]);
  }
  return texts;
}

TEST(Axes, EveryLineHasALabelAndLabelsDoNotOverlap) {
  svg::Frame frame;
  frame.x = svg::Scale::linear(0, 100);
  std::vector<svg::Tick> ticks;
  for (int i = 0; i <= 100; i += 3) ticks.push_back({static_cast<double>(i), "1\u202f000"});
  const std::string drawing = svg::grid(frame, ticks, {}, "x", "y");
  const auto texts = texts_below(drawing, frame.height - frame.bottom + 16);
  ASSERT_GT(texts.size(), 5U);
  EXPECT_LT(texts.size(), ticks.size()) << "the case is too easy";
  std::size_t lines = 0;
  for (auto at = drawing.find("<line"); at != std::string::npos; at = drawing.find("<line", at + 1))
    ++lines;
  EXPECT_EQ(lines, texts.size());
  for (std::size_t i = 1; i < texts.size(); ++i) {
    EXPECT_GT(texts[i].first - texts[i - 1].first, svg::text_width(texts[i].second));
  }
}

TEST(Axes, NamesThatDoNotFitAreSlantedAndNotCut) {
  svg::ScatterChart chart;
  for (int i = 0; i < 8; ++i) {
    chart.x.categories.push_back("a-rather-long-name-" + std::to_string(i));
    chart.points.push_back({static_cast<double>(i), 1.0 + i, "", 1, false});
  }
  const std::string drawing = svg::scatter(chart);
  for (const std::string& name : chart.x.categories) {
    EXPECT_NE(drawing.find("rotate(-40)\" text-anchor=\"end\">" + name), std::string::npos) << name;
  }
  chart.x.categories = {"a", "b", "c", "d", "e", "f", "g", "h"};
  EXPECT_EQ(svg::scatter(chart).find("rotate(-40)"), std::string::npos);
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

TEST_F(ReportTest, LoadsNoFileAndRunsNoScript) {
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
  EXPECT_NE(page.find("\">" + cycles + "</b>"), std::string::npos) << cycles;
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
  TACTUS_NEEDS_CHROMIUM;
  const std::string dom = browse("r.html");
  for (const char* text : {"DRAM0 read, waiting for data", "conv &lt;1&gt;", "systolic array",
                           "MAC per byte of DRAM traffic", "read_latency_cycles"}) {
    EXPECT_NE(dom.find(text), std::string::npos) << text;
  }
  take_screenshot("r.html", 400, 800, "shot.png");
  EXPECT_GT(read("shot.png").size(), 10000U);
}

}  // namespace
}  // namespace tactus
