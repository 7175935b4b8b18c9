// tactus zoo: the networks Tactus ships, as ONNX files or TensorFlow graphs.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/network_commands.h"
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

std::string input_text(const nn::Graph& graph) {
  std::string text;
  for (const nn::ValueInfo& input : graph.inputs) {
    nn::Shape shape;
    for (const nn::Dimension& dimension : *input.dims) shape.push_back(*dimension.size);
    text += (text.empty() ? "" : ", ") + input.name + " " + nn::to_string(shape);
  }
  return text;
}

void print_list() {
  fmt::print("{:<16} {:<20} {:>11} {:>9}  {}\n", "network", "input", "parameters", "MMAC",
             "topology");
  for (const nn::ZooEntry& entry : nn::zoo()) {
    const nn::Network network = entry.build(nn::default_zoo_seed);
    fmt::print("{:<16} {:<20} {:>11} {:>9.3f}  {}\n", entry.name, input_text(network.graph),
               network.parameters, static_cast<double>(network.macs) / 1e6, entry.source);
  }
}

std::string format_of(const Args& args, const std::string& output) {
  const std::string format = args.text("format").value_or(ends_with(output, ".pb") ? "pb" : "onnx");
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

/// Every network of the zoo has one input.
void write_image(const nn::Graph& graph, std::uint64_t seed, const std::string& path) {
  const nn::ValueInfo& input = graph.inputs.front();
  nn::write_tensor(path, input.name, nn::random_input(graph, input, seed));
  fmt::print("{}: input {}, values from -1 to 1, seed {}\n", path, input_text(graph), seed);
}

}  // namespace

void check_exists(const std::string& command, const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return;
  // "resnet20" means resnet20v2.
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
       {"image", "F.npy|F.pb", "write an input for it, too: values from -1 to 1"},
       {"format", "onnx|pb", "what to write (default: by the file's name, else onnx)"},
       {"seed", "N", "seed of the weights and of the image (default 1)"}},
      "[NETWORK]");
  if (!args.parse(words)) return exit_ok;
  const std::uint64_t seed = args.number("seed", nn::default_zoo_seed, 0, UINT64_MAX);
  const auto output = args.text("output");
  if (args.positional().empty()) {
    if (output)
      user_error("tactus zoo: --output needs the name of a network; tactus zoo lists them");
    for (const char* option : {"image", "format", "seed"}) {
      if (args.has(option)) user_error("tactus zoo: --{} needs the name of a network", option);
    }
    print_list();
    return exit_ok;
  }
  if (args.positional().size() > 1) user_error("tactus zoo: name one network at a time");
  const nn::ZooEntry& entry = nn::zoo_entry(args.positional().front());
  const auto image = args.text("image");
  if (!output && !image) user_error("tactus zoo: --output F.onnx or F.pb is missing");
  if (image && !nn::is_tensor_file(*image)) {
    user_error("tactus zoo: --image {}: is neither .npy nor .pb", quote(*image));
  }
  if (!output && args.has("format")) user_error("tactus zoo: --format needs --output");
  const std::string format = output ? format_of(args, *output) : "";
  if (output) claim_output(*output);
  if (image) claim_output(*image);
  const nn::Network network = entry.build(seed);
  if (output) write_network(network, entry.name, format, *output);
  if (image) write_image(network.graph, seed, *image);
  return exit_ok;
}

}  // namespace tactus
