// What `tactus run` was asked to do with packages: options read and checked, files loaded.
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

/// A DarwiNN package for the TCU, and what goes into it.
struct PlannedPackage {
  std::shared_ptr<const darwinn::File> file;
  Model model;
  std::vector<TensorData> images;  ///< one at least
};

/// Requests to packages behind a host link, one after the other to each package in turn.
struct PackagePlan {
  std::vector<PlannedPackage> packages;  ///< empty: a model or a program runs without a host
  LinkPreset link;
  std::size_t requests = 0;
  std::size_t in_flight = 1;  ///< requests at a time
  unsigned arenas = 1;        ///< of each package in the device's memory
  std::optional<std::string> link_timeline;
};

/// Their options, for Args.
[[nodiscard]] std::vector<Args::Option> package_options();
/// Throws UserError if one of them is given, for what is run is no package.
void refuse_package_options(const Args& args);

/// Reads the packages that the words name which are no options, and their inputs. All have the same
/// architecture. Throws UserError.
[[nodiscard]] PackagePlan read_packages(const Args& args);

}  // namespace tactus
