#include "tests/trace/vcd_reader.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tactus {

VcdReader::VcdReader(const std::string& path) : path_(path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::ostringstream content;
  content << file.rdbuf();
  text_ = content.str();
  header();
}

void VcdReader::fail(const std::string& what) const {
  const auto line =
      1 + std::count(text_.begin(),
                     text_.begin() + static_cast<std::ptrdiff_t>(std::min(position_, text_.size())),
                     '\n');
  throw std::runtime_error(path_ + ":" + std::to_string(line) + ": " + what);
}

std::string VcdReader::word() {
  const auto space = [this] {
    return std::isspace(static_cast<unsigned char>(text_[position_])) != 0;
  };
  while (position_ < text_.size() && space()) ++position_;
  const std::size_t begin = position_;
  while (position_ < text_.size() && !space()) ++position_;
  return text_.substr(begin, position_ - begin);
}

std::string VcdReader::until_end() {
  std::string all;
  for (;;) {
    const std::string next = word();
    if (next.empty()) fail("$end is missing");
    if (next == "$end") return all;
    all += (all.empty() ? "" : " ") + next;
  }
}

void VcdReader::header() {
  std::vector<std::string> scopes;
  for (;;) {
    const std::string keyword = word();
    if (keyword == "$version" || keyword == "$comment" || keyword == "$date") {
      until_end();
    } else if (keyword == "$timescale") {
      std::istringstream unit(until_end());  // "1 ns" or "1ns"
      std::uint64_t number = 0;
      std::string name;
      unit >> number >> name;
      const std::map<std::string, std::uint64_t> ps = {
          {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}};
      if ((number != 1 && number != 10 && number != 100) || ps.count(name) == 0) {
        fail("timescale");
      }
      timescale_ps_ = number * ps.at(name);
    } else if (keyword == "$scope") {
      std::istringstream scope(until_end());
      std::string type, name;
      scope >> type >> name;
      if (type != "module" || name.empty()) fail("scope");
      scopes.push_back(name);
    } else if (keyword == "$upscope") {
      if (!until_end().empty() || scopes.empty()) fail("upscope");
      scopes.pop_back();
    } else if (keyword == "$var") {
      std::istringstream declaration(until_end());
      std::string type, code, name, range;
      unsigned width = 0;
      declaration >> type >> width >> code >> name >> range;
      if ((type != "wire" && type != "reg") || width == 0 || name.empty()) fail("variable");
      if (range != (width == 1 ? "" : "[" + std::to_string(width - 1) + ":0]")) fail("range");
      std::string path;
      for (const std::string& scope : scopes) path += scope + ".";
      path += name;
      if (!codes_.emplace(path, code).second) fail(path + " is declared twice");
      names_.push_back(path);
      const auto known = variables_.emplace(code, Variable{width, std::string(width, 'x')});
      if (known.first->second.width != width) fail(code + " has two widths");
    } else if (keyword == "$enddefinitions") {
      if (!until_end().empty() || !scopes.empty()) fail("enddefinitions");
      break;
    } else {
      fail("unknown keyword " + keyword);
    }
  }
  const std::string first = word();
  if (first.empty()) return;
  if (first[0] != '#') fail("a time is missing");
  pending_time_ = std::stoull(first.substr(1));
}

void VcdReader::change(const std::string& first) {
  std::string digits, code;
  if (first[0] == 'b') {
    digits = first.substr(1);
    code = word();
  } else {
    digits = first.substr(0, 1);
    code = first.substr(1);
  }
  if (digits.empty() || digits.find_first_not_of("01x") != std::string::npos)
    fail("value " + first);
  const auto found = variables_.find(code);
  if (found == variables_.end()) fail("unknown code " + code);
  Variable& variable = found->second;
  if (digits.size() > variable.width) fail("too many digits");
  // A short value is extended with 0, or with x if it begins with x.
  const char fill = digits[0] == 'x' ? 'x' : '0';
  variable.digits = std::string(variable.width - digits.size(), fill) + digits;
  ++changes_;
}

bool VcdReader::next_time() {
  if (at_end() && !first_) return false;
  if (!first_ && pending_time_ <= time_) fail("time does not advance");
  first_ = false;
  time_ = pending_time_;
  bool section = false;
  for (;;) {
    const std::string next = word();
    if (next.empty()) {
      if (section) fail("$end is missing");
      position_ = text_.size();
      return true;
    }
    if (next[0] == '#') {
      if (section) fail("time inside a section");
      pending_time_ = std::stoull(next.substr(1));
      return true;
    }
    if (next == "$dumpvars" || next == "$dumpon" || next == "$dumpoff") {
      section = true;
      dumpoffs_ += next == "$dumpoff" ? 1 : 0;
    } else if (next == "$end") {
      if (!section) fail("$end without a section");
      section = false;
    } else {
      change(next);
    }
  }
}

const VcdReader::Variable& VcdReader::variable(const std::string& name) const {
  const auto code = codes_.find(name);
  if (code == codes_.end()) throw std::runtime_error(path_ + ": no signal " + name);
  return variables_.at(code->second);
}

unsigned VcdReader::width(const std::string& name) const { return variable(name).width; }

const std::string& VcdReader::digits(const std::string& name) const {
  return variable(name).digits;
}

bool VcdReader::known(const std::string& name) const {
  return digits(name).find('x') == std::string::npos;
}

std::uint64_t VcdReader::bits(const std::string& name, unsigned low, unsigned count) const {
  const std::string& all = digits(name);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) {
    const char digit = all.at(all.size() - 1 - low - (count - 1 - i));
    if (digit == 'x') throw std::runtime_error(path_ + ": " + name + " is not known");
    value = value << 1 | (digit == '1' ? 1U : 0U);
  }
  return value;
}

std::uint64_t VcdReader::value(const std::string& name) const {
  const unsigned wide = width(name);
  if (wide > 64) throw std::runtime_error(name + " is wider than 64 bits");
  return bits(name, 0, wide);
}

VcdCycles::VcdCycles(VcdReader& reader, std::uint64_t period_ps)
    : reader_(reader), ticks_(period_ps / reader.timescale_ps()) {}

bool VcdCycles::next() {
  if (!started_) {
    if (!reader_.next_time()) return false;
    started_ = true;
    cycle_ = reader_.time() / ticks_;
  } else {
    ++cycle_;
  }
  // Applies all changes before the cycle's end; the last time in the file ends the last cycle.
  const auto advance = [this] {
    while (!reader_.at_end() && reader_.following_time() < (cycle_ + 1) * ticks_) {
      reader_.next_time();
    }
  };
  advance();
  if (reader_.at_end()) return reader_.time() > cycle_ * ticks_;
  while (reader_.has("top.clock") && !reader_.known("top.clock")) {
    if (!reader_.next_time()) return false;
    cycle_ = reader_.time() / ticks_;
    advance();
  }
  return true;
}

}  // namespace tactus
