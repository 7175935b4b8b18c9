#include "isa/support/link_values.h"

namespace tactus {
namespace {

using L = LinkValues;

std::vector<Parameter<L>> parameters() {
  constexpr WholeRange rate{1, 1000000000000};
  std::vector<Parameter<L>> all{
      whole("out_bytes_per_second", &L::out_bytes_per_second, rate, "bytes/s",
            "rate of data to the device"),
      whole("in_bytes_per_second", &L::in_bytes_per_second, rate, "bytes/s",
            "rate of data from the device"),
      whole("fixed_ps", &L::fixed_ps, {0, 1000000000000}, "ps",
            "what every request costs on the host, whatever it moves"),
      boolean("outfeed_blocks_infeed", &L::outfeed_blocks_infeed,
              "data to the device wait until an output listed before them has been received"),
      boolean("needs_hints", &L::needs_hints,
              "the host has to know all transfers ahead: only fully deterministic hints are run"),
      whole("core_hz", &L::core_hz, {1, 1000000000000}, "Hz",
            "clock of the device, which turns estimated cycles into time")};
  for (Parameter<L>& parameter : all) parameter = parameter.without_option();
  return all;
}

}  // namespace

const ParameterTable<LinkValues>& link_parameters() {
  static const ParameterTable<LinkValues> table(
      "link",
      "A host link. A file of configs/links has every key, beside \"name\", \"title\" and "
      "\"provenance\".",
      parameters());
  return table;
}

}  // namespace tactus
