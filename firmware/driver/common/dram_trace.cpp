#include "firmware/driver/common/dram_trace.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"
#include "models/dram/ddr_core.h"

namespace tactus {
namespace {

enum Column : std::size_t {
  time_column,
  port_column,
  operation_column,
  address_column,
  bytes_column,
  column_count
};
constexpr std::array<std::string_view, column_count> column_names{"time_ns", "port", "operation",
                                                                  "address", "bytes"};
constexpr double latest_ps = 1e18;  // latest time of a request: 11 days

/// Form of a table: where each column's cell is in a row, and the ps in a unit of time.
struct Form {
  std::array<std::size_t, column_count> cell{0, 1, 2, 3, 4};
  double ps = 1000;
};

Form form_of(const std::vector<std::string_view>& header, const DdrConfig& config,
             const std::string& path) {
  Form form;
  if (header.empty()) return form;
  const auto refuse = [&] {
    user_error(
        "{}: the header names {}; allowed, in any order: {}, with \"time_ps\" or \"clock\" "
        "for \"time_ns\"",
        path, quote_list(header), quote_list({column_names.begin(), column_names.end()}));
  };
  if (header.size() != column_count) refuse();
  std::array<bool, column_count> found{};
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::string_view name = header[i];
    if (name == "time_ps") form.ps = 1;
    if (name == "clock") form.ps = config.tck_ps;
    if (name == "time_ps" || name == "clock") name = column_names[time_column];
    const auto at = std::find(column_names.begin(), column_names.end(), name);
    if (at == column_names.end()) refuse();
    const auto column = static_cast<std::size_t>(at - column_names.begin());
    if (found[column]) refuse();
    found[column] = true;
    form.cell[column] = i;
  }
  return form;
}

std::optional<bool> is_write(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "write" || word == "w") return true;
  if (word == "read" || word == "r") return false;
  return std::nullopt;
}

/// Reads a row. Returns the text of an error; empty if there is none.
std::string read_row(const std::vector<std::string_view>& cells, const Form& form,
                     const DdrConfig& config, DramTraceRequest& request) {
  if (cells.size() != column_count) {
    return fmt::format("{} cells; allowed {}: {}", cells.size(), std::size_t{column_count},
                       fmt::join(column_names, ", "));
  }
  const auto cell = [&](Column column) { return cells[form.cell[column]]; };
  const auto time = read_number<double>(cell(time_column));
  if (!time || !(*time >= 0) || *time * form.ps > latest_ps) {
    return fmt::format("the time is {}; allowed: a number from 0 to {:g}", quote(cell(time_column)),
                       latest_ps / form.ps);
  }
  request.time_ps = static_cast<std::uint64_t>(std::llround(*time * form.ps));
  const auto port = read_decimal_or_hex(cell(port_column));
  if (!port || *port >= most_dram_ports) {
    return fmt::format("the port is {}; allowed {}", quote(cell(port_column)),
                       range_text(0, most_dram_ports - 1));
  }
  request.port = static_cast<unsigned>(*port);
  const auto write = is_write(cell(operation_column));
  if (!write) {
    return fmt::format("the operation is {}; allowed \"read\", \"write\"",
                       quote(cell(operation_column)));
  }
  request.write = *write;
  const auto address = read_decimal_or_hex(cell(address_column));
  if (!address || *address >= config.bytes()) {
    return fmt::format("the address is {}; allowed {}, the bytes of the DRAM",
                       quote(cell(address_column)), range_text(0, config.bytes() - 1));
  }
  request.address = *address;
  const auto bytes = read_decimal_or_hex(cell(bytes_column));
  if (!bytes || *bytes == 0 || *bytes > config.bytes() - *address) {
    return fmt::format("the number of bytes is {}; allowed {} from address {} on",
                       quote(cell(bytes_column)), range_text(1, config.bytes() - *address),
                       *address);
  }
  request.bytes = *bytes;
  return {};
}

std::uint64_t bursts_of(const DramTraceRequest& request, std::uint64_t burst_bytes) {
  return (request.address + request.bytes - 1) / burst_bytes - request.address / burst_bytes + 1;
}

/// Collects commands. Their tag, the number of an access, becomes the number of its request.
class Commands final : public DdrObserver {
 public:
  Commands(std::vector<DdrCommand>& out, const std::vector<std::uint32_t>& request_of)
      : out_(out), request_of_(request_of) {}
  void command(const DdrCommand& command) override {
    DdrCommand& kept = out_.emplace_back(command);
    if (kept.tag != DdrCommand::nobody) kept.tag = request_of_[kept.tag];
  }

 private:
  std::vector<DdrCommand>& out_;
  const std::vector<std::uint32_t>& request_of_;
};

}  // namespace

std::vector<DramTraceRequest> parse_dram_trace(std::string_view text, const std::string& path,
                                               const DdrConfig& config) {
  constexpr std::size_t most_messages = 20;
  const CsvTable table = read_table(text);
  const Form form = form_of(table.header, config, path);
  std::vector<DramTraceRequest> requests;
  std::vector<std::string> messages;
  std::uint64_t accesses = 0;
  for (const TableRow& row : table.rows) {
    DramTraceRequest request;
    std::string problem = read_row(row.cells, form, config, request);
    if (problem.empty()) accesses += bursts_of(request, config.burst_bytes());
    if (accesses > most_dram_accesses) {
      problem =
          fmt::format("with this request the trace has more than {} bursts", most_dram_accesses);
    }
    if (problem.empty()) {
      requests.push_back(request);
    } else if (messages.size() < most_messages) {
      messages.push_back(fmt::format("{}:{}: {}", path, row.line, problem));
    }
    if (accesses > most_dram_accesses) break;
  }
  if (!messages.empty()) throw UserError(fmt::format("{}", fmt::join(messages, "\n")));
  if (requests.empty()) {
    user_error("{}: no request; allowed: rows of {}", path, fmt::join(column_names, ", "));
  }
  std::stable_sort(
      requests.begin(), requests.end(),
      [](const DramTraceRequest& a, const DramTraceRequest& b) { return a.time_ps < b.time_ps; });
  return requests;
}

DramRun run_dram_trace(const DdrConfig& config, const std::vector<DramTraceRequest>& requests,
                       bool commands) {
  DramRun run;
  run.answers.resize(requests.size());
  std::vector<std::uint32_t> request_of;  // number of the request of each access
  unsigned ports = 1;
  for (const DramTraceRequest& request : requests) ports = std::max(ports, request.port + 1);
  DdrCore core(config, ports);
  Commands observer(run.commands, request_of);
  if (commands) core.observe(&observer);
  const auto collect = [&] {
    for (const DdrCore::Mark& mark : core.admitted) {
      const std::uint32_t number = request_of[mark.tag];
      DramAnswer& answer = run.answers[number];
      if (requests[number].write) answer.answered = std::max(answer.answered, mark.clock + 1);
    }
    for (const DdrDone& done : core.done) {
      DramAnswer& answer = run.answers[request_of[done.tag]];
      if (!done.write) answer.answered = std::max(answer.answered, done.data_end);
      ++(done.row_state == DdrRowState::hit    ? answer.hits
         : done.row_state == DdrRowState::miss ? answer.misses
                                               : answer.conflicts);
      run.end = std::max(run.end, done.data_end);
    }
    core.admitted.clear();
    core.done.clear();
    core.taken.clear();
  };
  const std::uint64_t burst_bytes = config.burst_bytes();
  DdrClock clock = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const DramTraceRequest& request = requests[i];
    DramAnswer& answer = run.answers[i];
    clock = (request.time_ps + config.tck_ps - 1) / config.tck_ps;
    core.advance(clock);
    collect();
    answer.arrived = clock;
    answer.bursts = bursts_of(request, burst_bytes);
    DdrPortStatistics& port = core.port_statistics(request.port);
    (request.write ? port.bytes_written : port.bytes_read) += request.bytes;
    for (std::uint64_t k = 0; k < answer.bursts; ++k) {
      const auto tag = static_cast<std::uint32_t>(request_of.size());
      request_of.push_back(static_cast<std::uint32_t>(i));
      (void)core.submit(request.port, clock, (request.address / burst_bytes + k) * burst_bytes,
                        request.write, tag);
    }
  }
  // The DRAM advances by single clocks here, so that the run ends with the last access and no later
  // command, such as a refresh, is recorded.
  for (; !core.idle(); ++clock) {
    core.advance(clock);
    collect();
  }
  run.statistics = core.statistics();
  for (unsigned port = 0; port < ports; ++port) run.statistics.ports[port].port = port;
  return run;
}

}  // namespace tactus
