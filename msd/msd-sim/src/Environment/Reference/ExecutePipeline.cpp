// CollisionPipeline::execute: the reference pipeline behind the name that the step calls.
#include <memory>

#include "msd-sim/src/Environment/Reference/ReferencePipeline.hpp"
#include "msd-sim/src/Physics/Collision/CollisionPipeline.hpp"

namespace msd_sim {

ReferencePipeline& CollisionPipeline::reference() {
  if (reference_.pipeline == nullptr) reference_.pipeline = std::make_shared<ReferencePipeline>();
  return *reference_.pipeline;
}

bool CollisionPipeline::hadCollisions() const {
  return reference_.pipeline != nullptr && !reference_.pipeline->contacts().empty();
}

void CollisionPipeline::execute(std::span<AssetInertial> inertialAssets,
                                std::span<const AssetEnvironment> environmentalAssets, double dt,
                                const std::vector<SpatialVector>& velocityBias) {
  std::vector<AssetInertial*> inertial;
  std::vector<const AssetEnvironment*> environment;
  for (AssetInertial& asset : inertialAssets) inertial.push_back(&asset);
  for (const AssetEnvironment& asset : environmentalAssets) environment.push_back(&asset);
  execute(inertial, environment, dt, velocityBias);
}

void CollisionPipeline::execute(std::span<AssetInertial* const> inertialAssets,
                                std::span<const AssetEnvironment* const> environmentalAssets,
                                double dt, const std::vector<SpatialVector>& velocityBias,
                                std::span<const std::uint32_t> names) {
  std::vector<ReferencePipeline::Body> bodies;
  const auto name = [&] {
    const std::size_t i = bodies.size();
    return names.empty() ? static_cast<std::uint32_t>(i) : names[i];
  };
  for (AssetInertial* asset : inertialAssets) bodies.push_back({asset, asset, name()});
  for (const AssetEnvironment* asset : environmentalAssets)
    bodies.push_back({asset, nullptr, name()});
  reference().execute(std::move(bodies), dt, velocityBias, contacts_.impulses(), contacts_.frame());
}

}  // namespace msd_sim
