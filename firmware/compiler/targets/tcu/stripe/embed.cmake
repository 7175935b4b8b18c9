# Writes a C++ file that holds the template of passes, so that an installed binary needs no files:
#   cmake -D OUTPUT=lowering_passes.cpp -D SOURCE=lowering.json.j2 -P embed.cmake
file(READ ${SOURCE} content)
file(WRITE ${OUTPUT} "// Made from configs/stripe by embed.cmake.
#include \"firmware/compiler/targets/tcu/stripe/complete.h\"

namespace tactus::compiler {

std::string_view lowering_passes() {
  return R\"text(${content})text\";
}

}  // namespace tactus::compiler
")
