#!/usr/bin/env bash
# tools/setup.sh against stand-ins for dpkg-query, apt-get, id and sudo: what it would do on machines
# unlike this one.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/msd setup XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

# fresh USER INSTALLED REFUSED: a machine on which USER ("root" or "user") runs the script, the
# packages INSTALLED are there, and apt-get cannot install those in REFUSED.
fresh() {
  rm -rf "${work:?}"/*
  mkdir "$work/bin"
  printf '%s\n' $2 >"$work/installed"
  printf '%s\n' $3 >"$work/refused"
  : >"$work/log"
  cat >"$work/bin/dpkg-query" <<'STUB'
#!/usr/bin/env bash
work=$(dirname "$0")/..
for package in "$@"; do
  if grep -qxF -- "$package" "$work/installed"; then echo "$package installed"; fi
done
exit 1
STUB
  cat >"$work/bin/apt-get" <<'STUB'
#!/usr/bin/env bash
work=$(dirname "$0")/..
echo "apt-get $*" >>"$work/log"
if [[ $1 == update ]]; then touch "$work/updated"; exit 0; fi
if [[ -f $work/lists_missing && ! -f $work/updated ]]; then exit 100; fi
for word in "$@"; do grep -qxF -- "$word" "$work/refused" && exit 100; done
for word in "$@"; do [[ $word == -* || $word == install ]] || echo "$word" >>"$work/installed"; done
STUB
  printf '#!/usr/bin/env bash\necho %s\n' "$([[ $1 == root ]] && echo 0 || echo 1000)" >"$work/bin/id"
  # A user without sudo: the real one must not answer.
  printf '#!/usr/bin/env bash\nexit 1\n' >"$work/bin/sudo"
  chmod +x "$work/bin/"*
}

# in_setup COMMAND: runs it in a shell that has sourced setup.sh, without a terminal.
in_setup() {
  (
    export PATH="$work/bin:$PATH"
    bash -c "set -euo pipefail; root='$root'; source '$root/tools/setup.sh'; $1" script </dev/null
  ) >"$work/out" 2>&1
}

expect() {  # NAME CONDITION...
  local name=$1
  shift
  if "$@"; then echo "ok   $name"; else
    echo "FAIL $name"
    sed 's/^/     | /' "$work/out" "$work/log"
    failures=$((failures + 1))
  fi
}
says() { grep -qF -- "$1" "$work/out"; }
did() { grep -qxF -- "$1" "$work/log"; }
did_nothing() { [[ ! -s $work/log ]]; }

fresh root "a b" ""
in_setup 'need a b'
expect "nothing missing: nothing is done" did_nothing

fresh root "a" ""
in_setup 'need a b c'
expect "root installs only what is missing, removing nothing" \
  did "apt-get install -y --no-install-recommends --no-remove b c"

fresh root "" ""
touch "$work/lists_missing"
in_setup 'need a'
expect "package lists are fetched once when an installation fails" did "apt-get update"
expect "and the installation is tried again" test "$(grep -c install "$work/log")" -eq 2

fresh root "b" ""
in_setup 'install_together a b c; need a b; want c'
expect "what is needed and what is wanted come in one installation" did "apt-get install -y --no-install-recommends --no-remove a c"
expect "and nothing is installed again" test "$(grep -c install "$work/log")" -eq 1

fresh root "" "c"
in_setup 'install_together a c; need a; want c; echo "left ${left_out[*]}"'
expect "where that fails, each is tried by itself" grep -qxF a "$work/installed"
expect "and what cannot be had is named" says "left c"

fresh user "" ""
in_setup 'install_together a b'
expect "without rights, nothing is tried together" did_nothing

fresh root "" "b"
if in_setup 'need a b'; then status=0; else status=$?; fi
expect "a needed package that cannot be had is fatal" test "$status" -ne 0
expect "and the command to run is shown" says \
  "sudo apt-get update && sudo apt-get install -y --no-install-recommends --no-remove a b"

fresh user "a" ""
if in_setup 'need a b'; then status=0; else status=$?; fi
expect "a user without rights is told the packages" says "neither root nor sudo): b"
expect "and the exact command" says "--no-remove b"
expect "and the script stops" test "$status" -ne 0
expect "without having tried" did_nothing

fresh root "" "b"
in_setup 'want a b c; echo "left ${left_out[*]}"'
expect "wanted packages that cannot be had are named and left out" says "left b"
expect "and the others are installed" grep -qxF c "$work/installed"

fresh user "a" ""
in_setup 'want a b; echo "left ${left_out[*]}"'
expect "without rights, wanted packages are left out by name" says "left b"

fresh root "" ""
in_setup 'packages build | tr "\n" " "'
expect "the list of packages is read" says "libeigen3-dev"
expect "by class" bash -c "! grep -q libgtest-dev '$work/out'"

fresh root "" ""
mkdir -p "$work/checkout"
in_setup "root='$work/checkout'; XDG_CACHE_HOME='$work/cache'; touch '$work/checkout/build'; choose_build_dir; echo \"at \$build\""
expect "a checkout without room for a build folder builds in the cache" says "at $work/cache/msd-sim/"

fresh root "" ""
cat >"$work/bin/ninja" <<'STUB'
#!/usr/bin/env bash
work=$(dirname "$0")/..
steps=$(cat "$work/steps")
echo "[0/1] Re-checking globbed directories..."
for ((i = 1; i <= steps; ++i)); do echo "[$i/$steps] Building part $i"; done
if [[ -f $work/broken ]]; then echo "error: part is broken"; exit 1; fi
STUB
chmod +x "$work/bin/ninja"
mkdir "$work/build"
echo 2 >"$work/steps"
in_setup "build='$work/build'; build_targets msd"
expect "next to nothing to build: nothing is said" test ! -s "$work/out"
echo 40 >"$work/steps"
in_setup "build='$work/build'; build_targets msd"
expect "a build says how much there is to do" says "Building: 40 steps"
expect "and passes on what is done" says "[40/40] Building part 40"
echo 2 >"$work/steps"
touch "$work/broken"
if in_setup "build='$work/build'; build_targets msd"; then status=0; else status=$?; fi
expect "a build that fails ends the script" test "$status" -ne 0
expect "and says why" says "error: part is broken"

exit $((failures > 0))
