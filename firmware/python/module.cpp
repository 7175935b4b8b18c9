// The module tactus._native, the C++ part of the package tactus. Its functions take and return
// plain types.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include <cstdlib>

#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>
#include <systemc>

#include "firmware/compiler/images.h"
#include "firmware/config/config_files.h"
#include "firmware/driver/tcu/image_data.h"
#include "firmware/onnx/writer.h"
#include "firmware/python/convert.h"
#include "firmware/python/kernel.h"
#include "firmware/python/machine.h"
#include "firmware/python/model.h"
#include "firmware/python/serving.h"
#include "firmware/python/sweep.h"
#include "firmware/report/comparison.h"
#include "firmware/report/version.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/program_path.h"
#include "isa/support/text.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/disassembler.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

/// Runs Python's signal handlers. An exception that they raise ends the current operation.
void check_signals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 2) != 0) throw py::error_already_set();
}

// ---- inputs and outputs -------------------------------------------------------------------------

std::vector<std::uint8_t> input_data(const CompiledModel& model, const Tensor& tensor,
                                     const py::object& values) {
  const tcu::Architecture& architecture = model.model.file.arch;
  const std::string where = "input " + quote(tensor.name);
  const compiler::TensorLayout* const layout =
      model.tensors ? model.tensors->input(tensor.name) : nullptr;
  if (layout == nullptr || layout->vectors != tensor.size) {
    return array_to_vectors(values, architecture, where);
  }
  nn::Tensor given = to_tensor(values, where);
  if (given.type != nn::ElementType::float32) given = nn::Tensor::of(given.shape, given.reals());
  std::string shape_note;
  std::vector<std::uint8_t> data =
      compiler::pack_images(*model.tensors, *layout, architecture, given, where, shape_note);
  if (!shape_note.empty()) warn(where + ": " + shape_note);
  if (const auto text = compiler::saturation_text(given, architecture.data_type)) {
    warn(where + ": " + *text);
  }
  return data;
}

compiler::PackedImages input_images(const CompiledModel& model, const py::dict& inputs) {
  std::vector<Tensor> wanted = tensors(model.model.file.inputs);
  const bool on_host = model.tensors && model.tensors->host_before != nullptr;
  if (on_host) {
    wanted.clear();
    for (const nn::ValueInfo& info : model.tensors->model_inputs()) {
      wanted.push_back({info.name, {}, 0});
    }
  }
  std::vector<std::string_view> names;
  for (const Tensor& tensor : wanted) names.push_back(tensor.name);
  for (const auto& [key, value] : inputs) {
    const std::string name = py::str(key);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      user_error("{}: the model has no input {}; allowed {}", model.model.file.name, quote(name),
                 quote_list(names));
    }
  }
  for (const Tensor& tensor : wanted) {
    if (inputs.contains(tensor.name)) continue;
    user_error("{}: input {} is missing", model.model.file.name, quote(tensor.name));
  }
  if (on_host) {
    nn::Values values;
    std::map<std::string, std::string> where;
    for (const Tensor& tensor : wanted) {
      where[tensor.name] = "input " + quote(tensor.name);
      values[tensor.name] = to_tensor(inputs[tensor.name.c_str()], where[tensor.name]);
    }
    std::vector<std::string> notes;
    auto packed =
        compiler::pack_model_inputs(*model.tensors, model.model.file.arch, values, where, notes);
    for (const std::string& text : notes) warn(text);
    return packed;
  }
  std::vector<TensorData> images;
  for (const Tensor& tensor : wanted) {
    add_image_data(model.model.file.arch, tensor,
                   input_data(model, tensor, inputs[tensor.name.c_str()]),
                   "input " + quote(tensor.name), images);
  }
  if (images.empty()) images.emplace_back();
  compiler::PackedImages packed;
  packed.carried.resize(images.size());
  packed.inputs = std::move(images);
  return packed;
}

/// Outputs of all images by name. They are values in the model's layout if that is known, else
/// vectors.
py::dict outputs_of(const Run& run) {
  const tcu::Architecture& architecture = run.configuration.config.architecture;
  py::dict result;
  if (run.kind != "model") return result;
  if (run.tensors) {
    std::vector<nn::Values> images;
    for (std::size_t i = 0; i < run.images.size(); ++i) {
      images.push_back(compiler::model_outputs(*run.tensors, architecture, run.images[i].outputs,
                                               run.carried[i % run.carried.size()]));
    }
    for (const std::string& name : run.tensors->model_outputs) {
      result[name.c_str()] = to_array(compiler::join_images(images, name));
    }
    return result;
  }
  for (const auto& [name, first] : run.images.front().outputs) {
    std::vector<std::uint8_t> data;
    for (const ImageResult& image : run.images) {
      const auto& one = image.outputs.at(name);
      data.insert(data.end(), one.begin(), one.end());
    }
    result[name.c_str()] = vectors_to_array(data, architecture);
  }
  return result;
}

// ---- tables for the columns of events and accounts ----------------------------------------------

py::list event_table(const RecordedRun& run) {
  const RunDocument document = run.document();
  py::list kinds;
  for (const EventInfo& event : document.images.front().run->accounting.totals.info->events) {
    kinds.append(py::make_tuple(std::string(event.name), std::string(event.meaning)));
  }
  return kinds;
}

py::list unit_table(const RecordedRun& run) {
  constexpr std::array<const char*, 3> kinds{"busy", "stall", "idle"};
  py::list units;
  for (const RecordedUnit& unit : run.units) {
    py::list states;
    for (std::size_t s = 0; s < unit.states.count; ++s) {
      const UnitState& state = unit.states[s];
      states.append(py::make_tuple(std::string(state.name),
                                   kinds.at(static_cast<std::size_t>(state.kind)),
                                   std::string(state.meaning)));
    }
    units.append(py::make_tuple(unit.name, states));
  }
  return units;
}

/// Simulates without Python's lock, and shows the run's note as a warning afterwards.
template <typename Simulate>
auto unlocked(const Simulate& simulate) {
  decltype(simulate()) run;
  {
    const py::gil_scoped_release release;
    run = simulate();
  }
  if (!run->note.empty()) warn(run->note);
  return run;
}

// ---- the module's parts -------------------------------------------------------------------------

void add_errors(py::module_& m) {
  // pybind11 tries the exception registered last first, so the base class comes before StuckError.
  auto& error = py::register_exception<UserError>(m, "Error", PyExc_ValueError);
  auto& stuck = py::register_exception<Stuck>(m, "StuckError", error.ptr());
  auto& internal = py::register_exception<InternalError>(m, "InternalError", PyExc_RuntimeError);
  for (py::object one : {py::object(error), py::object(stuck), py::object(internal)}) {
    one.attr("__module__") = "tactus";  // the module in which users find the class
  }
}

void add_lists(py::module_& m) {
  m.def("set_program", [](std::string path) { set_program_path(std::move(path)); });
  m.def("write_text", [](const std::string& path, const std::string& text) {
    write_file_atomically(path, text);
  });
  m.def("version", [] { return std::string(version); });
  m.def("revision", [] { return std::string(git_revision); });
  m.def("config_folder", &config_folder);
  m.def("config_names", [](const std::string& kind, const std::string& extension) {
    return config_names(kind, extension);
  });
  const auto asker = [](bool of_kernels) { return of_kernels ? Asker::kernels : Asker::python; };
  m.def("run_options", [asker](bool of_kernels) { return request_keys(asker(of_kernels)); });
  m.def("why_not", [asker](const std::string& key, bool of_kernels) {
    return why_not(key, asker(of_kernels));
  });
  m.def("zoo", [] {
    std::vector<std::pair<std::string, std::string>> names;
    for (const nn::ZooEntry& entry : nn::zoo()) names.emplace_back(entry.name, entry.source);
    return names;
  });
}

void add_configuration(py::module_& m) {
  py::class_<Configuration>(m, "Configuration")
      .def(py::init(&make_configuration))
      .def("values", [](const Configuration& c) { return to_python(values_of(c)); })
      .def("architecture",
           [](const Configuration& c) {
             return to_python(json_of_text(tcu::to_json(c.config.architecture, -1)));
           })
      .def("board", [](const Configuration& c) { return board_text(c); });
}

void add_model(py::module_& m) {
  py::class_<Network>(m, "Network")
      .def(py::init(&make_network))
      .def("name", [](const Network& n) { return n.name; })
      .def("save", [](const Network& n, const std::string& path) {
        write_file_atomically(path, nn::write_graph(n.graph));
      });
  py::class_<CompiledModel>(m, "Model")
      .def(py::init(&read_compiled))
      .def("describe", [](const CompiledModel& c) { return to_python(describe(c)); })
      .def("program",
           [](const CompiledModel& c) {
             const auto& bytes = c.model.program;
             return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
           })
      .def("disassemble",
           [](const CompiledModel& c) {
             return tcu::disassemble_program(c.model.file.arch, c.model.program, false);
           })
      .def("configuration",
           [](const CompiledModel& c) { return configuration_of(c.model.file, c.model.path); })
      .def("save", &save);
  m.def(
      "compile",
      [](const Network& network, const Configuration& configuration, const std::string& options) {
        return compile(network, configuration, options, [](const std::function<void()>& simulate) {
          const py::gil_scoped_acquire lock;
          const KernelUse use(KernelUser::compiler);
          const py::gil_scoped_release unlocked;
          simulate();
        });
      },
      py::call_guard<py::gil_scoped_release>());
  m.def("assemble", [](const Configuration& c, const std::string& text) {
    const auto bytes = tcu::assemble_bytes(c.config.architecture, text, "the program",
                                           tcu::AssemblerChecks::strict);
    return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
}

void add_run(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(EventRow, cycle, kind, port, a, b, c);
  PYBIND11_NUMPY_DTYPE(AccountRow, begin, end, unit, state, kind);
  py::class_<RecordedRun>(m, "Run")
      .def("cycles",
           [](const RecordedRun& run) {
             std::vector<std::uint64_t> cycles;
             for (const ReportedRun& one : run.document().images) cycles.push_back(one.cycles);
             return cycles;
           })
      .def("clock_mhz", [](const RecordedRun& run) { return run.document().clock_mhz; })
      .def("instructions",
           [](const RecordedRun& run) { return run.document().images.front().run->instructions; })
      .def("statistics",
           [](const RecordedRun& run) {
             return py::module_::import("json").attr("loads")(stats_json(run.document()));
           })
      .def("statistics_text", [](const RecordedRun& run) { return stats_json(run.document()); })
      .def("summary", [](const RecordedRun& run) { return summary_text(run.document()); })
      .def("page", [](const RecordedRun& run) { return run_page_html(run.document()); })
      .def("events",
           [](const py::object& self) -> py::object {
             const auto& run = self.cast<const RecordedRun&>();
             if (!run.events) return py::none();
             return view_of(run.events->rows, self);
           })
      .def("accounts",
           [](const py::object& self) -> py::object {
             const auto& run = self.cast<const RecordedRun&>();
             if (!run.accounts) return py::none();
             return view_of(run.accounts->rows, self);
           })
      .def("event_kinds", &event_table)
      .def("units", &unit_table);
  py::class_<Run, RecordedRun>(m, "ModelRun").def("outputs", &outputs_of);
  py::class_<KernelRun, RecordedRun>(m, "KernelRun").def("outputs", [](const KernelRun& run) {
    py::dict result;
    for (const auto& [name, bytes] : run.buffers) {
      result[name.c_str()] =
          py::array_t<std::uint8_t>(static_cast<py::ssize_t>(bytes.size()), bytes.data());
    }
    return result;
  });
  m.def("compare", [](const std::vector<std::pair<std::string, std::string>>& runs) {
    std::vector<ComparedRun> compared;
    for (const auto& [name, text] : runs) {
      const Json json = json_or_discarded(text);
      if (json.is_discarded()) user_error("{}: broken JSON", name);
      compared.push_back(run_of_statistics(json, name, name));
    }
    return to_python(json_of_text(comparison_json(compare_runs(std::move(compared)))));
  });
}

void add_machine(py::module_& m) {
  m.def("run_on_units", [](const Configuration& configuration, const CompiledModel& model,
                           const py::dict& inputs, const std::string& json) {
    const Request request = read_request(json, Asker::python);
    const compiler::PackedImages images = input_images(model, inputs);
    const KernelUse use;
    return unlocked(
        [&] { return run_on_units(use, configuration, model, images, request, check_signals); });
  });
  m.def("serve", [](const std::vector<std::pair<std::string, const CompiledModel*>>& models,
                    const Configuration* machine, const std::string& options) {
    const KernelUse use;
    Json json;
    {
      const py::gil_scoped_release unlocked;
      json = serve_models(use, models, machine, options, check_signals);
    }
    return to_python(json);
  });
  py::class_<SimulatedMachine>(m, "Machine")
      .def(py::init([](const Configuration& configuration) {
        const KernelUse use;
        return std::make_unique<SimulatedMachine>(use, configuration);
      }))
      .def("run",
           [](SimulatedMachine& machine, const CompiledModel& model, const py::dict& inputs,
              const std::string& json) {
             const Request request = read_request(json, Asker::python);
             const compiler::PackedImages images = input_images(model, inputs);
             const KernelUse use;
             return unlocked(
                 [&] { return machine.run(use, model, images, request, check_signals); });
           })
      .def("run_program",
           [](SimulatedMachine& machine, const std::string& program, const std::string& json) {
             const Request request = read_request(json, Asker::python);
             const std::vector<std::uint8_t> bytes(program.begin(), program.end());
             const KernelUse use;
             return unlocked(
                 [&] { return machine.run_program(use, bytes, request, check_signals); });
           })
      .def("read",
           [](SimulatedMachine& machine, const std::string& memory, std::uint64_t first,
              std::uint64_t count) {
             const KernelUse use;
             return vectors_to_array(machine.read(use, memory, first, count),
                                     machine.configuration().config.architecture);
           })
      .def("write",
           [](SimulatedMachine& machine, const std::string& memory, std::uint64_t first,
              const py::object& values) {
             const auto vectors = array_to_vectors(
                 values, machine.configuration().config.architecture, "the values for " + memory);
             const KernelUse use;
             machine.write(use, memory, first, vectors);
           })
      .def("cycle", &SimulatedMachine::now);
}

void add_kernels(py::module_& m) {
  using Buffers = std::vector<std::pair<std::string, py::bytes>>;
  using Numbers = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;
  m.def("run_kernel",
        [](const std::string& program, const std::string& machine, const std::string& board,
           const std::string& kernel, const std::string& values, const Buffers& buffers,
           const Numbers& numbers, const std::string& json) {
          KernelRequest request;
          static_cast<Request&>(request) = read_request(json, Asker::kernels);
          request.program = program;
          request.machine = machine;
          request.board = board;
          request.kernel = kernel;
          request.values = values;
          for (const auto& [name, bytes] : buffers) {
            const std::string_view text = bytes;
            request.buffers.emplace_back(name, std::vector<std::uint8_t>(text.begin(), text.end()));
          }
          request.numbers = numbers;
          const KernelUse use;
          return unlocked([&] { return run_kernel(use, request, check_signals); });
        });
}

void add_sweep(py::module_& m) {
  m.def("sweep", [](const std::string& definition, const std::string& where,
                    const std::string& folder, std::size_t jobs, bool retry_failed,
                    std::uint64_t max_cycles, double seconds, const py::object& callback) {
    const SweepRequest request{definition, where,        folder,
                               jobs,       retry_failed, {max_cycles, seconds}};
    const auto report = [&](const sweep::Line& line) {
      const py::gil_scoped_acquire lock;
      if (!callback.is_none()) callback(to_python(line));
    };
    std::vector<sweep::Line> lines;
    {
      const py::gil_scoped_release unlocked;
      lines = run_sweep(request, report, [] {
        check_signals();
        return false;
      });
    }
    py::list result;
    for (const sweep::Line& line : lines) result.append(to_python(line));
    return result;
  });
}

}  // namespace
}  // namespace tactus::python

namespace {

/// Throws ImportError with a NumPy that this pybind11 does not know: its structured arrays, such as
/// a run's events, would be read wrongly.
void check_numpy() {
#if PYBIND11_VERSION_MAJOR == 2 && PYBIND11_VERSION_MINOR < 12
  const auto version = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
  if (version.rfind("1.", 0) == 0) return;
  throw pybind11::import_error(
      fmt::format("NumPy {} needs pybind11 2.12 or later, and this module was built with {}.{}; "
                  "allowed is NumPy 1",
                  version, PYBIND11_VERSION_MAJOR, PYBIND11_VERSION_MINOR));
#endif
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  check_numpy();
  // Without this SystemC prints a licence banner at the first elaboration.
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
  m.doc() = "Tactus's library on plain types; the package tactus is its interface.";
  tactus::python::add_errors(m);
  tactus::python::add_lists(m);
  tactus::python::add_configuration(m);
  tactus::python::add_model(m);
  tactus::python::add_run(m);
  tactus::python::add_machine(m);
  tactus::python::add_kernels(m);
  tactus::python::add_sweep(m);
}
