# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""validate.py FMU VERSION [changed]: checks an FMU against the rules of FMI 2.0.4 or 3.0, as their text states them, without any code of the exporter.

Structure of the archive (2.3 of FMI 2, 2.5 of FMI 3), elements and attributes of modelDescription.xml with their order, types and allowed
values (2.2; 2.4), and what schemas cannot say: unique names and references, combinations of causality, variability and initial,
when start values are needed, which variables the structure lists and in which order, units that are defined.

With changed, the description is changed and checked once for each line PATTERN@REPLACEMENT of the standard input: mistakes must be found
in each of them. The exit code is the number of changes that pass.
"""

import re
import sys
import xml.etree.ElementTree as xml
import zipfile

mistakes = []


def check(condition, text):
    if not condition:
        mistakes.append(text)
    return condition


BOOLEAN = r"true|false|0|1"
NUMBER = r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|-?INF|NaN"
UNSIGNED = r"\d+"
TEXT = r"[^\n\t\r]*"
IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"


def attributes(element, required, optional):
    """Attributes are known, there where required, and of their form."""
    known = {**required, **optional}
    for name in required:
        check(name in element.attrib, f"{element.tag} has no attribute {name}")
    for name, value in element.attrib.items():
        if check(name in known, f"{element.tag} has an unknown attribute {name}"):
            check(re.fullmatch(known[name], value, re.S), f'{element.tag}: {name} = "{value}" has a wrong form')


def children(element, order):
    """Children come in this order, each at most as often as it may."""
    at = 0
    tags = [name for name, _ in order]
    seen = {}
    for child in element:
        if not check(child.tag in tags, f"{element.tag} has an unknown child {child.tag}"):
            continue
        place = tags.index(child.tag)
        check(place >= at, f"{element.tag}: {child.tag} comes too late")
        at = max(at, place)
        seen[child.tag] = seen.get(child.tag, 0) + 1
        check(order[place][1] or seen[child.tag] == 1, f"{element.tag} has {child.tag} more than once")


VERSIONS = {
    2: {
        "root": (
            {"fmiVersion": "2\\.0", "modelName": ".*", "guid": TEXT},
            {"description": ".*", "author": ".*", "version": TEXT, "copyright": ".*", "license": ".*", "generationTool": TEXT,
             "generationDateAndTime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)?",
             "variableNamingConvention": "flat|structured", "numberOfEventIndicators": UNSIGNED},
        ),
        "order": [("ModelExchange", False), ("CoSimulation", False), ("UnitDefinitions", False), ("TypeDefinitions", False),
                  ("LogCategories", False), ("DefaultExperiment", False), ("VendorAnnotations", False), ("ModelVariables", False),
                  ("ModelStructure", False)],
        "cosimulation": (
            {"modelIdentifier": IDENTIFIER},
            {name: BOOLEAN for name in ("needsExecutionTool", "canHandleVariableCommunicationStepSize", "canInterpolateInputs",
                                        "canRunAsynchronuously", "canBeInstantiatedOnlyOncePerProcess",
                                        "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate", "canSerializeFMUstate",
                                        "providesDirectionalDerivative")} | {"maxOutputDerivativeOrder": UNSIGNED},
        ),
        "platform": "binaries/linux64/",
    },
    3: {
        "root": (
            {"fmiVersion": r"3\.(0|[1-9]\d*)(\.(0|[1-9]\d*))?(-.+)?", "modelName": ".*", "instantiationToken": TEXT},
            {"description": ".*", "author": ".*", "version": TEXT, "copyright": ".*", "license": ".*", "generationTool": TEXT,
             "generationDateAndTime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)?",
             "variableNamingConvention": "flat|structured"},
        ),
        "order": [("ModelExchange", False), ("CoSimulation", False), ("ScheduledExecution", False), ("UnitDefinitions", False),
                  ("TypeDefinitions", False), ("LogCategories", False), ("DefaultExperiment", False), ("ModelVariables", False),
                  ("ModelStructure", False), ("Annotations", False)],
        "cosimulation": (
            {"modelIdentifier": IDENTIFIER},
            {name: BOOLEAN for name in ("needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess", "canGetAndSetFMUState",
                                        "canSerializeFMUState", "providesDirectionalDerivatives", "providesAdjointDerivatives",
                                        "providesPerElementDependencies", "canHandleVariableCommunicationStepSize",
                                        "providesIntermediateUpdate", "mightReturnEarlyFromDoStep",
                                        "canReturnEarlyAfterIntermediateUpdate", "hasEventMode", "providesEvaluateDiscreteStates")}
            | {"maxOutputDerivativeOrder": UNSIGNED, "recommendedIntermediateInputSmoothness": r"-?\d+",
               "fixedInternalStepSize": NUMBER},
        ),
        "platform": "binaries/x86_64-linux/",
    },
}

VALUES = {"declaredType": TEXT, "quantity": TEXT, "unit": TEXT, "displayUnit": TEXT, "relativeQuantity": BOOLEAN, "min": NUMBER,
          "max": NUMBER, "nominal": NUMBER, "unbounded": BOOLEAN, "start": NUMBER, "derivative": UNSIGNED, "reinit": BOOLEAN}
KIND = {"description": ".*", "causality": "parameter|calculatedParameter|input|output|local|independent",
        "variability": "constant|fixed|tunable|discrete|continuous", "initial": "exact|approx|calculated",
        "canHandleMultipleSetPerTimeInstant": BOOLEAN}


def check_units(root):
    units = set()
    for unit in root.findall("UnitDefinitions/Unit"):
        attributes(unit, {"name": TEXT}, {})
        children(unit, [("BaseUnit", False), ("DisplayUnit", True)])
        check(unit.get("name") not in units, f"unit {unit.get('name')} is defined twice")
        units.add(unit.get("name"))
        for base in unit.findall("BaseUnit"):
            attributes(base, {}, {name: r"-?\d+" for name in ("kg", "m", "s", "A", "K", "mol", "cd", "rad")} | {"factor": NUMBER, "offset": NUMBER})
    return units


def read_variables(root, version):
    """Tuples of the attributes of each variable, which are on two elements in FMI 2."""
    for element in root.find("ModelVariables"):
        if version == 2:
            check(element.tag == "ScalarVariable", f"ModelVariables has {element.tag}")
            attributes(element, {"name": TEXT, "valueReference": UNSIGNED}, KIND)
            if check(len(element) == 1 and element[0].tag in ("Real", "Integer", "Boolean", "String", "Enumeration"),
                     f"variable {element.get('name')} has no type"):
                attributes(element[0], {}, VALUES)
                yield {**element.attrib, **element[0].attrib}
        else:
            check(element.tag == "Float64", f"ModelVariables has {element.tag}")
            attributes(element, {"name": TEXT, "valueReference": UNSIGNED},
                       {**KIND, **VALUES, "intermediateUpdate": BOOLEAN, "previous": UNSIGNED, "clocks": r"[\d ]+"})
            yield dict(element.attrib)


# Which combinations of variability and causality there are, and the default and other values of initial there (tables of 2.2.7 and 2.4.7.5).
INITIAL = {
    ("fixed", "parameter"): ("exact",), ("tunable", "parameter"): ("exact",),
    ("fixed", "calculatedParameter"): ("calculated", "approx"), ("tunable", "calculatedParameter"): ("calculated", "approx"),
    ("discrete", "input"): (), ("continuous", "input"): (),
    ("constant", "output"): ("exact",), ("discrete", "output"): ("calculated", "exact", "approx"),
    ("continuous", "output"): ("calculated", "exact", "approx"),
    ("constant", "local"): ("exact",), ("fixed", "local"): ("calculated", "approx"), ("tunable", "local"): ("calculated", "approx"),
    ("discrete", "local"): ("calculated", "exact", "approx"), ("continuous", "local"): ("calculated", "exact", "approx"),
    ("continuous", "independent"): (),
}


def check_variable(v, version, units):
    name, causality, variability = v["name"], v.get("causality", "local"), v.get("variability", "continuous")
    if not check((variability, causality) in INITIAL, f"{name}: {variability} {causality} does not exist"):
        return None
    allowed = INITIAL[variability, causality]
    # In FMI 3 an input has initial = exact by default and may say so.
    if version == 3 and causality == "input":
        allowed = ("exact",)
    initial = v.get("initial", allowed[0] if allowed else None)
    check(initial in allowed or (initial is None and not allowed), f"{name}: initial = {initial} is not allowed for a {variability} {causality}")
    needs_start = initial in ("exact", "approx") or causality in ("input", "parameter") or variability == "constant"
    check(not needs_start or "start" in v, f"{name} has no start value")
    check("start" not in v or (initial != "calculated" and causality != "independent"), f"{name} must not have a start value")
    if "unit" in v:
        check(v["unit"] in units, f"{name}: unit {v['unit']} is not defined")
    if "start" in v:
        check(float(v.get("min", "-inf")) <= float(v["start"]) <= float(v.get("max", "inf")), f"{name}: start is out of its range")
    if "min" in v and "max" in v:
        check(float(v["min"]) <= float(v["max"]), f"{name}: min > max")
    return initial


def check_variables(root, version, units):
    variables = list(read_variables(root, version))
    names = [v["name"] for v in variables]
    check(len(variables) > 0, "there are no variables")
    check(len(set(names)) == len(names), f"names are not unique: {[n for n in set(names) if names.count(n) > 1]}")
    references = [v["valueReference"] for v in variables]
    check(len(set(references)) == len(references), "value references are not unique")
    initial = [check_variable(v, version, units) for v in variables]
    independent = [v for v in variables if v.get("causality") == "independent"]
    check(len(independent) == 1 if version == 3 else len(independent) <= 1, f"there are {len(independent)} independent variables")
    return variables, initial


def check_structure(root, version, variables, initial):
    outputs = [i for i, v in enumerate(variables) if v.get("causality") == "output"]
    unknowns = [i for i in outputs if initial[i] in ("calculated", "approx")]
    unknowns += [i for i, v in enumerate(variables) if v.get("causality") == "calculatedParameter"]
    structure = root.find("ModelStructure")
    if not check(structure is not None, "ModelStructure is missing"):
        return
    if version == 2:
        children(structure, [("Outputs", False), ("Derivatives", False), ("InitialUnknowns", False)])
        lists = [structure.findall("Outputs/Unknown"), structure.findall("InitialUnknowns/Unknown")]
        for group in ("Outputs", "InitialUnknowns"):
            check(structure.find(group) is None or len(structure.find(group)) > 0, f"{group} is empty")
        place = {str(i + 1): i for i in range(len(variables))}
        key = "index"
    else:
        children(structure, [("Output", True), ("ContinuousStateDerivative", True), ("ClockedState", True), ("InitialUnknown", True),
                             ("EventIndicator", True)])
        lists = [structure.findall("Output"), structure.findall("InitialUnknown")]
        place = {v["valueReference"]: i for i, v in enumerate(variables)}
        key = "valueReference"
    for elements, expected, what in zip(lists, (outputs, unknowns), ("outputs", "initial unknowns")):
        for element in elements:
            attributes(element, {key: UNSIGNED}, {"dependencies": r"[\d ]*", "dependenciesKind": r"[a-z ]*"})
        found = [place.get(element.get(key)) for element in elements]
        check(sorted(found, key=str) == sorted(expected, key=str), f"the {what} of the structure are not those of the variables")
        check(len(set(found)) == len(found), f"the {what} are not unique")
    check([place.get(e.get(key)) for e in lists[1]] == sorted(unknowns), "the initial unknowns are not in the order of the variables")


def check_archive(archive, version, identifier):
    names = archive.namelist()
    check(archive.testzip() is None, "the archive is damaged")
    check(len(set(names)) == len(names), "an entry is there twice")
    for info in archive.infolist():
        check(info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED), f"{info.filename} is compressed by another method")
        check(not info.filename.startswith("/") and ".." not in info.filename and "\\" not in info.filename, f"{info.filename} is no path inside")
    library = VERSIONS[version]["platform"] + identifier + ".so"
    if check(library in names, f"there is no {library}"):
        check(archive.read(library)[:4] == b"\x7fELF", f"{library} is no library")
    tops = {name.split("/")[0] for name in names}
    check(tops <= {"modelDescription.xml", "binaries", "resources", "documentation", "sources", "licenses", "model.png", "extra",
                   "terminalsAndIcons"}, f"there are other folders: {tops}")


def main(path, version, change):
    mistakes.clear()
    archive = zipfile.ZipFile(path)
    rules = VERSIONS[version]
    text = archive.read("modelDescription.xml").decode("utf-8")
    if change:
        text, count = re.subn(change[0], change[1], text, count=1)
        if count == 0:
            print(f"{path}: there is nothing like {change[0]}")
            return 0
    root = xml.fromstring(text)
    check(root.tag == "fmiModelDescription", "another root element")
    attributes(root, *rules["root"])
    children(root, rules["order"])
    cosimulation = root.find("CoSimulation")
    if check(cosimulation is not None, "there is no CoSimulation"):
        attributes(cosimulation, *rules["cosimulation"])
        check_archive(archive, version, cosimulation.get("modelIdentifier", ""))
    for category in root.findall("LogCategories/Category"):
        attributes(category, {"name": TEXT}, {"description": ".*"})
    for experiment in root.findall("DefaultExperiment"):
        attributes(experiment, {}, {name: NUMBER for name in ("startTime", "stopTime", "tolerance", "stepSize")})
        check(float(experiment.get("stepSize", "1")) > 0, "the step size is not positive")
        check(float(experiment.get("startTime", "0")) < float(experiment.get("stopTime", "inf")), "the experiment stops before its start")
    variables, initial = check_variables(root, version, check_units(root))
    check_structure(root, version, variables, initial)
    for mistake in [] if change else mistakes[:20]:
        print(f"{path}: {mistake}")
    return 1 if mistakes else 0


def unseen(path, version, changes):
    """Makes each change of "pattern@replacement" alone; returns how many of them are found to be no mistake."""
    count = 0
    for change in changes:
        if main(path, version, change.rstrip("\n").split("@")) == 0:
            print(f"FAILED: not found: {change}")
            count += 1
    return count


if len(sys.argv) > 3:
    sys.exit(min(unseen(sys.argv[1], int(sys.argv[2]), sys.stdin), 100))
sys.exit(main(sys.argv[1], int(sys.argv[2]), None))
