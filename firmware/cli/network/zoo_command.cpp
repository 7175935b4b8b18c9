// tactus zoo: the networks Tactus ships, as ONNX files or TensorFlow graphs.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/network/network_commands.h"
#include "firmware/cli/run/input_vectors.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/onnx/writer.h"
#include "firmware/tensorflow/writer.h"
#include "firmware/zoo/random_input.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/names.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

std::string shape_text(const nn::ValueInfo& input) {
  nn::Shape shape;
  for (const nn::Dimension& dimension : *input.dims) shape.push_back(*dimension.size);
  return nn::to_string(shape);
}

std::string input_text(const nn::Graph& graph) {
  std::string text;
  for (const nn::ValueInfo& input : graph.inputs) {
    text += (text.empty() ? "" : ", ") + input.name + " " + shape_text(input);
  }
  return text;
}

void print_list() {
  fmt::print("{:<16} {:<29} {:>11} {:>9}  {}\n", "network", "input", "parameters", "MMAC",
             "topology");
  for (const nn::ZooEntry& entry : nn::zoo()) {
    const nn::Network network = entry.build(nn::default_zoo_seed);
    const std::size_t more = network.graph.inputs.size() - 1;
    const nn::ValueInfo& first = network.graph.inputs.front();
    const std::string input =
        first.name + " " + shape_text(first) + (more > 0 ? fmt::format(" and {}", more) : "");
    fmt::print("{:<16} {:<29} {:>11} {:>9.3f}  {}\n", entry.name, input, network.parameters,
               static_cast<double>(network.macs) / 1e6, entry.source);
  }
}

std::string format_of(const Args& args, const std::string& output) {
  std::string format = args.text("format").value_or(ends_with(output, ".pb") ? "pb" : "onnx");
  if (format != "onnx" && format != "pb") {
    user_error("tactus zoo: --format {} is not allowed; allowed: onnx, pb", quote(format));
  }
  return format;
}

void write_network(const nn::Network& network, std::string_view name, const std::string& format,
                   const std::string& path) {
  const auto bytes =
      format == "pb" ? tf::write_graph_def(network.graph) : nn::write_graph(network.graph);
  write_file_atomically(path, bytes);
  fmt::print("{}: {}, input {}, {} parameters, {:.3f} MMAC, {} bytes\n", path, name,
             input_text(network.graph), network.parameters, static_cast<double>(network.macs) / 1e6,
             bytes.size());
}

struct Image {
  std::size_t input = 0;  ///< index among the inputs
  std::string path;
};

/// Parses an argument of --image: F, or NAME=F if the network has several inputs.
Image parse_image(const nn::Graph& graph, const std::string& text) {
  std::vector<std::string_view> names;
  for (const nn::ValueInfo& input : graph.inputs) names.emplace_back(input.name);
  const auto [name, path] = split_named(names, text, "tactus zoo: --image");
  const auto found = std::find(names.begin(), names.end(), name);
  Image image{static_cast<std::size_t>(found - names.begin()), path};
  if (!nn::is_tensor_file(image.path)) {
    user_error("tactus zoo: --image {}: is neither .npy nor .pb", quote(image.path));
  }
  return image;
}

/// Writes the values that a run generates from this seed.
void write_image(const nn::Graph& graph, std::uint64_t seed, const Image& image) {
  const nn::ValueInfo& input = graph.inputs[image.input];
  nn::write_tensor(image.path, input.name, nn::random_input(graph, input, seed + image.input));
  fmt::print("{}: input {} {}, values {}, seed {}\n", image.path, input.name, shape_text(input),
             input.type == nn::ElementType::float32 ? "from -1 to 1" : "INT64", seed + image.input);
}

}  // namespace

void check_exists(const std::string& command, const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return;
  // A unique beginning of a name is accepted: "resnet20" means resnet20v2.
  std::vector<std::string_view> names;
  for (const nn::ZooEntry& entry : nn::zoo()) names.push_back(entry.name);
  const auto named = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
    return path.size() > 2 && name.substr(0, path.size()) == path;
  });
  if (named != names.end()) {
    user_error(
        "tactus {0}: {1}{2} is a network of the zoo, and a file is needed; type\n"
        "  tactus zoo {2} -o {2}.onnx\n"
        "  tactus compile {2}.onnx --board zcu104 -o compiled\n"
        "  tactus run compiled/{2}_onnx_zcu104.tmodel",
        command, path == *named ? "" : path + ": no such file; ", *named);
  }
  user_error("tactus {}: {}: no such file{}", command, printable_name(path),
             suggestion(path, names));
}

int networks_command(const Words& words) {
  Args args("networks", "Lists the built-in networks, which tactus zoo writes as ONNX files.", {});
  if (args.parse(words)) print_list();
  return exit_ok;
}

int zoo_command(const Words& words) {
  Args args(
      "zoo",
      "Writes a network as an ONNX file or a frozen TensorFlow graph, with weights drawn from "
      "a seed. Without a name: lists the networks.",
      {{"output", "F.onnx|F.pb", "where to write the network (a name needs it or --image)"},
       {"image", "[NAME=]F.npy|F.pb",
        "write an input for it, too: values from -1 to 1, tokens, a mask; NAME=F where it has "
        "several inputs, once for each",
        true},
       {"format", "onnx|pb", "what to write (default: by the file's name, else onnx)"},
       {"seed", "N", "seed of the weights and of the image (default 1)"}},
      "[NETWORK]");
  if (!args.parse(words)) return exit_ok;
  const std::uint64_t seed = args.number("seed", nn::default_zoo_seed, 0, UINT64_MAX);
  const auto output = args.text("output");
  if (args.positional().empty()) {
    args.refuse({"output"}, "needs the name of a network; tactus zoo lists them");
    args.refuse({"image", "format", "seed"}, "needs the name of a network");
    print_list();
    return exit_ok;
  }
  if (args.positional().size() > 1) user_error("tactus zoo: name one network at a time");
  const nn::ZooEntry& entry = nn::zoo_entry(args.positional().front());
  if (!output && !args.has("image")) {
    user_error("tactus zoo: --output F.onnx or F.pb is missing");
  }
  if (!output) args.refuse({"format"}, "needs --output");
  const std::string format = output ? format_of(args, *output) : "";
  if (output) claim_output(*output);
  const nn::Network network = entry.build(seed);
  std::vector<Image> images;
  for (const std::string& text : args.texts("image")) {
    images.push_back(parse_image(network.graph, text));
    claim_output(images.back().path);
  }
  if (output) write_network(network, entry.name, format, *output);
  for (const Image& image : images) write_image(network.graph, seed, image);
  return exit_ok;
}

}  // namespace tactus
