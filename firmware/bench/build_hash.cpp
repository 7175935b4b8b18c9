#include "firmware/bench/build_hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/support/files.h"
#include "isa/support/program_path.h"
#include "isa/support/sha256.h"

namespace tactus::bench {
namespace {

using Note = std::vector<std::uint8_t>;

template <typename T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* into, std::size_t count) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(into), static_cast<std::streamsize>(count * sizeof(T))));
}

/// Returns the build id in an ELF section of notes. The notes follow each other; each has a header,
/// the owner's name and the contents. Name and contents are padded to `alignment`.
std::optional<std::string> find_build_id(const Note& notes, std::size_t alignment) {
  const auto filled = [alignment](std::size_t size) {
    return (size + alignment - 1) / alignment * alignment;
  };
  Elf64_Nhdr header;
  for (std::size_t at = 0; at + sizeof(header) <= notes.size();) {
    std::memcpy(&header, notes.data() + at, sizeof(header));
    const std::size_t name = at + sizeof(header);
    const std::size_t contents = name + filled(header.n_namesz);
    const std::size_t end = contents + header.n_descsz;
    if (end > notes.size()) return std::nullopt;
    const bool gnu = header.n_namesz == sizeof("GNU") &&
                     std::memcmp(notes.data() + name, "GNU", sizeof("GNU")) == 0;
    if (gnu && header.n_type == NT_GNU_BUILD_ID)
      return fmt::format("{:02x}", fmt::join(notes.data() + contents, notes.data() + end, ""));
    at = contents + filled(header.n_descsz);
  }
  return std::nullopt;
}

std::optional<std::string> build_id(const std::string& path) {
  constexpr std::uint64_t largest_note = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!file || !read_at(file, 0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(file, header.e_phoff, segments.data(), segments.size())) return std::nullopt;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > largest_note) continue;
    Note notes(segment.p_filesz);
    if (!read_at(file, segment.p_offset, notes.data(), notes.size())) return std::nullopt;
    const std::size_t alignment = std::max<std::size_t>(segment.p_align, 4);
    if (auto found = find_build_id(notes, alignment)) return found;
  }
  return std::nullopt;
}

}  // namespace

const std::string& build_hash() {
  static const std::string hash = [] {
    const auto found = build_id(program_path());
    return found ? *found : sha256(read_file(program_path()));
  }();
  return hash;
}

}  // namespace tactus::bench
