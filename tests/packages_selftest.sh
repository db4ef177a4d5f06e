#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# packages_selftest.sh INSTALL_PACKAGES: cmake/install-packages.sh with a simulated apt. It waits for locks of another apt, but not after
# other failures.
set -u
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
export PATH="$work/bin:$PATH" WORK=$work
failures=0

printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
printf '#!/bin/sh\necho slept >>"$WORK/slept"\n' >"$work/bin/sleep"
cat >"$work/bin/apt-get" <<'END'
#!/bin/sh
echo "$*" >>"$WORK/asked"
[ "$(grep -c update "$WORK/asked")" -gt "$BUSY" ] && exit 0
echo "$SAID"
exit 100
END
chmod +x "$work"/bin/*

# ends CODE UPDATES BUSY SAID: apt-get fails this number of times with this message
ends() {
    rm -f "$work/asked" "$work/slept"
    touch "$work/slept"
    BUSY=$3 SAID=$4 "$script" >"$work/out" 2>&1
    local code=$?
    [ $code -eq "$1" ] || { echo "$4: exit code $code: $(cat "$work/out")"; failures=$((failures + 1)); }
    [ "$(grep -c update "$work/asked")" -eq "$2" ] || { echo "$4: asked $(cat "$work/asked")"; failures=$((failures + 1)); }
    [ "$(wc -l <"$work/slept")" -eq $(($2 - 1)) ] || { echo "$4: slept $(wc -l <"$work/slept")"; failures=$((failures + 1)); }
}

ends 0 1 0 'nothing'
ends 0 4 3 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 77 (apt-get)'
ends 1 1 9 'E: The repository is not signed.'
ends 1 60 100 'E: Unable to lock directory /var/lib/apt/lists/'
exit $failures
