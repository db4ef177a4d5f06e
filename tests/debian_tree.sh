# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# To be sourced: a bare Debian 12 tree by debootstrap, for tests/fresh.sh and tests/packages.sh. Needs root, debootstrap and a network.
# debian_tree NAME FOLDER PACKAGES: makes the tree $root at FOLDER, or reuses one that is there; empty: a new folder under /tmp, removed
# at the end. PACKAGES are installed in it besides the minimum, separated by commas. inside runs a command in the tree.
# DEBIAN_MIRROR, DEBIAN_SUITE: where packages come from (default: the first source of this machine's apt, bookworm)

mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)}
suite=${DEBIAN_SUITE:-bookworm}
mounted=""

leave_tree()
{
    for place in $mounted; do umount "$root/$place" 2>/dev/null || umount -l "$root/$place" || true; done
    [ -n "$kept" ] || rm -rf --one-file-system "$root"
}

debian_tree()
{
    local name=$1 packages=$3
    root=$2 kept=$2
    [ "$(id -u)" -eq 0 ] || { echo "$name: needs root (chroot)" >&2; exit 2; }
    command -v debootstrap >/dev/null || { echo "$name: needs debootstrap" >&2; exit 2; }
    [ -n "$root" ] || root=$(mktemp -d "/tmp/$name.XXXXXX")
    trap leave_tree EXIT

    if [ ! -x "$root/usr/bin/apt-get" ]; then
        mkdir -p "$root"
        debootstrap --variant=minbase --include="$packages" "$suite" "$root" "$mirror"
    fi
    for place in proc dev dev/pts sys; do
        mkdir -p "$root/$place"
        mount --bind "/$place" "$root/$place"
        mounted="$place $mounted"
    done
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    [ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >/dev/null 2>&1 || true
    # proxies of this machine, but no other settings
    grep -rlsi 'proxy' /etc/apt/apt.conf.d | while read -r file; do cp "$file" "$root/etc/apt/apt.conf.d/"; done
}

# inside COMMAND...
inside()
{
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" \
        NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$@"
}
