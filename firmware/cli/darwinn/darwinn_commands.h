// The commands of tactus darwinn, and what they share.
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

/// "0x1f", "31"; throws UserError "WHERE TEXT is not allowed; ...".
[[nodiscard]] std::uint64_t parse_address(const std::string& text, const std::string& where);

/// Tells what the reader and the verifier found worth a word, on standard error.
void print_warnings(const std::vector<darwinn::Warning>& warnings);

/// Files of a command that appear together, in a folder that is made for them. All are checked and
/// claimed before the first is written.
class OutputFolder {
 public:
  explicit OutputFolder(std::string folder) : folder_(std::move(folder)) {}
  void add(const std::string& name, std::vector<std::uint8_t> bytes) {
    files_.push_back({name, std::move(bytes)});
  }
  /// Prints a line for each file.
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
