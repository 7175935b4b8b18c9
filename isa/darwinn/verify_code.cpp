// Checks instruction chunks and their address fields.
#include <algorithm>

#include "isa/darwinn/verify.h"
#include "isa/darwinn/verify_parts.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

constexpr std::int64_t field_bits = 32;

void verify_field(Checked& checked, std::size_t chunk, std::size_t index) {
  const Field& field = checked.executable.chunks[chunk].fields[index];
  const std::string place = checked.place("chunk {}, field {}", chunk, index);
  if (!field.meta) refuse(Code::field_meta, checked.file, place, "it has no meta");
  (void)checked.layer_of(*field.meta, place);
  if (field.meta->position < lower_32bit || field.meta->position > upper_32bit) {
    refuse(Code::field_meta, checked.file, place,
           "position {}; allowed 0 LOWER_32BIT, 1 UPPER_32BIT", field.meta->position);
  }
  const auto bits = static_cast<std::int64_t>(checked.executable.chunks[chunk].code.size()) * 8;
  if (field.offset_bit < 0 || field.offset_bit + field_bits > bits) {
    refuse(Code::field_range, checked.file, place, "32 bits from bit {} on, in a chunk of {} bits",
           field.offset_bit, bits);
  }
}

void verify_overlaps(const Checked& checked, std::size_t chunk) {
  const std::vector<Field>& fields = checked.executable.chunks[chunk].fields;
  std::vector<std::int32_t> offsets;
  offsets.reserve(fields.size());
  for (const Field& field : fields) offsets.push_back(field.offset_bit);
  std::sort(offsets.begin(), offsets.end());
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] < field_bits) {
      refuse(Code::link_duplicate, checked.file, checked.place("chunk {}", chunk),
             "the fields at bits {} and {} overlap", offsets[i - 1], offsets[i]);
    }
  }
}

}  // namespace

void verify_code(Checked& checked) {
  const Executable& executable = checked.executable;
  if (executable.chunks.empty()) {
    refuse(Code::no_code, checked.file, checked.place(), "there are no instructions");
  }
  for (std::size_t i = 0; i < executable.chunks.size(); ++i) {
    const std::size_t bytes = executable.chunks[i].code.size();
    if (bytes == 0) {
      refuse(Code::no_code, checked.file, checked.place("chunk {}", i), "it is empty");
    }
    if (!checked.tcu && bytes % edge_tpu_instruction_bytes != 0) {
      refuse(Code::chunk_size, checked.file, checked.place("chunk {}", i),
             "{} bytes; allowed: multiples of {}, whole instructions", bytes,
             edge_tpu_instruction_bytes);
    }
    for (std::size_t k = 0; k < executable.chunks[i].fields.size(); ++k) {
      verify_field(checked, i, k);
    }
    verify_overlaps(checked, i);
  }
}

}  // namespace tactus::darwinn
