#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Makes the pages of the site: docs/, README, CONTRIBUTING, CHANGELOG, and a reference of the C interface from the public headers.

    python3 docs/site/build.py pages ROOT OUT    writes markdown pages to OUT/docs-pages and OUT/mkdocs.yml
    python3 docs/site/build.py protect SITE      gives every HTML page in SITE a content security policy
    python3 docs/site/build.py check SITE        every page has a policy that fits it; every link of the HTML pages in SITE leads to a file and, after #, to an anchor

Links to sources lead to copies of them in the site, as text, so that a site on disk is complete and needs no network.
"""

import base64
import hashlib
import html.parser
import posixpath
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import headers

LINK = re.compile(r"(\]\()([^)\s]+)(\))|((?:src|href)=\")([^\"]+)(\")")


class Site:
    def __init__(self, root, out):
        self.root, self.out = Path(root).resolve(), Path(out).resolve()
        self.pages = self.out / "docs-pages"
        self.copied = set()
        # where a file of the repository is in the site
        self.place = {"README.md": "start.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
        for path in sorted((self.root / "docs").rglob("*")):
            inside = path.relative_to(self.root / "docs").as_posix()
            if path.is_file() and not inside.startswith("site/"):
                self.place["docs/" + inside] = inside

    def target(self, source, link):
        """A link of a page of the repository as one of the site; None: it leads nowhere there."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        file, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), file))
        here = posixpath.dirname(self.place[source]) or "."
        if path in self.place:
            to = self.place[path]
        elif (self.root / path).is_file() and not path.startswith("out/"):
            to = f"source/{path}.txt"
            self.copied.add(path)
        else:
            return None  # folders, and what is made by other commands
        return posixpath.relpath(to, here) + (f"#{anchor}" if anchor and to.endswith(".md") else "")

    def page(self, source):
        inside_code = False
        lines = []
        for line in (self.root / source).read_text(encoding="utf-8").split("\n"):
            if line.startswith("```"):
                inside_code = not inside_code
                line = re.sub(r"^```(\w+) .*", r"```\1", line)  # names of files are for the test of the pages
            elif not inside_code:
                line = self.rewrite(source, line)
            lines.append(line)
        to = self.pages / self.place[source]
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text("\n".join(lines), encoding="utf-8")

    def rewrite(self, source, line):
        def change(match):
            before, link, after = (g for g in match.groups() if g is not None)
            to = self.target(source, link)
            return before + (to if to is not None else "#gone") + after

        parts = re.split(r"(`[^`]*`)", line)
        # code spans hold no links of ours, but a link's own text may be one: whole lines are rewritten outside of code
        joined = "".join(f"\0{i}\0" if i % 2 else part for i, part in enumerate(parts))
        joined = LINK.sub(change, joined)
        joined = re.sub(r"\[(!\[[^\]]*\]\([^)]*\)|[^\]]*)\]\(#gone\)", r"\1", joined)
        return re.sub("\0(\\d+)\0", lambda m: parts[int(m.group(1))], joined)

    def build(self):
        shutil.rmtree(self.pages, ignore_errors=True)
        for source, place in self.place.items():
            if source.endswith(".md"):
                self.page(source)
            else:
                to = self.pages / place
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.root / source, to)
        for path in sorted(self.copied):
            to = self.pages / "source" / f"{path}.txt"
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / path, to)
        names = self.reference()
        self.settings(names)

    def reference(self):
        """One page per header; returns their names."""
        names = []
        for path in headers.headers(self.root):
            about, entries = headers.parse(path)
            lines = [f"# trammel/{path.name}", "", about or "", ""]
            section = ""
            for entry in entries:
                if entry.section != section:
                    section = entry.section
                    lines += [f"## {section}", ""]
                for name in entry.symbols:
                    lines += [f'<a id="{name}"></a>']
                lines += ["", prose(entry.text), "", "```c", entry.code, "```", ""]
            to = self.pages / "api" / f"{path.stem}.md"
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text("\n".join(lines), encoding="utf-8")
            names.append(path.stem)
        return names

    def settings(self, names):
        text = (self.root / "mkdocs.yml").read_text(encoding="utf-8")
        listed = set(re.findall(r": (\S+\.md)$", text, re.M))
        pages = {place for place in self.place.values() if place.endswith(".md")}
        if pages != listed:
            sys.exit(f"mkdocs.yml: not in the navigation: {sorted(pages - listed)}; not there: {sorted(listed - pages)}")
        api = "C interface:\n" + "\n".join(f"      - {name}.h: api/{name}.md" for name in names)
        text = text.replace("C interface: API", api)
        text = text.replace("docs_dir: out/docs-pages", f"docs_dir: {self.pages}").replace("site_dir: out/docs", f"site_dir: {self.out / 'docs'}")
        (self.out / "mkdocs.yml").write_text(text, encoding="utf-8")


def prose(text):
    """A comment as markdown: what is indented in it is code."""
    if not text:
        return ""
    lines = [line if line.startswith("  ") else re.sub(r"([<>*_])", r"\\\1", line) for line in text.split("\n")]
    return "\n".join("  " + line if line.startswith("  ") else line for line in lines)


INLINE = re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)[^>]*>(.*?)</script>", re.S)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def policy(text):
    """What a page may load and run: files of the site, and the scripts that stand in it now, by their hashes. Masks of the style sheets are
    data, and no style stands in a page."""
    hashes = sorted({base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in INLINE.findall(text)})
    scripts = " ".join(["'self'", *(f"'sha256-{h}'" for h in hashes)])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
    )


def protect(site):
    for path in sorted(Path(site).resolve().rglob("*.html")):
        text = POLICY.sub("", path.read_text(encoding="utf-8"))
        meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(text)}">'
        path.write_text(text.replace("<head>", "<head>" + meta, 1), encoding="utf-8")


def unprotected(path):
    """Why the policy of a page does not fit it; empty: it does."""
    text = path.read_text(encoding="utf-8")
    found = POLICY.search(text)
    if not found:
        return "has no content security policy"
    if "<script" in text[: found.start()] or found.group(1) != policy(POLICY.sub("", text)):
        return "has a content security policy that is not its own"
    if re.search(r"<style|\sstyle=\"|\son[a-z]+=\"|javascript:", re.sub(r"<(pre|code)\b.*?</\1>", "", text, flags=re.S)):
        return "has styles or scripts in it that its policy refuses"
    return ""


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("id", "name") and value:
                self.anchors.add(value)
            if key in ("href", "src") and value:
                self.links.append(value)


def check(site):
    site = Path(site).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    mistakes = links = 0
    for path in sorted(site.rglob("*.html")):
        if why := unprotected(path):
            print(f"{path.relative_to(site)}: {why}")
            mistakes += 1
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            links += 1
            file, _, anchor = unquote(link).partition("#")
            to = (path.parent / file).resolve() if file else path
            if to.is_dir():
                to /= "index.html"
            if not to.is_file():
                print(f"{path.relative_to(site)}: leads nowhere: {link}")
            elif anchor and to in pages and anchor not in pages[to].anchors and not anchor.startswith("__"):
                print(f"{path.relative_to(site)}: no such anchor: {link}")
            else:
                continue
            mistakes += 1
    print(f"{len(pages)} pages, {links} links; {mistakes} wrong")
    return 2 if not pages else 1 if mistakes else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["pages"] and len(sys.argv) == 4:
        Site(sys.argv[2], sys.argv[3]).build()
    elif sys.argv[1:2] == ["protect"] and len(sys.argv) == 3:
        protect(sys.argv[2])
    elif sys.argv[1:2] == ["check"] and len(sys.argv) == 3:
        sys.exit(check(sys.argv[2]))
    else:
        sys.exit(__doc__)
