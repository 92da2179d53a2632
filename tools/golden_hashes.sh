#!/usr/bin/env bash
# Compares what the engine computes with tests/golden/hashes.txt, or writes that file anew:
#   tools/golden_hashes.sh [--update] [BUILD_FOLDER]
# After a change that is meant to change results: run it with --update and commit the file with the change.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
update=no
if [[ ${1:-} == --update ]]; then
  update=yes
  shift
fi
build=${1:-$root/build/release}
cmake --build "$build" --target golden_hashes >&2
if [[ $update == yes ]]; then
  "$build/test/golden_hashes" --write >"$root/tests/golden/hashes.txt.new"
  mv "$root/tests/golden/hashes.txt.new" "$root/tests/golden/hashes.txt"
  git -C "$root" --no-pager diff --stat -- tests/golden/hashes.txt
else
  "$build/test/golden_hashes" "$root/tests/golden/hashes.txt"
fi
