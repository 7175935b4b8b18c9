#include "firmware/cli/run/run_parameters.h"

#include "firmware/driver/tcu/simulation_parameters.h"
#include "firmware/driver/tcu/units.h"

namespace tactus {
namespace {

/// Limit for the number of images, since statistics have figures of each.
constexpr std::uint64_t most_images = 100000;

}  // namespace

const ParameterTable<Workload>& workload_parameters() {
  using W = Workload;
  static const ParameterTable<Workload> table(
      "workload", "What is run: a model with inputs, or a bare program.",
      {text("model", &W::model, "", "compiled model to run").with_value_name("F.tmodel"),
       text("program", &W::program, "", "bare program to run, instead of a model")
           .with_value_name("F.tprog"),
       text("dram0", &W::dram0, "", "initial bytes of DRAM0 for a program")
           .with_value_name("F.bin"),
       text("dram1", &W::dram1, "", "initial bytes of DRAM1 for a program")
           .with_value_name("F.bin")});
  return table;
}

const ParameterTable<RunChoices>& run_parameters() {
  using P = RunChoices;
  static const ParameterTable<RunChoices> table(
      "run", "How it is run.",
      {choice("mode", &P::mode, {"plain", "driver"},
              "driver: configuration and completion probe as real drivers do"),
       choice("checks", &P::checks, {"strict", "permissive"},
              "permissive: run instructions that exceed the architecture as the RTL would"),
       boolean("strict", &P::strict,
               "refuse a program that reads local memory, accumulators, weights or registers which "
               "nothing has written; without it that is a warning"),
       optional_whole("max_cycles", &P::max_cycles, {1}, "cycles", "no limit",
                      "stop an image after so many"),
       text("regions", &P::regions_wanted, "the model's layers",
            "figures by parts of the program: a file {\"layers\": [{\"name\", \"first\", "
            "\"count\"}]}, or N equal parts")
           .with_value_name("F.json|N"),
       optional_whole("images", &P::images_wanted, {1, most_images}, "images",
                      "those of the inputs",
                      "run so many images of a model, those of the inputs in turn, and tell the "
                      "throughput"),
       whole("tcus", &P::tcus, {1, TcuUnits::most}, "units",
             "units behind the board's memory, each with its own banks; image i goes to unit i mod "
             "N. Waveform, timeline, events, retires, samples and dumps are those of unit 0"),
       text("energy", &P::energy, "none",
            "energy and area: events times a table, of configs/energy or a file")
           .with_value_name("NAME|F.json")});
  return table;
}

const ParameterTable<Sampling>& sampler_parameters() {
  using S = Sampling;
  static const ParameterTable<Sampling> table(
      "sampler", "The machine's performance sampler, which is there with --samples.",
      {whole("sample_interval", &S::interval, {0, 65535}, "cycles",
             "initial value of the interval register; 0: off"),
       whole("sample_block", &S::block, {1, 0xFFFFFFFF}, "samples", "samples in a block"),
       whole("sample_pause", &S::pause, pause_range, "cycles",
             "the host takes no samples for so long after each block")});
  return table;
}

const ParameterTable<TimelineOptions>& timeline_parameters() {
  using T = TimelineOptions;
  constexpr Cycle no_end = ~Cycle{0};
  static const ParameterTable<TimelineOptions> table(
      "timeline", "What of the run is in the timeline, which --timeline writes.",
      {whole("timeline_from", &T::from, {}, "cycle", "first cycle of the timeline"),
       optional_whole_by<T>(
           "timeline_to",
           [](const T& t) -> std::optional<std::uint64_t> {
             if (t.to == no_end) return std::nullopt;
             return t.to - 1;
           },
           [](T& t, std::uint64_t last) { t.to = last == no_end ? no_end : last + 1; }, {}, "cycle",
           "the end", "last cycle of the timeline"),
       whole("timeline_min", &T::min_duration, {1}, "cycles",
             "leave out slices that are shorter; 1: none"),
       whole("timeline_max_events", &T::max_events, {1}, "events",
             "end the timeline after so many events")});
  return table;
}

std::vector<ParameterSection> run_sections() {
  return {workload_parameters().section(),   run_parameters().section(),
          simulation_parameters().section(), sampler_parameters().section(),
          timeline_parameters().section(),   trace_parameters().section()};
}

}  // namespace tactus
