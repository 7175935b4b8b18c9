#include "models/tcu/dram_port/converter.h"

#include "isa/tcu/layout.h"
#include "models/axi/axi_signals.h"
#include "models/tcu/channel_signals.h"

namespace tactus {
namespace {

constexpr unsigned outstanding_limit = 255;
constexpr unsigned beats_per_burst = 256;

}  // namespace

Converter::Converter(const sc_core::sc_module_name& name, Clock& clock,
                     const tcu::Architecture& architecture, unsigned beat_bytes, unsigned port,
                     const ConfigRegisters& registers, DramLinks& tcu, AxiLinks& axi)
    : sc_module(name),
      clock_(clock),
      registers_(registers),
      tcu_(tcu),
      axi_(axi),
      kernels_(tcu::vector_kernels(architecture.data_type)),
      port_(port),
      beat_bytes_(beat_bytes),
      lanes_(architecture.array_size),
      lanes_per_beat_(beat_bytes / info(architecture.data_type).storage_bytes),
      vector_bytes_(static_cast<unsigned>(architecture.vector_bytes())),
      beats_per_vector_(vector_bytes_ / beat_bytes),
      vectors_per_burst_(beats_per_burst / beats_per_vector_),
      address_mask_((std::uint64_t{1} << tcu::address_bits(port == 0 ? architecture.dram0_depth
                                                                     : architecture.dram1_depth)) -
                    1),
      vectors_out_(2, vector_bytes_),
      read_beats_(beat_bytes),
      lanes_in_(beat_bytes),
      copies_(info(architecture.data_type).width_bits ==
              info(architecture.data_type).storage_bytes * 8) {
  for (auto& vector : vector_) vector.resize(vector_bytes_);
  for (auto& word : word_) word.resize(vector_bytes_);
}

void Converter::drive() {
  tcu_.request.ready = requests_.can_enqueue();
  tcu_.out.ready = vectors_out_.count() < 2;
  tcu_.in.valid = beats_per_vector_ == 1 ? !read_beats_.empty() : vector_valid_;
  tcu_.in.bits = vector_in();
  axi_.r.ready = read_beats_.can_enqueue();
  axi_.b.ready = responses_.can_enqueue();

  axi_.ar.valid = axi_.aw.valid = axi_.w.valid = false;
  if (requests_.empty()) return;
  piece_ = piece(requests_.front());
  if (!requests_.front().write) {
    axi_.ar.valid = outstanding_writes_ == 0 && outstanding_reads_ < outstanding_limit;
    axi_.ar.bits = piece_.address;
    return;
  }
  const bool allowed = outstanding_reads_ == 0 && outstanding_writes_ < outstanding_limit;
  write_fork_.offer(allowed, leg_address | leg_data);
  axi_.aw.valid = write_fork_.pending(leg_address);
  axi_.aw.bits = piece_.address;
  axi_.w.valid = write_fork_.pending(leg_data) && word_valid_;
  axi_.w.bits = beat();
}

void Converter::commit() {
  const bool response = !responses_.empty();  // taken as soon as it is there
  const unsigned writes_begun = axi_.aw.fires() ? 1 : 0;
  if (!requests_.empty() || tcu_.request.fires()) commit_request();
  if (word_valid_ || !vectors_out_.empty() || tcu_.out.fires()) commit_write_data();
  if (vector_valid_ || !read_beats_.empty() || axi_.r.fires()) commit_read_data();
  outstanding_writes_ += writes_begun - (response ? 1 : 0);
  if (response) ++clock_.progress;
  responses_.commit(axi_.b.fires(), {}, response);
}

void Converter::commit_request() {
  bool taken = false;
  if (!requests_.empty()) {
    if (!requests_.front().write) {
      taken = axi_.ar.fires();
    } else {
      const unsigned ready =
          (axi_.aw.ready ? leg_address : 0U) | (axi_.w.fires() && axi_.w.bits.last ? leg_data : 0U);
      taken = write_fork_.all(ready);
      write_fork_.move(write_fork_.after(ready));
    }
  }
  if (axi_.ar.fires()) ++outstanding_reads_;
  if (taken) {
    ++clock_.progress;
    vectors_issued_ = piece_.last ? 0 : vectors_issued_ + vectors_per_burst_;
  }
  requests_.commit(tcu_.request.fires(), tcu_.request.bits, taken && piece_.last);
}

void Converter::commit_write_data() {
  bool free = !word_valid_;
  if (axi_.w.fires()) {
    ++clock_.progress;
    beats_sent_ = axi_.w.bits.last ? 0 : beats_sent_ + 1;
    if (++word_index_ == beats_per_vector_) {
      word_index_ = 0;
      word_valid_ = false;
      free = true;
    }
  }
  const bool incoming = tcu_.out.fires();
  if (free && !vectors_out_.empty()) {
    // The last beat of the vector before may be on the wires until the end of this cycle.
    word_now_ = 1 - word_now_;
    kernels_.to_bytes(vectors_out_.front(), word_[word_now_].data(), lanes_);
    vectors_out_.pop();
    word_valid_ = true;
    ++clock_.progress;
  }
  if (incoming) copy_block(vectors_out_.push(), tcu_.out.bits, vector_bytes_);
}

void Converter::commit_read_data() {
  const bool vector_taken = tcu_.in.fires();
  bool beat_taken = false;
  if (!read_beats_.empty()) {
    beat_taken = beats_per_vector_ == 1 ? vector_taken : !vector_valid_ || vector_taken;
  }
  if (vector_taken) vector_valid_ = false;
  if (beat_taken) {
    ++clock_.progress;
    const AxiBeat beat = read_beats_.front();
    if (beat.last) --outstanding_reads_;
    if (beats_per_vector_ > 1) {
      copy_block(vector_[filling_].data() + beats_received_ * beat_bytes_, beat.data, beat_bytes_);
      if (++beats_received_ == beats_per_vector_) {
        beats_received_ = 0;
        vector_valid_ = true;
        filling_ = 1 - filling_;
      }
    }
  }
  AxiBeat incoming = axi_.r.bits;
  if (axi_.r.fires() && !copies_) {
    kernels_.from_bytes(incoming.data, lanes_in_.data(), lanes_per_beat_);
    incoming.data = lanes_in_.data();
  }
  read_beats_.commit(axi_.r.fires(), incoming, beat_taken);
}

std::string Converter::waits_for() const {
  if (outstanding_reads_ > 0)
    return "read data of " + std::to_string(outstanding_reads_) + " burst(s)";
  if (outstanding_writes_ > 0) {
    return "write responses of " + std::to_string(outstanding_writes_) + " burst(s)";
  }
  return requests_.empty() ? "its vectors to be taken" : "an address to be taken";
}

void Converter::describe(const trace::Scope& scope) const {
  scope.channel("request", tcu_.request, port_);
  scope.channel("in", tcu_.in);
  scope.channel("out", tcu_.out);
  trace::describe_axi(scope, axi_);
  const unsigned m = beats_per_vector_;
  scope.level("request_queue", 2, [this] { return requests_.count(); });
  scope.level("out_queue", 2, [this] { return vectors_out_.count(); });
  scope.level("r_queue", 2, [this] { return read_beats_.count(); });
  scope.level("b_queue", 2, [this] { return responses_.count(); });
  scope.level("reads_outstanding", 255, [this] { return outstanding_reads_; });
  scope.level("writes_outstanding", 255, [this] { return outstanding_writes_; });
  scope.reg(
      "vectors_issued", trace::bits_for(address_mask_), [this] { return vectors_issued_; },
      trace::Radix::decimal);
  scope.reg("address_done", 1, [this] { return write_fork_.done() & leg_address; });
  scope.reg("length_done", 1, [this] { return (write_fork_.done() & leg_data) != 0; });
  scope.reg("serializer_valid", 1, [this] { return word_valid_; });
  scope.reg(
      "serializer_beat", trace::bits_for(m), [this] { return word_index_; }, trace::Radix::decimal);
  scope.reg(
      "beats_sent", 8, [this] { return beats_sent_; }, trace::Radix::decimal);
  scope.reg("deserializer_valid", 1, [this] { return vector_valid_; });
  scope.reg(
      "deserializer_beat", trace::bits_for(m), [this] { return beats_received_; },
      trace::Radix::decimal);
}

}  // namespace tactus
