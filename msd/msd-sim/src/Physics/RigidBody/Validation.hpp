#pragma once

#include <string_view>

#include "msd-sim/src/DataTypes/Quaternion.hpp"
#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// Checks of a caller's numbers. Each returns its argument, or throws std::invalid_argument with
/// the name, the value, its unit and the allowed range. NaN and infinity are never allowed.

double requireRange(double value, std::string_view name, std::string_view unit, double low,
                    double high);
double requirePositive(double value, std::string_view name, std::string_view unit);
Vector3D requireFinite(const Vector3D& value, std::string_view name, std::string_view unit);
/// Renormalises a quaternion whose length is within 1e-6 of 1; refuses any other.
Quaternion requireUnit(const Quaternion& value, std::string_view name);
/// Unit vector along `value`; refuses zero and non-finite vectors.
Vector3D requireDirection(const Vector3D& value, std::string_view name);
/// A symmetric, positive definite inertia tensor that obeys the triangle inequality.
Matrix3D requireInertia(const Matrix3D& value, std::string_view name);

}  // namespace msd_sim
