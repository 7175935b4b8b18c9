#include "isa/support/program_path.h"

#include <utility>

namespace tactus {
namespace {

std::string& chosen_program() {
  static std::string text = "/proc/self/exe";
  return text;
}

}  // namespace

const std::string& program_path() { return chosen_program(); }

void set_program_path(std::string program) { chosen_program() = std::move(program); }

}  // namespace tactus
