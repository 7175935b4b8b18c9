// The request of `tactus run` for packages: options read and checked, files loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/config/link.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "isa/darwinn/file.h"

namespace tactus {

/// A DarwiNN package for the TCU, and its inputs.
struct PlannedPackage {
  std::shared_ptr<const darwinn::File> file;
  Model model;
  std::vector<TensorData> images;  ///< at least one
};

/// Requests to packages over a host link; the packages take turns.
struct PackagePlan {
  std::vector<PlannedPackage> packages;  ///< empty: a model or a program runs, without a host link
  LinkPreset link;
  std::size_t requests = 0;
  std::size_t in_flight = 1;  ///< requests at a time
  unsigned arenas = 1;        ///< arenas of each package in the device's memory
  std::optional<std::string> link_timeline;
};

/// Options of packages, for Args.
[[nodiscard]] std::vector<Args::Option> package_options();
/// Throws UserError if one of these options is given. Call if no package is run.
void refuse_package_options(const Args& args);

/// Reads the packages named by the words that are no options, and their inputs. Throws UserError;
/// all must have the same architecture.
[[nodiscard]] PackagePlan read_packages(const Args& args);

}  // namespace tactus
