#!/usr/bin/env bash
# Tries the two commands on a machine with nothing installed: a minimal Debian 12 in a folder of its own.
#
#   tools/fresh_machine.sh [FOLDER]    (needs root, debootstrap and about 6 GB)
#
# FOLDER keeps the machine for another time; without one, a temporary folder is used and removed at the end.
# Clones this checkout into it, runs ./run and ./test, then makes the Debian packages and installs them on a second
# bare machine, where the README's example is built against them. Prints how long each took; exits with 1 if anything failed.
#
# The mirror is that of this machine's package sources; so are proxy, name server and certificates, which any
# machine at this place would have. CMAKE_BUILD_PARALLEL_LEVEL and CTEST_PARALLEL_LEVEL are passed on.
#
# To try again what failed, in less time: MSD_FRESH_AGAIN=yes keeps what was installed on the first machine, and
# MSD_FRESH_CACHE=FOLDER gives it a copy of a compiler cache; MSD_FRESH_TESTS=FILTER builds everything and runs only the
# tests that match; MSD_FRESH_PACKAGES=FOLDER tries only the Debian packages of that folder. The times are then not those
# of a fresh machine, and the summary says so.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
say() { printf '%s\n' "$*" >&2; }

if [[ $(id -u) -ne 0 ]]; then say "needs root: a chroot is made"; exit 1; fi
for tool in debootstrap unshare git; do
  if ! command -v "$tool" >/dev/null; then say "needs $tool: apt-get install $tool"; exit 1; fi
done
# In a name space of its own every mount goes when the script ends, however it ends, and so does every process.
if [[ ${MSD_FRESH_NAMESPACE:-} != yes ]]; then
  export MSD_FRESH_NAMESPACE=yes
  exec unshare --mount --pid --fork --kill-child --propagation private "${BASH_SOURCE[0]}" "$@"
fi

folder=${1:-}
if [[ -z $folder ]]; then
  folder=$(mktemp -d "${TMPDIR:-/var/tmp}"/msd-fresh-XXXXXX)
  trap 'umount_all; rm -rf --one-file-system -- "$folder"' EXIT
fi
mkdir -p "$folder"
folder=$(cd -- "$folder" && pwd -P)
umount_all() {
  local machine mount
  for machine in bare builder user; do
    for mount in dev/shm dev/pts dev proc; do
      if mountpoint -q "$folder/$machine/$mount"; then umount "$folder/$machine/$mount"; fi
    done
  done
}

load() { cut -d ' ' -f 1 /proc/loadavg; }
load_before=$(load)
results=()
failures=0
steps=0
# timed NAME COMMAND...: runs it and notes how long it took, and what ./run and ./test say of their parts; goes on
# when it fails.
timed() {
  local what=$1 started=$SECONDS outcome=ok line
  shift
  say "== $what"
  steps=$((steps + 1))
  "$@" 2>&1 | tee "$folder/step.log" >&2 || { outcome="FAILED (exit $?)"; failures=$((failures + 1)); }
  line=$(printf '%-46s %5d s  %s' "$what" $((SECONDS - started)) "$outcome")
  results+=("$line")
  say "== $line"
  while IFS= read -r line; do results+=("    $line"); done \
    < <(grep -E '^(Installed|Built) in [0-9]+ s$|^\./test: ' "$folder/step.log" || true)
}

# The first mirror that this machine's own package sources name.
mirror() {
  awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^(http|file|copy)/) { print $i; exit } }
       $1 == "URIs:" { print $2; exit }' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    head -n 1
}

# make_bare: a minimal Debian that knows the mirror, and what every machine at this place knows.
make_bare() {
  local bare=$folder/bare source file
  source=$(mirror) || true
  debootstrap --variant=minbase bookworm "$bare.new" ${source:+"$source"} >&2 || return 1
  for file in /etc/apt/apt.conf.d/*proxy* /etc/resolv.conf /etc/hosts; do
    if [[ -e $file ]]; then cp -L "$file" "$bare.new$file"; fi
  done
  # A machine that may be lost need not wait for the disk after every file, as images of containers do not either.
  echo force-unsafe-io >"$bare.new/etc/dpkg/dpkg.cfg.d/unsafe-io"
  # Certificates that the administrator of this place added count there as well, once ca-certificates is installed.
  mkdir -p "$bare.new/usr/local/share/ca-certificates"
  if [[ -r /etc/ssl/certs/ca-certificates.crt ]]; then
    awk -v folder="$bare.new/usr/local/share/ca-certificates" \
      '/BEGIN CERTIFICATE/ { file = sprintf("%s/place-%03d.crt", folder, ++n) } file { print > file } /END CERTIFICATE/ { close(file); file = "" }' \
      /etc/ssl/certs/ca-certificates.crt
  fi
  mv "$bare.new" "$bare"
}

# machine NAME: a copy of the bare machine, switched on.
machine() {
  # Removal may take long: it need not be waited for.
  if [[ -e $folder/$1 ]]; then
    mv "$folder/$1" "$(mktemp -d "$folder/old-XXXXXX")"
    rm -rf --one-file-system -- "$folder"/old-* &
  fi
  cp -a "$folder/bare" "$folder/$1"
  switch_on "$1"
}
switch_on() {
  mount -t proc proc "$folder/$1/proc"
  mount --bind /dev "$folder/$1/dev"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/$1/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$folder/$1/dev/shm"
}

parallel=()
if [[ -n ${MSD_FRESH_CACHE:-} ]]; then parallel+=(CCACHE_BASEDIR=/opt CCACHE_NOHASHDIR=1 "LANG=${LANG:-}"); fi
for variable in CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL; do
  if [[ -n ${!variable:-} ]]; then parallel+=("$variable=${!variable}"); fi
done
# on NAME [as_user] COMMAND...: runs it there with nothing of this machine's environment.
on() {
  local name=$1 who=(HOME=/srv) spec=()
  shift
  if [[ ${1:-} == as_user ]]; then
    shift
    who=(HOME=/opt/visitor CCACHE_DIR=/srv/.cache/ccache CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp)
    spec=(--userspec=1234:1234)
  fi
  chroot "${spec[@]}" "$folder/$name" /usr/bin/env -i "${who[@]}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${parallel[@]}" "$@" </dev/null
}

refused() {
  local output
  if output=$(on builder as_user /opt/msd-sim/run 2>&1); then say "$output"; return 1; fi
  grep -qF "Please run this once" <<<"$output" || { say "$output"; return 1; }
}

# installed: what the package promises is there, and nothing that only the adapters need.
installed() {
  local file
  for file in bin/msd lib/cmake/msd/msdConfig.cmake share/msd/scenes/demo.json share/man/man1/msd.1 \
    share/bash-completion/completions/msd share/doc/msd-sim/docs/scene-format.md; do
    [[ -e $folder/user/usr/$file ]] || { say "not installed: /usr/$file"; return 1; }
  done
  # shellcheck disable=SC2016
  if on user dpkg-query -W -f '${Package}\n' | grep -E '^lib(bullet|ode|mujoco)[0-9]' >&2; then
    say "another engine came with msd-sim"
    return 1
  fi
  on user msd >&2 && on user msd run /usr/share/msd/scenes/demo.json --steps 60 >&2
}

# no_peers: without the adapters, msd bench says what is missing and which package has it.
no_peers() {
  local output status=0
  output=$(on user msd bench --against bullet 2>&1) || status=$?
  say "$output"
  [[ $status -eq 2 && $output == *msd-peer-bullet*msd-sim-peers* ]]
}

example() {
  local there=$folder/user/srv/example
  mkdir -p "$there"
  cp "$root"/tests/package/outside/* "$there/"
  awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$root/README.md" >"$there/readme_example.cpp"
  on user bash -c 'cd /srv/example && cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build &&
    build/readme_example && build/scene_example /usr/share/msd/scenes/demo.json' >&2
}

# The first machine: the two commands.
try_commands() {
  if [[ ${MSD_FRESH_AGAIN:-} == yes && -e $folder/builder/etc/debian_version ]]; then
    switch_on builder
    rm -rf "$folder/builder/opt"
    mkdir "$folder/builder/opt"
    results+=("(packages were installed before)")
  else
    machine builder
  fi
  if [[ -n ${MSD_FRESH_CACHE:-} ]]; then
    mkdir -p "$folder/builder/srv/.cache"
    rm -rf "$folder/builder/srv/.cache/ccache"
    cp -a "$MSD_FRESH_CACHE" "$folder/builder/srv/.cache/ccache"
    results+=("(with a compiler cache)")
  fi
  git clone -q --no-hardlinks "$root" "$folder/builder/opt/msd-sim"
  mkdir -p "$folder/builder/opt/visitor"
  chown 1234:1234 "$folder/builder/opt/visitor"
  if [[ ${MSD_FRESH_AGAIN:-} != yes ]]; then
    timed "./run as a user who may not install: is told" refused
  fi
  timed "./run, from nothing" on builder /opt/msd-sim/run
  timed "./run, again, in a locale that is not there" on builder LC_ALL=de_DE.UTF-8 /opt/msd-sim/run
  if [[ -n ${MSD_FRESH_TESTS:-} ]]; then
    timed "./test $MSD_FRESH_TESTS, from nothing" on builder /opt/msd-sim/test "$MSD_FRESH_TESTS"
    results+=("(only the tests that match)")
  else
    timed "./test, from nothing" on builder /opt/msd-sim/test
  fi
  timed "./test, again, a few" on builder /opt/msd-sim/test Tool
  chmod -R a+rX "$folder/builder/srv"
  mv "$folder/builder/opt/msd-sim/.git" "$folder/builder/opt/history"
  mv "$folder/builder/opt/msd-sim/build" "$folder/builder/opt/build"
  timed "./run as that user, no history, read-only" on builder as_user /opt/msd-sim/run
  mv "$folder/builder/opt/build" "$folder/builder/opt/msd-sim/build"
  timed "cpack" on builder bash -c 'cd /opt/msd-sim/build/release && rm -rf package && cpack'
}

# try_packages FOLDER: the second machine, with the Debian packages of that folder.
try_packages() {
  machine user
  mkdir -p "$folder/user/srv/package"
  cp "$1"/*.deb "$folder/user/srv/package/"
  timed "install msd-sim on a bare machine" on user bash -c \
    'export DEBIAN_FRONTEND=noninteractive; apt-get update -q && apt-get install -q -y /srv/package/msd-sim_*.deb'
  timed "the installed tool" installed
  timed "msd bench without the adapters: says so" no_peers
  timed "install msd-sim-peers" on user bash -c \
    'DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends /srv/package/msd-sim-peers_*.deb'
  timed "msd bench with them" on user msd bench --against bullet,ode,mujoco --scenes stack_20 --steps 60 --repeat 1
  timed "install a compiler there" on user bash -c \
    'DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends g++ cmake make'
  timed "the README's example against the package" example
}

summary() {
  printf '%s\n' "${results[@]}"
  printf '%-46s %5d s\n' "all of it" $SECONDS
  awk -v cores="$(nproc)" -v nice="$(nice)" -v before="$load_before" -v after="$(load)" 'BEGIN {
    printf "%d cores, niceness %d, load %s before and %s after", cores, nice, before, after
    isShared = (before + 0 > 0.5 || nice + 0 > 0)
    print (isShared ? ": shared with others, so these times are upper bounds" : "")
  }'
  if [[ $failures -gt 0 ]]; then
    printf '%d of %d steps failed\n' "$failures" "$steps"
    return 1
  fi
}

# Read as a whole before it begins, so that a change of this file does not reach a run that has started.
main() {
  if [[ ! -e $folder/bare/etc/debian_version ]]; then
    rm -rf --one-file-system -- "$folder/bare.new"
    timed "debootstrap" make_bare
  fi
  if [[ ! -e $folder/bare/etc/debian_version ]]; then return 1; fi
  if [[ -n ${MSD_FRESH_PACKAGES:-} ]]; then
    results+=("(packages made elsewhere)")
    try_packages "$MSD_FRESH_PACKAGES"
  else
    try_commands
    try_packages "$folder/builder/opt/msd-sim/build/release/package"
  fi
  umount_all
  summary
}
main
