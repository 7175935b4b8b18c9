// Passes: rewrites of programs that keep their meaning.
//
// A configuration is a JSON object with a list "passes", or the list alone. Its entries have the
// form of the slides, {"name": N, KIND: {options}}, or that of PlaidML 0.7.0,
// {"name": N, "pass": {"@type": "...<Kind>Pass", options}}.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/stripe/passes/options.h"

namespace tactus::stripe {

struct HardwareModel;

class Pass {
 public:
  virtual ~Pass() = default;
  /// Every option, once.
  virtual void describe(OptionVisitor& options) = 0;
  /// Told the hardware model after the options were read; null: there is none. UserError for
  /// options that need one.
  virtual void bind(const HardwareModel*) {}
  /// Throws UserError with the block's name for work it cannot do. The program is then unusable.
  virtual void run(Program& program) const = 0;
};

struct PassKind {
  std::string_view name;  ///< "autotile"
  /// Names in the form of PlaidML 0.7.0, "AutotilePass", and other spellings.
  std::vector<std::string_view> types;
  std::string_view summary;  ///< one sentence
  std::unique_ptr<Pass> (*make)();
};

/// All kinds, by name.
[[nodiscard]] const std::vector<PassKind>& pass_kinds();
/// Every kind with its options, types and defaults, for people.
[[nodiscard]] std::string list_passes();

struct ConfiguredPass {
  std::string name;  ///< name from the configuration; without one, that of the kind
  std::string_view kind;
  std::unique_ptr<Pass> pass;
};

/// Throws UserError "WHERE:/passes/3/autotile/max_size: what" with everything that is wrong:
/// unknown kinds and options (with those that are known), options of another type, options that
/// need a hardware model where there is none.
[[nodiscard]] std::vector<ConfiguredPass> read_passes(std::string_view json,
                                                      const std::string& where,
                                                      const HardwareModel* model = nullptr);

/// Runs passes in order. After each pass, checks that the program is legal and still has the user's
/// buffers. `after` is called with the number of each pass, from 1. A UserError says which pass
/// failed.
void run_passes(Program& program, const std::vector<ConfiguredPass>& passes,
                const std::function<void(std::size_t, const ConfiguredPass&)>& after = {});

}  // namespace tactus::stripe
