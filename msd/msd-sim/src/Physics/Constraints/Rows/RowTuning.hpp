#pragma once

namespace msd_sim {

/// Every number in the row kernels that changes a result beyond rounding.
struct RowTuning {
  // Turns of bodies [rad].
  double turnedFar{0.1};    ///< from which an inverse inertia is unlike that of the rows (C-7), ...
  double uneven{0.1};       ///< ... where that depends on the direction by more than this share [-]
  double lookTurn{0.05};    ///< from which contacts are made anew (K-17)
  double ballTurn{1e-6};    ///< from which the frame of two balls follows
  double largestTurn{0.5};  ///< in one drift: farther ones are cut into equal parts (T-9), ...
  int mostTurns{64};        ///< ... but no more than these
  int mostNewton{8};        ///< steps on (T-9): at the largest turn it needs five

  // Contacts.
  int meetings{2};  ///< visits more of two balls that meet
  double leastDistance{
      1e-3};            ///< of two cores that gives a direction, against their roundings' sum [-]
  double flat{1e-3};    ///< points nearer to one line, against the square of their spread, are no
                        ///< patch (C-9) [-]
  double spread{1e-3};  ///< of points from which on their friction is spread over them (F-5) [-]
  double expectedShare{
      1.0 /
      64.0};  ///< of an impulse that is expected again even if it came out of nothing (T-12) [-]
  double forgotten{1.0 / 32.0};  ///< of how unevenly a patch shares its load, in a phase of an
                                 ///< island that is driven (C-10) [-]
  double passed{2.0};            ///< sizes sideways from which a body has passed another (G-11) [-]

  [[nodiscard]] constexpr double turnedFar2() const {
    return 0.25 * turnedFar * turnedFar;
  }  ///< sin²(half of it), nearly
  [[nodiscard]] constexpr double lookTurn2() const { return 0.25 * lookTurn * lookTurn; }
};
inline constexpr RowTuning kRowTuning{};

}  // namespace msd_sim
