# Writes a C++ file that holds the program texts, so that an installed binary needs no files:
#   cmake -D OUTPUT=programs.cpp -D "SOURCES=a.tasm;b.tasm" -P embed.cmake
set(text "// Made from firmware/programs by embed.cmake.\n#include \"firmware/selftest/programs.h\"\n\n")
string(APPEND text "namespace tactus {\n\n")
string(APPEND text "const std::vector<EmbeddedProgram>& embedded_programs() {\n")
string(APPEND text "  static const std::vector<EmbeddedProgram> programs = {\n")
foreach(source IN LISTS SOURCES)
  get_filename_component(name ${source} NAME_WE)
  file(READ ${source} content)
  string(APPEND text "      {\"${name}\", R\"tasm(${content})tasm\"},\n")
endforeach()
string(APPEND text "  };\n  return programs;\n}\n\n}  // namespace tactus\n")
file(WRITE ${OUTPUT} "${text}")
