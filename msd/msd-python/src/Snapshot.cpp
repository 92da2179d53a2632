#include "Snapshot.hpp"

#include <fmt/format.h>

namespace msd_python {

namespace {

py::bytes toBytes(const Snapshot& snapshot) {
  return {reinterpret_cast<const char*>(snapshot.bytes.data()), snapshot.bytes.size()};
}

Snapshot fromBytes(const py::bytes& bytes) {
  const auto text = static_cast<std::string_view>(bytes);
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {{data, data + text.size()}};
}

}  // namespace

void bindSnapshot(py::module_& module) {
  py::class_<Snapshot>(module, "Snapshot",
                       "The state of a world, bit for bit. Pickles; bytes(snapshot) and Snapshot(bytes) convert.")
      .def(py::init(&fromBytes), py::arg("data"))
      .def("__bytes__", &toBytes)
      .def("__len__", [](const Snapshot& s) { return s.bytes.size(); })
      .def("__eq__",
           [](const Snapshot& a, const py::object& b) {
             return py::isinstance<Snapshot>(b) && a.bytes == b.cast<const Snapshot&>().bytes;
           })
      .def("__hash__", [](const Snapshot& s) { return py::hash(toBytes(s)); })
      .def("__repr__", [](const Snapshot& s) { return fmt::format("<msd.Snapshot of {} bytes>", s.bytes.size()); })
      .def(py::pickle([](const Snapshot& s) { return py::make_tuple(toBytes(s)); },
                      [](const py::tuple& state) { return fromBytes(state[0].cast<py::bytes>()); }));
}

}  // namespace msd_python
