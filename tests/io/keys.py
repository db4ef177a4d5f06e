# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""keys.py SCHEMA SOURCE: every key of a model file is described and tried.

The keys of all kinds of elements come from the schema, which follows the tables of fields. Each must be named in a page of
docs/, those of an element in its section of docs/model-format.md, whose table of bodies must have an x for each kind that takes
the key. Each must occur in a model that a test runs (examples, pages of docs, tests), and occur in a file that the fuzz programs start from.
Prints what is missing; exit 1 if anything is.
"""
import json
import pathlib
import re
import sys

schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
source = pathlib.Path(sys.argv[2])


def variants(part, place):
    """The objects that a part of the schema may be, with their place, through lists, references and alternatives."""
    if "$ref" in part:
        place = part["$ref"].rsplit("/", 1)[1]  # the same everywhere
        part = schema["$defs"][place]
    for name in ("oneOf", "anyOf", "allOf", "prefixItems"):
        for choice in part.get(name, []):
            yield from variants(choice, place)
    for name in ("items", "additionalProperties"):
        if isinstance(part.get(name), dict):
            yield from variants(part[name], place)
    if "properties" in part:
        yield part, place


def named(place, variant, key):
    """A key, with its value where that names the kind of element: "type": "hinge"."""
    value = variant["properties"][key].get("const") if key == "type" else None
    return (place or "the model", f"{key} {value}" if value else key)


def known(part, place, seen, found):
    for variant, place in variants(part, place):
        if id(variant) in seen:
            continue
        for key, below in variant["properties"].items():
            found.add(named(place, variant, key))
            known(below, place + "/" + key, seen | {id(variant)}, found)


def objects(value):
    if isinstance(value, list):
        for item in value:
            yield from objects(item)
    elif isinstance(value, dict):
        yield value


def fits(variant, item):
    return all(key in variant["properties"] for key in item) and all(
        item.get(key, below["const"]) == below["const"] for key, below in variant["properties"].items() if "const" in below)


def used(part, value, place, found):
    for item in objects(value):
        choices = list(variants(part, place))
        fitting = [choice for choice in choices if fits(choice[0], item)]
        if not fitting and choices and all(isinstance(v, (dict, list)) for v in item.values()):
            used(part, list(item.values()), place, found)  # an object of named elements
        for variant, at in fitting:
            for key in item:
                found.add(named(at, variant, key))
                used(variant["properties"][key], item[key], at + "/" + key, found)


def models(text):
    """The models in a text: a file, or the JSON blocks of a page."""
    plain = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    for candidate in [plain] + re.findall(r"```json[^\n]*\n(.*?)```", text, flags=re.S):
        try:
            value = json.loads(re.sub(r",(\s*[]}])", r"\1", re.sub(r"^\s*//.*$", "", candidate, flags=re.M)))
        except ValueError:
            continue
        if isinstance(value, dict) and "trammel" in value:
            yield value


def used_in(patterns):
    found = set()
    for pattern in patterns:
        for path in source.glob(pattern):
            for model in models(path.read_text(errors="replace")):
                used(schema, model, "", found)
    return found


# The list of an element, and the section that describes it. "repeat" and the options of methods have pages of their own.
SECTIONS = {"bodies": "Bodies", "joints": "Joints", "forces": "Forces", "contacts": "Contacts, events, sensors", "sensors": "Contacts, events, sensors",
            "events": "Contacts, events, sensors", "inputs": "Inputs", "outputs": "Outputs", "include": "Include", "simulation": "Simulation"}


def gaps_of_the_page(page):
    """The keys that the section of their element does not name, and the rows of the table of bodies that differ from the schema."""
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, flags=re.S | re.M))
    for name, title in SECTIONS.items():
        words = set(re.findall(r'[`"]([A-Za-z_0-9]+)[`"]', sections[title]))
        for variant, _ in variants(schema["properties"][name], ""):
            for key, value in variant["properties"].items():
                if key not in words and key != "repeat" and value.get("type") != "object":
                    yield f'"{key}" is not in the section {title} of docs/model-format.md'
    kinds = [variant for variant, _ in variants(schema["properties"]["bodies"], "")]
    marks = {"point", "fixed"}  # the schema lists them for all kinds, false for others
    for key in sorted({key for kind in kinds for key in kind["properties"]} - {"repeat"} - marks):
        row = re.search(rf"^\| `{key}` \|.*?\|((?: x? ?\|){{{len(kinds)}}})$", sections["Bodies"], flags=re.M)
        takes = ["x" if key in kind["properties"] else "" for kind in kinds]
        if not row or [cell.strip() for cell in row[1].split("|")[:-1]] != takes:
            yield f'the table of bodies: "{key}" is taken by {takes}'


keys = set()
known(schema, "", frozenset(), keys)
pages = "\n".join(path.read_text() for path in (source / "docs").rglob("*.md"))
described = set(re.findall(r'[`"]([A-Za-z_0-9]+)[`"]', pages)) | set(re.findall(r'"([A-Za-z_0-9]+)":', pages))
tried = used_in(["examples/**/*.json", "docs/**/*.md", "tests/**/*.json"])
fuzzed = used_in(["examples/*.json", "examples/problems/*.json", "tests/cli/bad/*.json", "tests/io/all_keys.json", "tests/io/more_keys.json",
                  "tests/robustness/corpus/*.json"])
missing = 0
for what, have in (("described", {k for k in keys if k[1].split()[-1] in described}), ("in a tested model", tried),
                   ("in the fuzz corpus", fuzzed)):
    for place, key in sorted(keys - have):
        print(f'"{key}" of {place} is not {what}')
        missing += 1
for gap in sorted(set(gaps_of_the_page((source / "docs/model-format.md").read_text()))):
    print(gap)
    missing += 1
print(f"{len(keys)} keys of {len({place for place, _ in keys})} kinds of elements; {missing} gaps")
sys.exit(1 if missing or len(keys) < 100 else 0)
