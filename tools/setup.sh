# shellcheck shell=bash disable=SC2154
# What ./run and ./test share: installing what is missing, configuring, building. Sourced by both,
# with `root` set to the checkout. Everything it says goes to stderr, so that stdout stays clean.

say() { printf '%s\n' "$*" >&2; }
fail() { say "$(basename "$0"): $*"; exit 1; }

# packages CLASS...: the packages of these classes, from the one list.
packages() {
  local class
  for class in "$@"; do
    awk -v class="$class" '!/^[[:space:]]*#/ && $2 == class { print $1 }' "$root/tools/packages.txt"
  done
}

# missing_of PACKAGE...: those that are not installed.
missing_of() {
  local installed package
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk '$2 == "installed" { print $1 }' || true)
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

apt_options=(-y --no-install-recommends --no-remove)

# as_root COMMAND...: runs it as root, directly or through sudo; fails where neither is possible.
as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@" >&2
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
    say "+ sudo $*"
    sudo "$@" >&2
  else
    return 1
  fi
}

may_be_root() {
  [[ $(id -u) -eq 0 ]] || { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; }
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install "${apt_options[@]}" "$@"
}

# Package lists may be absent or stale: fetched once, when an installation fails.
apt_updated=no
apt_install_with_update() {
  apt_install "$@" && return 0
  [[ $apt_updated == yes ]] && return 1
  apt_updated=yes
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update || return 1
  apt_install "$@"
}

say_how() {
  say "Please run this once, then $(basename "$0") again:"
  say "  sudo apt-get update && sudo apt-get install ${apt_options[*]} $*"
}

# need PACKAGE...: installs what is missing of packages that nothing works without.
need() {
  local missing
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is not a Debian system: what is missing cannot be installed from here."
    say "Needed, by Debian's names: $*"
    return 0
  fi
  mapfile -t missing < <(missing_of "$@")
  [[ ${#missing[@]} -eq 0 ]] && return 0
  if ! may_be_root; then
    say "Missing packages, and no right to install them (neither root nor sudo): ${missing[*]}"
    say_how "${missing[@]}"
    exit 1
  fi
  say "Installing: ${missing[*]}"
  local started=$SECONDS
  if apt_install_with_update "${missing[@]}"; then
    say "Installed in $((SECONDS - started)) s"
    return 0
  fi
  say_how "${missing[@]}"
  fail "the installation did not succeed"
}

# install_together PACKAGE...: what is missing of these in one go, which takes less than one after the other. What does not
# succeed is left to need and want, which say so.
install_together() {
  local missing
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null && may_be_root || return 0
  mapfile -t missing < <(missing_of "$@")
  [[ ${#missing[@]} -eq 0 ]] && return 0
  say "Installing: ${missing[*]}"
  local started=$SECONDS
  if apt_install_with_update "${missing[@]}"; then say "Installed in $((SECONDS - started)) s"; fi
  return 0
}

# want PACKAGE...: installs what it can; names the rest in `left_out` and goes on.
left_out=()
want() {
  local missing package
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
  mapfile -t missing < <(missing_of "$@")
  [[ ${#missing[@]} -eq 0 ]] && return 0
  if may_be_root; then
    say "Installing: ${missing[*]}"
    local started=$SECONDS
    if apt_install_with_update "${missing[@]}"; then
      say "Installed in $((SECONDS - started)) s"
      return 0
    fi
    # One package that cannot be had should not take the others with it.
    for package in "${missing[@]}"; do
      apt_install "$package" || left_out+=("$package")
    done
  else
    left_out+=("${missing[@]}")
  fi
  if [[ ${#left_out[@]} -gt 0 ]]; then
    say "Left out, because these packages cannot be installed here: ${left_out[*]}"
  fi
}

# page_packages: what want_page would install.
page_packages() {
  if [[ -n ${MSD_WITHOUT_PAGE:-} ]] || { command -v npm >/dev/null && command -v node >/dev/null; }; then return 0; fi
  packages page
}

# want_page: npm, from wherever it comes (Debian's package, or a newer Node.js that brings its own).
# MSD_WITHOUT_PAGE=1 builds msd view without its page, where npm or its packages cannot be had.
page_options=()
want_page() {
  if [[ -n ${MSD_WITHOUT_PAGE:-} ]]; then
    page_options=(-DMSD_WITHOUT_PAGE=ON)
    return 0
  fi
  command -v npm >/dev/null && command -v node >/dev/null && return 0
  local wanted
  mapfile -t wanted < <(packages page)
  want "${wanted[@]}"
  command -v npm >/dev/null ||
    fail "npm is missing, which builds the page of msd view (Debian: apt-get install nodejs npm); MSD_WITHOUT_PAGE=1 builds without it"
}

# The build folder: build/release in the checkout, or the user's cache where that is read-only.
choose_build_dir() {
  build="$root/build/release"
  if mkdir -p "$build" 2>/dev/null && [[ -w "$build" ]]; then return 0; fi
  local key
  key=$(printf '%s' "$root" | cksum | cut -d ' ' -f 1)
  build="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/msd-sim/$key/release"
  mkdir -p "$build" || fail "cannot create a build folder, neither $root/build nor $build"
  say "The checkout cannot be written to; building in $build"
}

cached() { grep -qE "^$1(:[A-Z]+)?=$2\$" "$build/CMakeCache.txt" 2>/dev/null; }

# configure OPTION...: runs cmake with the release preset. A folder configured for another place (a
# checkout that was moved or copied) is configured afresh.
configure() {
  local fresh=()
  if [[ -f $build/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  say "Configuring $build"
  cmake -S "$root" --preset release -B "$build" "${fresh[@]}" "${page_options[@]}" "$@" >"$build/configure.log" 2>&1 || {
    cat "$build/configure.log" >&2
    fail "cmake could not configure the build (see above)"
  }
}

is_configured() {
  [[ -f $build/build.ninja ]] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" 2>/dev/null
}

# Jobs: what CMAKE_BUILD_PARALLEL_LEVEL says, else one a core, but no more than memory allows at about 1.2 GB each.
job_count() {
  local cores memory
  if [[ ${CMAKE_BUILD_PARALLEL_LEVEL:-} =~ ^[1-9][0-9]*$ ]]; then
    echo "$CMAKE_BUILD_PARALLEL_LEVEL"
    return
  fi
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1200000) }' /proc/meminfo 2>/dev/null || echo "$cores")
  [[ ${memory:-0} -lt 1 ]] && memory=1
  echo $((cores < memory ? cores : memory))
}

# pass_on_work: passes ninja's lines on, as they come, once it is known that there is more than a little to do.
pass_on_work() {
  local line started=no begun=$SECONDS
  while IFS= read -r line; do
    if [[ $started == no && $line =~ ^\[[0-9]+/([0-9]+)\] && ${BASH_REMATCH[1]} -gt 3 ]]; then
      started=yes
      say "Building: ${BASH_REMATCH[1]} steps (from nothing this takes some minutes)"
    fi
    if [[ $started == yes ]]; then say "$line"; fi
  done
  if [[ $started == yes ]]; then say "Built in $((SECONDS - begun)) s"; fi
}

# build_targets [TARGET...]: builds; silent when there is next to nothing to do. (A dry run would not tell: it
# does not get past the globs.)
build_targets() {
  local log="$build/build.log"
  if ninja -C "$build" -j "$(job_count)" "$@" 2>&1 | tee "$log" | pass_on_work; then return 0; fi
  grep -vE '^\[[0-9]+/[0-9]+\] |^ninja: Entering' "$log" | tail -n 60 >&2 || true
  fail "the build failed (see above, and $log)"
}
