#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# docs.sh on a small tree made for it: a good document passes, and each kind of mistake, put after the good one alone,
# is found at its line and nowhere else. Usage: docs_selftest.sh DOCS_SH ROOT BUILD
set -eu

docs=$(realpath "${1:?usage: docs_selftest.sh DOCS_SH ROOT BUILD}")
root=$(realpath "${2:?}")
build=$(realpath "${3:?}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failures=0

mkdir -p "$tree/docs"
ln -s "$root/include" "$root/src" "$tree/"

good_document()
{
    cat <<'END'
# The good one

A [link](docs/other.md#one-part), one [above](#the-good-one), one [outside](https://example.org/x) and `[no](link)`.

```json pin.json
{
  "trammel": 1,
  "bodies": [{ "name": "p", "point": true, "mass": 1 }],
  "joints": [{ "name": "pin", "type": "ball", "bodies": ["ground", "p"] }]
}
```

```jsonc bad.json
{ "trammel": 1, "bodys": [] }
```

```sh
trammel check pin.json
build/trammel check bad.json   # exit 3
not a command of ours
```

```text
bodies     0 rigid, 1 points, 0 fixed, 0 moving
...
bad.json:1:17: error: a model has no key "bodys"; did you mean "bodies"?
```

```c
#include "trammel/trammel.h"
#include <stdio.h>
int main(void) { return printf("%g\n", trm_v3_length(trm_v3(3, 4, 0))) == 2 ? 0 : 1; }
```

```text
5
```

```c src/model/joints/none.c
#include "model/joint.h"
int rows_of(const trm_joint *joint);
int rows_of(const trm_joint *joint) { return joint->rows; }
```
END
}

echo "## One (part)" >"$tree/docs/other.md"

fail()
{
    echo "FAILED: $1"
    sed 's/^/    /' "$work/output"
    failures=$((failures + 1))
}

# finds TEXT: docs.sh refuses the good document with stdin after it for this one mistake
finds()
{
    { good_document && cat; } >"$tree/README.md"
    status=0
    sh "$docs" "$tree" "$build" >"$work/output" 2>&1 || status=$?
    if [ "$status" -ne 1 ]; then fail "status $status, expected 1, for: $1"
    elif ! grep -qF "$1" "$work/output"; then fail "not reported: $1"
    elif ! grep -q ' 1 wrong$' "$work/output"; then fail "more than one mistake reported for: $1"
    fi
}

good_document >"$tree/README.md"
end=$(grep -c '' "$tree/README.md")
sh "$docs" "$tree" "$build" >"$work/output" 2>&1 || fail "the good document is refused"
grep -q '^docs: 2 files, 1 models, 2 commands, 2 outputs, 2 programs, 0 figures, 2 links; 0 wrong$' "$work/output" ||
    fail "the good document is not read in full"

next="README.md:$((end + 1))"
finds "$next: trammel check refuses the model:" <<'END'
```json
{ "trammel": 1, "bodies": [{ "name": "p", "point": true, "mass": -1 }] }
```
END
finds "$next: exit status 3, not 0, of: trammel check bad.json" <<'END'
```sh
trammel check bad.json
```
END
finds "$next: exit status 0, not 3, of: trammel check pin.json" <<'END'
```sh
trammel check pin.json   # exit 3
```
END
finds "README.md:$((end + 4)): what is printed is something else:" <<'END'
```sh
trammel check pin.json
```
```text
joints     1: 1 ball
bodies     0 rigid, 1 points, 0 fixed, 0 moving
```
END
finds "$next: does not compile:" <<'END'
```c
int main(void) { return no_such_name; }
```
END
finds "$next: does not compile:" <<'END'
```c src/model/joints/none.c
#include "model/no_such_file.h"
```
END
finds "$next: the program fails:" <<'END'
```c
int main(void) { return 1; }
```
END
finds "$next: the link leads nowhere: docs/none.md" <<'END'
See [this](docs/none.md).
END
finds "$next: the file has no such heading: docs/other.md#another" <<'END'
See [this](docs/other.md#another).
END
finds "$next: the link leads nowhere: docs/none.svg" <<'END'
<img src="docs/none.svg" alt="">
END
finds "The figure 5.2 is in no block" <<'END'
<!-- figures as in the blocks -->
It prints 5 m, or 5.00, but not 5.2.
END
finds "the last block is never closed" <<'END'
```sh
END

rm "$tree/README.md" "$tree/docs/other.md"
status=0
sh "$docs" "$tree" "$build" >"$work/output" 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "an empty tree gives status $status, expected 2"

[ "$failures" -eq 0 ] && echo "docs_selftest: every verdict as expected"
