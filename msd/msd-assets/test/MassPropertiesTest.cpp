// Volume, centre and inertia against closed forms, against a second method, against chance, and
// under everything that must not matter.
//
// Closed forms (unit density): box V = 8abc, I_x = V (b² + c²)/3; sphere I = 2/5 V r²; cylinder
// I_z = V r²/2, I_x = V (r²/4 + h²/3); tetrahedron with three right angles and legs a, b, c at the
// origin: V = abc/6, centre (a, b, c)/4, ∫x² = V a²/10, ∫xy = V ab/20.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "msd-assets/src/MassProperties.hpp"
#include "msd-assets/test/MeshSamples.hpp"
#include "msd-assets/test/PointSets.hpp"

namespace msd_assets::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

constexpr double kPi = std::numbers::pi;

/// Volume relative to itself, centre to the size, inertia to its greatest entry.
void expectSame(const MassProperties& found, const MassProperties& exact, double size,
                double tolerance) {
  EXPECT_NEAR(found.volume / exact.volume, 1.0, tolerance);
  EXPECT_LE((found.centreOfMass - exact.centreOfMass).norm(), tolerance * size)
      << found.centreOfMass.transpose() << " against " << exact.centreOfMass.transpose();
  EXPECT_LE((found.inertia - exact.inertia).cwiseAbs().maxCoeff(),
            tolerance * exact.inertia.cwiseAbs().maxCoeff())
      << found.inertia << "\nagainst\n"
      << exact.inertia;
  EXPECT_EQ(found.inertia, found.inertia.transpose());
}

MassProperties boxExact(const Vector3d& h) {
  MassProperties m;
  m.volume = 8 * h.x() * h.y() * h.z();
  m.inertia.diagonal() << h.y() * h.y() + h.z() * h.z(), h.z() * h.z() + h.x() * h.x(),
      h.x() * h.x() + h.y() * h.y();
  m.inertia *= m.volume / 3;
  return m;
}

/// The same body turned by R and moved by p.
MassProperties moved(MassProperties m, const Quaterniond& turn, const Vector3d& p) {
  const Matrix3d R = turn.toRotationMatrix();
  m.centreOfMass = R * m.centreOfMass + p;
  m.inertia = R * m.inertia * R.transpose();
  return m;
}

Points corners(const ConvexPolyhedron& polyhedron, const Quaterniond& turn, const Vector3d& p) {
  Points result;
  for (const Vector3d& v : polyhedron.vertices()) result.push_back(turn * v + p);
  return result;
}

/// The second method: signed tetrahedra from the origin, each with its exact second moments,
/// ∫ x xᵀ = V/20 (Σ v vᵀ + (Σ v)(Σ v)ᵀ), in long double.
MassProperties bySignedTetrahedra(const TriangleMesh& mesh) {
  using Wide = Eigen::Matrix<long double, 3, 1>;
  using WideMatrix = Eigen::Matrix<long double, 3, 3>;
  const Wide origin = mesh.vertices()[0].cast<long double>();
  long double volume = 0;
  Wide first = Wide::Zero();
  WideMatrix second = WideMatrix::Zero();
  for (const TriangleMesh::Triangle& t : mesh.triangles()) {
    const Wide a = mesh.vertices()[t[0]].cast<long double>() - origin;
    const Wide b = mesh.vertices()[t[1]].cast<long double>() - origin;
    const Wide c = mesh.vertices()[t[2]].cast<long double>() - origin;
    const long double v = a.dot(b.cross(c)) / 6;
    const Wide sum = a + b + c;
    volume += v;
    first += v / 4 * sum;
    second += v / 20 *
              (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  const Wide centre = first / volume;
  second -= volume * centre * centre.transpose();
  MassProperties m;
  m.volume = static_cast<double>(volume);
  m.centreOfMass = (centre + origin).cast<double>();
  m.inertia = (second.trace() * WideMatrix::Identity() - second).cast<double>();
  return m;
}

TEST(MassProperties, primitivesFollowTheirClosedForms) {
  const double r = 0.7;
  const double h = 1.3;
  const MassProperties ball = computeMassProperties(Sphere{r});
  EXPECT_DOUBLE_EQ(ball.volume, 4.0 / 3.0 * kPi * r * r * r);
  EXPECT_TRUE(ball.inertia.isApprox(0.4 * ball.volume * r * r * Matrix3d::Identity(), 1e-15));

  const Vector3d half{0.5, 1.5, 2.5};
  expectSame(computeMassProperties(Box{half}), boxExact(half), 1.0, 1e-15);

  const MassProperties rod = computeMassProperties(Cylinder{r, h});
  EXPECT_DOUBLE_EQ(rod.volume, kPi * r * r * 2 * h);
  EXPECT_DOUBLE_EQ(rod.inertia(2, 2), rod.volume * r * r / 2);
  EXPECT_DOUBLE_EQ(rod.inertia(0, 0), rod.volume * (r * r / 4 + h * h / 3));
  EXPECT_EQ(rod.inertia(0, 0), rod.inertia(1, 1));
}

// A capsule by brute force: discs of radius ρ(z) along the axis, V = ∫ π ρ² dz,
// I_z = ∫ π ρ⁴/2 dz, I_x = ∫ π (ρ⁴/4 + ρ² z²) dz, by Gauss–Legendre with three points on slices of
// a polynomial of degree 4: exact up to rounding.
TEST(MassProperties, capsuleAgreesWithItsDiscs) {
  const double r = 0.4;
  const double h = 0.9;
  double volume = 0;
  double along = 0;
  double across = 0;
  const auto add = [&](double from, double to, auto squaredRadius) {
    constexpr int kSlices = 50;
    for (int i = 0; i < kSlices; ++i) {
      const double width = (to - from) / kSlices;
      const double mid = from + (i + 0.5) * width;
      for (const auto& [place, weight] :
           {std::pair{-std::sqrt(0.6), 5.0 / 9}, {0.0, 8.0 / 9}, {std::sqrt(0.6), 5.0 / 9}}) {
        const double z = mid + 0.5 * width * place;
        const double w = 0.5 * width * weight * kPi;
        const double s = squaredRadius(z);
        volume += w * s;
        along += w * s * s / 2;
        across += w * (s * s / 4 + s * z * z);
      }
    }
  };
  add(-h, h, [&](double) { return r * r; });
  add(h, h + r, [&](double z) { return r * r - (z - h) * (z - h); });
  add(-h - r, -h, [&](double z) { return r * r - (z + h) * (z + h); });
  const MassProperties found = computeMassProperties(Capsule{r, h});
  EXPECT_NEAR(found.volume / volume, 1.0, 1e-13);         // measured 9e-16
  EXPECT_NEAR(found.inertia(2, 2) / along, 1.0, 1e-13);   // measured 2e-15
  EXPECT_NEAR(found.inertia(0, 0) / across, 1.0, 1e-13);  // measured 1e-15
  EXPECT_EQ(found.inertia(0, 0), found.inertia(1, 1));
}

TEST(MassProperties, boxAsHullEqualsTheBox) {
  Random random{1};
  for (int i = 0; i < 200; ++i) {
    const Vector3d half{std::pow(10.0, random.uniform(-2, 2)),
                        std::pow(10.0, random.uniform(-2, 2)),
                        std::pow(10.0, random.uniform(-2, 2))};
    const ConvexPolyhedron box = ConvexPolyhedron::box(half);
    expectSame(computePolyhedronMass(box), boxExact(half), half.norm(), 1e-14);  // measured 4e-16
  }
}

// Turning rounds the coordinates: the thickness of a box with aspect ratio k is then known to
// k·1e-16 only. Up to 1000 : 1 that leaves 1e-12.
TEST(MassProperties, turnedBoxesKeepTwelveDigits) {
  Random random{2};
  for (int i = 0; i < 300; ++i) {
    const Vector3d half{1.0, std::pow(10.0, random.uniform(-3, 0)),
                        std::pow(10.0, random.uniform(-3, 0))};
    const Quaterniond turn = random.rotation();
    const Vector3d place = 3.0 * random.inCube();
    const ConvexPolyhedron hull =
        ConvexPolyhedron::fromPoints(corners(ConvexPolyhedron::box(half), turn, place));
    ASSERT_EQ(hull.faces().size(), 6u);
    expectSame(computePolyhedronMass(hull), moved(boxExact(half), turn, place), 1.0,
               1e-12);  // measured 2e-13
  }
}

// Where the corners are exact, so is the result, at any aspect ratio and any distance: all numbers
// here are multiples of 2^-20 below 2^32.
TEST(MassProperties, needlesAndPlatesFarAwayAreExact) {
  for (const Vector3d& half : {Vector3d{1024.0, 1024.0, 0x1p-10},
                               Vector3d{0x1p-10, 0x1p-10, 1024.0}, Vector3d{0.5, 256.0, 0x1p-8}}) {
    for (const Vector3d& place :
         {Vector3d{0, 0, 0}, Vector3d{1 << 20, -(1 << 21), 1 << 19}, Vector3d{1e6, -3e6, 7e6}}) {
      Soup soup = boxSurface(half);
      for (Vector3d& v : soup.vertices) v += place;
      MassProperties exact = boxExact(half);
      exact.centreOfMass = place;
      expectSame(computeMeshMass(soup.mesh()), exact, half.minCoeff(), 1e-14);  // measured 2e-16
    }
  }
}

TEST(MassProperties, tetrahedronFollowsItsClosedForm) {
  const Vector3d legs{0.7, 1.9, 0.3};
  Random random{3};
  MassProperties exact;
  exact.volume = legs.prod() / 6;
  exact.centreOfMass = legs / 4;
  Matrix3d second = exact.volume / 20 * legs * legs.transpose();
  second.diagonal() *= 2;
  second -= exact.volume * exact.centreOfMass * exact.centreOfMass.transpose();
  exact.inertia = second.trace() * Matrix3d::Identity() - second;
  const Points points{{0, 0, 0}, {legs.x(), 0, 0}, {0, legs.y(), 0}, {0, 0, legs.z()}};
  expectSame(computePolyhedronMass(ConvexPolyhedron::fromPoints(points)), exact, 1.0,
             1e-14);  // measured 2e-16
  for (int i = 0; i < 100; ++i) {
    const Quaterniond turn = random.rotation();
    const Vector3d place = random.inCube();
    Points placed;
    for (const Vector3d& p : points) placed.push_back(turn * p + place);
    expectSame(computePolyhedronMass(ConvexPolyhedron::fromPoints(placed)),
               moved(exact, turn, place), 1.0, 1e-13);  // measured 3e-15
  }
}

// A prism on a regular n-gon of circumradius R: A = n/2 R² sin α, α = 2π/n; second moment about
// an axis in the plane A R²/12 (2 + cos α)·... = J/2 with J = A R² (2 + cos α)/6.
TEST(MassProperties, regularPrismsFollowTheirClosedForm) {
  Random random{4};
  for (int n = 3; n < 40; ++n) {
    const double R = 1.2;
    const double h = 0.35;
    const double alpha = 2 * kPi / n;
    Points points;
    for (int i = 0; i < n; ++i) {
      points.emplace_back(R * std::cos(i * alpha), R * std::sin(i * alpha), h);
      points.emplace_back(R * std::cos(i * alpha), R * std::sin(i * alpha), -h);
    }
    const double area = 0.5 * n * R * R * std::sin(alpha);
    MassProperties exact;
    exact.volume = area * 2 * h;
    const double polar = R * R * (2 + std::cos(alpha)) / 6;
    const double across = polar / 2 + h * h / 3;
    exact.inertia.diagonal() << across, across, polar;
    exact.inertia *= exact.volume;
    const Quaterniond turn = random.rotation();
    const Vector3d place = random.inCube();
    for (Vector3d& p : points) p = turn * p + place;
    const ConvexPolyhedron prism = ConvexPolyhedron::fromPoints(points);
    ASSERT_EQ(prism.faces().size(), static_cast<std::size_t>(n + 2));
    expectSame(computePolyhedronMass(prism), moved(exact, turn, place), 1.0,
               1e-13);  // measured 2e-15
  }
}

TEST(MassProperties, sphereMeshConvergesAtSecondOrder) {
  const double volume = 4.0 / 3.0 * kPi;
  double lastVolume = 0;
  double lastInertia = 0;
  for (int level = 2; level <= 6; ++level) {
    const MassProperties m = computeMassProperties(
        Mesh{std::make_shared<const TriangleMesh>(sphereSurface(level).mesh())});
    const double volumeError = 1.0 - m.volume / volume;
    const double inertiaError = 1.0 - m.inertia(0, 0) / (0.4 * volume);
    EXPECT_GT(volumeError, 0.0);
    EXPECT_LE(m.centreOfMass.norm(), 1e-15);
    if (level > 4) {  // halving the edge quarters the error; measured 3.98 and 4.00
      EXPECT_NEAR(lastVolume / volumeError, 4.0, 0.05);
      EXPECT_NEAR(lastInertia / inertiaError, 4.0, 0.05);
    }
    lastVolume = volumeError;
    lastInertia = inertiaError;
  }
  EXPECT_LT(lastVolume, 1e-3);  // measured 3.7e-4 with 32,768 triangles
}

TEST(MassProperties, randomHullsAgreeWithSignedTetrahedra) {
  for (int kind = 0; kind < static_cast<int>(SetKind::kCount); ++kind) {
    if (static_cast<SetKind>(kind) == SetKind::kUlpCloud) continue;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      SCOPED_TRACE(setName(static_cast<SetKind>(kind)) + " " + std::to_string(seed));
      const ConvexPolyhedron hull =
          ConvexPolyhedron::fromPoints(makeSet(static_cast<SetKind>(kind), seed));
      const MassProperties found = computePolyhedronMass(hull);
      // The second method is no better than its 64-bit sums: on sets of thickness 1e-6 they cancel
      // by eleven digits.
      const bool thin = static_cast<SetKind>(kind) == SetKind::kFlat ||
                        static_cast<SetKind>(kind) == SetKind::kLens ||
                        static_cast<SetKind>(kind) == SetKind::kNeedle;
      expectSame(found, bySignedTetrahedra(surfaceOf(hull).mesh()), 1.0,
                 thin ? 1e-9 : 1e-13);  // measured 9e-11 and 2e-16
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix3d>{found.inertia}.eigenvalues()[0], 0.0);
    }
  }
}

// Points thrown at the bounding box: hits and their moments are sums of independent variables, so
// that each deviates from its mean by more than five standard errors in fewer than one of a million
// cases.
TEST(MassProperties, randomHullsAgreeWithMonteCarlo) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Points points = makeSet(SetKind::kBall, seed);
    const ConvexPolyhedron hull = ConvexPolyhedron::fromPoints(points);
    const MassProperties found = computePolyhedronMass(hull);
    Eigen::AlignedBox3d box;
    for (const Vector3d& v : hull.vertices()) box.extend(v);
    Random random{900 + seed};
    constexpr int kThrows = 40'000;
    Eigen::Matrix<double, 10, 1> sum = Eigen::Matrix<double, 10, 1>::Zero();
    Eigen::Matrix<double, 10, 1> squares = sum;
    for (int i = 0; i < kThrows; ++i) {
      const Vector3d p =
          box.center() + 0.5 * box.sizes().cwiseProduct(random.inCube()) - found.centreOfMass;
      const bool inside = std::all_of(
          hull.faces().begin(), hull.faces().end(),
          [&](const auto& face) { return face.normal.dot(p + found.centreOfMass) <= face.offset; });
      if (!inside) continue;
      Eigen::Matrix<double, 10, 1> value;
      value << 1.0, p, p.y() * p.y() + p.z() * p.z(), p.z() * p.z() + p.x() * p.x(),
          p.x() * p.x() + p.y() * p.y(), -p.x() * p.y(), -p.y() * p.z(), -p.z() * p.x();
      sum += value;
      squares += value.cwiseAbs2();
    }
    Eigen::Matrix<double, 10, 1> exact;
    exact << found.volume, 0, 0, 0, found.inertia(0, 0), found.inertia(1, 1), found.inertia(2, 2),
        found.inertia(0, 1), found.inertia(1, 2), found.inertia(2, 0);
    for (int k = 0; k < 10; ++k) {
      const double mean = sum[k] / kThrows;
      const double error = std::sqrt((squares[k] / kThrows - mean * mean) / kThrows);
      EXPECT_NEAR(mean, exact[k] / box.volume(), 5 * error) << "seed " << seed << " moment " << k;
    }
  }
}

TEST(MassProperties, twoHalfBoxesMakeTheBox) {
  Random random{6};
  const Vector3d half{0.4, 0.8, 1.1};
  for (int i = 0; i < 50; ++i) {
    // Both halves turned alike about the compound's frame, which stands far off.
    const Quaterniond turn = random.rotation();
    const Vector3d place = 1000.0 * random.inCube();
    const Vector3d step = turn * Vector3d{half.x() / 2, 0, 0};
    const Box part{{half.x() / 2, half.y(), half.z()}};
    const Compound pair{{CompoundPart{part, place + step, turn},
                         CompoundPart{makeHull(corners(ConvexPolyhedron::box(part.halfExtents),
                                                       Quaterniond::Identity(), {0, 0, 0})),
                                      place - step, turn}}};
    // The places themselves are rounded to 1e-13 at 1000 m.
    expectSame(computeMassProperties(pair), moved(boxExact(half), turn, place), 1.0,
               1e-12);  // measured 4e-14
  }
}

TEST(MassProperties, parallelAxes) {
  // Two balls on a rod of length 2d: I about the axis across = 2 (2/5 V r² + V d²).
  const double r = 0.25;
  const double d = 3.0;
  const Compound dumbbell{
      {CompoundPart{Sphere{r}, {d, 0, 0}}, CompoundPart{Sphere{r}, {-d, 0, 0}}}};
  const MassProperties m = computeMassProperties(dumbbell);
  const double volume = 4.0 / 3.0 * kPi * r * r * r;
  EXPECT_NEAR(m.volume / (2 * volume), 1.0, 1e-15);
  EXPECT_LE(m.centreOfMass.norm(), 1e-15);
  EXPECT_NEAR(m.inertia(0, 0) / (2 * 0.4 * volume * r * r), 1.0, 1e-14);
  EXPECT_NEAR(m.inertia(1, 1) / (2 * volume * (0.4 * r * r + d * d)), 1.0, 1e-14);
  EXPECT_NEAR(m.inertia(2, 2) / m.inertia(1, 1), 1.0, 1e-15);
}

TEST(MassProperties, insideOutMeshIsMeasuredByAbsoluteValue) {
  Soup soup = boxSurface({0.5, 1.0, 1.5});
  for (TriangleMesh::Triangle& t : soup.triangles) std::swap(t[1], t[2]);
  const auto mesh = std::make_shared<const TriangleMesh>(soup.mesh());
  EXPECT_LT(computeMeshMass(*mesh).volume, 0.0);
  expectSame(computeMassProperties(Mesh{mesh}), boxExact({0.5, 1.0, 1.5}), 1.0, 1e-14);
}

TEST(MassProperties, aHollowBoxHasTheDifferenceOfTwo) {
  Soup soup = boxSurface({1, 1, 1});
  const Soup hole = boxSurface({0.5, 0.5, 0.25});
  for (TriangleMesh::Triangle t : hole.triangles) {
    std::swap(t[1], t[2]);
    for (std::uint32_t& v : t) v += 8;
    soup.triangles.push_back(t);
  }
  soup.vertices.insert(soup.vertices.end(), hole.vertices.begin(), hole.vertices.end());
  MassProperties exact = boxExact({1, 1, 1});
  const MassProperties removed = boxExact({0.5, 0.5, 0.25});
  exact.volume -= removed.volume;
  exact.inertia -= removed.inertia;
  expectSame(computeMassProperties(Mesh{std::make_shared<const TriangleMesh>(soup.mesh())}), exact,
             1.0, 1e-14);
}

}  // namespace
}  // namespace msd_assets::test
