#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Handles.hpp"
#include "JointWords.hpp"
#include "msd-sim/src/Environment/Descriptions.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

template <class Class, class Owner>
void vectorProperty(Class& type, const char* name, Vector3D Owner::*member, const char* unit, const char* text) {
  type.def_property(
      name, [member](const Owner& d) { return fromVector(d.*member); },
      [=](Owner& d, const py::object& v) { d.*member = toVector(v, name, unit); }, text);
}

template <class Class, class Owner>
void turnProperty(Class& type, Quaternion Owner::*member) {
  type.def_property(
      "orientation", [member](const Owner& d) { return fromQuaternion(d.*member); },
      [=](Owner& d, const py::object& v) { d.*member = toQuaternion(v, "orientation"); },
      "Orientation, a unit quaternion w, x, y, z.");
}

/// What moving and static bodies have in common.
template <class D>
void bindCommon(py::class_<D>& type) {
  type.def_readwrite("name", &D::name, "Name; bodies are found by it.");
  type.def_readwrite("shape", &D::shape, "Shape.");
  vectorProperty(type, "position", &D::position, "m", "Of the shape's frame [m].");
  turnProperty(type, &D::orientation);
  type.def_readwrite("friction", &D::friction, "Coulomb coefficient; pairs take the geometric mean [-].");
  type.def_readwrite("restitution", &D::restitution, "0 to 1; pairs take the geometric mean [-].");
  type.def_readwrite("rolling_resistance", &D::rollingResistance, "Lever arm of the rolling torque [m].");
  type.def_readwrite("torsional_resistance", &D::torsionalResistance, "Lever arm of the torque about the normal [m].");
  type.def_readwrite("contact_stiffness", &D::contactStiffness,
                     "Of the surface along the normal [N/m]; infinite: rigid. Methods that cannot follow it refuse it.");
  type.def_readwrite("contact_damping", &D::contactDamping, "Of a surface that gives way [N s/m].");
  vectorProperty(type, "surface_velocity", &D::surfaceVelocity, "m/s",
                 "Of the surface along itself, body axes [m/s]: a conveyor belt's.");
  type.def_property(
      "layer", [](const D& d) { return d.filter.layer; }, [](D& d, std::uint32_t v) { d.filter.layer = v; },
      "Bits this body belongs to.");
  type.def_property(
      "mask", [](const D& d) { return d.filter.mask; }, [](D& d, std::uint32_t v) { d.filter.mask = v; },
      "Bits it collides with.");
  type.def_readwrite("collides", &D::collides, "False: touches nothing.");
}

/// Sets attributes from keyword arguments, so that a wrong name is an error that lists the right ones.
template <class D>
void setFields(D& made, const py::kwargs& fields, const char* type) {
  const py::object object = py::cast(made, py::return_value_policy::reference);
  for (const auto& [name, value] : fields) {
    if (!py::hasattr(object, name)) {
      std::string known;
      for (const py::handle& item : object.attr("__class__").attr("__dict__")) {
        const auto text = item.cast<std::string>();
        if (!text.starts_with("_")) known += (known.empty() ? "" : ", ") + text;
      }
      throw py::type_error(fmt::format("{} has no field \"{}\"; expected some of: {}", type,
                                       name.template cast<std::string>(), known));
    }
    py::setattr(object, name, value);
  }
}

void bindInertial(py::module_& module) {
  using D = InertialDescription;
  py::class_<D> type(module, "InertialDescription",
                     "A body that moves under forces. Keyword arguments set the fields; the shape is needed.");
  type.def(py::init([](const Shape& shape, const py::kwargs& fields) {
             D made{.shape = shape};
             setFields(made, fields, "InertialDescription");
             return made;
           }),
           py::arg("shape"));
  bindCommon(type);
  type.def_readwrite("density", &D::density, "[kg/m^3]; mass and inertia follow from the shape.");
  type.def_property(
      "mass", [](const D& d) { return std::isnan(d.mass) ? std::nullopt : std::optional{d.mass}; },
      [](D& d, std::optional<double> v) { d.mass = v.value_or(kUnset); },
      "[kg]; overrides the density. None: from the density.");
  type.def_property(
      "inertia",
      [](const D& d) -> py::object {
        return d.inertia ? py::object{fromMatrix(*d.inertia)} : py::object{py::none()};
      },
      [](D& d, const py::object& v) {
        d.inertia = v.is_none() ? std::nullopt : std::optional{toMatrix(v, "inertia", "kg·m²")};
      },
      "About the centre of mass, body axes, 3 x 3 [kg m^2]; needs mass. None: from the shape.");
  type.def_property(
      "centre_of_mass",
      [](const D& d) -> py::object {
        return d.centreOfMass ? py::object{fromVector(*d.centreOfMass)} : py::object{py::none()};
      },
      [](D& d, const py::object& v) {
        d.centreOfMass = v.is_none() ? std::nullopt : std::optional{toVector(v, "centre_of_mass", "m")};
      },
      "In the shape's frame [m]; needs mass. None: from the shape.");
  vectorProperty(type, "linear_velocity", &D::linearVelocity, "m/s", "Of the shape frame's origin [m/s].");
  vectorProperty(type, "angular_velocity", &D::angularVelocity, "rad/s", "World axes [rad/s].");
  type.def_readwrite("linear_damping", &D::linearDamping, "[1/s]");
  type.def_readwrite("angular_damping", &D::angularDamping, "[1/s]");
  type.def_readwrite("continuous", &D::continuous, "Swept by time of impact, for small fast bodies.");
  type.def_readwrite("kinematic", &D::kinematic, "Moves as told, pushes others, feels no force.");
  type.def_readwrite("may_sleep", &D::maySleep, "May fall asleep.");
  type.def("__repr__", [](const D& d) {
    return fmt::format("<msd.InertialDescription \"{}\": {} at {} m>", d.name,
                       msd_assets::shapeKindName(d.shape.kind()), describe(d.position));
  });
}

void bindEnvironment(py::module_& module) {
  using D = EnvironmentDescription;
  py::class_<D> type(module, "EnvironmentDescription",
                     "A body that never moves. Keyword arguments set the fields; the shape is needed.");
  type.def(py::init([](const Shape& shape, const py::kwargs& fields) {
             D made{.shape = shape};
             setFields(made, fields, "EnvironmentDescription");
             return made;
           }),
           py::arg("shape"));
  bindCommon(type);
  type.def("__repr__", [](const D& d) {
    return fmt::format("<msd.EnvironmentDescription \"{}\": {} at {} m>", d.name,
                       msd_assets::shapeKindName(d.shape.kind()), describe(d.position));
  });
}

}  // namespace

void bindDescriptions(py::module_& module) {
  bindInertial(module);
  bindEnvironment(module);
}

}  // namespace msd_python
