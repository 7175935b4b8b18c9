// The commands of tactus darwinn and their common functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "isa/darwinn/file.h"

namespace tactus {

int darwinn_info(const Words& words);
int darwinn_verify(const Words& words);
int darwinn_link(const Words& words);
int darwinn_relayout(const Words& words);
int darwinn_replay(const Words& words);
int darwinn_unpack(const Words& words);

/// Parses an address such as "0x1f" or "31". Throws UserError "WHERE TEXT is not allowed; ...".
[[nodiscard]] std::uint64_t parse_address(const std::string& text, const std::string& where);

/// Prints warnings of the reader and the verifier on standard error.
void print_warnings(const std::vector<darwinn::Warning>& warnings);

/// Output files of a command, in a folder that is created for them. All paths are checked and
/// claimed before the first file is written.
class OutputFolder {
 public:
  explicit OutputFolder(std::string folder) : folder_(std::move(folder)) {}
  void add(const std::string& name, std::vector<std::uint8_t> bytes) {
    files_.push_back({name, std::move(bytes)});
  }
  /// Writes the files and prints a line for each.
  void write();

 private:
  struct One {
    std::string name;
    std::vector<std::uint8_t> bytes;
  };
  std::string folder_;
  std::vector<One> files_;
};

}  // namespace tactus
