// The one file that sees qhull.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <algorithm>

#include "msd-assets/src/HullTriangles.hpp"

namespace msd_assets {

namespace {

/// qhull writes diagnostics to a FILE. They go to memory, where nobody needs them: a failure is
/// answered by the exact hull, not by a message.
class Diagnostics {
 public:
  Diagnostics() : file_{open_memstream(&text_, &size_)} {}
  ~Diagnostics() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(text_);  // NOLINT: allocated by open_memstream
  }
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }

 private:
  char* text_{nullptr};
  std::size_t size_{0};
  std::FILE* file_;
};

/// All state of one qhull run; freed whatever happens.
class QhullRun {
 public:
  explicit QhullRun(std::FILE* diagnostics) : state_{std::make_unique<qhT>()} {
    qh_zero(state_.get(), diagnostics);
  }
  ~QhullRun() {
    int longLeft = 0;
    int totalLeft = 0;
    state_->NOerrexit = True;
    qh_freeqhull(state_.get(), !qh_ALL);
    qh_memfreeshort(state_.get(), &longLeft, &totalLeft);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  [[nodiscard]] qhT* get() const { return state_.get(); }

 private:
  std::unique_ptr<qhT> state_;
};

/// Fills in the neighbours by matching each side with its reverse. False when a side has no reverse
/// or occurs twice.
bool linkNeighbours(std::vector<HullTriangle>& triangles) {
  struct Side {
    std::uint64_t key;  ///< lower corner, higher corner
    std::uint32_t triangle;
    std::uint32_t side;
    bool upward;
    bool operator<(const Side& other) const {
      return key != other.key ? key < other.key : upward < other.upward;
    }
  };
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles[t].corners[k];
      const std::uint32_t b = triangles[t].corners[(k + 1) % 3];
      if (a == b) return false;
      sides.push_back({std::uint64_t{std::min(a, b)} << 32 | std::max(a, b), t, k, a < b});
    }
  }
  std::sort(sides.begin(), sides.end());
  if (sides.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < sides.size(); i += 2) {
    const Side& down = sides[i];
    const Side& up = sides[i + 1];
    if (down.key != up.key || down.upward || !up.upward) return false;
    if (i + 2 < sides.size() && sides[i + 2].key == up.key) return false;
    triangles[down.triangle].neighbours[down.side] = up.triangle;
    triangles[up.triangle].neighbours[up.side] = down.triangle;
  }
  return true;
}

}  // namespace

std::optional<std::vector<HullTriangle>> qhullTriangles(const HullPoints& points) {
  static_assert(std::is_same_v<coordT, double>);
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.grid.size());
  for (const GridPoint& p : points.grid) {
    coordinates.push_back(static_cast<double>(p.x) / points.diameter);
    coordinates.push_back(static_cast<double>(p.y) / points.diameter);
    coordinates.push_back(static_cast<double>(p.z) / points.diameter);
  }
  const Diagnostics diagnostics;
  if (diagnostics.file() == nullptr) return std::nullopt;
  const QhullRun run{diagnostics.file()};
  char command[] = "qhull Qt Pp";  // triangulated output, no warnings about narrow hulls
  const int code = qh_new_qhull(run.get(), 3, static_cast<int>(points.grid.size()),
                                coordinates.data(), False, command, nullptr, diagnostics.file());
  if (code != 0) return std::nullopt;

  std::vector<HullTriangle> triangles;
  for (const facetT* facet = run.get()->facet_list; facet != nullptr && facet->next != nullptr;
       facet = facet->next) {
    if (!facet->simplicial || qh_setsize(run.get(), facet->vertices) != 3) return std::nullopt;
    HullTriangle& triangle = triangles.emplace_back();
    for (unsigned k = 0; k < 3; ++k) {
      const auto* vertex = static_cast<const vertexT*>(facet->vertices->e[k].p);
      triangle.corners[k] = static_cast<std::uint32_t>((vertex->point - coordinates.data()) / 3);
    }
    if (facet->toporient) std::swap(triangle.corners[0], triangle.corners[1]);
  }
  if (!linkNeighbours(triangles)) return std::nullopt;
  return triangles;
}

}  // namespace msd_assets
