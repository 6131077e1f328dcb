#!/usr/bin/env bash
# Try the two commands of the README on a Debian 12 that has nothing but git and make.
#
#   sudo tests/project/fresh_machine.sh [COMMAND...]      default: "make run" "make test"
#
# Builds that Debian in a temporary folder with debootstrap, clones the last commit into it, and runs the commands there as
# they stand. MIRROR names the package mirror (default: the first one this machine uses), TMPDIR another place for the folder.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
  sed -nE 's/^(deb( \[[^]]*\])?|URIs:) +([^ ]+).*/\3/p' | head -n 1 || true)}
if [ $# -eq 0 ]; then set -- "make run" "make test"; fi

if [ -z "$mirror" ]; then
  echo "fresh_machine: set MIRROR to a Debian package mirror" >&2
  exit 2
fi
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "fresh_machine: needs root and the package debootstrap" >&2
  exit 2
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/fresh-machine.XXXXXX")
chmod 755 "$root"
leave() {
  for place in dev/shm dev proc; do
    if mountpoint -q "$root/$place"; then umount "$root/$place"; fi
  done
  rm -rf --one-file-system "$root"
}
trap leave EXIT

# The machine: required packages, git, make, and the way out to the mirror.
debootstrap --variant=minbase --include=git,make bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
  cat "$root.log" >&2
  exit 1
}
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do cp -a "/dev/$device" "$root/dev/$device"; done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"

# The clone, made by its own git from one file.
git -C "$here" bundle create -q "$root/srv/zwang.bundle" HEAD
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 bash -c "$1"; }
inside "git -c advice.detachedHead=false clone -q /srv/zwang.bundle /srv/zwang"
echo "fresh_machine: $(du -sm --one-file-system "$root" | cut -f1) MB, $(inside 'dpkg-query -W | wc -l') packages; no g++: $(inside 'command -v g++ cmake python3 || echo none of them')"

for command in "$@"; do
  begin=$SECONDS
  echo
  echo "fresh_machine: $command"
  inside "cd /srv/zwang && $command"
  echo "fresh_machine: \`$command\` took $((SECONDS - begin)) s"
done
echo
echo "fresh_machine: all passed"
