// The data of a report about a run, and its forms: statistics, a page, a summary for the screen.
//
// Reports are made from the machine's tables (models/sim/machine_info.h). The driver of the machine
// adds the values of its own figures and its own lines of the summary.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/driver/common/simulation.h"
#include "firmware/driver/common/throughput.h"
#include "firmware/report/activity.h"
#include "firmware/report/run_figures.h"
#include "isa/support/unwritten_reads.h"

namespace tactus {

/// One run of an image, of a batch, or of a program.
struct ReportedRun {
  const RunResult* run = nullptr;
  Cycle cycles = 0;  ///< as counted by the driver
  Cycle last_retire = 0;
  nlohmann::ordered_json own;  ///< values of the figures whose source is `own`, by name
  std::vector<std::pair<std::string, std::string>> lines;  ///< lines of the summary: name, text
};

struct RunDocument {
  std::string kind;      ///< kind of the subject: "model" or "program"
  std::string subject;   ///< name of the model or program
  std::string machine;   ///< description of the machine, one line
  std::string board;     ///< description of the board, one line; empty: none was named
  std::string accuracy;  ///< one line about comparisons with hardware; empty: not stated
  double clock_mhz = 100;
  /// True if the images run one after the other, so that there is a throughput. Each image adds
  /// `host_us` of host time.
  bool back_to_back = true;
  double host_us = 0;
  std::uint64_t batch = 1;  ///< images per run; each of `images` is such a run
  /// Units that run images at the same time: image i of `images` runs on unit i mod units.
  unsigned units = 1;
  /// With several units: cycles of the first image, simulated on a unit that has the memory alone.
  Cycle alone = 0;
  nlohmann::ordered_json shared_memory;  ///< with several units: figures of their memory
  /// With several units: the part of each unit's waits that was for accesses of the others.
  std::vector<double> waits_for_others;
  /// With several units and an energy table: the energy of all images on all units, which stands in
  /// place of the first image's in summary, page and statistics.
  nlohmann::ordered_json energy_of_units;
  MachineRates rates;
  nlohmann::ordered_json configuration;
  nlohmann::ordered_json rerun;  ///< input for --config that repeats the run; null: none
  /// Sections of a page before and after those of the machine, each with title and HTML.
  std::vector<std::pair<std::string, std::string>> sections, closing_sections;
  std::vector<Expectation> expected;  ///< by region of the accounting; empty: unknown
  std::optional<std::uint64_t> macs;  ///< of the network, for each of `images`; empty: unknown
  /// At least one. The figures of the first come first in a report.
  std::vector<ReportedRun> images;
  /// Reads of memory that nothing has written, in the programs of one image. Empty: they were not
  /// looked for.
  std::optional<UnwrittenReads> unwritten;
  /// Cycles before the first image in which constants are copied to local memory, once; of several
  /// units the most. They are in no latency and no throughput. Empty: no model was run.
  std::optional<Cycle> constants;
  Cycle first_cycle = 0;   ///< machine cycle in which the first run begins
  Cycle total_cycles = 0;  ///< machine cycles of all images and their preparation
  /// How the engine has passed the machine's cycles; null: unknown.
  nlohmann::ordered_json engine;
  double wall_seconds = 0;  ///< of the host, for the simulation only; 0: unknown
  /// The host's part of a model, computed by this computer before and behind the program.
  struct HostWork {
    std::size_t nodes_before = 0, nodes_behind = 0;  ///< nodes of an image
    double seconds_before = 0, seconds_behind = 0;   ///< of all images
  };
  std::optional<HostWork> host_work;
  bool interrupted = false;  ///< true if a signal has ended the run, and the last image with it
  const Activity* activity = nullptr;  ///< the main unit during the first image, for a page
};

/// The account of the main unit as a bar of a page. Reasons of a group are adjacent and share a
/// colour. `whole` cycles, if more than those of the account, fill the bar.
[[nodiscard]] std::string time_bar(const Counters& counters, bool big, double whole = 0);

/// The statistics file: JSON.
[[nodiscard]] std::string stats_json(const RunDocument& document);
/// The page of the run: self-contained HTML.
[[nodiscard]] std::string run_page_html(const RunDocument& document);
/// The summary of the run: one screen of text.
[[nodiscard]] std::string summary_text(const RunDocument& document);

/// Throughput of all units over all images. Empty unless all images have finished and ran back to
/// back.
[[nodiscard]] std::optional<Throughput> throughput_of(const RunDocument& document);
/// Text of a throughput: "105.90 frames/s".
[[nodiscard]] std::string frames_text(const Throughput& rate);
/// "58826 cycles = 588.26 us, before the first image; in no latency" for the copy of constants;
/// empty if there is none.
[[nodiscard]] std::string constants_text(const RunDocument& document);
/// Converts cycles to ms by the document's clock.
[[nodiscard]] double milliseconds(const RunDocument& document, Cycle cycles);

}  // namespace tactus
