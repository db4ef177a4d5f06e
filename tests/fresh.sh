#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# `make test` on a machine without any tools: a bare Debian 12 tree by debootstrap, a copy of the sources that git knows, and make, which
# installs the rest itself. Part of the checklist before a release (CONTRIBUTING.md). Needs root, debootstrap and a network.
#
# Usage: tests/fresh.sh [GOAL] [FOLDER]
#   GOAL    what to make: setup, build, test-quick or test (default: test)
#   FOLDER  where the tree is made, 5 GB (default: a new folder under /tmp, removed afterwards; one that is given is kept and reused)
set -eu
cd "$(dirname "$0")/.."
goal=${1:-test}
. tests/debian_tree.sh
debian_tree fresh "${2:-}" ca-certificates,make,git

# the sources as a clone has them, with uncommitted changes
rm -rf "$root/trammel"
mkdir "$root/trammel"
git ls-files --cached --others --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$root/trammel"
inside sh -c 'cd /trammel && git init -q . && git add -A && git -c user.name=fresh -c user.email=fresh@localhost commit -qm fresh'

echo "fresh: make $goal in $suite"
inside sh -c "cd /trammel && make $goal"
