#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Handles.hpp"
#include "Rows.hpp"
#include "msd-sim/src/Environment/Queries.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

using WorldPointer = std::shared_ptr<World>;
constexpr std::uint32_t kAll = 0xFFFFFFFFu;

QueryFilter makeFilter(const World& world, std::uint32_t mask, const py::object& ignore) {
  return {.mask = mask, .ignore = toBodyOrNone(world, ignore)};
}

Pose makePose(const py::object& position, const py::object& orientation) {
  return {toVector(position, "position", "m"), toQuaternion(orientation, "orientation")};
}

/// A hit as Python sees it.
struct Hit {
  Body body;
  double distance;   ///< [m], or share of the way
  Coordinate point;  ///< [m]
  Vector3D normal;
};

template <class Found, class Make>
py::object hitOrNone(const std::optional<Found>& found, const Make& make) {
  if (!found) return py::none();
  return py::cast(make(*found));
}

py::object rayCast(const WorldPointer& world, const py::object& origin, const py::object& direction,
                   double length, std::uint32_t mask, const py::object& ignore) {
  const Ray ray{toVector(origin, "origin", "m"), toVector(direction, "direction", "-"), length};
  return hitOrNone(world->model().rayCast(ray, makeFilter(*world, mask, ignore)),
                   [&](const RayHit& h) {
                     return Hit{{world, h.body}, h.distance, h.point, h.normal};
                   });
}

py::array rayCasts(const WorldPointer& world, const py::object& origins,
                   const py::object& directions, double length, std::uint32_t mask,
                   const py::object& ignore) {
  const std::vector<Vector3D> from = toPoints(origins, "origins");
  const std::vector<Vector3D> along = toPoints(directions, "directions");
  if (along.size() != from.size()) {
    throw py::value_error(fmt::format("directions has {} rows; expected {}, one for each origin",
                                      along.size(), from.size()));
  }
  std::vector<Ray> rays;
  rays.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) rays.push_back({from[i], along[i], length});
  const QueryFilter filter = makeFilter(*world, mask, ignore);
  std::vector<HitLine> lines;
  lines.reserve(rays.size());
  for (const std::optional<RayHit>& h : world->model().rayCast(rays, filter)) {
    if (!h) {
      lines.push_back({.body = -1, .distance = std::numeric_limits<double>::infinity()});
      continue;
    }
    lines.push_back({static_cast<std::int64_t>(bodyRow(h->body)),
                     h->distance,
                     {h->point.x(), h->point.y(), h->point.z()},
                     {h->normal.x(), h->normal.y(), h->normal.z()}});
  }
  return fromRows(lines);
}

py::object shapeCast(const WorldPointer& world, const Shape& shape, const py::object& position,
                     const py::object& translation, const py::object& orientation,
                     std::uint32_t mask, const py::object& ignore) {
  const ShapeCast cast{shape, makePose(position, orientation),
                       toVector(translation, "translation", "m")};
  return hitOrNone(world->model().shapeCast(cast, makeFilter(*world, mask, ignore)),
                   [&](const ShapeCastHit& h) {
                     return Hit{{world, h.body}, h.fraction, h.point, h.normal};
                   });
}

py::list overlap(const WorldPointer& world, const Shape& shape, const py::object& position,
                 const py::object& orientation, std::uint32_t mask, const py::object& ignore) {
  py::list bodies;
  for (const BodyId id : world->model().overlap(shape, makePose(position, orientation),
                                                makeFilter(*world, mask, ignore))) {
    bodies.append(Body{world, id});
  }
  return bodies;
}

py::object closestPoint(const WorldPointer& world, const py::object& point, double maxDistance,
                        std::uint32_t mask, const py::object& ignore) {
  const auto found = world->model().closestPoint(toVector(point, "point", "m"), maxDistance,
                                                 makeFilter(*world, mask, ignore));
  return hitOrNone(found, [&](const ClosestPoint& c) {
    const Vector3D away = toVector(point, "point", "m") - c.point;
    return Hit{{world, c.body},
               c.distance,
               c.point,
               c.distance > 0.0 ? Vector3D{away.normalized()} : Vector3D::Zero().eval()};
  });
}

}  // namespace

void bindQueries(py::module_& module) {
  py::class_<Hit>(module, "Hit", "What a question to a world found.")
      .def_readonly("body", &Hit::body, "The body that was found.")
      .def_readonly(
          "distance", &Hit::distance,
          "Along the ray or from the point [m]; of a shape cast: share of the translation, 0 to 1.")
      .def_property_readonly(
          "point", [](const Hit& h) { return fromVector(h.point); },
          "Where, on the body's surface [m].")
      .def_property_readonly(
          "normal", [](const Hit& h) { return fromVector(h.normal); }, "Of the surface, outward.")
      .def("__repr__", [](const Hit& h) {
        return fmt::format("<msd.Hit: \"{}\" at {} m, distance {:g}>",
                           h.body.world->model().name(h.body.id), describe(h.point), h.distance);
      });

  auto world = module.attr("World").cast<py::class_<World, WorldPointer>>();
  const py::tuple straight = py::make_tuple(1.0, 0.0, 0.0, 0.0);
  world.def(
      "ray_cast", &rayCast, py::arg("origin"), py::arg("direction"), py::arg("length") = 1e6,
      py::kw_only(), py::arg("mask") = kAll, py::arg("ignore") = py::none(),
      "First body along a ray: origin [m], unit direction, length [m]. None: nothing was hit.");
  world.def("ray_casts", &rayCasts, py::arg("origins"), py::arg("directions"),
            py::arg("length") = 1e6, py::kw_only(), py::arg("mask") = kAll,
            py::arg("ignore") = py::none(),
            "Many rays at once, (n, 3) and (n, 3): a structured array of body (row; -1: none), "
            "distance [m], point [m], normal.");
  world.def("shape_cast", &shapeCast, py::arg("shape"), py::arg("position"), py::arg("translation"),
            py::kw_only(), py::arg("orientation") = straight, py::arg("mask") = kAll,
            py::arg("ignore") = py::none(),
            "First body that a convex shape meets when it is moved by the translation [m] without "
            "turning.");
  world.def("overlap", &overlap, py::arg("shape"), py::arg("position"), py::kw_only(),
            py::arg("orientation") = straight, py::arg("mask") = kAll,
            py::arg("ignore") = py::none(), "Bodies that a shape at this place [m] would touch.");
  world.def("closest_point", &closestPoint, py::arg("point"), py::arg("max_distance") = 1e6,
            py::kw_only(), py::arg("mask") = kAll, py::arg("ignore") = py::none(),
            "The nearest point of a body's surface, within max_distance [m]; distance 0 inside.");
}

}  // namespace msd_python
