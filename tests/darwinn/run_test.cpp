// tactus compile, pack and run of packages behind a host link.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "firmware/report/figures.h"
#include "isa/darwinn/writer.h"
#include "models/tcu/machine_info.h"
#include "tests/cli/cli.h"
#include "tests/darwinn/sample_package.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

void expect_explained(const Json& json, const std::string& path) {
  if (!json.is_object()) {
    EXPECT_NE(FigureTable(tcu_machine_info()).find(path), nullptr) << path;
    return;
  }
  for (const auto& [key, value] : json.items()) expect_explained(value, path + "." + key);
}

class PackageRun : public CliTest {
 protected:
  void good(const std::string& command) const {
    const Output output = tactus(command);
    EXPECT_EQ(output.code, 0) << command << "\n" << output.err;
  }
  /// Makes NAME.dwn1 from a network of the zoo, with the outputs of the direct run in NAME.out and
  /// its statistics in NAME.json.
  void make(const std::string& name, const std::string& how) const {
    good("zoo " + name + " -o " + name + ".onnx");
    good(fmt::format("compile {}.onnx --board zcu104 --separate-outputs -o {}", name, name));
    const std::string model = fmt::format("{0}/{0}_onnx_zcu104.tmodel", name);
    good(fmt::format("pack {} -o {}.dwn1 {}", model, name, how));
    input(name, model);
    good(fmt::format("run --model {} --input {}.csv -o {}.out --stats {}.json --memory fixed",
                     model, name, name, name));
  }
  /// Writes an input of one image with small numbers.
  void input(const std::string& name, const std::string& model) const {
    const Json file = Json::parse(read(model));
    std::string text;
    for (std::uint64_t v = 0; v < file.at("inputs")[0].at("size").get<std::uint64_t>(); ++v) {
      for (std::uint64_t i = 0; i < file.at("arch").at("array_size").get<std::uint64_t>(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ",", static_cast<double>((v + i) % 5) / 8);
      }
      text += "\n";
    }
    write(name + ".csv", text);
  }
  [[nodiscard]] std::vector<std::string> in(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder)) {
      // A package does not describe the layout of the model's tensors, so its run writes no .npy
      // and .pb files.
      const std::string extension = entry.path().extension();
      if (extension == ".npy" || extension == ".pb") continue;
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  [[nodiscard]] Json figures(const std::string& file) const { return Json::parse(read(file)); }
};

TEST_F(PackageRun, ANetworkRunsOverEveryLink) {
  make("cnn", "");
  const Json direct = figures("cnn.json");
  for (const char* link : {"usb3", "usb2", "pcie"}) {
    SCOPED_TRACE(link);
    good(fmt::format("run cnn.dwn1 --link {} --input cnn.csv -o out --stats s.json --memory fixed",
                     link));
    const Json stats = figures("s.json");
    EXPECT_EQ(stats.at("cycles"), direct.at("cycles").get<std::uint64_t>() + 2);
    ASSERT_FALSE(in("cnn.out").empty());
    for (const std::string& file : in("cnn.out")) {
      EXPECT_EQ(read("out/" + file), read("cnn.out/" + file)) << file;
    }
    const Json& host = stats.at("host_link");
    EXPECT_EQ(host.at("parameters"), "with_request");
    std::uint64_t sum = 0;
    for (const auto& [name, time] : host.at("time_ps").items()) sum += time.get<std::uint64_t>();
    EXPECT_EQ(sum, host.at("latency_ps"));
    EXPECT_EQ(host.at("time_ps").at("host"), 430000000U);
    EXPECT_EQ(host.at("series").at("total_ps"), host.at("latency_ps"));
    EXPECT_EQ(host.at("series").at("link").at("name"), link);
    expect_explained(host, "host_link");
    EXPECT_TRUE(stats.at("figures").contains("host_link.latency_ps"));
    EXPECT_FALSE(direct.at("figures").contains("host_link.latency_ps"));
  }
}

TEST_F(PackageRun, TensorsWithBasesOfTheirOwn) {
  make("cnn", "--profile b --cache-parameters");
  good("run cnn.dwn1 --link usb3 --input cnn.csv -o out --stats s.json --memory fixed");
  EXPECT_GT(figures("s.json").at("cycles"), figures("cnn.json").at("cycles"));
  ASSERT_FALSE(in("cnn.out").empty());
  for (const std::string& file : in("cnn.out")) {
    EXPECT_EQ(read("out/" + file), read("cnn.out/" + file)) << file;
  }
  const Json info = Json::parse(tactus("darwinn info cnn.dwn1 --json").out);
  EXPECT_NE(info.dump().find("\"INPUT\""), std::string::npos);
  expect_error("pack cnn/cnn_onnx_zcu104.tmodel -o c.dwn1 --profile c", "allowed: a, b");
}

TEST_F(PackageRun, ParametersAreLoadedOnce) {
  make("cnn", "--cache-parameters");
  good(
      "run cnn.dwn1 --link usb3 --input cnn.csv --requests 3 --stats s.json --report r.html "
      "--link-timeline t.json");
  const Json stats = figures("s.json");
  const Json& series = stats.at("host_link").at("series");
  EXPECT_EQ(series.at("requests"), 3);
  EXPECT_EQ(series.at("parameter_loads"), 1);
  EXPECT_EQ(series.at("parameter_hits"), 2);
  EXPECT_GT(series.at("cold_latency_ps").get<double>(), series.at("warm_latency_ps").get<double>());
  ASSERT_EQ(stats.at("images").size(), 3U);
  EXPECT_EQ(stats.at("images")[0].at("host_link").at("parameters"), "loaded");
  EXPECT_EQ(stats.at("images")[1].at("host_link").at("parameters"), "cached");
  EXPECT_NE(read("r.html").find("Behind the host link"), std::string::npos);
  const Json timeline = figures("t.json");
  std::size_t programs = 0;
  for (const Json& event : timeline.at("traceEvents")) {
    if (event.value("cat", "") == "compute") ++programs;
  }
  EXPECT_EQ(programs, 4U) << "three, and one that loads parameters";
  // Viewers draw slices of a track wrongly that overlap and do not nest.
  std::map<int, std::vector<std::pair<double, double>>> tracks;
  for (const Json& event : timeline.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const double from = event.at("ts").get<double>();
    tracks[event.at("tid")].emplace_back(from, from + event.at("dur").get<double>());
  }
  EXPECT_GE(tracks.size(), 4U);
  for (auto& [track, slices] : tracks) {
    std::sort(slices.begin(), slices.end());
    for (std::size_t i = 1; i < slices.size(); ++i) {
      EXPECT_LE(slices[i - 1].second, slices[i].first + 1e-6) << "track " << track;
    }
  }
}

TEST_F(PackageRun, TwoModelsTakeTurns) {
  make("cnn", "--cache-parameters --token 7");
  make("mlp", "--cache-parameters --token 7");
  good("pack mlp/mlp_onnx_zcu104.tmodel -o other.dwn1 --cache-parameters");
  const std::string run =
      " --link pcie --input 1:cnn.csv --input 2:mlp.csv --requests 4 --in-flight 2 --arenas 2 "
      "--stats ";
  good("run cnn.dwn1 mlp.dwn1" + run + "shared.json -o shared");
  good("run cnn.dwn1 other.dwn1" + run + "apart.json -o apart");
  const Json shared = figures("shared.json").at("host_link").at("series");
  const Json apart = figures("apart.json").at("host_link").at("series");
  EXPECT_EQ(shared.at("parameter_loads"), 2);
  EXPECT_EQ(shared.at("evictions"), 0);
  EXPECT_EQ(apart.at("parameter_loads"), 4);
  EXPECT_EQ(apart.at("evictions"), 3);
  EXPECT_LT(shared.at("total_ps"), apart.at("total_ps"));
  for (const char* how : {"shared/", "apart/"}) {
    for (const char* name : {"cnn", "mlp"}) {
      for (const std::string& file : in(std::string(name) + ".out")) {
        if (file.find(".bin") == std::string::npos) continue;
        const std::string one = read(std::string(name) + ".out/" + file);
        EXPECT_EQ(read(how + std::string(name[0] == 'c' ? "1." : "2.") + file), one + one) << file;
      }
    }
  }
}

TEST_F(PackageRun, Refusals) {
  darwinn::SamplePackage sample;
  write("edge.dwn1", write_package(sample.package));
  write("x.csv", std::string("1\n"));
  expect_error("run edge.dwn1", "edge.dwn1 is a package; --link NAME is missing");
  expect_error("run edge.dwn1 --link usb3", "E_CHIP: for chip \"beagle\"");
  expect_error("run --link usb3", "--link belongs to packages");
  expect_error("run edge.dwn1 --link usb3 --model m.tmodel",
               "is taken for a package, and --model names a model");
  expect_error("run edge.dwn1 --link usb9", "usb9");
  expect_error("run edge.tmodel --link usb3", "edge.tmodel");
  write_model();
  expect_error("pack m.tmodel -o m.dwn1 --chip a --token 3", "--token belongs to");
  good("pack m.tmodel -o m.dwn1 --chip a");
  const Output drawn = tactus("run m.dwn1 --link usb3");
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_NE(drawn.err.find("input \"x\": none is given; its values, -1 to 1, are drawn"),
            std::string::npos)
      << drawn.err;
  expect_error("run m.dwn1 m.dwn1 --link usb3 --input 3:x.csv", "there is no package 3");
  expect_error("run m.dwn1 --link usb3 --input x.csv --requests 0", "requests");
  expect_error("run m.dwn1 --link usb3 --input x.csv --arenas 17", "arenas");
}

}  // namespace
}  // namespace tactus
