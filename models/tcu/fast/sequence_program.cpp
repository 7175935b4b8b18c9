#include "models/tcu/fast/sequence_program.h"
#include "models/tcu/fast/sequenced_decoder.h"

#include <algorithm>

namespace tactus {
namespace {

/// No sequence is begun if fewer instructions are left.
constexpr std::uint64_t fewest_instructions = 4;

}  // namespace

SequenceProgram::SequenceProgram(InstructionSource& source, StreamAdapter& stream, Decoder& decoder,
                                 const tcu::Architecture& architecture, unsigned word_bytes)
    : source_(source),
      stream_(stream),
      decoder_(decoder),
      items_of_(architecture),
      orders_(architecture),
      word_bytes_(word_bytes) {}

std::optional<std::uint64_t> SequenceProgram::find() {
  const std::optional<InstructionSource::Program> program = source_.program();
  if (!program) return {};
  const std::uint64_t size = items_of_.instruction_bytes();
  const std::uint64_t taken = program->taken * word_bytes_, stored = stream_.stored();
  if (taken < stored || (taken - stored) % size != 0) return {};
  const std::uint64_t all = program->words * word_bytes_;
  program_ = *program;
  count_ = all / size;
  in_sequences_ = count_ - std::min(count_, program->by_cycle);
  leftover_ = all % size;
  many_ = (stream_.capacity() + 2 * std::uint64_t{word_bytes_}) / size + 2;
  const std::uint64_t next = (taken - stored) / size;
  if (next < sequenced(decoder_).waiting() || next + fewest_instructions > count_) return {};
  return next;
}

void SequenceProgram::begin(std::uint64_t next, KnownDesign& design) {
  design_ = &design;
  entered_before_ =
      sequenced(decoder_).last_entered();  // used if these are not instructions of the program
  first_place_ = next;
  items_.clear();
  last_access_.reset();
  orders_.restart();
}

void SequenceProgram::drop_before(std::uint64_t next) {
  items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next - first_place_));
  first_place_ = next;
}

bool SequenceProgram::know_more(std::uint64_t upto) {
  if (upto > in_sequences_) return false;
  for (std::uint64_t place = first_place_ + items_.size(); place < place_of(upto); ++place) {
    Known& known = items_.emplace_back();
    ProgramItem& item = known.item;
    const tcu::Instruction instruction = entered(place);
    items_of_.read(instruction, item);
    if (item.kind == ProgramItem::Kind::undefined) {
      items_.pop_back();
      return false;
    }
    const bool meets = item.accesses && last_access_ == item.first;
    if (item.accesses) last_access_ = item.last;
    const LocalOrder order = orders_.next(item);
    const std::uint64_t end = place < place_of(0) ? 0 : ending(place - place_of(0) + 1);
    std::uint32_t* shape = design_->numbers.place(items_of_.key(item, meets, order, end));
    if (*shape == ~std::uint32_t{0})
      *shape = sequenced(decoder_).shapes().add(instruction, meets, order);
    known.shape = *shape;
  }
  return true;
}

/// Returns the instruction with this place.
tcu::Instruction SequenceProgram::entered(std::uint64_t place) {
  if (place < entered_before_.size()) return entered_before_[place];
  return items_of_.decode(instruction(place - entered_before_.size()));
}

/// Returns bytes of the program, contiguous and valid until the next call.
const std::uint8_t* SequenceProgram::bytes(std::uint64_t at, std::uint64_t count) {
  if (at + count <= program_.whole) return program_.bytes + at;
  torn_.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t from = at + i;
    torn_[i] = from < program_.whole ? program_.bytes[from] : program_.rest[from - program_.whole];
  }
  return torn_.data();
}

void SequenceProgram::load(std::uint64_t next) {
  const std::uint64_t at = next * items_of_.instruction_bytes();
  stream_.load(bytes(at, stream_.stored()), at);
  source_.seek((at + stream_.stored()) / word_bytes_);
}

void SequenceProgram::show_shapes() {
  sequenced(decoder_).adopt_shapes({items_[0].shape, items_[1].shape});
}

void SequenceProgram::show_instructions(std::uint64_t next) {
  sequenced(decoder_).adopt_instructions({entered(next), entered(next + 1)});
}

}  // namespace tactus
