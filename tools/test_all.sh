#!/usr/bin/env bash
# Everything that is too slow for every day: ./test --all [PART...]
#
#   suite      the test suite as it ships (g++ -O3)
#   clang      the same with clang 19, warnings as errors
#   bits       golden hashes with g++ and clang at -O1 (those at -O3 are part of the suites above)
#   address    the suite with the address and undefined-behaviour sanitizers, assertions on
#   python     the tests of the Python package, its module with the address sanitizer (g++): references and lifetimes
#   threads    the suite with the thread sanitizer, assertions on
#   unwritten  valgrind over every scene with each method, 20 steps: nothing is read that was not written, no byte outside
#   fuzz       every libFuzzer target from its seeds, MSD_FUZZ_SECONDS each (120)
#   pairs      1,000,000 pairs of convex shapes against other judges
#   energy     1,000 random scenes: contact creates no energy
#   kills      200 recordings killed at a random moment
#   reference  every scene of at most 200 bodies in full with the reference method
#   soak       1,000,000 steps of a world that bodies and joints come to and go from
#   tidy       clang-tidy over all sources of the product
#   coverage   which share of the lines the suite reaches
#
# Without a PART all of them run, in this order, whatever the others came to. Prints one table at the end and writes it
# to build/test_all.md. Build folders are kept: build/PRESET. Jobs: CMAKE_BUILD_PARALLEL_LEVEL, as for ./test.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=tools/setup.sh
source "$root/tools/setup.sh"
cd "$root" || exit 1

every=(suite clang bits address python threads unwritten fuzz pairs energy kills reference soak tidy coverage)
parts=("$@")
[[ ${#parts[@]} -eq 0 ]] && parts=("${every[@]}")
for part in "${parts[@]}"; do
  [[ " ${every[*]} " == *" $part "* ]] || fail "unknown part \"$part\"; expected some of: ${every[*]}"
done

mapfile -t needed < <(packages build all)
mapfile -t wanted < <(packages test extra)
need "${needed[@]}"
want "${wanted[@]}"
want_page

jobs=$(job_count)
logs="$root/build/test_all"
mkdir -p "$logs"
rows=()

# built PRESET [TARGET...]: configures and builds a preset.
built() {
  local preset=$1
  shift
  local targets=()
  [[ $# -gt 0 ]] && targets=(--target "$@")
  cmake --preset "$preset" >/dev/null && cmake --build "build/$preset" -j "$jobs" "${targets[@]}"
}

# suite_of PRESET: builds and runs the whole suite.
suite_of() {
  built "$1" || { echo "does not build"; return 1; }
  tests_of "$1"
}

# tests_of PRESET [CTEST_ARGUMENT...]: runs what is built; the last line says how many tests passed.
tests_of() {
  ctest --test-dir "build/$1" -j "$jobs" --output-on-failure --no-tests=error "${@:2}" | tee "$logs/$1.ctest" | tail -n 40
  local status=${PIPESTATUS[0]}
  local total failed
  total=$(sed -nE 's/.* out of ([0-9]+)$/\1/p' "$logs/$1.ctest" | tail -n 1)
  failed=$(sed -nE 's/.*, ([0-9]+) tests? failed out of .*/\1/p' "$logs/$1.ctest" | tail -n 1)
  echo "${total:-0} tests, ${failed:-all} failed"
  return "$status"
}

part_suite() { suite_of release; }
part_clang() { suite_of clang; }
part_address() { suite_of asan-ubsan; }
part_python() {
  built python-asan msd_python || { echo "does not build"; return 1; }
  tests_of python-asan -L python
}
part_threads() { suite_of tsan; }

part_bits() {
  local preset status=0
  for preset in release-o1 clang-o1; do
    built "$preset" golden_hashes && "build/$preset/test/golden_hashes" tests/golden/hashes.txt || status=1
  done
  return "$status"
}

# The memory sanitizer takes every library, the standard one too, built with it, which Debian does not have; valgrind takes
# the program as it ships.
part_unwritten() {
  built release msd >/dev/null || { echo "does not build"; return 1; }
  local scene method status=0 count=0
  for scene in scenes/*.json scenes/robots/*.json; do
    for method in fast exact reference; do
      [[ $method == reference && $scene =~ (demo|galton_board)\.json$ ]] && continue
      valgrind -q --error-exitcode=9 build/release/bin/msd run "$scene" --method "$method" --steps 20 --quiet \
        >"$logs/unwritten.log" 2>&1
      [[ $? -eq 9 ]] && { status=1; echo "$scene, $method: see below"; cat "$logs/unwritten.log"; }
      count=$((count + 1))
    done
  done
  echo "$count runs"
  return "$status"
}

# Every target, and the folder with its seeds.
declare -A corpora=(
  [fuzz_stl]=msd/msd-assets/fuzz/corpus/stl [fuzz_obj]=msd/msd-assets/fuzz/corpus/obj
  [fuzz_gltf]=msd/msd-assets/fuzz/corpus/gltf [fuzz_hull]=msd/msd-assets/fuzz/corpus/hull
  [fuzz_control]=msd/msd-view/fuzz/corpus/control [fuzz_http]=msd/msd-view/fuzz/corpus/http
  [fuzz_snapshot]=msd/msd-sim/test/Environment/fuzz/corpus [fuzz_problem_file]=msd/msd-sim/test/Exact/corpus
  [fuzz_command_line]=msd/msd-exe/fuzz/corpus [msd_scene_fuzz]=msd/msd-scene/fuzz/corpus
  [msd_robot_fuzz]=msd/msd-import/fuzz/corpus [msd_record_fuzz]=msd/msd-record/fuzz/corpus)

part_fuzz() {
  local seconds=${MSD_FUZZ_SECONDS:-120} status=0 target name
  built fuzz || { echo "does not build"; return 1; }
  for target in build/fuzz/fuzz/*; do
    name=$(basename "$target")
    [[ -n ${corpora[$name]:-} ]] || { status=1; echo "no seeds are known for $name; expected a line in tools/test_all.sh"; }
  done
  for name in "${!corpora[@]}"; do
    target=build/fuzz/fuzz/$name
    [[ -x $target ]] || { status=1; echo "$name was not built"; continue; }
    mkdir -p "$logs/fuzz/$name"
    "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$logs/fuzz/$name-" \
      "$logs/fuzz/$name" "${corpora[$name]}" >"$logs/fuzz-$name.log" 2>&1 || { status=1; echo "$name: see $logs/fuzz-$name.log"; }
    echo "$name: $(sed -nE 's/^Done ([0-9]+) runs.*/\1 runs/p' "$logs/fuzz-$name.log" | tail -n 1)"
  done
  echo "${#corpora[@]} targets, $seconds s each"
  return "$status"
}

# long_run VARIABLE=VALUE PROGRAM FILTER: one test program, with more of what it does.
long_run() {
  built release "$2" >/dev/null || { echo "does not build"; return 1; }
  MSD_SOURCE_DIR=$root env "$1" "build/release/test/$2" --gtest_filter="$3" --gtest_brief=1
}
part_pairs() { long_run MSD_JUDGE_PAIRS=1000000 "$(program_with ForeignJudges)" '*Judge*'; }
part_energy() { long_run MSD_ENERGY_SCENES=1000 "$(program_with NoEnergyFromContact)" 'NoEnergyFromContact*'; }
part_kills() { long_run MSD_CRASH_TRIALS=200 msd_record_test 'KillNine*'; }

# program_with TEST: the program in which a test's source file is.
program_with() {
  local lists
  lists=$(grep -rlE "(^|[[:space:]])$1Test\.cpp" msd --include=CMakeLists.txt | head -n 1)
  awk -v name="$1Test.cpp" '/msd_test\(/ { sub(/.*msd_test\(/, ""); program = $1 } index($0, name) { print program; exit }' "$lists"
}

part_reference() {
  built release msd >/dev/null || { echo "does not build"; return 1; }
  local scene status=0 count=0
  for scene in scenes/*.json; do
    [[ $scene =~ (demo|galton_board)\.json$ ]] && continue
    build/release/bin/msd run "$scene" --method reference --expect >"$logs/reference.log" || { status=1; echo "$scene fails"; }
    count=$((count + 1))
  done
  echo "$count scenes"
  return "$status"
}

part_soak() { built release soak >/dev/null && build/release/test/soak 1000000 | tee "$logs/soak.csv"; }

part_tidy() {
  built clang msd_sim >/dev/null 2>&1 || cmake --preset clang >/dev/null || return 1
  local count
  run-clang-tidy-19 -quiet -p build/clang -j "$jobs" "$root/msd/msd-[a-z]*/src/.*" >"$logs/tidy.log" 2>&1
  count=$(grep -cE ' (warning|error): ' "$logs/tidy.log" || true)
  echo "$count findings"
  [[ $count -eq 0 ]]
}

part_coverage() {
  built coverage || { echo "does not build"; return 1; }
  rm -f "$logs"/*.profraw
  LLVM_PROFILE_FILE="$logs/%p-%m.profraw" ctest --test-dir build/coverage -j "$jobs" >"$logs/coverage.ctest" 2>&1
  local objects=() program
  for program in build/coverage/test/* build/coverage/bin/msd; do
    [[ -x $program && -f $program ]] && objects+=(-object "$program")
  done
  llvm-profdata-19 merge -sparse "$logs"/*.profraw -o "$logs/coverage.profdata" || return 1
  llvm-cov-19 report -instr-profile "$logs/coverage.profdata" "${objects[@]}" \
    -ignore-filename-regex '(/test/|/tests/|/usr/|/bench/|/fuzz/)' >"$logs/coverage.txt" || return 1
  awk '/^TOTAL/ { print $10 " of lines" }' "$logs/coverage.txt"
}

failed=0
for part in "${parts[@]}"; do
  say "== $part"
  started=$SECONDS
  if "part_$part" 2>&1 | tee "$logs/$part.log" >&2; then verdict=clean; else verdict=found; fi
  [[ $verdict == found ]] && failed=$((failed + 1))
  last=$(grep -vE '^\[[0-9]+/[0-9]+\]|^ninja:|^$' "$logs/$part.log" | tail -n 1 | tr '|' '/')
  rows+=("| $part | $verdict | $last | $(((SECONDS - started + 59) / 60)) min |")
done

{
  echo "| part | outcome | what it says | time |"
  echo "|---|---|---|---|"
  printf '%s\n' "${rows[@]}"
  echo
  echo "$(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown), $(nproc) cores"
} | tee build/test_all.md
[[ $failed -eq 0 ]]
