#include <fmt/format.h>
#include <pybind11/stl.h>

#include "Convert.hpp"
#include "World.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ExactSolver.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

/// What a solve found, with memory of its own.
struct Solution {
  std::vector<double> impulse, velocity, multiplier;
  ContactCertificate certificate;
  ExactStatus status;
  int newtonSteps, sweeps;
};

/// W from a dense matrix, the blocks that are exactly zero left out.
FrictionProblem fromDense(const py::object& w, const py::object& q, const py::object& mu) {
  const Array free = Array::ensure(q);
  const Array friction = Array::ensure(mu);
  if (!free || !friction) throw py::error_already_set();
  const py::ssize_t contacts = friction.size();
  const Array dense = toTable(w, "w", 3 * contacts, 3 * contacts);
  if (free.size() != 3 * contacts) {
    throw py::value_error(fmt::format("q has {} numbers; expected {}, three for each mu", free.size(), 3 * contacts));
  }
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Dense> all{dense.data(), 3 * contacts, 3 * contacts};
  BlockMatrix blocks;
  blocks.rowStart.push_back(0);
  for (py::ssize_t i = 0; i < contacts; ++i) {
    for (py::ssize_t j = 0; j < contacts; ++j) {
      const ContactBlock block = all.block<3, 3>(3 * i, 3 * j);
      if (block.isZero(0.0)) continue;
      blocks.column.push_back(static_cast<int>(j));
      blocks.block.push_back(block);
    }
    blocks.rowStart.push_back(static_cast<int>(blocks.column.size()));
  }
  const auto qs = numbers(free);
  const auto mus = numbers(friction);
  return FrictionProblem::assembled(std::move(blocks), {qs.begin(), qs.end()}, {mus.begin(), mus.end()});
}

py::array_t<double> toDense(const FrictionProblem& problem) {
  const FrictionProblem assembled = problem.form() == FrictionProblem::Form::kAssembled ? problem : problem.toAssembled();
  const BlockMatrix& m = assembled.matrix();
  const int size = 3 * m.rows();
  std::vector<double> dense(static_cast<std::size_t>(size) * size, 0.0);
  for (int i = 0; i < m.rows(); ++i) {
    for (int k = m.rowStart[i]; k < m.rowStart[i + 1]; ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          dense[static_cast<std::size_t>(3 * i + r) * size + 3 * m.column[k] + c] = m.block[k](r, c);
        }
      }
    }
  }
  py::array_t<double> result{std::vector<py::ssize_t>{size, size}};
  std::ranges::copy(dense, result.mutable_data());
  return result;
}

Solution solve(const FrictionProblem& problem, double tolerance, int iterations, const py::object& warmStart,
               bool velocityAware) {
  std::vector<double> start;
  if (!warmStart.is_none()) {
    const Array given = Array::ensure(warmStart);
    if (!given) throw py::error_already_set();
    start.assign(numbers(given).begin(), numbers(given).end());
  }
  const py::gil_scoped_release unlocked;
  ExactSolver solver;
  const ExactResult result = solver.solve(
      problem, {.tolerance = tolerance, .velocityAware = velocityAware, .maxIterations = iterations}, start);
  return {{result.impulse.begin(), result.impulse.end()},
          {result.velocity.begin(), result.velocity.end()},
          {result.multiplier.begin(), result.multiplier.end()},
          result.certificate,
          result.status,
          result.newtonSteps,
          result.sweeps};
}

void bindSolution(py::module_& module) {
  py::class_<Solution> type(module, "Solution", "What a solve of a friction problem found.");
  type.def_property_readonly("impulse", [](const Solution& s) { return fromTable(s.impulse, 3); },
                             "r of every contact: normal and two tangents, (n, 3) [N s].");
  type.def_property_readonly("velocity", [](const Solution& s) { return fromTable(s.velocity, 3); },
                             "u = W r + q of every contact, (n, 3) [m/s].");
  type.def_property_readonly("multiplier", [](const Solution& s) { return fromSpan(s.multiplier); },
                             "One for each bilateral row [N s].");
  type.def_property_readonly("status", [](const Solution& s) { return std::string{exactStatusName(s.status)}; },
                             "\"converged\", \"iteration limit\" or \"stalled\".");
  type.def_property_readonly("converged", [](const Solution& s) { return s.status == ExactStatus::kConverged; },
                             "The residual is at or below the tolerance.");
  const auto number = [&](const char* name, double ContactCertificate::*member, const char* text) {
    type.def_property_readonly(name, [member](const Solution& s) { return s.certificate.*member; }, text);
  };
  number("residual", &ContactCertificate::naturalMap, "Relative residual of the natural map [-].");
  number("velocity_error", &ContactCertificate::velocityError, "Worst velocity error over the largest free velocity [-].");
  number("complementarity", &ContactCertificate::complementarity, "Worst |r_N u_N| [J].");
  number("cone_violation", &ContactCertificate::coneViolation, "Worst |r_T| - mu r_N [N s].");
  number("normal_violation", &ContactCertificate::normalViolation, "Worst -u_N [m/s].");
  type.def_readonly("newton_steps", &Solution::newtonSteps, "Newton steps taken.");
  type.def_readonly("sweeps", &Solution::sweeps, "Gauss-Seidel sweeps taken.");
  type.def("__repr__", [](const Solution& s) {
    return fmt::format("<msd.Solution: {}, {} contacts, residual {:.3g}>", exactStatusName(s.status), s.impulse.size() / 3,
                       s.certificate.naturalMap);
  });
}

}  // namespace

void bindProblem(py::module_& module) {
  bindSolution(module);
  py::class_<FrictionProblem>(module, "FrictionProblem",
                              "The frictional contact problem of one step: u = W r + q with Coulomb's law for every contact.")
      .def(py::init(&fromDense), py::arg("w"), py::arg("q"), py::arg("mu"),
           "From a dense matrix W (3n, 3n) [1/kg], q (3n) [m/s] and mu (n) [-]; order: normal, tangent, tangent.")
      .def_static("parse", [](const std::string& text) { return parseProblem(text); }, py::arg("text"),
                  "From the text format of the Siconos collection.")
      .def("text", [](const FrictionProblem& p) { return writeProblem(p); }, "As such a text.")
      .def("solve", &solve, py::kw_only(), py::arg("tolerance") = 1e-8, py::arg("max_iterations") = 3000,
           py::arg("warm_start") = py::none(), py::arg("velocity_aware") = true,
           "Solves to a certified residual. warm_start: three impulses a contact, then one multiplier a bilateral row [N s].")
      .def_property_readonly("contacts", &FrictionProblem::contactCount, "Number of contacts.")
      .def_property_readonly("bilateral_rows", &FrictionProblem::bilateralCount, "Number of rows of joints.")
      .def_property_readonly("bodies", &FrictionProblem::bodyCount, "Number of bodies; 0 where only W is known.")
      .def_property_readonly("q", [](const FrictionProblem& p) { return fromTable(p.q(), 3); },
                             "Velocities without impulses, (n, 3) [m/s].")
      .def_property_readonly("mu", [](const FrictionProblem& p) { return fromSpan(p.mu()); }, "Friction coefficients, (n) [-].")
      .def("matrix", &toDense, "W as a dense matrix (3n, 3n) [1/kg]; bilateral rows are eliminated.")
      .def("__repr__", [](const FrictionProblem& p) {
        return fmt::format("<msd.FrictionProblem: {} contacts, {} bilateral rows, {} bodies>", p.contactCount(),
                           p.bilateralCount(), p.bodyCount());
      });

  auto world = module.attr("World").cast<py::class_<World, std::shared_ptr<World>>>();
  world.def("friction_problem", [](const World& w) { return w.model().frictionProblem(); },
            "Exact mode: the friction problem of the last step's velocity phase, all islands together.");
}

}  // namespace msd_python
