// tactus new: files to begin with.
#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "firmware/cli/args.h"
#include "firmware/cli/command_table.h"
#include "firmware/cli/commands.h"
#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_table.h"

namespace fs = std::filesystem;

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;
using CommentByKey = std::map<std::string, std::string>;

std::string comment_of(const ParameterInfo& info) {
  std::string comment = info.sentence;
  for (const std::string& more : {info.unit, info.range()}) {
    if (!more.empty()) comment += "; " + more;
  }
  return comment;
}

void add_comments(const ParameterSection& section, CommentByKey& comments) {
  for (const ParameterInfo& info : section.parameters) comments.emplace(info.key, comment_of(info));
}

/// Prints an object as text, with a comment above the first occurrence of each key that has one.
std::string commented(const Json& json, CommentByKey comments) {
  std::string out;
  std::istringstream lines(text_of_json(json, 2));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (line.substr(indent, 1) == "\"") {
      const std::string key = line.substr(indent + 1, line.find('"', indent + 1) - indent - 1);
      if (const auto found = comments.find(key); found != comments.end()) {
        out.append(line.substr(0, indent)).append("// ").append(found->second).append("\n");
        comments.erase(found);
      }
    }
    out.append(line).append("\n");
  }
  return out;
}

std::string architecture_text(const Board& like, const std::string& name) {
  tcu::Architecture architecture = like.architecture;
  for (tcu::DaisBlockEntry& block : architecture.dais_blocks) {
    block.program = fs::absolute(block.path).lexically_normal();
  }
  CommentByKey comments;
  add_comments(tcu::architecture_parameters().section(), comments);
  Json json;
  tcu::architecture_parameters().write(json, architecture);
  return fmt::format(
             "// The architecture of {}, begun as that of {}. A key that is left out has its "
             "default;\n// tactus explain architecture tells all keys, extensions among them.\n",
             name, like.name) +
         commented(json, comments);
}

std::string board_text(const Board& like, const std::string& name) {
  BoardValues values = like;
  if (values.board_memory) {
    std::string& preset = values.board_memory->preset;
    if (!is_config_name("dram", preset)) preset = fs::absolute(preset).lexically_normal();
  }
  CommentByKey comments{
      {"architecture", "what tactus info and --arch take: a path beside this file"},
      {"preset", "a name that tactus drams lists, or a file of your own"},
      {"paths", "the ways from DRAM ports to the memory controller"}};
  add_comments(board_parameters().section(), comments);
  add_comments(memory_section(), comments);
  Json json{{"name", name},
            {"title", fmt::format("{}, begun as {}", name, like.title)},
            {"architecture", name + ".tarch"}};
  board_parameters().write(json, values);
  return fmt::format(
             "// The board {}, begun as {}. tactus info {} tells where its values come from;\n"
             "// tactus explain board tells all keys.\n",
             name, like.name, like.name) +
         commented(json, comments);
}

int new_machine_command(const Words& words) {
  Args args("new machine",
            "Writes NAME.json, a board, and NAME.tarch, its architecture, with a comment at each\n"
            "value: those of another board, to be changed. --board NAME.json takes them.",
            {{"like", "BOARD|F.json", "the board whose values they begin with, see tactus boards"}},
            "NAME");
  if (!args.parse(words)) return exit_ok;
  const auto like = args.text("like");
  if (args.positional().size() != 1) user_error("tactus new machine: give one name");
  if (!like) {
    user_error("tactus new machine: --like is missing; allowed {}, or the path of a .json file",
               fmt::join(config_names("boards"), ", "));
  }
  const fs::path path(args.positional().front());
  const std::string name = path.filename().string();
  if (name.empty() || path.has_extension()) {
    user_error(
        "tactus new machine: {} is no name; allowed: one without extension, behind a folder "
        "that is there",
        quote(path.string()));
  }
  const Board board = read_board(*like);
  const std::pair<std::string, std::string> files[] = {
      {path.string() + ".tarch", architecture_text(board, name)},
      {path.string() + ".json", board_text(board, name)}};
  for (const auto& [file, text] : files) {
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(file, ignored))) {  // a link that leads nowhere, too
      user_error("{}: is there already; allowed: a name that is free", file);
    }
  }
  try {
    for (const auto& [file, text] : files) write_file_atomically(file, std::string_view(text));
    (void)read_board(files[1].first);
  } catch (const UserError&) {
    std::error_code ignored;
    for (const auto& [file, text] : files) fs::remove(file, ignored);  // this command made them
    throw;
  }
  fmt::print("{}: the architecture, {}x{} {}\n", files[0].first, board.architecture.array_size,
             board.architecture.array_size, info(board.architecture.data_type).name);
  fmt::print("{}: the board, which tactus compile NETWORK --board {} takes\n", files[1].first,
             files[1].first);
  return exit_ok;
}

}  // namespace

const CommandGroup& new_commands() {
  static const CommandGroup group = {
      "tactus new",
      "tactus new COMMAND NAME [options]     tactus new COMMAND --help",
      "Writes files to begin with.",
      {{"machine", "a board and its architecture, like another board", new_machine_command}}};
  return group;
}

int new_command(const Words& words) { return run_group(new_commands(), words); }

}  // namespace tactus
