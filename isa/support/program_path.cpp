#include "isa/support/program_path.h"

#include <utility>

namespace tactus {
namespace {

std::string& path() {
  static std::string text = "/proc/self/exe";
  return text;
}

}  // namespace

const std::string& program_path() { return path(); }

void set_program_path(std::string program) { path() = std::move(program); }

}  // namespace tactus
