# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""The public headers as data: for the API reference of the site, and for the test that every exported symbol is documented.

A comment belongs to the declarations after it up to the next blank line or comment; one after a declaration on its line belongs to that.

    python3 docs/site/headers.py check ROOT LIBRARY.so    every exported symbol is declared in a header with a comment, and comments keep CONTRACTS
    python3 docs/site/headers.py contracts ROOT           the latter only
"""

import re
import subprocess
import sys
from pathlib import Path

TOKEN = re.compile(r"/\*.*?\*/", re.S)
SECTION = re.compile(r"^---- (.*?) -+$")
FUNCTION = re.compile(r"(?:^|\n)(?:TRM_API|static inline)\s+([^(;{}]*?[\s*])(trm_\w+)\s*\(")
TYPE = re.compile(r"(?:^|\n)typedef (?:(?:struct|enum) (\w+)|[^;{}]*?\(\*(\w+)\))")
OPAQUE = re.compile(r"(?:^|\n)typedef struct (\w+) \1;")
# What the comment of a function says, by the type that it returns.
CONTRACTS = [
    (re.compile(r"trm_status"), re.compile(r"[Ff]ail|TRM_[A-Z]+_|status"), "when it fails"),
    (re.compile(r"trm_outcome"), re.compile(r"outcome"), "when its outcome is not ok"),
    (re.compile(r"bool"), re.compile(r"[Rr]eturns?\b|false"), "what true and false mean"),
    (re.compile(r".*_create$"), re.compile(r"NULL"), "that NULL means out of memory"),
]


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
    def said(self):
        """All that comments say of the declarations, also within them."""
        return " ".join([self.text or ""] + TOKEN.findall(self.code))

    @property
    def functions(self):
        """(name, type that it returns) of each function, inline ones as well."""
        return [(name, kind.strip()) for kind, name in FUNCTION.findall(TOKEN.sub(" ", self.code))]

    @property
    def types(self):
        return [a or b for a, b in TYPE.findall(TOKEN.sub(" ", self.code))]

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


def parse(path, loose=None):
    """(what the header is for, its entries). Comments that no declaration follows at once are added to the list `loose`."""
    text = path.read_text(encoding="utf-8")
    loose = [] if loose is None else loose
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
            if comment is not None and said is not None:
                loose.append(comment)
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
            elif comment is not None:
                loose.append(comment)
                comment = None
        elif depth == 0 and line.startswith("#define"):
            comment = None
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


def contract_mistakes(path):
    """What comments of a header leave out: of functions and types without one, of results, and of threads that share a type."""
    loose, mistakes = [], []
    for entry in parse(path, loose)[1]:
        bare = not entry.said.strip()
        mistakes += [f"{name}: no comment" for name, _ in entry.functions if bare]
        mistakes += [f"{name}: no comment" for name in entry.types if not entry.text]
        for name, kind in entry.functions:
            for returned, words, what in CONTRACTS:
                of = name if returned.pattern.startswith(".*") and "*" in kind else kind
                if not bare and returned.fullmatch(of) and not words.search(entry.said):
                    mistakes.append(f"{name}: the comment does not say {what}")
        mistakes += [f"{name}: the comment does not say which threads may use it" for name in OPAQUE.findall(entry.code) if "thread" not in entry.said]
    mistakes += [f"no declaration follows the comment \"{text.split(chr(10))[0]}\"" for text in loose]
    return [f"{path.name}: {mistake}" for mistake in mistakes]


def contracts(root):
    mistakes = [mistake for path in headers(root) for mistake in contract_mistakes(path)]
    for mistake in mistakes:
        print(mistake)
    count = sum(len(entry.functions) for path in headers(root) for entry in parse(path)[1])
    print(f"{count} functions in public headers, {len(mistakes)} comments that leave something out")
    return 1 if mistakes or not count else 0


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
    if len(sys.argv) == 3 and sys.argv[1] == "contracts":
        sys.exit(contracts(sys.argv[2]))
    if len(sys.argv) != 4 or sys.argv[1] != "check":
        sys.exit(__doc__)
    sys.exit(max(check(sys.argv[2], sys.argv[3]), contracts(sys.argv[2])))
