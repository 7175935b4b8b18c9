#include "isa/darwinn/verify.h"

#include "isa/darwinn/tcu_package.h"
#include "isa/darwinn/verify_parts.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

constexpr std::string_view tcu_prefix = "tcu-";

void verify_chip(const Package& package, const std::string& file, const std::string& wanted) {
  std::optional<std::string_view> first;
  for (const Executable& executable : package.executables) {
    const std::string place(type_name(executable.type));
    if (!executable.chip || executable.chip->empty()) {
      refuse(Code::chip, file, place, "no chip is named; allowed beagle, beagle_fpga, tcu-NAME");
    }
    const std::string_view chip = *executable.chip;
    if (!is_edge_tpu(chip) && !is_tcu(chip)) {
      refuse(Code::chip, file, place, "chip {}; allowed beagle, beagle_fpga, tcu-NAME",
             quote(chip));
    }
    if (!wanted.empty() && chip != wanted) {
      refuse(Code::chip, file, place, "is for chip {}, the unit is {}", quote(chip), quote(wanted));
    }
    if (first && chip != *first) {
      refuse(Code::chip, file, place, "is for chip {}, another executable for {}", quote(chip),
             quote(*first));
    }
    first = chip;
  }
}

void verify_tokens(const Package& package, const std::string& file, std::uint64_t resident) {
  if (const Executable* const caching = package.caching()) {
    if (caching->token == 0) {
      refuse(Code::token, file, "PARAMETER_CACHING",
             "parameter_caching_token 0; allowed: any other");
    }
    if (package.main().token != caching->token) {
      refuse(Code::token_pair, file, "EXECUTION_ONLY",
             "parameter_caching_token {:#x}, of PARAMETER_CACHING {:#x}; they must be equal",
             package.main().token, caching->token);
    }
    return;
  }
  const Executable& main = package.main();
  if (main.type != execution_only) return;
  if (main.token == 0 || main.token != resident) {
    refuse(Code::execution_only_alone, file, "EXECUTION_ONLY",
           "there is no PARAMETER_CACHING executable, and the parameters of token {:#x} are not on "
           "the chip",
           main.token);
  }
}

void verify_rest(Checked& checked) {
  const Executable& executable = checked.executable;
  if (checked.tcu && executable.batch_size != 1) {
    refuse(Code::batch, checked.file, checked.place(), "batch_size {}; allowed for {}: 1",
           executable.batch_size, *executable.chip);
  }
  verify_layers(checked);
  if (executable.scratch_bytes < 0) {
    refuse(Code::scratch, checked.file, checked.place(), "scratch_size_bytes {}; allowed 0 or more",
           executable.scratch_bytes);
  }
  for (const std::int64_t cycles :
       {executable.estimated_cycles_64bit, std::int64_t{executable.estimated_cycles_32bit}}) {
    if (cycles >= 0) continue;
    checked.warn(
        Code::limit, checked.place(),
        fmt::format("{} estimated cycles; allowed 0 or more, and it is taken for none", cycles));
  }
  if (executable.parameters_in_dram) {
    checked.warn(
        Code::dram, checked.place(),
        "use_tpu_dram_for_parameters: the chip has no memory of its own, the host's is used");
  }
  verify_code(checked);
  verify_hints(checked);
  for (std::size_t i = 0; i < executable.inputs.size(); ++i) {
    if (checked.input_used[i]) continue;
    checked.warn(Code::unused_input, checked.place("input layer {}", i),
                 fmt::format("{} is in no field and no hint", quote(*executable.inputs[i].name)));
  }
}

}  // namespace

bool is_edge_tpu(std::string_view chip) { return chip == "beagle" || chip == "beagle_fpga"; }

bool is_tcu(std::string_view chip) {
  return chip.size() > tcu_prefix.size() && chip.substr(0, tcu_prefix.size()) == tcu_prefix;
}

const Layer* Checked::layer_of(const Meta& meta, const std::string& where) {
  if (meta.desc < output || meta.desc > scratch) {
    refuse(Code::field_meta, file, where,
           "desc {}; allowed 0 OUTPUT, 1 INPUT, 2 PARAMETER, 3 SCRATCH", meta.desc);
  }
  if (meta.desc == parameter) return nullptr;
  if (meta.desc == scratch) {
    if (meta.batch == 0) return nullptr;
    refuse(Code::field_meta, file, where, "batch {} of SCRATCH; allowed 0", meta.batch);
  }
  if (!meta.name || meta.name->empty()) {
    refuse(Code::field_meta, file, where, "{} without the name of a layer", base_name(meta.desc));
  }
  constexpr std::size_t longest_name = 4096;  // longest name of a layer, see verify_layers
  const auto& layers = meta.desc == input ? inputs : outputs;
  const auto found = meta.name->size() > longest_name ? layers.end() : layers.find(*meta.name);
  if (found == layers.end()) {
    refuse(Code::field_meta, file, where, "there is no {} layer {}",
           meta.desc == input ? "input" : "output", quote(*meta.name));
  }
  if (meta.batch < 0 || meta.batch >= executable.batch_size) {
    refuse(Code::field_meta, file, where, "batch {} of {} {}; allowed {}", meta.batch,
           base_name(meta.desc), quote(*meta.name),
           range_text(0, static_cast<std::uint64_t>(executable.batch_size - 1)));
  }
  if (meta.desc == input) input_used[found->second] = true;
  return &(meta.desc == input ? executable.inputs : executable.outputs)[found->second];
}

std::vector<Warning> verify(const Package& package, const std::string& file,
                            const VerifyOptions& options) {
  std::vector<Warning> warnings;
  if (options.check_signature && !package.signature.empty()) {
    refuse(Code::signature, file, "package",
           "a signature of {} bytes, which nobody can verify; allowed: none, or not to ask for it",
           package.signature.size());
  }
  verify_chip(package, file, options.chip);
  verify_tokens(package, file, options.resident_token);
  Budget budget;
  for (const Executable& executable : package.executables) {
    Checked checked{file, executable, is_tcu(*executable.chip), warnings, budget};
    if (options.needs_hints && !executable.fully_deterministic) {
      refuse(Code::not_deterministic, file, checked.place(), "{}, which this link needs",
             executable.has_hints ? "the DMA hints are not fully deterministic"
                                  : "there are no DMA hints");
    }
    verify_rest(checked);
  }
  if (is_tcu(*package.main().chip)) verify_tcu_package(package, file);
  return warnings;
}

void verify_layer(const Layer& layer, AnyLayer kind, const std::string& file,
                  const std::string& place) {
  Budget budget;
  verify_layer(layer, kind, file, place, budget);
}

}  // namespace tactus::darwinn
