#include "firmware/cli/run/package_run.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/cli/darwinn/link_timeline.h"
#include "firmware/report/html.h"
#include "firmware/report/svg.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using darwinn::Executable;
using Json = nlohmann::ordered_json;

std::string with_ms(double time) { return time_text(time / picoseconds_per_ms); }
std::string with_ms(Picoseconds time) { return with_ms(static_cast<double>(time)); }

std::vector<const darwinn::Package*> packages_of(const RunPlan& plan) {
  std::vector<const darwinn::Package*> packages;
  for (const PlannedPackage& one : plan.host.packages) packages.push_back(&one.file->package());
  return packages;
}

}  // namespace

/// The parts of a request's time, which add up to its latency.
struct PackageRun::Parts {
  static constexpr std::size_t count = 7;
  static constexpr std::array<const char*, count> names = {
      "host", "parameters", "wait_link", "to_device", "wait_device", "program", "to_host"};
  static constexpr std::array<const char*, count> titles = {
      "host",          "loading parameters",     "waiting for the link",
      "to the device", "waiting for the device", "program",
      "to the host"};
  static constexpr std::array<unsigned, count> colours = {2, 3, 6, 1, 5, 0, 4};

  Picoseconds from = 0, to = 0;
  std::array<Picoseconds, count> time{};

  [[nodiscard]] Picoseconds latency() const { return to - from; }
};

PackageRun::PackageRun(const RunPlan& plan, TcuSimulation& simulation)
    : plan_(plan),
      simulation_(simulation),
      device_(simulation, packages_of(plan), plan.host.arenas) {}

// ---- the programs -------------------------------------------------------------------------------

void PackageRun::add(const Executable& executable, std::size_t user, const TcuRunResult& result) {
  LinkRequest request;
  request.steps = dma_list(executable);
  request.host = plan_.host.link.fixed_ps;
  request.compute = result.cycles * simulation_.period_fs() / 1000;
  request.user = user;
  sent_.push_back(std::move(request));
  executables_.push_back(&executable);
}

std::optional<TcuRunResult> PackageRun::run_programs(
    const TcuRunOptions& options, const std::function<void(const std::string&)>& begin,
    const std::function<void(ImageResult)>& end) {
  const std::vector<PlannedPackage>& packages = plan_.host.packages;
  // Index of the last request in each arena of each package.
  std::vector<std::vector<std::optional<std::size_t>>> last(
      packages.size(), std::vector<std::optional<std::size_t>>(plan_.host.arenas));
  for (std::size_t r = 0; r < plan_.host.requests; ++r) {
    const std::size_t p = r % packages.size(), turn = r / packages.size();
    const darwinn::Package& package = packages[p].file->package();
    Request request;
    const ParameterCache::Answer answer = cache_.request(package);
    if (answer.evicted) device_.evict();
    if (answer.load) {
      TcuRunOptions caching;
      apply(plan_, caching);
      TcuRunResult result = device_.cache_parameters(p, caching);
      if (result.end != RunEnd::finished) return result;
      add(*package.caching(), r, result);
      sent_.back().replaces_parameters = answer.evicted;
      request.caching = sent_.size() - 1;
    }
    begin(fmt::format("request {}", r));
    TcuRunOptions mine = options;
    if (p != 0) mine.regions = regions_of(packages[p].model.file.layers);
    const std::vector<TensorData>& images = packages[p].images;
    const std::size_t arena = turn % plan_.host.arenas;
    ImageResult image = device_.run(p, arena, images[turn % images.size()], mine);
    const bool finished = image.run.end == RunEnd::finished;
    if (finished) {
      add(package.main(), r, image.run);
      sent_.back().memory_after = std::exchange(last[p][arena], sent_.size() - 1);
      request.index = sent_.size() - 1;
      request.cycles = image.run.cycles;
      requests_.push_back(request);
    }
    end(std::move(image));
    if (!finished) break;
  }
  return std::nullopt;
}

void PackageRun::run_link() {
  run_ = run_requests(std::move(sent_), plan_.host.link, plan_.host.in_flight);
}

// ---- what came of it ----------------------------------------------------------------------------

PackageRun::Parts PackageRun::parts(std::size_t r) const {
  const Request& request = requests_[r];
  const LinkRequest& main = run_.requests[request.index];
  const LinkRequest* caching = request.caching ? &run_.requests[*request.caching] : nullptr;
  Picoseconds first = main.compute_start, last = main.released;
  for (const ReplayStep& step : main.steps) {
    if (step.bytes == 0 || step.hint.direction != darwinn::infeed) continue;
    first = std::min(first, step.start);
    last = std::max(last, step.end);
  }
  const Picoseconds loaded =
      caching == nullptr ? main.released : std::clamp(caching->end, main.released, first);
  Parts parts;
  parts.from = caching == nullptr ? main.submitted : caching->submitted;
  parts.to = main.end;
  const std::array<Picoseconds, Parts::count> ends = {
      main.released, loaded, first, last, main.compute_start, main.compute_end, main.end};
  Picoseconds from = parts.from;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    parts.time[i] = ends[i] - from;
    from = ends[i];
  }
  return parts;
}

std::string_view PackageRun::parameters_text(std::size_t r) const {
  if (requests_[r].caching) return "loaded";
  const darwinn::Package& package = this->package(r).file->package();
  if (package.caching() != nullptr) return "cached";
  return package.main().parameters.empty() ? "none" : "with_request";
}

std::optional<double> PackageRun::mean_latency(bool loaded) const {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t r = 0; r < requests_.size(); ++r) {
    if (requests_[r].caching.has_value() != loaded) continue;
    sum += static_cast<double>(parts(r).latency());
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

Json PackageRun::request_json(std::size_t r) const {
  const Parts parts = this->parts(r);
  const Executable& main = package(r).file->package().main();
  Json json{{"model", package(r).file->name()},
            {"parameters", parameters_text(r)},
            {"latency_ps", parts.latency()}};
  for (std::size_t i = 0; i < Parts::count; ++i) json["time_ps"][Parts::names[i]] = parts.time[i];
  const std::uint64_t estimated = main.cycle_estimate();
  json["estimated_cycles"] = estimated != 0 ? Json(estimated) : Json();
  json["bytes"] = darwinn::to_json(darwinn::traffic_of(main));
  return json;
}

Json PackageRun::series_json() const {
  const auto mean = [&](bool loaded) {
    const auto value = mean_latency(loaded);
    return value ? Json(*value) : Json();
  };
  Picoseconds programs = 0;
  for (const LinkRequest& one : run_.requests) programs += one.compute_end - one.compute_start;
  const ParameterCache::Stats& cache = cache_.stats();
  Json link{{"name", plan_.host.link.name}, {"title", plan_.host.link.title}};
  link_parameters().write(link, plan_.host.link);
  return {{"requests", requests_.size()},
          {"total_ps", run_.end},
          {"requests_per_second",
           static_cast<double>(requests_.size()) * 1e12 / static_cast<double>(run_.end)},
          {"cold_latency_ps", mean(true)},
          {"warm_latency_ps", mean(false)},
          {"parameter_loads", cache.loads},
          {"parameter_hits", cache.hits},
          {"evictions", cache.evictions},
          {"program_ps", programs},
          {"to_device", to_json(run_.to_device)},
          {"to_host", to_json(run_.to_host)},
          {"link", link}};
}

std::vector<std::pair<std::string, std::string>> PackageRun::lines() const {
  std::vector<std::pair<std::string, std::string>> lines;
  const LinkPreset& link = plan_.host.link;
  lines.emplace_back("host link", fmt::format("{}: {}", link.name, link.title));
  lines.emplace_back(
      "requests",
      fmt::format("{} in {}, {:.1f} a second, {} at a time", requests_.size(), with_ms(run_.end),
                  static_cast<double>(requests_.size()) * 1e12 / static_cast<double>(run_.end),
                  plan_.host.in_flight));
  const auto request = [&](const char* name, std::size_t r) {
    const Parts parts = this->parts(r);
    std::string text = with_ms(parts.latency()) + ":";
    for (std::size_t i = 0; i < Parts::count; ++i) {
      if (parts.time[i] == 0) continue;
      text += fmt::format("{} {} {:.3f}", text.back() == ':' ? "" : ",", Parts::titles[i],
                          static_cast<double>(parts.time[i]) / picoseconds_per_ms);
    }
    lines.emplace_back(name, text);
  };
  request("first request", 0);
  if (requests_.size() > 1) request("last request", requests_.size() - 1);
  const auto cold = mean_latency(true), warm = mean_latency(false);
  if (cold) {
    lines.emplace_back("latency",
                       fmt::format("{} with a cold parameter cache{}", with_ms(*cold),
                                   warm ? ", " + with_ms(*warm) + " with a warm one" : ""));
  }
  const ParameterCache::Stats& cache = cache_.stats();
  lines.emplace_back("parameters", cache.loads + cache.hits == 0
                                       ? std::string("not cached")
                                       : fmt::format("{} loads, {} token hits, {} evictions",
                                                     cache.loads, cache.hits, cache.evictions));
  const auto wire = [&](const char* way, const LinkFigures& figures) {
    return fmt::format("{} bytes {} ({} with packets, busy {:.1f} %)", figures.bytes, way,
                       figures.wire_bytes,
                       100 * static_cast<double>(figures.busy) / static_cast<double>(run_.end));
  };
  lines.emplace_back("wire", wire("out", run_.to_device) + ", " + wire("in", run_.to_host));
  const std::uint64_t estimated = package(0).file->package().main().cycle_estimate();
  if (estimated != 0) {
    lines.emplace_back(
        "estimate",
        fmt::format("{} cycles by formula, {} simulated: {:.2f} times as many", estimated,
                    requests_[0].cycles,
                    static_cast<double>(requests_[0].cycles) / static_cast<double>(estimated)));
  }
  return lines;
}

std::string PackageRun::page_section() const {
  std::string out =
      "<p>" +
      html::escape(
          fmt::format("{}: {}. Programs are simulated cycle by cycle; they begin when their "
                      "instructions and data are on the device. What the host's software costs is "
                      "one fixed time a request.",
                      plan_.host.link.name, plan_.host.link.title)) +
      "</p>\n<p>";
  for (const auto& [name, text] : lines()) out += html::escape(name + ": " + text) + "<br>\n";
  out += "</p>\n<p>Where the time of the requests goes:</p>\n";
  std::array<Picoseconds, Parts::count> sums{};
  Picoseconds total = 0;
  for (std::size_t r = 0; r < requests_.size(); ++r) {
    const Parts parts = this->parts(r);
    total += parts.latency();
    for (std::size_t i = 0; i < Parts::count; ++i) sums[i] += parts.time[i];
  }
  std::vector<svg::Part> bar;
  std::vector<svg::Legend> legend;
  for (std::size_t i = 0; i < Parts::count; ++i) {
    bar.push_back({static_cast<double>(sums[i]), Parts::colours[i],
                   fmt::format("{}: {}, {:.1f} %", Parts::titles[i], with_ms(sums[i]),
                               100 * static_cast<double>(sums[i]) / static_cast<double>(total))});
    legend.push_back({Parts::titles[i], Parts::colours[i]});
  }
  out += svg::stacked_bar(bar, true) + svg::legend(legend);
  std::vector<html::Table::Column> columns = {
      {"request"}, {"package", true}, {"parameters", true}, {"latency ms"}};
  for (const char* title : Parts::titles) columns.push_back({title});
  html::Table table(columns, html::Table::Kind::list);
  constexpr std::size_t most_rows = 1000;
  const auto cell = [](Picoseconds time) {
    return fmt::format("{:.3f}", static_cast<double>(time) / picoseconds_per_ms);
  };
  for (std::size_t r = 0; r < std::min(requests_.size(), most_rows); ++r) {
    const Parts parts = this->parts(r);
    std::vector<std::string> row = {std::to_string(r), html::breakable(package(r).file->name()),
                                    std::string(parameters_text(r)), cell(parts.latency())};
    for (const Picoseconds time : parts.time) row.push_back(cell(time));
    table.row(std::move(row));
  }
  out += table.html();
  if (requests_.size() > most_rows) {
    out += fmt::format("<p>The first {} of {} requests.</p>\n", most_rows, requests_.size());
  }
  return out;
}

void PackageRun::describe(RunDocument& document) const {
  for (std::size_t r = 0; r < requests_.size() && r < document.images.size(); ++r) {
    document.images[r].own["host_link"] = request_json(r);
  }
  document.images.front().own["host_link"]["series"] = series_json();
  auto& of_first = document.images.front().lines;
  const auto mine = lines();
  of_first.insert(of_first.end(), mine.begin(), mine.end());
  document.sections.emplace_back("Behind the host link", page_section());
}

void PackageRun::write_timeline(const std::string& path) const {
  LinkTimeline timeline(path, "programs on the device");
  for (std::size_t r = 0; r < requests_.size(); ++r) {
    const Parts parts = this->parts(r);
    timeline.request(fmt::format("request {}: {}", r, package(r).file->name()), parts.from,
                     parts.to);
  }
  for (std::size_t i = 0; i < run_.requests.size(); ++i) {
    const LinkRequest& one = run_.requests[i];
    const std::string name =
        fmt::format("{} of request {}", darwinn::type_name(executables_[i]->type), one.user);
    timeline.host(name, one.submitted, one.released);
    timeline.compute(name, one.compute_start, one.compute_end);
    timeline.steps(*executables_[i], one.steps, 0);
  }
  timeline.close(fmt::format("{} requests over {}", requests_.size(), plan_.host.link.title));
}

}  // namespace tactus
