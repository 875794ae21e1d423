"""Pins what `requirements/` allows: exact versions, each with the hash of its file, and a bill of materials.

    /usr/bin/python3 scripts/pin_requirements.py        # asks the index, installs nothing
    /usr/bin/python3 scripts/pin_requirements.py jazzy  # the wheels of another ROS 2

It writes a folder of `requirements/pinned`, named after the Python that it was called with and the wheels
(`3.12`, `3.12-jazzy`): `run.txt` (what `run.txt` and `ros.txt` or `jazzy.txt` need in all) and `test.txt`
(what `test.txt` needs besides). With Python 3.11, the oldest one, it also writes `sbom.cdx.json` beside the
folders, a CycloneDX document of the former, for release files. All hold for the Python and the machine that
this was called on; the first lines say which. Some packages leave out the first releases of a Python: a later
3.11 than Debian's finds what Debian's cannot have.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
import uuid
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RANGES = ROOT / "requirements"
PINNED = RANGES / "pinned"
WHEELS = ("ros", "jazzy")
"""Of ROS 2, named after the files of requirements/ that ask for them."""
SBOM = PINNED / "sbom.cdx.json"
OLDEST = "3.11"
SCHEMA = "http://cyclonedx.org/schema/bom-1.5.schema.json"

VERSION = ".".join(map(str, sys.version_info[:2]))
Package = dict[str, Any]
"""As pip reports it: `metadata`, `download_info`, `requested`."""


def normal(name: str) -> str:
    """The name of a package as all spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def resolved(python: str, files: Sequence[str], pins: Sequence[str]) -> dict[str, Package]:
    """What pip would install for these requirement files, into an empty environment.

    Args:
        python: of that environment.
        files: of requirements/.
        pins: lines `name==version` that it keeps to.

    Raises:
        subprocess.CalledProcessError: pip finds none; it has said why.
    """
    with tempfile.TemporaryDirectory() as folder:
        constraints, report = Path(folder, "constraints.txt"), Path(folder, "report.json")
        constraints.write_text("\n".join(pins), encoding="utf-8")
        words = ["install", "--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
        words += ["-c", str(constraints)]
        for file in files:
            words += ["-r", str(RANGES / file)]
        subprocess.run([python, "-m", "pip", *words], check=True)
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {normal(each["metadata"]["name"]): each for each in found}


def digest(package: Package) -> str:
    """The SHA-256 of its file."""
    return str(package["download_info"]["archive_info"]["hashes"]["sha256"])


def pins(packages: dict[str, Package]) -> list[str]:
    """A line `name==version` for each."""
    return [f"{name}=={package['metadata']['version']}" for name, package in sorted(packages.items())]


def write_pins(file: Path, packages: dict[str, Package], what: str) -> None:
    """A requirement file with a hash for each line."""
    lines = [
        f"# {what}, for Python {VERSION} on {platform.machine()}-{sys.platform}.",
        "# Made by scripts/pin_requirements.py; what is allowed stands in the files of the folder above.",
    ]
    for pin, package in zip(pins(packages), [packages[each] for each in sorted(packages)], strict=True):
        lines.append(f"{pin} --hash=sha256:{digest(package)}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def licence(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """As CycloneDX has it: an expression of SPDX where the package gives one, else its own words."""
    if expression := metadata.get("license_expression"):
        return [{"expression": expression}]
    classifiers = [each for each in metadata.get("classifier", []) if each.startswith("License")]
    words = (metadata.get("license") or "").strip().splitlines()[:1]  # some have the whole text there
    named = [each.rpartition(" :: ")[2] for each in classifiers] or [each[:100] for each in words]
    return [{"license": {"name": each}} for each in named]


def component(name: str, package: Package) -> dict[str, Any]:
    """One package, as CycloneDX has it."""
    metadata, version = package["metadata"], package["metadata"]["version"]
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "hashes": [{"alg": "SHA-256", "content": digest(package)}],
    }
    if licences := licence(metadata):
        made["licenses"] = licences
    return made


def needs(name: str, package: Package, packages: dict[str, Package]) -> list[str]:
    """Which of the packages a package names among its requirements, optional ones too."""
    lines = package["metadata"].get("requires_dist", [])
    asked = {normal(re.split(r"[\s\[<>=~!;(]", line)[0]) for line in lines}
    return sorted((asked & packages.keys()) - {name})


def bill_of_materials(packages: dict[str, Package]) -> dict[str, Any]:
    """CycloneDX 1.5 of odesim with these packages, and of what Debian brings."""
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    version = str(manifest.findtext("version"))
    own = f"pkg:generic/odesim@{version}"
    system = {
        "type": "library",
        "bom-ref": "pkg:deb/debian/python3-pyode",
        "name": "python3-pyode",
        "purl": "pkg:deb/debian/python3-pyode",
        "description": "PyODE and, with it, ODE: from the system's packages, in the system's version",
    }
    parts = [component(name, packages[name]) for name in sorted(packages)]
    reference = {each["name"]: each["bom-ref"] for each in parts}
    asked = [reference[name] for name in sorted(packages) if packages[name]["requested"]]
    dependencies = [{"ref": own, "dependsOn": [*asked, system["bom-ref"]]}]
    for name in sorted(packages):
        wanted = [reference[each] for each in needs(name, packages[name], packages)]
        dependencies.append({"ref": reference[name], "dependsOn": wanted})
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([own, parts]))
    return {
        "$schema": SCHEMA,
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "odesim",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [*parts, system],
        "dependencies": dependencies,
    }


def main() -> None:
    """Pin."""
    wheels = sys.argv[1] if len(sys.argv) > 1 else WHEELS[0]
    if wheels not in WHEELS:
        sys.exit(f"found {wheels}, expected one of {', '.join(WHEELS)}")
    run_files = ("run.txt", f"{wheels}.txt")
    pinned = PINNED / (VERSION if wheels == WHEELS[0] else f"{VERSION}-{wheels}")
    pinned.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = f"{folder}/bin/python"
        # The one that ensurepip brings may be too old to ask for hashes without the files.
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", "pip"], check=True)
        every = resolved(python, (*run_files, "test.txt"), [])
        run = resolved(python, run_files, pins(every))
    write_pins(pinned / "run.txt", run, f"What {' and '.join(run_files)} need in all")
    besides = {name: package for name, package in every.items() if name not in run}
    write_pins(pinned / "test.txt", besides, "What test.txt needs besides")
    if pinned.name == OLDEST:
        SBOM.write_text(json.dumps(bill_of_materials(run), indent=1) + "\n", encoding="utf-8")
    print(f"{len(run)} packages for running, {len(besides)} more for the tests")


if __name__ == "__main__":
    main()
