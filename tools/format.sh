#!/usr/bin/env bash
# Lays out files of code by clang-format: tools/format.sh [FILE...]; all of them where none is named, after which the list
# of files that are not laid out yet (tests/lint/unformatted.txt) is written anew.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
if [[ $# -gt 0 ]]; then
  exec clang-format -i -- "$@"
fi
git ls-files -- '*.hpp' '*.cpp' '*.inc' | xargs clang-format -i --
python3 tests/lint/check_style.py . --clang-format clang-format --update
