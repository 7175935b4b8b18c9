// Command-line arguments of one command, parsed by Boost.Program_options. Abbreviated option names
// are not accepted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus {

/// Parses strictly: unknown options (with a suggestion), missing values and values out of range are
/// UserErrors that name the option.
class Args {
 public:
  struct Option {
    std::string name;   ///< without dashes
    std::string value;  ///< name of its value in the help; empty: a switch
    std::string help;
    bool repeatable = false;
    char letter = 0;         ///< letter of its short form; 0: none; "output" has 'o'
    std::string group = {};  ///< heading in the help; empty: "Options"
    bool hidden = false;     ///< left out of the help
  };

  /// An option as given.
  struct Value {
    std::string name, value;
  };

  /// `positional` is the name of the words that are no options, for the help; empty: none are
  /// allowed.
  Args(std::string command, std::string summary, std::vector<Option> options,
       std::string positional = "");

  /// `why` gets the name of an unknown option, without dashes. It returns the reason why this
  /// command lacks an option that other commands have, and an empty text for any other name.
  void explain_unknown(std::function<std::string(const std::string&)> why) {
    why_unknown_ = std::move(why);
  }

  /// Parses the words. Returns false if --help or -h was given; the help is then printed.
  [[nodiscard]] bool parse(const std::vector<std::string>& words);

  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
  /// Throws UserError "--NAME VALUE is missing" without the option.
  [[nodiscard]] std::string required(const std::string& name, std::string_view value) const;
  /// Throws UserError "--NAME WHY" if one of the options is given.
  void refuse(const std::vector<std::string>& names, std::string_view why) const;
  void refuse_all(const std::vector<Option>& options, std::string_view why) const;
  /// The values of all occurrences of an option, in the order of the command line.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t fallback,
                                     std::uint64_t min, std::uint64_t max) const;
  [[nodiscard]] double real(const std::string& name, double fallback, double above,
                            double max) const;
  [[nodiscard]] const std::string& command() const { return command_; }
  [[nodiscard]] const std::vector<std::string>& positional() const { return positional_values_; }

 private:
  friend class ArgsListener;
  void print_help() const;
  void print_group(const std::string& group) const;

  std::string command_;
  std::string summary_;
  std::vector<Option> options_;
  std::string positional_name_;
  std::function<std::string(const std::string&)> why_unknown_;
  std::vector<Value> values_;
  std::vector<std::string> positional_values_;
};

/// Returns the only word that is no option. Throws UserError if there are none or several.
[[nodiscard]] std::string only_file(const Args& args);

/// The words and options of a command.
struct CommandDescription {
  std::string command, summary, positional;
  std::vector<Args::Option> options;
};

/// Collects descriptions of commands, for completions and the manual page. While a listener exists,
/// Args::parse() passes the description of its command to it and returns false, as if the help had
/// been printed. Only one can exist at a time.
class ArgsListener {
 public:
  ArgsListener();
  ~ArgsListener();
  ArgsListener(const ArgsListener&) = delete;
  ArgsListener& operator=(const ArgsListener&) = delete;

  /// Passes the description to the listener. Returns false if there is none.
  static bool describe(const Args& args);

  std::vector<CommandDescription> heard;
};

}  // namespace tactus
