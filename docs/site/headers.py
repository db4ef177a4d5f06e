# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""The public headers as data: for the API reference of the site, and for the test that every exported symbol is documented.

A comment belongs to the declarations after it up to the next blank line or comment; one after a declaration on its line belongs to that.

    python3 docs/site/headers.py check ROOT LIBRARY.so    every exported symbol is declared in a header, with a comment
"""

import re
import subprocess
import sys
from pathlib import Path

TOKEN = re.compile(r"/\*.*?\*/", re.S)
SECTION = re.compile(r"^---- (.*?) -+$")


def clean(comment):
    """The text of a comment without its stars; None for licences."""
    lines = [re.sub(r"^\s*\* ?", "", line) for line in comment[2:-2].split("\n")]
    text = "\n".join(lines).strip()
    return None if text.startswith("SPDX-") else text


class Entry:
    """Declarations with the comment that they share."""

    def __init__(self, text, section):
        self.text, self.section, self.lines = text, section, []

    @property
    def code(self):
        return "\n".join(self.lines).strip()

    @property
    def symbols(self):
        """Names of functions, each with whether a comment speaks of it."""
        found = {}
        for statement in re.findall(r".*?;(?:[ \t]*/\*.*?\*/)?", self.code, re.S):
            bare = TOKEN.sub(" ", statement)
            if "TRM_API" not in bare:
                continue
            name = re.search(r"\b(trm_\w+)\s*(?:\(|;|\[)", bare)
            if name:
                found[name.group(1)] = bool(self.text or TOKEN.search(statement))
        return found


def parse(path):
    """(what the header is for, its entries)."""
    text = path.read_text(encoding="utf-8")
    about, section, entries, entry, comment, depth = None, "", [], None, None, 0
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        if depth == 0 and line.lstrip().startswith("/*"):
            block = line
            while "*/" not in block:
                i += 1
                block += "\n" + lines[i]
            said = clean(block.strip())
            heading = SECTION.match(said) if said else None
            if heading:
                section, comment, entry = heading.group(1), None, None
            elif said is not None:
                if about is None:
                    about = said
                else:
                    comment, entry = said, None
        elif depth == 0 and not line.strip():
            if entry is not None:
                comment, entry = None, None
        elif depth == 0 and re.match(r"#|extern \"C\"|\}$", line):
            pass
        else:
            if entry is None:
                entry = Entry(comment, section)
                entries.append(entry)
                comment = None
            entry.lines.append(line)
            bare = TOKEN.sub("", line)
            depth += bare.count("{") - bare.count("}")
        i += 1
    return about, entries


def headers(root):
    return sorted((Path(root) / "include" / "trammel").glob("*.h"))


def check(root, library):
    documented = {}
    for path in headers(root):
        for entry in parse(path)[1]:
            for name, has_text in entry.symbols.items():
                documented[name] = documented.get(name, False) or has_text
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = sorted({line.split()[-1].split("@")[0] for line in listing.splitlines() if len(line.split()) == 3})
    exported = [name for name in exported if not name.startswith(("_init", "_fini"))]
    mistakes = [f"{name}: exported, but in no public header" for name in exported if name not in documented]
    mistakes += [f"{name}: no comment in its header speaks of it" for name in exported if documented.get(name) is False]
    for mistake in mistakes:
        print(mistake)
    print(f"{len(exported)} exported symbols, {len(mistakes)} without a comment")
    if not exported:
        return 2
    return 1 if mistakes else 0


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "check":
        sys.exit(__doc__)
    sys.exit(check(sys.argv[2], sys.argv[3]))
