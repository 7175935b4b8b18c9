#include "isa/support/file_kind.h"

#include <sys/stat.h>

#include <cstddef>

#include "isa/support/byte_order_mark.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

struct KindInfo {
  FileKind kind;
  std::string_view name;
  /// extension of files whose content does not tell their kind; may be empty
  std::string_view extension;
  std::string_view taken_by;
};

constexpr KindInfo kinds[] = {
    {FileKind::architecture, "an architecture (.tarch)", ".tarch", "--arch takes it"},
    {FileKind::model, "a compiled model (.tmodel)", "", "tactus run --model takes it"},
    {FileKind::program, "a program (.tprog)", ".tprog", "tactus run --program takes it"},
    {FileKind::constants, "a file of constants (.tdata)", ".tdata",
     "a .tmodel names it, and tactus run --dram1 takes it"},
    {FileKind::layers, "a list of layers", "", "tactus run --regions takes it"},
    {FileKind::board, "a board", "", "--board takes it"},
    {FileKind::dram, "a DRAM preset", "", "--ddr and the memory of a board take it"},
    {FileKind::table, "a table of networks and boards", "", "tactus bench --config takes it"},
    {FileKind::sweep, "a sweep", "", "tactus sweep takes it"},
    {FileKind::onnx, "an ONNX model", ".onnx", "tactus compile takes it"},
    {FileKind::dais, "a DAIS program", "", "tactus dais takes it"},
    {FileKind::package, "a DarwiNN package or TensorFlow Lite model", ".dwn1",
     "tactus darwinn takes it"},
    {FileKind::assembly, "an assembly text (.tasm)", ".tasm", "tactus asm takes it"},
    {FileKind::vectors, "a file of vectors (.csv)", ".csv", "tactus run --input takes it"},
    {FileKind::samples, "a file of samples (.tsample)", ".tsample", "tactus samples takes it"},
    {FileKind::log, "a golden log", "", "tactus replay takes it"},
    {FileKind::statistics, "a file of figures that tactus wrote", "",
     "tactus explain tells what its figures mean"},
    {FileKind::timeline, "a timeline", "", "Perfetto shows it"},
    {FileKind::dpas_profile, "a machine with a DPAS array", "", "--machine takes it"},
    {FileKind::visa_assembly, "a vISA assembly text (.visaasm)", ".visaasm",
     "tactus run --program takes it with --machine, and tactus asm"},
    {FileKind::visa_container, "a vISA container (.isa)", ".isa",
     "tactus run --program takes it with --machine, and tactus disasm"},
    {FileKind::stripe, "a Stripe program (.stripe)", ".stripe",
     "tactus stripe runs it and lowers it to a model"},
};

const KindInfo* info(FileKind kind) {
  for (const KindInfo& one : kinds) {
    if (one.kind == kind) return &one;
  }
  return nullptr;
}

/// True for the start of a ModelProto: its version, a small number, followed by a field that such
/// files have next.
bool looks_like_onnx(std::string_view content) {
  if (content.size() < 3 || content[0] != 0x08 || content[1] < 1 || content[1] > 20) return false;
  return std::string_view("\x12\x1A\x22\x28\x32\x3A\x42", 7).find(content[2]) !=
         std::string_view::npos;
}

/// Kind of a JSON file, by keys that only files of this kind have.
FileKind kind_of_json(std::string_view text) {
  const auto has = [text](std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (text.find('"' + std::string(key) + '"') == std::string_view::npos) return false;
    }
    return true;
  };
  if (has({"traceEvents"})) return FileKind::timeline;
  if (has({"tool", "version"})) return FileKind::statistics;
  if (has({"prog", "consts"})) return FileKind::model;
  if (has({"provenance", "architecture"})) return FileKind::board;
  if (has({"title", "architecture", "axi_data_bits"})) return FileKind::board;
  if (has({"tck_ps", "bus_bits"})) return FileKind::dram;
  if (has({"workload", "base"})) return FileKind::sweep;
  if (has({"rows", "board"})) return FileKind::table;
  if (has({"array_size", "local_depth"})) return FileKind::architecture;
  if (has({"execution_size", "grf_bytes"})) return FileKind::dpas_profile;
  if (has({"layers", "first"})) return FileKind::layers;
  return FileKind::unknown;
}

}  // namespace

bool is_pipe(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

bool looks_like_csv(std::string_view content) {
  content = without_byte_order_mark(content);
  return content.find_first_not_of("0123456789+-.,eE \t\r\n") == std::string_view::npos;
}

FileKind kind_of_file(const std::string& path, std::string_view content) {
  content = without_byte_order_mark(content);
  const std::size_t start = content.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && (content[start] == '{' || content[start] == '/')) {
    const FileKind kind = kind_of_json(content);
    if (kind != FileKind::unknown) return kind;
  }
  for (const KindInfo& one : kinds) {
    if (!one.extension.empty() && ends_with(path, one.extension)) return one.kind;
  }
  if (content.substr(0, 4) == "CISA") return FileKind::visa_container;
  const std::string_view identifier = content.size() < 8 ? "" : content.substr(4, 4);
  if (identifier == "DWN1" || identifier == "TFL3") return FileKind::package;
  if (looks_like_onnx(content)) return FileKind::onnx;
  if (content.substr(0, 2) == "# " && content.find("top=") != std::string_view::npos) {
    return FileKind::log;
  }
  return FileKind::unknown;
}

void refuse_other_kind(const std::string& path, std::string_view content,
                       std::initializer_list<FileKind> needed) {
  const KindInfo* const found = info(kind_of_file(path, content));
  if (found == nullptr) return;
  std::string names;
  for (const FileKind kind : needed) {
    if (found->kind == kind) return;
    names += fmt::format("{}{}", names.empty() ? "" : " or ", info(kind)->name);
  }
  user_error("{}: is {}, and {} is needed; {}", path, found->name, names, found->taken_by);
}

void refuse_other_kind(const std::string& path, std::string_view content, FileKind needed) {
  refuse_other_kind(path, content, {needed});
}

}  // namespace tactus
