#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# `make test` on a machine that has nothing: a bare Debian 12 tree by debootstrap, a copy of the sources that git knows, and make,
# which installs the rest by itself. Part of the checklist before a release (CONTRIBUTING.md). Needs root, debootstrap and a network.
#
# Usage: tests/fresh.sh [GOAL] [FOLDER]
#   GOAL    what to make: setup, build, test-quick or test (default: test)
#   FOLDER  where the tree is made, 5 GB (default: a new folder under /tmp, removed afterwards; one that is given is kept and reused)
# DEBIAN_MIRROR, DEBIAN_SUITE: where packages come from (default: the first source of this machine's apt, bookworm)
set -eu
cd "$(dirname "$0")/.."
goal=${1:-test}
root=${2:-}
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)}
suite=${DEBIAN_SUITE:-bookworm}

[ "$(id -u)" -eq 0 ] || { echo "fresh: needs root (chroot)" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh: needs debootstrap" >&2; exit 2; }

mounted=""
leave()
{
    for place in $mounted; do umount "$root/$place" 2>/dev/null || umount -l "$root/$place" || true; done
    [ -n "$kept" ] || rm -rf --one-file-system "$root"
}
kept=$root
[ -n "$root" ] || root=$(mktemp -d /tmp/fresh.XXXXXX)
trap leave EXIT

if [ ! -x "$root/usr/bin/apt-get" ]; then
    mkdir -p "$root"
    debootstrap --variant=minbase --include=ca-certificates,make,git "$suite" "$root" "$mirror"
fi
for place in proc dev dev/pts sys; do
    mkdir -p "$root/$place"
    mount --bind "/$place" "$root/$place"
    mounted="$place $mounted"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
[ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
chroot "$root" update-ca-certificates >/dev/null 2>&1 || true
# proxies of this machine, but none of its other habits
grep -rlsi 'proxy' /etc/apt/apt.conf.d | while read -r file; do cp "$file" "$root/etc/apt/apt.conf.d/"; done

# the sources as a newcomer has them: a clone, with what is not committed yet
rm -rf "$root/trammel"
mkdir "$root/trammel"
git ls-files --cached --others --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$root/trammel"
chroot "$root" sh -c 'cd /trammel && git init -q . && git add -A && git -c user.name=fresh -c user.email=fresh@localhost commit -qm fresh'

echo "fresh: make $goal in $suite"
chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    sh -c "cd /trammel && make $goal"
