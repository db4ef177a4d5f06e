#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# The site of `make docs`: all pages are in its navigation, it builds without a warning, its links lead somewhere, and a link that does
# not is found. Needs no network. Usage: site.sh ROOT. Exit status 77: there is no mkdocs.
set -eu
root=$(cd "${1:?usage: site.sh ROOT}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v mkdocs >/dev/null || { echo "site: no mkdocs (make docs installs it)"; exit 77; }
mkdocs build --help | grep -q material || { echo "site: no mkdocs-material (make docs installs it)"; exit 77; }
site=$root/docs/site/build.py

python3 "$site" pages "$root" "$work"
mkdocs build -q --strict -f "$work/mkdocs.yml"
python3 "$site" check "$work/docs"
[ -s "$work/docs/search/search_index.json" ] || { echo "FAILED: no search"; exit 1; }
grep -q 'id="trm_sim_step"' "$work/docs/api/sim.html" || { echo "FAILED: no reference of trm_sim_step"; exit 1; }
! grep -r -l -E '(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"' "$work/docs" --include='*.html' || { echo "FAILED: a page loads something from a network"; exit 1; }

# it can fail
for link in missing.html 'index.html#missing'; do
    mkdir -p "$work/broken"
    echo "<a href='$link' id='a'>x</a>" >"$work/broken/index.html"
    if python3 "$site" check "$work/broken" >/dev/null; then
        echo "FAILED: a broken link is not found: $link"
        exit 1
    fi
done
echo "site: good"
