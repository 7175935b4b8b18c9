#include "isa/darwinn/package.h"

#include <array>

#include "isa/darwinn/refusal.h"

namespace tactus::darwinn {
namespace {

template <std::size_t Count>
std::string_view name_of(const std::array<std::string_view, Count>& names, std::int16_t value) {
  const auto index = static_cast<std::size_t>(value);
  return value >= 0 && index < Count && !names[index].empty() ? names[index] : "unknown";
}

}  // namespace

std::string_view type_name(std::int16_t type) {
  return name_of<3>({"STAND_ALONE", "PARAMETER_CACHING", "EXECUTION_ONLY"}, type);
}

std::string_view base_name(std::int16_t base) {
  return name_of<4>({"OUTPUT", "INPUT", "PARAMETER", "SCRATCH"}, base);
}

std::string_view position_name(std::int16_t position) {
  return name_of<2>({"LOWER_32", "UPPER_32"}, position);
}

std::string_view direction_name(std::int16_t direction) {
  return name_of<2>({"INFEED", "OUTFEED"}, direction);
}

std::string_view data_type_name(std::int16_t type) {
  return name_of<10>({"FIXED_POINT8", "FIXED_POINT16", "SIGNED_FIXED_POINT32", "BFLOAT", "HALF",
                      "SINGLE", "", "", "SIGNED_FIXED_POINT8", "SIGNED_FIXED_POINT16"},
                     type);
}

unsigned element_bytes(std::int16_t type) {
  constexpr std::array<unsigned, 10> bytes{1, 2, 4, 2, 2, 4, 0, 0, 1, 2};
  return type >= 0 && type < 10 ? bytes[static_cast<std::size_t>(type)] : 0;
}

bool flips_sign(std::int16_t type) {
  return type == signed_fixed_point8 || type == signed_fixed_point16;
}

std::int64_t Layer::elements() const {
  if (!shape) return std::int64_t{y} * x * z;
  std::int64_t product = 1;
  for (const Range& range : *shape) product *= range.extent();
  return product;
}

const Executable* Package::find(std::int16_t type) const {
  for (const Executable& executable : executables) {
    if (executable.type == type) return &executable;
  }
  return nullptr;
}

const Executable& Package::main() const {
  if (executables.size() == 2) {
    if (const Executable* const found = find(execution_only)) return *found;
  }
  if (executables.size() == 3) {
    if (const Executable* const found = find(stand_alone)) return *found;
  }
  if (executables.empty()) internal_error("a package without executables");
  return executables.front();
}

std::uint64_t Executable::cycle_estimate() const {
  const std::int64_t given =
      estimated_cycles_64bit != 0 ? estimated_cycles_64bit : estimated_cycles_32bit;
  return given > 0 ? static_cast<std::uint64_t>(given) : 0;
}

const Executable* Package::caching() const {
  return executables.size() == 2 ? find(parameter_caching) : nullptr;
}

std::string_view name(Code code) {
  constexpr std::string_view names[] = {
      "E_MAGIC",        "E_TRUNC",      "E_VERIFY_PKG", "E_VERIFY_MULTI",  "E_VERIFY_EXEC",
      "E_TFL_NOOP",     "E_TFL_EXTOPT", "E_FLEX",       "E_MULTI_PKG",     "E_VERSION",
      "E_MULTICHIP",    "E_EMPTY",      "E_DUPTYPE",    "E_COMBO",         "E_TYPE",
      "E_BATCH",        "E_CHIP",       "E_SIG",        "E_TOKEN",         "E_TOKEN_PAIR",
      "E_EO_ALONE",     "E_NOCODE",     "E_CHUNKSIZE",  "E_FIELD_RANGE",   "E_FIELD_META",
      "E_FIELD_UNITS",  "E_LINK_DUP",   "E_HINT_NONE",  "E_HINT_RANGE",    "E_HINT_CHUNK",
      "E_HINT_ORDER",   "E_HINT_DIR",   "E_HINT_COVER", "E_NONDET",        "E_IRQ",
      "E_LAYER",        "E_LAYER_SIZE", "E_LAYOUT",     "E_SLICE",         "E_EXEC_TILED",
      "E_SCRATCH",      "E_DRAM",       "E_ARCH",       "E_PARAM_MISSING", "E_IO_SIZE",
      "E_UNUSED_INPUT", "E_LIMIT"};
  return names[static_cast<std::size_t>(code)];
}

}  // namespace tactus::darwinn
