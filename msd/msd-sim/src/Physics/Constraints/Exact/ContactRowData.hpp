#pragma once

#include <span>
#include <vector>

namespace msd_sim {

/// What the methods need to know of each row besides W and q. Impulse vectors hold three numbers a
/// contact, then one a bilateral row.
struct ContactRowData {
  std::vector<double> mu;
  std::vector<double> normalScale;   ///< W_NN of the contact [1/kg]
  std::vector<double> tangentScale;  ///< mean of its W_TT [1/kg]
  std::vector<double> compliance;    ///< [1/kg]
  std::vector<double> bilateralScale;
  std::vector<double> bilateralCompliance;
  std::vector<double> bilateralLower;  ///< bounds of the multipliers [N·s]
  std::vector<double> bilateralUpper;

  [[nodiscard]] int contactCount() const { return static_cast<int>(mu.size()); }
  [[nodiscard]] int bilateralCount() const { return static_cast<int>(bilateralScale.size()); }
  [[nodiscard]] int size() const { return 3 * contactCount() + bilateralCount(); }
};

/// Stiffness of every row of a soft problem [1/kg] and its inverse [kg]: two a contact (normal,
/// tangent), then one a bilateral row. The inverse is 0 for a row that nothing can move, and for a
/// bilateral row at a bound; the spaces read it for bilateral rows alone.
struct RowStiffness {
  std::span<const double> value;
  std::span<const double> inverse;
};

}  // namespace msd_sim
