// Any bytes are a wish of a page, or std::invalid_argument with a message that is text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "msd-scene/src/JsonText.hpp"
#include "msd-view/src/Control.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const msd_view::Control control =
        msd_view::parseControl({reinterpret_cast<const char*>(data), size});
    if (const auto* step = std::get_if<msd_view::Step>(&control)) {
      if (std::abs(step->count) > msd_view::kMaxStepCount) std::abort();
    }
    if (const auto* speed = std::get_if<msd_view::SetSpeed>(&control)) {
      if (!(speed->speed >= 0.0 && speed->speed <= msd_view::kMaxSpeed)) std::abort();
    }
  } catch (const std::invalid_argument& refused) {
    const std::string_view message = refused.what();
    if (message.empty() || msd_scene::validUtf8Length(message) != message.size()) std::abort();
  }
  return 0;
}
