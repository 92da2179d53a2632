#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "msd-sim/src/Physics/Constraints/Exact/FrictionProblem.hpp"

namespace msd_sim {

/// A problem text that cannot be read; the message names the line, the item and what was expected.
class ProblemFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a friction problem in the text format of the Siconos problem collection
/// (docs/theory/exact-contact.md, section 8): numbers separated by white space,
///
///   dimension (3), contacts, storage (0 dense, 1 blocks, 2 sparse), the matrix, q, µ.
///
/// Dense and block values are column-major; storage 2 is a list of triplets or compressed columns.
/// Exactly zero 3 × 3 blocks of a dense matrix are dropped. A pure function of the text: throws
/// ProblemFileError on anything else than a well-formed problem, whatever the bytes.
[[nodiscard]] FrictionProblem parseProblem(std::string_view text);

/// The same format, storage 1, with enough digits to read back the same numbers. A factored problem
/// is assembled first (FrictionProblem::toAssembled).
[[nodiscard]] std::string writeProblem(const FrictionProblem& problem);

/// One line a contact: r_N r_T1 r_T2 u_N u_T1 u_T2, after a comment line with the residual.
[[nodiscard]] std::string writeSolution(std::span<const double> impulse,
                                        std::span<const double> velocity, double residual);

}  // namespace msd_sim
