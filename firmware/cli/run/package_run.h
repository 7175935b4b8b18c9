// tactus run of packages: requests behind a host link, their programs on the simulated TCU.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"
#include "firmware/driver/darwinn/link_requests.h"
#include "firmware/driver/darwinn/package_device.h"
#include "firmware/driver/darwinn/parameter_cache.h"
#include "firmware/report/run_document.h"

namespace tactus {

/// Runs packages. First the programs are simulated, request by request; then the requests are
/// simulated on the link, where each program takes the time of its cycles. This is exact, since a
/// program begins when all of its instructions and data are on the device.
class PackageRun {
 public:
  /// `plan` and `simulation` must outlive the object.
  PackageRun(const RunPlan& plan, TcuSimulation& simulation);

  /// Runs all programs. Calls `begin` before and `end` after the program of each request. Returns
  /// the run of a program that loads parameters, and so belongs to no request, if it did not
  /// finish.
  std::optional<TcuRunResult> run_programs(const TcuRunOptions& options,
                                           const std::function<void(const std::string&)>& begin,
                                           const std::function<void(ImageResult)>& end);
  /// Simulates the requests on the link. Call when all programs have finished.
  void run_link();

  /// Adds to the document: figures of each request, summary lines of the first, a section of the
  /// page.
  void describe(RunDocument& document) const;
  void write_timeline(const std::string& path) const;
  /// The package of a request.
  [[nodiscard]] const PlannedPackage& package(std::size_t request) const {
    return plan_.host.packages[request % plan_.host.packages.size()];
  }

 private:
  struct Parts;
  struct Request {
    std::size_t index = 0;               ///< index among the packages of the device
    std::optional<std::size_t> caching;  ///< index of the package that loads its parameters
    std::uint64_t cycles = 0;            ///< cycles of the program
  };

  void add(const darwinn::Executable& executable, std::size_t user, const TcuRunResult& result);
  [[nodiscard]] Parts parts(std::size_t request) const;
  [[nodiscard]] nlohmann::ordered_json request_json(std::size_t request) const;
  [[nodiscard]] nlohmann::ordered_json series_json() const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> lines() const;
  [[nodiscard]] std::string page_section() const;
  /// Mean latency of the requests that loaded parameters, or of those that did not; empty if there
  /// are none.
  [[nodiscard]] std::optional<double> mean_latency(bool loaded) const;
  [[nodiscard]] std::string_view parameters_text(std::size_t request) const;

  const RunPlan& plan_;
  TcuSimulation& simulation_;
  PackageDevice device_;
  ParameterCache cache_;
  std::vector<Request> requests_;
  std::vector<LinkRequest> sent_;                        ///< requests sent over the link
  std::vector<const darwinn::Executable*> executables_;  ///< executable of each of these requests
  LinkRun run_;
};

}  // namespace tactus
