// Gives every file of a corpus, and a few mutilated forms of it, to a fuzz target: what a fuzzer has
// found once stays found. Without libFuzzer, so that any compiler builds it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

/// Large files are mutilated less often.
constexpr std::size_t kBytesOfMutants = 2u << 20;
constexpr std::size_t kMostMutants = 64;

void give(const std::string& bytes) {
  // A block of its own size, so that a sanitizer sees what is read beyond it.
  const std::vector<std::uint8_t> data{bytes.begin(), bytes.end()};
  LLVMFuzzerTestOneInput(data.data(), data.size());
}

/// The file cut short, with bytes changed, and with a piece twice.
std::string mutant(const std::string& whole, std::mt19937_64& random) {
  std::string bytes = whole;
  const auto place = [&] { return static_cast<std::size_t>(random() % (bytes.size() + 1)); };
  switch (random() % 3) {
    case 0:
      bytes.resize(place());
      break;
    case 1:
      for (std::size_t i = 0; i < 1 + random() % 8 && !bytes.empty(); ++i) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      break;
    default: {
      const std::size_t from = place();
      bytes.insert(place(), bytes.substr(from, random() % 64));
    }
  }
  return bytes;
}

std::size_t replay(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  const std::string whole{std::istreambuf_iterator<char>{file}, {}};
  give(whole);
  std::mt19937_64 random{whole.size()};
  const std::size_t count =
      std::clamp<std::size_t>(kBytesOfMutants / (whole.size() + 1), 4, kMostMutants);
  for (std::size_t i = 0; i < count; ++i) give(mutant(whole, random));
  return 1 + count;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator{argv[i]}) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::size_t inputs = 0;
  for (const fs::path& file : files) inputs += replay(file);
  std::printf("%zu files, %zu inputs\n", files.size(), inputs);
  return files.empty() ? 1 : 0;
}
