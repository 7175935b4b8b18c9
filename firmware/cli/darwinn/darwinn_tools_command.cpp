// tactus darwinn link, relayout, unpack: single steps of the host's driver, applied to files.
#include <algorithm>

#include <fmt/core.h>

#include "firmware/cli/darwinn/darwinn_commands.h"
#include "isa/darwinn/json.h"
#include "isa/darwinn/linker.h"
#include "isa/darwinn/relayout.h"
#include "isa/darwinn/tcu_package.h"
#include "isa/darwinn/verify.h"
#include "isa/support/array_file.h"
#include "isa/support/files.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using darwinn::Addresses;
using darwinn::Executable;
using darwinn::Layer;

/// Verifies a package and prints warnings.
void verify_and_tell(const darwinn::File& file) {
  print_warnings(file.warnings());
  darwinn::VerifyOptions options;
  options.resident_token = file.package().main().token;
  print_warnings(darwinn::verify(file.package(), file.name(), options));
}

// ---- link ---------------------------------------------------------------------------------------

constexpr const char* address_form =
    "allowed: scratch=N, parameters=N, input:NAME=N, output:NAME=N, with #K behind NAME for batch "
    "element K";

/// Sets one address given as "input:NAME#1=0x1000". Returns false if the executable has no such
/// layer; another executable of the package may have it.
bool set_address(const Executable& executable, const std::string& text, Addresses& addresses) {
  const std::string option = "tactus darwinn link: --address";
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    user_error("{} {} is not allowed; {}", option, quote(text), address_form);
  }
  const std::uint64_t value = parse_address(text.substr(equals + 1), option);
  std::string what = text.substr(0, equals);
  if (what == "scratch") return addresses.scratch = value, true;
  if (what == "parameters") return addresses.parameters = value, true;
  const bool in = what.rfind("input:", 0) == 0;
  if (!in && what.rfind("output:", 0) != 0) {
    user_error("{} {} is not allowed; {}", option, quote(text), address_form);
  }
  what = what.substr(what.find(':') + 1);
  const auto& layers = in ? executable.inputs : executable.outputs;
  auto& all = in ? addresses.inputs : addresses.outputs;
  const auto named = [&](const std::string& name) {
    return std::find_if(layers.begin(), layers.end(),
                        [&](const Layer& layer) { return layer.name == name; });
  };
  std::uint64_t batch = 0;
  auto found = named(what);
  const std::size_t hash = what.rfind('#');
  if (found == layers.end() && hash != std::string::npos) {  // a name may contain a #
    batch = parse_address(what.substr(hash + 1), option + " " + text + ": batch element");
    found = named(what.substr(0, hash));
  }
  if (found == layers.end()) return false;
  auto& elements = all[static_cast<std::size_t>(found - layers.begin())];
  if (batch >= elements.size()) {
    user_error("{} {}: batch element {}; allowed {}", option, quote(text), batch,
               range_text(0, elements.size() - 1));
  }
  elements[batch] = value;
  return true;
}

/// A buffer in the device's address space.
struct Span {
  std::string what;
  std::uint64_t start = 0, bytes = 0;
};

/// Returns the address ranges of an executable's buffers, as far as they have addresses.
std::vector<Span> spans_of(const Executable& executable, const Addresses& addresses) {
  std::vector<Span> spans;
  const auto add = [&](const std::string& what, std::uint64_t start, std::int64_t bytes) {
    if (bytes > 0) spans.push_back({what, start, static_cast<std::uint64_t>(bytes)});
  };
  if (addresses.parameters) {
    add("parameters", *addresses.parameters,
        static_cast<std::int64_t>(executable.parameters.size()));
  }
  if (addresses.scratch) add("scratch", *addresses.scratch, executable.scratch_bytes);
  const auto add_layers = [&](const char* side, const std::vector<Layer>& layers,
                              const std::vector<std::vector<std::uint64_t>>& all) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      for (std::size_t batch = 0; batch < all[i].size(); ++batch) {
        add(fmt::format("{}:{}#{}", side, printable(*layers[i].name), batch), all[i][batch],
            layers[i].padded_bytes());
      }
    }
  };
  add_layers("input", executable.inputs, addresses.inputs);
  add_layers("output", executable.outputs, addresses.outputs);
  return spans;
}

/// Throws UserError if a buffer ends beyond the address space or, on an Edge TPU, overlaps another
/// one. (On a TCU, parameters have a bank of their own, and tensors are inside of scratch memory.)
void check_addresses(const Executable& executable, const Addresses& addresses, bool tcu) {
  std::vector<Span> spans = spans_of(executable, addresses);
  const std::uint64_t last = tcu ? 0xFFFFFFFF : ~std::uint64_t{0};
  for (const Span& span : spans) {
    if (span.start <= last && span.bytes - 1 <= last - span.start) continue;
    user_error(
        "tactus darwinn link: {}: {} of {} bytes at {:#x} goes beyond the last address, {:#x}",
        darwinn::type_name(executable.type), span.what, span.bytes, span.start, last);
  }
  if (tcu) return;
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.start < b.start; });
  for (std::size_t i = 1; i < spans.size(); ++i) {
    const Span &a = spans[i - 1], &b = spans[i];
    if (b.start - a.start >= a.bytes) continue;
    user_error("tactus darwinn link: {}: {} of {} bytes at {:#x} and {} at {:#x} overlap",
               darwinn::type_name(executable.type), a.what, a.bytes, a.start, b.what, b.start);
  }
}

std::string addresses_text(const Executable& executable, const Addresses& addresses) {
  std::string text = std::string(darwinn::type_name(executable.type)) + "\n";
  if (addresses.parameters) text += fmt::format("  parameters  {:#x}\n", *addresses.parameters);
  if (addresses.scratch) text += fmt::format("  scratch     {:#x}\n", *addresses.scratch);
  const auto add = [&](const char* side, const std::vector<Layer>& layers, const auto& all) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      for (std::size_t batch = 0; batch < all[i].size(); ++batch) {
        text +=
            fmt::format("  {:<12}{:#x}  {}{}\n", side, all[i][batch], printable(*layers[i].name),
                        all[i].size() > 1 ? fmt::format(" #{}", batch) : "");
      }
    }
  };
  add("input", executable.inputs, addresses.inputs);
  add("output", executable.outputs, addresses.outputs);
  return text;
}

// ---- relayout -----------------------------------------------------------------------------------

const Layer& find_output(const darwinn::File& file, const std::optional<std::string>& name) {
  const std::vector<Layer>& layers = file.package().main().outputs;
  if (layers.empty()) user_error("{}: there are no outputs", file.name());
  if (!name && layers.size() == 1) return layers.front();
  std::vector<std::string_view> names;
  for (const Layer& layer : layers) {
    if (name && layer.name == *name) return layer;
    names.push_back(*layer.name);
  }
  if (!name) {
    user_error("tactus darwinn relayout: --layer NAME is needed; allowed {}", quote_list(names));
  }
  user_error("tactus darwinn relayout: --layer {} is not allowed; allowed {}{}", quote(*name),
             quote_list(names), suggestion(*name, names));
}

}  // namespace

int darwinn_link(const Words& words) {
  Args args(
      "darwinn link",
      "Writes the instruction chunks of a package with device addresses in them. Addresses "
      "are given, or come from the buddy allocator of the PCIe driver; fields of buffers "
      "that are not there stay as they are.",
      {{"address", "WHAT=N", std::string("device address of a buffer; ") + address_form, true},
       {"output", "DIR", "where to write TYPE.chunkN.bin (default: only print)"}},
      "FILE");
  if (!args.parse(words)) return exit_ok;
  const darwinn::File file(only_file(args));
  verify_and_tell(file);
  const bool tcu = darwinn::is_tcu(*file.package().main().chip);
  darwinn::BuddyAllocator allocator(tcu ? 0 : darwinn::extended_start, darwinn::extended_bytes);
  const std::uint64_t granule = tcu ? darwinn::tcu_block_bytes : darwinn::BuddyAllocator::page;
  const std::vector<std::string> given = args.texts("address");
  for (auto text = given.begin(); text != given.end(); ++text) {
    const std::string what = text->substr(0, text->rfind('='));
    const auto same = [&](const std::string& other) {
      return other.substr(0, other.rfind('=')) == what;
    };
    if (std::any_of(given.begin(), text, same)) {
      user_error("tactus darwinn link: --address {} is given twice", quote(what));
    }
  }
  std::vector<bool> used(given.size());
  OutputFolder folder(args.text("output").value_or(""));
  std::string report;
  for (const Executable& executable : file.package().executables) {
    Addresses addresses = darwinn::allocate(executable, allocator, granule);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (set_address(executable, given[i], addresses)) used[i] = true;
    }
    report += addresses_text(executable, addresses);
    for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
      auto code = darwinn::link(executable, i, tcu ? darwinn::in_blocks(addresses) : addresses);
      report += fmt::format("  chunk {:<6}{} bytes, sha256 {}\n", i, code.size(), sha256(code));
      folder.add(fmt::format("{}.chunk{}.bin", darwinn::type_name(executable.type), i),
                 std::move(code));
    }
    if (!given.empty()) check_addresses(executable, addresses, tcu);
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!used[i]) {
      user_error("tactus darwinn link: --address {}: no executable has this layer",
                 quote(given[i]));
    }
  }
  fmt::print("{}", report);
  if (args.has("output")) folder.write();
  return exit_ok;
}

int darwinn_relayout(const Words& words) {
  Args args("darwinn relayout",
            "Turns the buffer that the device wrote for an output into the packed tensor. Signed "
            "types get their sign back, for the Edge TPU computes in unsigned.",
            {{"layer", "NAME", "the output (default: the only one)"},
             {"input", "F.bin", "the device's buffer, with padding (required)"},
             {"output", "F.bin", "the tensor (required)"},
             {"raw", "", "leave the sign bits alone"}},
            "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string input = args.required("input", "F.bin");
  const std::string output = args.required("output", "F.bin");
  const darwinn::File file(only_file(args));
  verify_and_tell(file);
  const Layer& layer = find_output(file, args.text("layer"));
  (void)array_form(output, {ArrayForm::bytes});
  const std::vector<std::uint8_t> device = read_array_file(input, {ArrayForm::bytes}).bytes;
  if (static_cast<std::int64_t>(device.size()) != layer.padded_bytes()) {
    user_error("{}: {}: {} bytes; the device's buffer of {} has {}", input,
               darwinn::name(darwinn::Code::io_size), device.size(), quote(*layer.name),
               layer.padded_bytes());
  }
  std::vector<std::uint8_t> host(static_cast<std::size_t>(layer.actual_bytes()));
  darwinn::Relayout(layer).run(device.data(), host.data());
  const bool flip = !args.has("raw") && darwinn::is_edge_tpu(*file.package().main().chip);
  if (flip) darwinn::flip_sign(layer.data_type, host.data(), host.size());
  write_file_atomically(output, host);
  fmt::print("{}: {}, {} bytes, by {}\n", output, printable(*layer.name), host.size(),
             darwinn::name(darwinn::relayout_method(layer)));
  return exit_ok;
}

int darwinn_unpack(const Words& words) {
  Args args("darwinn unpack",
            "Writes the parts of a package as files: the bare package, of each executable its "
            "chunks, parameters and model text, and info.json.",
            {{"output", "DIR", "where to write (required)"}}, "FILE");
  if (!args.parse(words)) return exit_ok;
  const std::string output = args.required("output", "DIR");
  const darwinn::File file(only_file(args));
  verify_and_tell(file);
  const auto copy = [](darwinn::ByteView view) {
    return std::vector<std::uint8_t>(view.begin(), view.end());
  };
  OutputFolder folder(output);
  folder.add("package.dwn1", copy(file.package_bytes()));
  for (const Executable& executable : file.package().executables) {
    const std::string type(darwinn::type_name(executable.type));
    for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
      folder.add(fmt::format("{}.chunk{}.bin", type, i), copy(executable.chunks[i].code));
    }
    if (!executable.parameters.empty()) {
      folder.add(type + ".parameters.bin", copy(executable.parameters));
    }
    if (!executable.serialized_model.empty()) {
      folder.add(type + ".model", copy(executable.serialized_model));
    }
  }
  const std::string json = darwinn::to_json(file);
  folder.add("info.json", {json.begin(), json.end()});
  folder.write();
  return exit_ok;
}

}  // namespace tactus
