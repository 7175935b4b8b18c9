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

/// The programs run first, request by request, each in its cycles; then the requests go over the
/// link, where a program takes its cycles as time. A program begins when all of its instructions
/// and data are on the device, so that neither waits for the other and what each does is the same.
class PackageRun {
 public:
  /// Both must outlive it.
  PackageRun(const RunPlan& plan, TcuSimulation& simulation);

  /// Runs all programs. `begin` and `end` are told of each request's; `end` with its result.
  /// Returns a run that did not finish and belongs to no request, of parameters.
  std::optional<TcuRunResult> run_programs(const TcuRunOptions& options,
                                           const std::function<void(const std::string&)>& begin,
                                           const std::function<void(ImageResult)>& end);
  /// Sends the requests over the link, once all programs have finished.
  void run_link();

  /// What is written of it: figures of each request, lines of the first, and a section of the page.
  void describe(RunDocument& document) const;
  void write_timeline(const std::string& path) const;
  /// The package of a request.
  [[nodiscard]] const PlannedPackage& package(std::size_t request) const {
    return plan_.host.packages[request % plan_.host.packages.size()];
  }

 private:
  struct Parts;
  struct Request {
    std::size_t index = 0;               ///< among those of the device
    std::optional<std::size_t> caching;  ///< the one that loads its parameters
    std::uint64_t cycles = 0;            ///< of the program
  };

  void add(const darwinn::Executable& executable, std::size_t user, const TcuRunResult& result);
  [[nodiscard]] Parts parts(std::size_t request) const;
  [[nodiscard]] nlohmann::ordered_json request_json(std::size_t request) const;
  [[nodiscard]] nlohmann::ordered_json series_json() const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> lines() const;
  [[nodiscard]] std::string page_section() const;
  /// Mean latency of the requests that loaded parameters, or of the others; none: there are none.
  [[nodiscard]] std::optional<double> mean_latency(bool loaded) const;
  [[nodiscard]] std::string_view parameters_text(std::size_t request) const;

  const RunPlan& plan_;
  TcuSimulation& simulation_;
  PackageDevice device_;
  ParameterCache cache_;
  std::vector<Request> requests_;
  std::vector<LinkRequest> sent_;                        ///< what goes over the link
  std::vector<const darwinn::Executable*> executables_;  ///< of these
  LinkRun run_;
};

}  // namespace tactus
