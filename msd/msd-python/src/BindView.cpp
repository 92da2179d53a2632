#include <fmt/format.h>

#include "Convert.hpp"

#ifdef MSD_HAS_VIEW
#include "WorldSource.hpp"
#include "msd-view/src/Bundle.hpp"
#include "msd-view/src/OpenFile.hpp"
#include "msd-view/src/SceneCatalog.hpp"
#include "msd-view/src/ViewServer.hpp"
#endif

namespace msd_python {

#ifdef MSD_HAS_VIEW

namespace {

using msd_view::ViewServer;

/// A running server, on a world or on a file.
struct Viewer {
  std::shared_ptr<World> world;
  std::shared_ptr<WorldFeed> feed;
  std::unique_ptr<ViewServer> server;

  void close() {
    if (world && feed) world->unwatch(feed.get());
    feed.reset();
    world.reset();
    const py::gil_scoped_release unlocked;  // its threads end
    server.reset();
  }
  ~Viewer() {
    if (world && feed && !world->isBusy()) world->unwatch(feed.get());
  }
};

msd_view::ServerOptions serverOptions(int port) {
  if (port < 0 || port > 65535) throw py::value_error(fmt::format("port is {}; expected 0 (any) to 65535", port));
  return {.port = static_cast<std::uint16_t>(port), .scenes = msd_view::findShippedScenes()};
}

std::unique_ptr<Viewer> viewWorld(const std::shared_ptr<World>& world, const std::string& title, int port) {
  auto viewer = std::make_unique<Viewer>();
  viewer->feed = std::make_shared<WorldFeed>(*world, title);
  viewer->server = std::make_unique<ViewServer>(makeSource(viewer->feed), serverOptions(port));
  viewer->world = world;
  world->watch(viewer->feed);
  return viewer;
}

std::unique_ptr<Viewer> viewFile(const std::string& path, int port) {
  auto viewer = std::make_unique<Viewer>();
  const msd_view::ServerOptions options = serverOptions(port);
  viewer->server = std::make_unique<ViewServer>(msd_view::openFile(path, options.live), options);
  return viewer;
}

const ViewServer& serverOf(const Viewer& viewer) {
  if (!viewer.server) throw std::invalid_argument("the view is closed; expected one that is open");
  return *viewer.server;
}

}  // namespace

void bindView(py::module_& module) {
  py::register_exception<msd_view::ServerError>(module, "ServerError", PyExc_OSError);
  module.attr("ServerError").attr("__doc__") = "The view cannot start: a port in use, or one that only root may have.";
  module.attr("ServerError").attr("__module__") = "msd";
  module.attr("HAS_VIEW") = true;
  module.attr("HAS_PAGE") = msd_view::isPageBuilt();
  py::class_<Viewer>(module, "ViewServer", "A running browser view.")
      .def(py::init(&viewWorld), py::arg("world"), py::arg("title"), py::arg("port"))
      .def(py::init(&viewFile), py::arg("path"), py::arg("port"))
      .def("close", &Viewer::close)
      .def("update",
           [](const Viewer& v) {
             (void)serverOf(v);
             if (v.feed) v.feed->show(v.world->model());
           })
      .def_property_readonly("is_open", [](const Viewer& v) { return v.server != nullptr; })
      .def_property_readonly("url", [](const Viewer& v) { return serverOf(v).url(); })
      .def_property_readonly("port", [](const Viewer& v) { return serverOf(v).port(); })
      .def_property_readonly("viewers", [](const Viewer& v) { return serverOf(v).viewerCount(); });
}

#else

void bindView(py::module_& module) {
  module.attr("HAS_VIEW") = false;
  module.attr("HAS_PAGE") = false;
}

#endif

}  // namespace msd_python
