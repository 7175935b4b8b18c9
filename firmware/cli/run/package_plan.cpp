#include "firmware/cli/run/package_plan.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "firmware/cli/darwinn/darwinn_commands.h"
#include "firmware/cli/run/input_vectors.h"
#include "firmware/driver/darwinn/package_device.h"
#include "isa/darwinn/verify.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// Inputs of package `number`, counted from 1. With several packages an input begins with "N:",
/// which is removed.
std::vector<std::string> inputs_of(const Args& args, std::size_t number, std::size_t packages) {
  std::vector<std::string> mine;
  for (const std::string& text : args.texts("input")) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    const bool numbered = packages > 1 && digits != 0 && digits < 7 && text[digits] == ':';
    const std::size_t which = numbered ? std::stoul(text) : number;
    if (which < 1 || which > packages) {
      user_error("tactus run: --input {}: there is no package {}; allowed 1..{}", quote(text),
                 which, packages);
    }
    if (which == number) mine.push_back(numbered ? text.substr(digits + 1) : text);
  }
  return mine;
}

PlannedPackage plan_package(const Args& args, const LinkPreset& link, const std::string& path,
                            std::size_t number, std::size_t packages) {
  PlannedPackage package;
  package.file = std::make_shared<const darwinn::File>(path);
  print_warnings(package.file->warnings());
  darwinn::VerifyOptions options;
  options.needs_hints = link.needs_hints;
  print_warnings(darwinn::verify(package.file->package(), path, options));
  const std::string_view chip = *package.file->package().main().chip;
  if (!darwinn::is_tcu(chip)) {
    user_error(
        "{}: {}: for chip {}, whose instructions are not documented; tactus darwinn replay shows "
        "what can be said of it",
        path, darwinn::name(darwinn::Code::chip), quote(chip));
  }
  package.model = packaged_model(*package.file);
  std::map<std::string, std::string> given;
  const std::vector<Tensor> inputs = tensors(package.model.file.inputs);
  for (const std::string& text : inputs_of(args, number, packages)) {
    const auto [name, file] = split_input(inputs, text);
    if (!given.emplace(name, file).second) {
      user_error("tactus run: input {} of {} is given twice", quote(name), path);
    }
  }
  package.images = read_images(package.model.file.arch, inputs, given).inputs;
  return package;
}

}  // namespace

std::vector<Args::Option> package_options() {
  return {{"link", "NAME|F.json", "host link, of configs/links or a file; packages need one"},
          {"requests", "N",
           "number of requests, sent to each package in turn (default: one for each image)"},
          {"in-flight", "N", "requests that the host has under way at a time (default 1)"},
          {"arenas", "N",
           "places of a package in the device's memory; with 2, a request's inputs arrive while "
           "the program of the request before runs (default 1)"},
          {"link-timeline", "F.json", "write a timeline of the requests and their transfers"}};
}

void refuse_package_options(const Args& args) {
  args.refuse_all(package_options(), "belongs to packages; name one, such as M.dwn1");
}

PackagePlan read_packages(const Args& args) {
  for (const char* other : {"model", "program", "dram0", "dram1", "config", "print-config", "mode",
                            "checks", "permissive"}) {
    if (args.has(other)) {
      user_error("tactus run: {} is taken for a package, and --{} {}",
                 quote(args.positional().front()), other,
                 std::string_view(other) == "model"     ? "names a model"
                 : std::string_view(other) == "program" ? "names a program"
                                                        : "is not for packages");
    }
  }
  if (!args.has("link")) {
    user_error("tactus run: {} is a package; --link NAME is missing, such as usb3, usb2, pcie",
               args.positional().front());
  }
  PackagePlan host;
  host.link = read_link(*args.text("link"));
  const std::vector<std::string>& paths = args.positional();
  std::size_t images = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    host.packages.push_back(plan_package(args, host.link, paths[i], i + 1, paths.size()));
    const std::string differences = architecture_differences(host.packages.front().model.file.arch,
                                                             host.packages.back().model.file.arch);
    if (!differences.empty()) {
      user_error("{}: {}: for another architecture than {}, which differs in: {}", paths[i],
                 darwinn::name(darwinn::Code::architecture), paths[0], differences);
    }
    images = std::max(images, host.packages.back().images.size());
  }
  constexpr std::uint64_t most_requests = 1000000, most_arenas = 16;
  host.requests = args.number("requests", images * paths.size(), 1, most_requests);
  host.in_flight = args.number("in-flight", 1, 1, most_requests);
  host.arenas = static_cast<unsigned>(args.number("arenas", 1, 1, most_arenas));
  host.link_timeline = args.text("link-timeline");
  return host;
}

}  // namespace tactus
