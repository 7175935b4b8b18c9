// tactus darwinn: packages of the Edge TPU's compiler, and our own in the same form.
#include "firmware/cli/darwinn/darwinn_commands.h"

#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "firmware/cli/command_table.h"
#include "firmware/cli/verbosity.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {

std::uint64_t parse_address(const std::string& text, const std::string& where) {
  if (const auto value = read_decimal_or_hex(text)) return *value;
  user_error("{} {} is not allowed; allowed: a whole number of 64 bits, such as 0x80000000", where,
             quote(text));
}

void print_warnings(const std::vector<darwinn::Warning>& warnings) {
  for (const darwinn::Warning& warning : warnings) {
    warn("{}", warning.text);
  }
}

void OutputFolder::write() {
  namespace fs = std::filesystem;
  check_file_name(folder_);
  std::error_code error;
  const bool made = fs::create_directories(folder_, error);
  if (error) user_error("{}: cannot be made: {}", folder_, error.message());
  try {
    for (const One& file : files_) claim_output(folder_ + "/" + file.name);
    for (const One& file : files_) write_file_atomically(folder_ + "/" + file.name, file.bytes);
  } catch (...) {
    if (made) fs::remove(folder_, error);  // only if it is empty
    throw;
  }
  for (const One& file : files_) {
    fmt::print("{}/{}: {} bytes\n", folder_, file.name, file.bytes.size());
  }
}

const CommandGroup& darwinn_commands() {
  static const CommandGroup group = {
      "tactus darwinn",
      "tactus darwinn COMMAND [options] FILE     tactus darwinn COMMAND --help",
      "DarwiNN packages (\"DWN1\"): bare, or in a TensorFlow Lite model compiled for the Edge TPU.",
      {
          {"info", "package, executables, transfers, layers; --json has everything", darwinn_info},
          {"verify", "check every rule of the format", darwinn_verify},
          {"link", "write instructions with device addresses in them", darwinn_link},
          {"relayout", "turn what the device wrote into a tensor", darwinn_relayout},
          {"replay", "latency of an Edge TPU executable over a link, as transfers", darwinn_replay},
          {"unpack", "write the parts of a package as files", darwinn_unpack},
      }};
  return group;
}

int darwinn_command(const Words& words) { return run_group(darwinn_commands(), words); }

}  // namespace tactus
