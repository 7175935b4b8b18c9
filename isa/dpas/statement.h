// Parser of one vISA instruction. Internal to the assembler.
#pragma once

#include "isa/dpas/program.h"
#include "isa/dpas/text_cursor.h"

namespace tactus::dpas {

/// Parses the rest of a line as an instruction. A jump may name a label that is defined later; the
/// label is then added to the kernel. Throws TextError. Errors of rules that only a text can break
/// carry the rule's code.
[[nodiscard]] Instruction parse_instruction(TextCursor& cursor, Kernel& kernel);

/// Index of the label; adds the label if the kernel has none of this name.
[[nodiscard]] std::uint32_t label_index(Kernel& kernel, std::string_view name);

// ---- names that assembler and disassembler share ------------------------------------------------

inline constexpr std::string_view comparison_names[] = {"eq", "ne", "gt", "ge", "lt", "le"};
inline constexpr std::string_view unit_names[] = {"ugm", "ugml", "tgm", "slm"};
inline constexpr std::string_view caching_names[] = {"df", "uc", "ca", "wb", "wt", "st", "ri"};
inline constexpr std::string_view fence_names[] = {"none",    "evict", "invalidate",
                                                   "discard", "clean", "flushl3"};
inline constexpr std::string_view scope_names[] = {"group", "local",  "tile",  "gpu",
                                                   "gpus",  "system", "sysacq"};
inline constexpr std::string_view modifier_names[] = {"", "(abs)", "(-)", "(-abs)"};
inline constexpr std::string_view align_names[] = {"byte", "word", "dword", "qword",  "oword",
                                                   "GRF",  "2GRF", "hword", "32word", "64word"};

}  // namespace tactus::dpas
