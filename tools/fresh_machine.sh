#!/usr/bin/env bash
# Tries the two commands on a machine with nothing installed: a minimal Debian 12 in a folder of its own.
#
#   tools/fresh_machine.sh [FOLDER]    (default: a temporary folder, removed at the end; needs root and debootstrap)
#
# Clones this checkout into it, runs ./run, ./test and the Debian package, and prints how long each took.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
say() { printf '%s\n' "$*" >&2; }

if [[ $(id -u) -ne 0 ]]; then say "needs root: a chroot is made"; exit 1; fi
if ! command -v debootstrap >/dev/null; then say "needs debootstrap: apt-get install debootstrap"; exit 1; fi

keep=yes
folder=${1:-}
if [[ -z $folder ]]; then
  folder=$(mktemp -d /var/tmp/msd-fresh-XXXXXX)
  keep=no
fi
cleanup() {
  local mount
  for mount in proc dev; do
    if mountpoint -q "$folder/$mount"; then umount "$folder/$mount"; fi
  done
  if [[ $keep == no ]]; then rm -rf --one-file-system -- "$folder"; fi
}
trap cleanup EXIT

timed() {
  local what=$1 started=$SECONDS
  shift
  say "== $what"
  "$@"
  results+=("$(printf '%-28s %4d s' "$what" $((SECONDS - started)))")
}
results=()
inside() { chroot "$folder" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C "$@"; }

if [[ ! -e $folder/etc/debian_version ]]; then
  mirror=$(awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' /etc/apt/sources.list 2>/dev/null || true)
  [[ -n $mirror ]] || mirror=$(awk '$1 == "URIs:" { print $2; exit }' /etc/apt/sources.list.d/*.sources 2>/dev/null || true)
  timed "debootstrap" debootstrap --variant=minbase --include=ca-certificates,git bookworm "$folder" ${mirror:+"$mirror"}
  for file in /etc/apt/apt.conf.d/*proxy* /etc/resolv.conf; do
    if [[ -e $file ]]; then cp -L "$file" "$folder$file"; fi
  done
fi
mountpoint -q "$folder/proc" || mount -t proc proc "$folder/proc"
mountpoint -q "$folder/dev" || mount --bind /dev "$folder/dev"

rm -rf "$folder/root/msd-sim"
git clone -q "$root" "$folder/root/msd-sim"
timed "./run, from nothing" inside /root/msd-sim/run
timed "./run, again" inside /root/msd-sim/run
timed "./test, from nothing" inside /root/msd-sim/test
timed "./test, again" inside /root/msd-sim/test Tool
timed "cpack" inside bash -c 'cd /root/msd-sim/build/release && cpack >/dev/null'
timed "install the package" inside bash -c 'apt-get install -y --no-install-recommends /root/msd-sim/build/release/package/*.deb >/dev/null'
timed "the installed tool" inside msd run /usr/share/msd/scenes/demo.json --steps 60 --quiet

printf '%s\n' "${results[@]}"
