#include "firmware/serving/serving_page.h"

#include <algorithm>

#include "firmware/report/html.h"
#include "firmware/report/scatter.h"
#include "firmware/report/svg.h"
#include "firmware/report/version.h"
#include "firmware/serving/serving_figures.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

constexpr std::size_t time_columns = 400;
/// Points of a chart; of more requests some are left out, evenly.
constexpr std::size_t most_points = 2000;
constexpr unsigned colours = 6;

std::string ms_text(double cycles, double clock_mhz) {
  return fmt::format("{:.3f}", cycles / clock_mhz / 1e3);
}

class ServingPage {
 public:
  ServingPage(const Serving& serving, const ServingPlan& plan, const ServingResult& result)
      : serving_(serving),
        plan_(plan),
        result_(result),
        figures_(serving_figures(serving, plan, result)),
        clock_mhz_(serving.clock_mhz()) {}

  [[nodiscard]] std::string html(const std::optional<Slowdowns>& slowdowns,
                                 const ServingPageLead& lead) const {
    std::string title;
    for (const ServedModel& model : serving_.models)
      title += (title.empty() ? "" : ", ") + model.name;
    html::Page out(title);
    out.lead(html::paragraph(fmt::format("{}. Simulated cycle by cycle by Tactus {} ({}).",
                                         lead.machine, version, git_revision)) +
             html::paragraph(fmt::format("Accuracy: {}.", lead.accuracy)));
    add_tiles(out);
    out.section("Models", models());
    out.section("What the units run over time", units_over_time());
    out.section("Latencies over time, and their distribution",
                legend() + svg::side_by_side({latency_over_time(), distribution()}));
    if (slowdowns) out.section("Who costs whom", matrix(*slowdowns));
    const bool waits = !figures_.models.front().waits_ns.empty() && figures_.models.size() > 1;
    if (waits) out.section("Whose accesses each model waits for", waits_table());
    out.section("Units", units());
    out.section("DRAM banks", banks());
    return out.html();
  }

 private:
  [[nodiscard]] double ms(Cycle cycles) const { return cycles_in_ms(cycles, clock_mhz_); }

  [[nodiscard]] std::string legend() const {
    std::vector<svg::Legend> entries;
    for (unsigned m = 0; m < serving_.models.size(); ++m) {
      entries.push_back({serving_.models[m].name, m % colours});
    }
    return svg::legend(entries);
  }

  void add_tiles(html::Page& out) const {
    out.tile("requests", html::grouped(result_.requests.size()),
             fmt::format("done in {:.6g} s", figures_.seconds));
    for (unsigned m = 0; m < figures_.models.size(); ++m) {
      const ModelFigures& f = figures_.models[m];
      out.tile(serving_.models[m].name, f.latency ? time_text(ms(f.latency->p99)) : "nothing done",
               fmt::format("latency of 99 %; {:.2f} frames/s", f.frames_per_second));
    }
  }

  [[nodiscard]] std::string models() const {
    html::Table requests, latencies;
    const auto in_ms = [&](const char* title, double cycles) {
      latencies.cell({title}, ms_text(cycles, clock_mhz_));
    };
    for (unsigned m = 0; m < figures_.models.size(); ++m) {
      const ServedModel& model = serving_.models[m];
      const ModelFigures& f = figures_.models[m];
      requests.begin_row();
      requests.cell({"model", true}, html::escape(model.name));
      requests.cell({"units", true}, fmt::format("{}", fmt::join(model.units, ", ")));
      requests.cell({"requests", true}, html::escape(model.arrivals.text));
      requests.cell({"arrived"}, html::grouped(f.arrived));
      requests.cell({"done"}, html::grouped(f.done));
      requests.cell({"dropped"}, html::grouped(f.dropped));
      requests.cell({"waiting"}, html::grouped(f.waiting));
      requests.cell({"frames/s"}, fmt::format("{:.2f}", f.frames_per_second));
      requests.cell({"in the system"}, fmt::format("{:.3f}", f.mean_in_system));
      requests.cell({"bytes of all"}, html::percent(f.share_of_bytes));
      if (!f.latency) continue;
      const TimeRanks& l = *f.latency;
      latencies.begin_row();
      latencies.cell({"latency, ms", true}, html::escape(model.name));
      in_ms("shortest", static_cast<double>(l.min));
      in_ms("median", static_cast<double>(l.median));
      in_ms("95 %", static_cast<double>(l.p95));
      in_ms("99 %", static_cast<double>(l.p99));
      in_ms("longest", static_cast<double>(l.max));
      in_ms("mean", l.mean);
      in_ms("of it queued", f.queueing->mean);
      latencies.cell({"program, times alone"}, fmt::format("{:.4f}", f.slowdown));
    }
    return "<p>Latencies are from arrival to the last event of the image. Queued is the mean time "
           "until a unit takes a request, in the system the mean number of requests that wait or "
           "are served.</p>\n" +
           requests.html() + latencies.html();
  }

  /// For each unit a chart: by the columns' time, the share in which it runs each model.
  [[nodiscard]] std::string units_over_time() const {
    if (result_.cycles == 0) return "";
    std::string text = legend();
    for (unsigned u = 0; u < serving_.units; ++u) {
      svg::Columns chart;
      for (unsigned m = 0; m < serving_.models.size(); ++m) {
        chart.layers.push_back({serving_.models[m].name, m % colours});
      }
      const std::size_t count = std::min<std::size_t>(time_columns, result_.cycles);
      chart.shares.assign(count, std::vector<double>(serving_.models.size()));
      const double width = static_cast<double>(result_.cycles) / static_cast<double>(count);
      for (const ServedRequest& r : result_.requests) {
        if (r.unit != u) continue;
        const double from = static_cast<double>(r.taken) / width;
        const double to = static_cast<double>(r.end) / width;
        for (auto c = static_cast<std::size_t>(from); c < count && static_cast<double>(c) < to;
             ++c) {
          const auto column = static_cast<double>(c);
          chart.shares[c][r.model] += std::min(to, column + 1) - std::max(from, column);
        }
      }
      chart.first = "0";
      chart.last = time_text(ms(result_.cycles));
      chart.axis = fmt::format("unit {}", u);
      text += svg::columns(chart);
    }
    return text;
  }

  /// Adds a point for each request of a model, or for some of them.
  template <typename Place>
  void add_points(svg::ScatterChart& chart, unsigned model, const Place& place) const {
    std::vector<const ServedRequest*> requests;
    for (const ServedRequest& r : result_.requests) {
      if (r.model == model) requests.push_back(&r);
    }
    const std::size_t step = requests.size() / (most_points / serving_.models.size() + 1) + 1;
    for (std::size_t i = 0; i < requests.size(); i += step) {
      chart.points.push_back(place(*requests[i]));
      chart.points.back().colour = model % colours;
    }
  }

  [[nodiscard]] std::string latency_over_time() const {
    svg::ScatterChart chart{
        "latency of each request", {"arrival, ms", {}, true}, {"latency, ms"}, {}, {}};
    for (unsigned m = 0; m < serving_.models.size(); ++m) {
      add_points(chart, m, [&](const ServedRequest& r) {
        const double x = ms(r.arrival), y = ms(r.end - r.arrival);
        return svg::ScatterPoint{x, y,
                                 fmt::format("{}: arrived at {}, latency {}",
                                             serving_.models[m].name, time_text(x), time_text(y))};
      });
    }
    return chart.points.empty() ? "" : svg::scatter(chart);
  }

  /// Shares of the requests that have at most a latency.
  [[nodiscard]] std::string distribution() const {
    svg::ScatterChart chart{"share of the requests with at most this latency",
                            {"latency, ms"},
                            {"requests, %", {}, true},
                            {},
                            {}};
    for (unsigned m = 0; m < serving_.models.size(); ++m) {
      std::vector<Cycle> latencies;
      for (const ServedRequest& r : result_.requests) {
        if (r.model == m) latencies.push_back(r.end - r.arrival);
      }
      if (latencies.empty()) continue;
      std::sort(latencies.begin(), latencies.end());
      svg::ScatterLine line{{}, m % colours, true};
      const std::size_t step = latencies.size() / most_points + 1;
      for (std::size_t i = 0; i < latencies.size(); i += step) {
        line.points.emplace_back(ms(latencies[i]), 100 * static_cast<double>(i + 1) /
                                                       static_cast<double>(latencies.size()));
      }
      for (const auto& [x, y] : {line.points.front(), line.points.back()}) {
        chart.points.push_back(
            {x, y, fmt::format("{}: {:.1f} % within {}", serving_.models[m].name, y, time_text(x)),
             line.colour});
      }
      chart.lines.push_back(std::move(line));
    }
    return chart.points.empty() ? "" : svg::scatter(chart);
  }

  [[nodiscard]] std::string matrix(const Slowdowns& slowdowns) const {
    html::Table table;
    for (unsigned m = 0; m < serving_.models.size(); ++m) {
      const auto& alone = slowdowns.alone[m];
      table.begin_row();
      table.cell({"mean latency of", true}, html::escape(serving_.models[m].name));
      table.cell({"alone, ms"}, alone ? ms_text(alone->latency, clock_mhz_) : "");
      for (unsigned other = 0; other < serving_.models.size(); ++other) {
        const auto latency = slowdowns.of_latency(m, other);
        const auto service = slowdowns.of_service(m, other);
        table.cell({"beside " + serving_.models[other].name},
                   latency && service
                       ? fmt::format("{:.3f} times; program {:.4f}", *latency, *service)
                       : "");
      }
    }
    return "<p>Each row: the mean latency of a model when only its own requests arrive, and how "
           "many times longer it is when those of one other model arrive, too. The program's share "
           "of it is the waiting for the memory.</p>\n" +
           table.html();
  }

  [[nodiscard]] std::string waits_table() const {
    html::Table table;
    for (unsigned m = 0; m < serving_.models.size(); ++m) {
      table.begin_row();
      table.cell({"accesses of", true}, html::escape(serving_.models[m].name));
      for (unsigned other = 0; other < serving_.models.size(); ++other) {
        table.cell({serving_.models[other].name + ", us"},
                   fmt::format("{:.1f}", figures_.models[m].waits_ns[other] / 1e3));
      }
    }
    return "<p>Each row: the time that all accesses of a model together wait at the memory, by the "
           "model whose accesses are served meanwhile.</p>\n" +
           table.html();
  }

  [[nodiscard]] std::string units() const {
    html::Table table({{"unit", true},
                       {"clock, MHz"},
                       {"requests"},
                       {"busy"},
                       {"beginning with another model"},
                       {"ports wait for other accesses"}});
    for (unsigned u = 0; u < figures_.units.size(); ++u) {
      const UnitFigures& f = figures_.units[u];
      table.row({fmt::format("unit {}", u), fmt::format("{:g}", serving_.clock_mhz_of(u)),
                 html::grouped(f.done), html::percent(f.busy), html::percent(f.entering),
                 html::percent(f.queued)});
    }
    return table.html();
  }

  [[nodiscard]] std::string banks() const {
    html::Table table(
        {{"unit", true}, {"model", true}, {"DRAM0 at", true}, {"DRAM1 at", true}, {"bytes"}});
    for (const PlacedModel& placed : plan_.placed) {
      table.row({fmt::format("unit {}", placed.unit),
                 html::escape(serving_.models[placed.model].name),
                 fmt::format("0x{:x}", placed.bases[0]), fmt::format("0x{:x}", placed.bases[1]),
                 html::grouped(placed.bytes[0] + placed.bytes[1])});
    }
    return table.html();
  }

  const Serving& serving_;
  const ServingPlan& plan_;
  const ServingResult& result_;
  const ServingFigures figures_;
  const double clock_mhz_;
};

}  // namespace

std::string serving_page_html(const Serving& serving, const ServingPlan& plan,
                              const ServingResult& result,
                              const std::optional<Slowdowns>& slowdowns,
                              const ServingPageLead& lead) {
  return ServingPage(serving, plan, result).html(slowdowns, lead);
}

}  // namespace tactus
