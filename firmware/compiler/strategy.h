// Where variables and constants live while a compiled program runs.
//
// Source: toolchain spec sections 3.5, 3.8 and 3.9.
#pragma once

#include <cstdint>

namespace tactus::compiler {

enum class Strategy : std::uint8_t {
  local_isolated,         ///< DRAM banks; layers are cut into parts that fit the local memory
  local_vars,             ///< what passes between layers stays in local memory
  local_consts,           ///< constants are copied to local memory once, before the program
  local_vars_and_consts,  ///< both
};

}  // namespace tactus::compiler
