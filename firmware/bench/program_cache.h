// Compiled programs with the data needed to run them, and a folder that stores them.
//
// An entry is one file, named by the hash of everything that determines the program: the network
// (the graph, or name and seed of a zoo network), architecture, compiler's options, and properties
// of the memory port that the compiler uses. The file also names the build of Tactus that made it.
// An entry of another build, or one that is truncated or changed, counts as absent and is
// overwritten. Files are replaced in one step, so processes can share the folder. Its size is
// limited, see cache_folder.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/bench/cache_folder.h"
#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/model.h"

namespace tactus::bench {

struct Program {
  Model model;
  std::vector<compiler::TensorLayout> inputs;  ///< empty for a model that is read from a file
  std::vector<compiler::TensorLayout> outputs;
  std::uint64_t true_macs = 0;  ///< see compiler::Compiled
  std::uint64_t macs_with_padding = 0;
  /// Numbers of constants that saturate, become 0 and lose more than 1 %, see
  /// compiler::ConstantLoss; empty for a model that is read from a file.
  std::vector<std::uint64_t> lost_constants;
};

/// Makes a program from a compiler's result. `name` becomes the name of the model and the base name
/// of its files.
[[nodiscard]] Program to_program(compiler::Compiled compiled, const std::string& name);

class ProgramCache {
 public:
  /// The folder need not exist. Without a folder nothing is stored.
  explicit ProgramCache(std::optional<std::string> folder);

  /// $XDG_CACHE_HOME/tactus, else $HOME/.cache/tactus; empty if neither variable is set.
  [[nodiscard]] static std::optional<std::string> default_folder();

  /// Looks for a program. `key` is any text that contains everything that determines the program.
  [[nodiscard]] std::optional<Program> find(const std::string& key) const;
  /// Stores a program. Returns false if the folder cannot be written, which is no error.
  bool store(const std::string& key, const Program& program) const;

  /// Key of the entry in this file; empty if the file has no header.
  [[nodiscard]] static std::optional<std::string> key_of(const std::string& path);

 private:
  [[nodiscard]] std::string path(const std::string& key) const;

  std::optional<CacheFolder> folder_;
};

}  // namespace tactus::bench
