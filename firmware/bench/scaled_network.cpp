#include "firmware/bench/scaled_network.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "firmware/bench/calibration.h"
#include "firmware/bench/program_cache.h"
#include "firmware/compiler/frontend/folded_products.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/compiler/scaling/scaling.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::bench {
namespace {

using compiler::Compiled;
using compiler::Options;
using compiler::ScaledNetwork;
using compiler::Scales;
using compiler::scaling::Multiplies;

/// Number of images from which scales are chosen and on which they are judged. Of large networks
/// there are fewer, so that the floating-point reference takes seconds.
constexpr std::size_t most_images = 8;
constexpr std::uint64_t reference_macs = 4'000'000'000;

std::size_t affordable_images(std::uint64_t macs) {
  const std::uint64_t count = reference_macs / std::max<std::uint64_t>(macs, 1);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(count, 1, most_images));
}

/// A way of scaling, with the errors of its program.
struct Candidate {
  std::string text;                      ///< "powers of two per tensor"
  std::optional<ScaledNetwork> network;  ///< empty: unscaled
  /// RMS error of each output on the images, relative to the range of its values.
  std::vector<double> errors;

  [[nodiscard]] double error() const {
    double sum = 0;
    for (const double error : errors) sum += error * error;
    return errors.empty() ? 0 : std::sqrt(sum / static_cast<double>(errors.size()));
  }
};

/// Chooses among candidates.
class Judge {
 public:
  Judge(const nn::Graph& graph, const TcuSimulationConfig& config, const Options& options,
        const WithKernel& with_kernel);

  Compiled compile();

 private:
  /// Compiles for the simulations that judge. The values are those of all strategies.
  [[nodiscard]] Compiled compile_to_judge(const nn::Graph& graph,
                                          const std::map<std::string, double>& bounds);
  [[nodiscard]] std::vector<nn::ValueInfo> inputs() const;
  void take_images();
  void try_unscaled();
  void try_scaled(bool channels, Multiplies multiplies);
  [[nodiscard]] std::vector<double> errors_of(const Compiled& compiled) const;
  [[nodiscard]] double certain_ratio() const;
  [[nodiscard]] const Candidate& best() const;
  [[nodiscard]] Compiled compile_chosen(const Candidate& chosen) const;
  [[nodiscard]] std::vector<std::string> notes(const Candidate& chosen) const;

  const nn::Graph& graph_;
  std::optional<nn::Graph> folded_;  ///< with constants around products in their weights
  const TcuSimulationConfig& config_;
  const tcu::Architecture& architecture_;
  const Options& options_;
  const WithKernel& with_kernel_;
  Options judging_;
  /// The machine with memory of fixed latency, which is simulated faster; values do not depend on
  /// memory.
  TcuSimulationConfig judging_config_;
  Compiled unscaled_;
  compiler::Scaling scaling_;
  std::vector<nn::Values> images_;    ///< inputs of the calibration images
  std::vector<nn::Values> expected_;  ///< their outputs in float
  std::vector<Candidate> candidates_;
};

Judge::Judge(const nn::Graph& graph, const TcuSimulationConfig& config, const Options& options,
             const WithKernel& with_kernel)
    : graph_(graph),
      folded_(compiler::fold_products(
          graph, [](const compiler::ProductFold&) { return true; }, options.outputs)),
      config_(config),
      architecture_(config.architecture),
      options_(options),
      with_kernel_(with_kernel),
      judging_(options),
      scaling_(folded_ ? *folded_ : graph, options.outputs, architecture_.data_type) {
  judging_.scales = Scales::none;
  judging_.calibrate.clear();
  judging_.batch = 1;
  judging_.resident = false;
  judging_.dump_hir = judging_.dump_lir = judging_.dump_assembly = judging_.dump_dot = false;
  judging_config_.architecture = architecture_;
  judging_config_.axi_data_bits = options.axi_data_bits;
}

Compiled Judge::compile_to_judge(const nn::Graph& graph,
                                 const std::map<std::string, double>& bounds) {
  Options quick = judging_;
  quick.bounds = bounds;
  Options simple = quick;
  simple.optimise = false;
  simple.via = compiler::Via::layers;
  simple.strategy = compiler::Strategy::local_isolated;
  try {
    return compile_network(graph, judging_config_, simple, with_kernel_);
  } catch (const UserError&) {
    return compile_network(graph, judging_config_, quick, with_kernel_);  // it may fit the machine
  }
}

/// The model's inputs with the shapes that the program has.
std::vector<nn::ValueInfo> Judge::inputs() const {
  const std::vector<nn::ValueInfo> read = compiler::tensors_of(unscaled_).model_inputs();
  std::vector<nn::ValueInfo> result;
  for (const nn::ValueInfo& stated : graph_.inputs) {
    nn::ValueInfo input = stated;
    for (const nn::ValueInfo& one : read) {
      if (one.name == stated.name) input.dims = one.dims;
    }
    result.push_back(std::move(input));
  }
  return result;
}

void Judge::take_images() {
  const std::size_t wanted = affordable_images(unscaled_.true_macs);
  images_ = options_.calibrate.empty() ? draw_calibration(graph_, inputs(), wanted)
                                       : read_calibration(options_.calibrate, inputs(), wanted);
  for (const nn::Values& image : images_) {
    const nn::Values values = nn::run_reference(graph_, image);
    scaling_.add_image(folded_ ? nn::run_reference(*folded_, image) : values);
    nn::Values& expected = expected_.emplace_back();
    for (const std::string& name : unscaled_.model_outputs) expected[name] = values.at(name);
  }
}

std::vector<double> Judge::errors_of(const Compiled& compiled) const {
  const compiler::ModelTensors tensors = compiler::tensors_of(compiled);
  const Program program = to_program(compiled, "judged");
  struct Sum {
    double squares = 0, numbers = 0, low = 0, high = 0;
  };
  std::vector<Sum> sums(compiled.model_outputs.size());
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const compiler::Started started = compiler::start_on_host(tensors, images_[i]);
    TensorData data;
    for (const compiler::TensorLayout& layout : program.inputs) {
      data[layout.name] =
          pack_tensor(layout, architecture_, started.inputs.at(layout.name).reals());
    }
    ImageResult image;
    const auto simulate = [&] { image = run_once(judging_config_, program.model, data, {}, {}); };
    with_kernel_ ? with_kernel_(simulate) : simulate();
    if (image.run.end != RunEnd::finished) internal_error("a judged program does not finish");
    nn::Values results;
    for (const compiler::TensorLayout& layout : program.outputs) {
      results[layout.name] = nn::Tensor::of(
          layout.shape, unpack_tensor(layout, architecture_, image.outputs.at(layout.name)));
    }
    const nn::Values finished = compiler::finish_on_host(tensors, results, started.carried);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const std::string& name = compiled.model_outputs[k];
      const std::vector<float> got = finished.at(name).reals();
      const std::vector<float> wanted = expected_[i].at(name).reals();
      for (std::size_t j = 0; j < wanted.size(); ++j) {
        const double off = double{got[j]} - double{wanted[j]};
        sums[k].squares += off * off;
        sums[k].low = std::min(sums[k].low, double{wanted[j]});
        sums[k].high = std::max(sums[k].high, double{wanted[j]});
      }
      sums[k].numbers += static_cast<double>(wanted.size());
    }
  }
  std::vector<double> errors;
  const double step = tcu::to_real(architecture_.data_type, 1);
  for (const Sum& sum : sums) {
    const double rms = std::sqrt(sum.squares / std::max(sum.numbers, 1.0));
    errors.push_back(rms / std::max(sum.high - sum.low, step));
  }
  return errors;
}

void Judge::try_unscaled() {
  candidates_.push_back({"unscaled", std::nullopt, errors_of(unscaled_)});
}

void Judge::try_scaled(bool channels, Multiplies multiplies) {
  Candidate candidate;
  candidate.network = scaling_.scaled(channels, multiplies);
  const std::size_t added = candidate.network->multiplies;
  if (multiplies != Multiplies::none && added == 0) return;
  candidate.text = fmt::format("powers of two per {}", channels ? "channel" : "tensor");
  if (added != 0) {
    candidate.text += fmt::format(" and {} multipl{} behind sums", added, added == 1 ? "y" : "ies");
  }
  try {
    candidate.errors =
        errors_of(compile_to_judge(*candidate.network->graph, candidate.network->bounds));
  } catch (const UserError&) {
    return;  // with more constants it does not fit the machine
  }
  candidates_.push_back(std::move(candidate));
}

/// Largest ratio of two errors on the images with which the smaller one is also smaller on others:
/// the ratio of two RMS of N numbers scatters by 1 / sqrt(N).
double Judge::certain_ratio() const {
  double fewest = 1e9;
  for (const std::string& name : unscaled_.model_outputs) {
    double numbers = 0;
    for (const nn::Values& image : expected_) {
      numbers += static_cast<double>(image.at(name).size());
    }
    fewest = std::min(fewest, numbers);
  }
  return std::clamp(1 - 2 / std::sqrt(std::max(fewest, 1.0)), 0.5, 0.9);
}

/// The candidate of the smallest error. None is taken that is worse at any output than the unscaled
/// network, and none that costs cycles without a gain.
const Candidate& Judge::best() const {
  // What more multiplies must save to be worth their cycles.
  constexpr double worth = 0.85;
  const double certain = certain_ratio();
  const Candidate* best = &candidates_.front();
  for (const Candidate& candidate : candidates_) {
    const bool worse =
        !std::equal(candidate.errors.begin(), candidate.errors.end(),
                    candidates_.front().errors.begin(), [](double a, double b) { return a <= b; });
    if (worse) continue;
    const std::size_t before = best->network ? best->network->multiplies : 0;
    const std::size_t now = candidate.network ? candidate.network->multiplies : 0;
    const double most = now > before ? worth : !best->network ? certain : 1;
    if (candidate.error() < best->error() * most) best = &candidate;
  }
  return *best;
}

std::vector<std::string> Judge::notes(const Candidate& chosen) const {
  std::vector<std::string> result;
  const std::string count =
      fmt::format("{} image{}", images_.size(), images_.size() == 1 ? "" : "s");
  const std::string from = options_.calibrate.empty()
                               ? fmt::format("{}, drawn (calibrate takes yours)", count)
                               : fmt::format("{} of {}", count, options_.calibrate);
  const Candidate& unscaled = candidates_.front();
  if (!chosen.network) {
    result.push_back(fmt::format(
        "scales: none, which loses least on {}; RMS error of the outputs {:.3g} % of their range",
        from, 100 * unscaled.error()));
    return result;
  }
  result.push_back(
      fmt::format("scales: {}, chosen on {}; RMS error of the outputs {:.3g} % of their range, "
                  "unscaled {:.3g} %",
                  chosen.text, from, 100 * chosen.error(), 100 * unscaled.error()));
  const std::string_view type = info(architecture_.data_type).name;
  for (const auto& [name, exponent] : chosen.network->host_inputs) {
    result.push_back(
        fmt::format("input {} has values that {} does not hold: the host multiplies it by 2^{} "
                    "before the program",
                    quote(name), type, exponent));
  }
  for (const auto& [name, exponent] : chosen.network->host_outputs) {
    result.push_back(
        fmt::format("output {} has values that {} does not hold: the host multiplies it by 2^{} "
                    "behind the program",
                    quote(name), type, -exponent));
  }
  return result;
}

Compiled Judge::compile() {
  unscaled_ = compile_to_judge(graph_, options_.bounds);
  take_images();
  try_unscaled();
  for (const bool channels : {false, true}) try_scaled(channels, Multiplies::none);
  if (options_.scales == Scales::automatic) {
    for (const bool channels : {false, true}) try_scaled(channels, Multiplies::worthwhile);
    try_scaled(true, Multiplies::all);
  }
  for (;;) {
    const Candidate& chosen = best();
    try {
      return compile_chosen(chosen);
    } catch (const UserError&) {
      // Compiled as the options say it may not fit the machine, for a multiply needs accumulators.
      if (!chosen.network) throw;
      candidates_.erase(candidates_.begin() + (&chosen - candidates_.data()));
    }
  }
}

Compiled Judge::compile_chosen(const Candidate& chosen) const {
  Options options = options_;
  options.scales = Scales::none;
  options.calibrate.clear();
  if (chosen.network) options.bounds = chosen.network->bounds;
  const nn::Graph& graph = chosen.network ? *chosen.network->graph : graph_;
  Compiled compiled = compile_network(graph, config_, options, with_kernel_);
  if (chosen.network) {
    compiled.scaled = chosen.network->graph;
    compiled.scales = chosen.network->scales;
    compiled.bounds = chosen.network->bounds;
  }
  const std::vector<std::string> told = notes(chosen);
  compiled.notes.insert(compiled.notes.begin(), told.begin(), told.end());
  return compiled;
}

}  // namespace

Compiled compile_scaled(const nn::Graph& graph, const TcuSimulationConfig& config,
                        const Options& options, const WithKernel& with_kernel) {
  return Judge(graph, config, options, with_kernel).compile();
}

}  // namespace tactus::bench
