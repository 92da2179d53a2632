#include <fmt/format.h>

#include "Convert.hpp"
#include "Settings.hpp"

namespace msd_python {

using msd_sim::Settings;

namespace {

/// One setting by its Python name.
struct Field {
  const char* name;
  void (*set)(Settings&, const py::handle&);
  py::object (*get)(const Settings&);
  const char* text;
};

template <auto Member>
constexpr Field plain(const char* name, const char* text) {
  using Value = std::remove_cvref_t<decltype(std::declval<Settings>().*Member)>;
  return {name, [](Settings& s, const py::handle& v) { s.*Member = v.cast<Value>(); },
          [](const Settings& s) -> py::object { return py::cast(s.*Member); }, text};
}

constexpr Field kFields[] = {
    {"gravity", [](Settings& s, const py::handle& v) { s.gravity = toVector(v, "gravity", "m/s²"); },
     [](const Settings& s) -> py::object { return fromVector(s.gravity); },
     "Uniform gravity [m/s^2]; any direction, zero switches it off."},
    {"method",
     [](Settings& s, const py::handle& v) { s.method = toMethod(v.cast<std::string>()); },
     [](const Settings& s) -> py::object { return py::cast(fromMethod(s.method)); },
     "\"fast\", \"exact\" or \"reference\"."},
    plain<&Settings::substeps>("substeps", "Parts a step is cut into, 1 to 64; 0: the method's default."),
    plain<&Settings::iterations>("iterations", "Solver sweeps per substep and phase in fast mode, 1 to 1000."),
    plain<&Settings::exactTolerance>("exact_tolerance", "Exact mode: relative residual at which a solve stops [-]."),
    plain<&Settings::exactIterations>("exact_iterations", "Exact mode: solver iterations before a step is reported as not converged."),
    plain<&Settings::restitutionThreshold>("restitution_threshold", "Approach speed below which an impact does not bounce [m/s]."),
    plain<&Settings::positionCorrection>("position_correction", "Share of a penetration removed per step, 0 to 1 [-]."),
    plain<&Settings::baumgarte>("baumgarte",
                                "Reference: share of a penetration removed per step through the velocities, 0 to 1 [-]."),
    plain<&Settings::correctionSpeed>("correction_speed", "Fastest separation by position correction, in body sizes per second [1/s]."),
    plain<&Settings::sleeping>("sleeping", "Put islands to sleep that have been still."),
    plain<&Settings::sleepSpeed>("sleep_speed", "Speed below which a body counts as still [m/s]."),
    plain<&Settings::sleepTime>("sleep_time", "How long an island must be still to fall asleep [s]."),
    plain<&Settings::threads>("threads", "Threads that share a step; 0: the machine's cores. The result does not depend on it."),
    plain<&Settings::hashEveryStep>("hash_every_step", "Compute StepReport.hash in every step."),
    plain<&Settings::sequentialImpacts>("sequential_impacts", "Exact mode: let impacts propagate one after the other."),
};

const Field& fieldNamed(const std::string& name) {
  std::string known;
  for (const Field& field : kFields) {
    if (name == field.name) return field;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", field.name);
  }
  throw py::type_error(fmt::format("there is no setting \"{}\"; expected one of: {}", name, known));
}

py::dict toDict(const Settings& settings) {
  py::dict all;
  for (const Field& field : kFields) all[field.name] = field.get(settings);
  return all;
}

std::string reprOf(const Settings& settings) {
  std::string text;
  for (const Field& field : kFields) {
    const py::object value = field.get(settings);
    const py::object shown =
        py::isinstance<py::array>(value) ? py::object{py::tuple(value)} : value;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", field.name,
                        py::repr(shown).cast<std::string>());
  }
  return fmt::format("msd.Settings({})", text);
}

}  // namespace

void applySettings(Settings& settings, const py::dict& fields) {
  for (const auto& [name, value] : fields) {
    const auto text = name.cast<std::string>();
    const Field& field = fieldNamed(text);
    try {
      field.set(settings, value);
    } catch (const py::cast_error&) {
      throw py::type_error(fmt::format("{} is {}; {}", text, py::repr(value).cast<std::string>(),
                                       field.text));
    }
  }
  settings.validate();
}

void bindSettings(py::module_& module) {
  py::class_<Settings> settings(module, "Settings",
                                "Everything that may be changed about a world's behaviour. Made from keyword "
                                "arguments; ValueError names the first one out of range.");
  settings.def(py::init([](const py::kwargs& fields) {
    Settings made;
    applySettings(made, fields);
    return made;
  }));
  for (const Field& field : kFields) {
    settings.def_property(
        field.name, [get = field.get](const Settings& s) { return get(s); },
        [name = field.name](Settings& s, const py::object& value) {
          py::dict one;
          one[name] = value;
          Settings changed = s;
          applySettings(changed, one);
          s = changed;
        },
        field.text);
  }
  settings.def("to_dict", &toDict, "All settings by name.");
  settings.def("__repr__", [](const Settings& s) { return reprOf(s); });
  settings.def("__eq__", [](const Settings& a, const py::object& b) {
    return py::isinstance<Settings>(b) && reprOf(a) == reprOf(b.cast<const Settings&>());
  });
  settings.def(py::pickle(&toDict, [](const py::dict& fields) {
    Settings made;
    applySettings(made, fields);
    return made;
  }));
}

}  // namespace msd_python
