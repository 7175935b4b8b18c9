// The six points measured on a ZCU104, with one fitted latency.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/host.h"
#include "isa/support/files.h"
#include "isa/tcu/vectors_file.h"
#include "tests/support/shared.h"

namespace tactus {
namespace {

const char* const programs = "golden/tcu/programs/";

struct Point {
  const char* name;
  const char* board;
  const char* model;  ///< path below `programs`
  double frames_per_second;
};
constexpr std::array<Point, 6> points{{
    {"baseline", "zcu104", "resnet20v2_zcu104/resnet20v2_cifar_onnx_zcu104.tmodel", 133.54},
    {"dual clock", "zcu104_dual", "resnet20v2_zcu104/resnet20v2_cifar_onnx_zcu104.tmodel", 152.04},
    {"uram", "zcu104_uram", "resnet20v2_zcu104_uram/ultra_ram/", 170.16},
    {"local-vars", "zcu104_uram", "resnet20v2_zcu104_uram/ultra_ram_local_vars/", 214.66},
    {"local-consts", "zcu104_uram", "resnet20v2_zcu104_uram/ultra_ram_local_consts/", 231.57},
    {"both", "zcu104_uram", "resnet20v2_zcu104_uram/ultra_ram_local_vars_and_consts/", 293.58},
}};

/// Reads the point's model. All programs are of one network and have the constants of the first
/// point.
Model read_point(const Point& point) {
  const std::string folder = shared_folder() + "/" + programs;
  std::string path = folder + point.model;
  if (path.back() != '/') return read_model(path, ProgramChecks::strict);
  path += "resnet20v2_cifar_onnx_zcu104_uram.tmodel";
  Model model;
  model.path = path;
  model.file = tcu::read_model_file(path);
  model.program = read_file(resolve_beside(path, model.file.prog.file_name));
  model.constants = {read_file(folder + "resnet20v2_zcu104/resnet20v2_cifar_onnx_zcu104.tdata")};
  return model;
}

/// Returns the error, in percent, of the simulated cycles plus the host's cycles.
double error_percent(const Point& point, std::optional<double> interconnect_ns = {}) {
  const Model model = read_point(point);
  TcuSimulationConfig config = read_board(point.board).simulation_config();
  const bool direct = std::string(point.board) == "zcu104";
  if (!direct) config.interconnect_ns = interconnect_ns;
  resolve_memory(config);
  std::vector<std::uint8_t> image = tcu::read_vectors(
      shared_folder() + "/" + programs + "resnet20v2_zcu104/inputs.csv", model.file.arch);
  image.resize(1024 * model.file.arch.vector_bytes());
  TcuSimulation simulation(config);
  Host host(simulation, model, HostMode::driver);
  EXPECT_FALSE(host.prepare());
  const ImageResult result = host.run_image({{model.file.inputs.at(0).name, image}}, {});
  EXPECT_EQ(result.run.end, RunEnd::finished);
  const double simulated = static_cast<double>(*result.probe) + config.host_us * config.clock_mhz;
  const double measured = config.clock_mhz * 1e6 / point.frames_per_second;
  return 100 * (simulated / measured - 1);
}

bool there(const Point& point) { return shared_file_exists(std::string(programs) + point.model); }

TEST(Zcu104, SixMeasuredPointsAreMetWithinOnePercent) {
  TACTUS_NEEDS_SHARED(std::string(programs) + "resnet20v2_zcu104_uram");
  for (const Point& point : points) {
    ASSERT_TRUE(there(point)) << point.model;
    const double error = error_percent(point);
    EXPECT_LT(std::abs(error), 0.4) << point.name << " " << error << " %";
  }
}

/// The latency fitted to any five points predicts the sixth.
TEST(Zcu104, FiveFittedPointsPredictTheSixth) {
  TACTUS_NEEDS_SHARED(std::string(programs) + "resnet20v2_zcu104_uram");
  const std::vector<double> latencies{100, 102, 104, 106, 108, 110, 112};
  std::vector<std::array<double, points.size()>> errors(latencies.size());
  for (std::size_t l = 0; l < latencies.size(); ++l) {
    for (std::size_t p = 0; p < points.size(); ++p) {
      errors[l][p] = p == 0 && l > 0 ? errors[0][0] : error_percent(points[p], latencies[l]);
    }
  }
  for (std::size_t left_out = 0; left_out < points.size(); ++left_out) {
    std::size_t best = 0;
    double least = 1e9;
    for (std::size_t l = 0; l < latencies.size(); ++l) {
      double worst = 0;
      for (std::size_t p = 0; p < points.size(); ++p) {
        if (p != left_out) worst = std::max(worst, std::abs(errors[l][p]));
      }
      if (worst < least) least = worst, best = l;
    }
    EXPECT_LT(std::abs(errors[best][left_out]), 1.1)
        << points[left_out].name << " with " << latencies[best] << " ns";
  }
}

}  // namespace
}  // namespace tactus
