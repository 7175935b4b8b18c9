// Compiled programs with what a run of them needs, and a folder that keeps them between runs.
//
// An entry is one file named after the hash of everything that shapes the program: the network (the
// bytes of an ONNX file, or name and seed of a zoo network), architecture, strategy, options.
// Inside it also says which build of Tactus made it; an entry of another build, a cut or a changed
// one counts as absent and is overwritten. Files are replaced in one step, so that processes can
// share the folder. What the entries take together is limited: see cache_folder.h.
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
  std::vector<compiler::TensorLayout> inputs;  ///< empty for a model compiled elsewhere
  std::vector<compiler::TensorLayout> outputs;
  std::uint64_t true_macs = 0;  ///< see compiler::Compiled
  std::uint64_t macs_with_padding = 0;
};

/// `name` becomes the model's name and, where its files would lie, their names.
[[nodiscard]] Program to_program(compiler::Compiled compiled, const std::string& name);

class ProgramCache {
 public:
  /// A folder that need not exist; none: nothing is kept.
  explicit ProgramCache(std::optional<std::string> folder);

  /// $XDG_CACHE_HOME/tactus, else $HOME/.cache/tactus; none if neither is set.
  [[nodiscard]] static std::optional<std::string> default_folder();

  /// `key`: any text that names all that shapes the program.
  [[nodiscard]] std::optional<Program> find(const std::string& key) const;
  /// False if the folder cannot be written, which is no reason to fail.
  bool store(const std::string& key, const Program& program) const;

  /// The key of the entry in this file; none if it has no header.
  [[nodiscard]] static std::optional<std::string> key_of(const std::string& path);

 private:
  [[nodiscard]] std::string path(const std::string& key) const;

  std::optional<CacheFolder> folder_;
};

}  // namespace tactus::bench
