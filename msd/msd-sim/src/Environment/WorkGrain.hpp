#pragma once

#include <cstddef>

namespace msd_sim {

/// How work is cut into pieces, for threads and caches: no bit of a result depends on it, or (sums
/// by blocks) on the number of threads.
struct WorkGrain {
  // Bodies, contacts or bundles that one thread takes at a time.
  std::size_t bodies{64};
  std::size_t bundles{4};    ///< in loops where they do not depend on each other
  std::size_t audit{256};    ///< bodies whose sums are one block
  std::size_t gather{256};   ///< bodies
  std::size_t scatter{256};  ///< bodies
  std::size_t pairs{8};      ///< that are tested anew
  std::size_t events{32};    ///< bundles of contacts
  std::size_t reports{32};   ///< changes

  // Blocks of an island's sums.
  std::size_t manyBodies{256};   ///< from so many on the sums are made of blocks, ...
  std::size_t blockBodies{128};  ///< ... of so many

  // Colours.
  std::size_t sliceBundles{2};  ///< of a slice of a colour, all kinds together
  std::size_t sharedBundles{
      16};  ///< a colour of fewer is done sooner than others have come to help

  // Packs: enough to fill the lanes of the colours, few enough to stay in a core's cache.
  std::size_t packContacts{512};  ///< of a pack that one thread takes; fewer with more threads, ...
  std::size_t leastPackContacts{32};  ///< ... down to these, ...
  std::size_t packsPerThread{8};      ///< ... so that there are some for each
  std::size_t sharedContacts{512};    ///< an island of more is shared by the team
  std::size_t contactsPerJoint{16};   ///< that take about as long as a joint does
  std::size_t packBodies{512};        ///< of a pack, where these have few contacts or none
  std::size_t bodiesPerContact{4};    ///< that take about as long as a contact does

  // Mechanisms.
  std::size_t keptColumns{6 * 128};  ///< numbers of a mechanism up to which its answers are kept
  std::size_t pushes{64};            ///< of an island that are answered together
};
inline constexpr WorkGrain kWorkGrain{};

}  // namespace msd_sim
