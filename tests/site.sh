#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# The site of `make docs`: all pages are in its navigation, it builds without a warning, its links are valid, each page has a matching
# content security policy, and violations are found. Needs no network. Usage: site.sh ROOT. Exit status 77: mkdocs is not installed.
set -eu
root=$(cd "${1:?usage: site.sh ROOT}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v mkdocs >/dev/null || { echo "site: no mkdocs (make docs installs it)"; exit 77; }
mkdocs build --help | grep -q material || { echo "site: no mkdocs-material (make docs installs it)"; exit 77; }
site=$root/docs/site/build.py

python3 "$site" pages "$root" "$work"
mkdocs build -q --strict -f "$work/mkdocs.yml"
if python3 "$site" check "$work/docs" >/dev/null; then
    echo "FAILED: pages without a content security policy are not found"
    exit 1
fi
python3 "$site" protect "$work/docs"
python3 "$site" check "$work/docs"
[ -s "$work/docs/search/search_index.json" ] || { echo "FAILED: no search"; exit 1; }
grep -q 'id="trm_sim_step"' "$work/docs/api/sim.html" || { echo "FAILED: no reference of trm_sim_step"; exit 1; }
! grep -r -l -E '(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"' "$work/docs" --include='*.html' || { echo "FAILED: a page loads something from a network"; exit 1; }

# in a browser, if one is installed
if [ -d "$root/viewer/node_modules/playwright-core" ] && [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    node "$root/viewer/tests/site.mjs" "$work/docs"
fi

# the test can fail
for link in missing.html 'index.html#missing'; do
    mkdir -p "$work/broken"
    echo "<head><a href='$link' id='a'>x</a>" >"$work/broken/index.html"
    python3 "$site" protect "$work/broken"
    if python3 "$site" check "$work/broken" >/dev/null; then
        echo "FAILED: a broken link is not found: $link"
        exit 1
    fi
done
for added in '<script>alert(1)</script>' '<p style="color: red">x</p>' '<p onclick="alert(1)">x</p>'; do
    echo '<head>' >"$work/broken/index.html"
    python3 "$site" protect "$work/broken"
    python3 "$site" check "$work/broken" >/dev/null || { echo "FAILED: a page with its policy is refused"; exit 1; }
    echo "$added" >>"$work/broken/index.html"
    if python3 "$site" check "$work/broken" >/dev/null; then
        echo "FAILED: what the policy of a page refuses is not found: $added"
        exit 1
    fi
done
echo "site: good"
