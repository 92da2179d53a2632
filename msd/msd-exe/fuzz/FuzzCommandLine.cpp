// Any bytes, cut into words at ends of lines, are something to do, something to print, or an error of
// one line. Nothing is done.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "msd-exe/src/Command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < size; ++i) {
    const char c = static_cast<char>(data[i]);
    if (c == '\n') {
      words.push_back(word);
      word.clear();
    } else if (c != '\0') {  // no argument holds one
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  const msd_exe::CommandLine line = msd_exe::readCommandLine(words);
  const int parts = (line.action ? 1 : 0) + (line.text.empty() ? 0 : 1) + (line.error.empty() ? 0 : 1);
  if (parts != 1) std::abort();
  if (line.error.find('\n') != std::string::npos) std::abort();
  return 0;
}
