# shellcheck shell=bash
# Sourced by run.sh and test.sh: makes what odesim needs, once, and sets PYTHON to the interpreter to use.
#
#   odesim_setup run|test
#
# What is made stands in .venv (or .venv-$ROS_DISTRO where a ROS 2 installation is sourced). Each step ends by writing
# a stamp of what it was made from; while the stamps are current no apt, pip or compiler is called. A step that was
# killed has no stamp and is done again; one that failed goes on from what it had.
#
# ODESIM_ROS=jazzy: the wheels of Jazzy in place of Kilted's, in .venv-jazzy-wheels.

ODESIM_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
SYSTEM_PYTHON=/usr/bin/python3 # apt installs PyODE for this one
OLDEST_PYTHON=3.11             # as in setup.py

odesim_setup() {
    local use="$1"
    choose_python
    # shellcheck disable=SC2034 # for the script that sources this
    PYTHON="$VENV/bin/python"
    if ! is_current "$use"; then
        # One set-up at a time; the lock is on this file, so nothing is left behind.
        (
            flock 9
            if ! is_current "$use"; then make_environment "$use"; fi
        ) 9<"$ODESIM_ROOT/scripts/setup_env.sh"
    fi
    if ! has_command; then make_command; fi
    export PYTHONPATH="$ODESIM_ROOT${PYTHONPATH:+:$PYTHONPATH}"
    export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"
}

# Sets BASE_PYTHON, VENV, INSTALLED_ROS: the distribution of an installation that is sourced, or nothing, and
# WHEELS: the file of requirements/ that asks for wheels of ROS 2, without .txt, or nothing: there are none, or an
# installation is used.
choose_python() {
    BASE_PYTHON="$SYSTEM_PYTHON"
    VENV="$ODESIM_ROOT/.venv"
    INSTALLED_ROS=""
    case "${ODESIM_ROS:-kilted}" in
        kilted) WHEELS=ros ;;
        jazzy)
            WHEELS=jazzy
            VENV+="-jazzy-wheels"
            ;;
        *)
            echo "odesim: found ODESIM_ROS=$ODESIM_ROS, expected kilted or jazzy: whose wheels to install" >&2
            return 2
            ;;
    esac
    if [[ "$HOSTTYPE" != x86_64 ]]; then WHEELS=""; fi # rclpy has none for other processors
    if [[ -z "${ROS_DISTRO:-}" ]]; then return; fi
    if python3 -c 'import rclpy' 2>/dev/null; then
        BASE_PYTHON="$(command -v python3)"
        VENV="$ODESIM_ROOT/.venv-$ROS_DISTRO"
        INSTALLED_ROS="$ROS_DISTRO"
        WHEELS=""
    else
        echo "odesim: python3 has no rclpy of the ROS 2 installation $ROS_DISTRO: it is not used" >&2
    fi
}

make_environment() {
    local use="$1"
    if [[ -x "$BASE_PYTHON" ]]; then require_python; fi
    if [[ -z "$WHEELS$INSTALLED_ROS" ]]; then say_without_ros "$use"; fi
    install_apt_packages "$use"
    require_python
    make_venv
    KERNELS="" # the process that compiles them, while it does so beside pip
    install_requirements "$use"
    compile_kernels
}

# Ends the set-up in one line where Python is too old, before anything is installed.
require_python() {
    if "$BASE_PYTHON" -c "import sys; sys.exit(sys.version_info < (${OLDEST_PYTHON/./, }))"; then return; fi
    local system=""
    if [[ -r /etc/os-release ]]; then system=" of $(. /etc/os-release && echo "$PRETTY_NAME")"; fi
    echo "odesim: $BASE_PYTHON$system is $("$BASE_PYTHON" --version), and odesim needs Python $OLDEST_PYTHON or later:" \
        "use Debian 12, Ubuntu 24.04 or later, on the machine or in a container" >&2
    return 1
}

# Says what there is without ROS 2; false for the tests, which need it.
say_without_ros() {
    local why="odesim: no ROS 2 is sourced, and the package index has it for x86-64 only"
    if [[ "$1" == test ]]; then
        echo "$why: the tests need one from apt (source its setup.bash)" >&2
        return 1
    fi
    echo "$why: all works but topics, bags and controllers" >&2
}

has_command() { [[ -x "$VENV/bin/odesim" ]] && compgen -G "$VENV/lib/python3*/site-packages/odesim.pth" >/dev/null; }

is_current() {
    { [[ "$1" != test ]] || command -v g++ >/dev/null; } && [[ -x "$VENV/bin/python" ]] &&
        [[ "$(cat "$VENV/odesim-$1.stamp" 2>/dev/null)" == "$(packages_key "$1")" ]] &&
        [[ "$(cat "$VENV/odesim-kernels.stamp" 2>/dev/null)" == "$(kernels_key)" ]]
}

# The requirement files that a use of the environment needs.
requirement_files() {
    local name
    for name in run $WHEELS; do echo "$ODESIM_ROOT/requirements/$name.txt"; done
    if [[ "$1" == test ]]; then echo "$ODESIM_ROOT/requirements/test.txt"; fi
}

# The same pinned, with hashes, for the Python and the machine that there are pins for; nothing for others.
pinned_files() {
    local about="" folder
    folder="$(pinned_folder)"
    if [[ -n "$WHEELS" && -e "$folder/run.txt" ]]; then read -r about <"$folder/run.txt"; fi
    [[ "$about" == *", for $(python_and_machine)." ]] || return 0
    echo "$folder/run.txt"
    if [[ "$1" == test ]]; then echo "$folder/test.txt"; fi
}

# As pin_requirements.py names it.
pinned_folder() {
    local suffix="-$WHEELS"
    echo "$ODESIM_ROOT/requirements/pinned/$(python_version)${suffix#-ros}"
}

# As pin_requirements.py writes it; without starting Python, for each start asks.
python_and_machine() { echo "Python $(python_version) on $HOSTTYPE-${OSTYPE%%-*}"; }

python_version() {
    local python
    python="$(readlink -f "$BASE_PYTHON")"
    echo "${python##*/python}"
}

packages_key() {
    local files
    mapfile -t files < <(requirement_files "$1" && pinned_files "$1")
    echo "$(readlink -f "$BASE_PYTHON") $(cat "${files[@]}" | sha256sum)"
}

# numba keeps its compiled code by path, time, processor and its own version, so these make the key.
kernels_key() {
    packages_key run
    find "$ODESIM_ROOT/sim_core" \( -name '*kernel*.py' -o -name '*tree*.py' -o -name compiled.py \) \
        -exec stat -c '%n %Y %s' {} + | sort
    grep -m1 'model name' /proc/cpuinfo || true
}

install_apt_packages() {
    local use="$1" missing=()
    local headers='import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
    if [[ ! -x "$BASE_PYTHON" ]]; then missing+=(python3); fi
    "$BASE_PYTHON" -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    "$BASE_PYTHON" -c 'import ode' 2>/dev/null || missing+=(python3-pyode)
    if [[ ! -e /etc/ssl/certs/ca-certificates.crt ]]; then missing+=(ca-certificates); fi
    if [[ "$use" == test ]]; then
        install_browser
        # Tests build controllers in C and C++.
        command -v g++ >/dev/null || missing+=(gcc g++ libc6-dev)
        # And the ode module of packaging/ode.
        command -v ode-config >/dev/null || missing+=(libode-dev)
        "$BASE_PYTHON" -c "$headers" 2>/dev/null || missing+=(python3-dev)
    fi
    # OpenGL for the pictures of cameras: moderngl loads these two by name, Mesa draws where no graphics card does.
    local library
    library='import ctypes, sys; ctypes.CDLL(sys.argv[1])'
    "$BASE_PYTHON" -c "$library" libEGL.so.1 2>/dev/null || missing+=(libegl1)
    "$BASE_PYTHON" -c "$library" libGL.so.1 2>/dev/null || missing+=(libgl1)
    "$BASE_PYTHON" -c "$library" libEGL_mesa.so.0 2>/dev/null || missing+=(libegl-mesa0 libgl1-mesa-dri)
    if [[ ${#missing[@]} -eq 0 ]]; then
        echo "[1/4] system packages: nothing missing"
        return
    fi
    echo "[1/4] system packages: installing ${missing[*]}"
    if ! apt_install "${missing[@]}"; then
        echo "odesim: please install ${missing[*]} (Debian and Ubuntu names) and start again" >&2
        return 1
    fi
    if ! "$BASE_PYTHON" -c 'import ode'; then
        echo "odesim: $BASE_PYTHON does not find PyODE (module ode), though python3-pyode is installed" >&2
        return 1
    fi
}

# One test drives the viewer in a browser. It is skipped where there is none, so this may fail; Ubuntu has
# Chromium as a snap only, which cannot be driven so.
install_browser() {
    if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then return; fi
    if ! grep -qs '^ID=debian' /etc/os-release; then return; fi
    echo "[1/4] system packages: installing chromium for the test of the viewer"
    apt_install chromium chromium-driver || echo "odesim: no chromium, so the test of the viewer is skipped" >&2
}

apt_install() {
    command -v apt-get >/dev/null || return 1
    local as_root=()
    if [[ "$(id -u)" -ne 0 ]]; then
        command -v sudo >/dev/null || return 1
        as_root=(sudo)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive)
    local apt=("${as_root[@]}" apt-get -y -q -o DPkg::Lock::Timeout=300)
    quietly "${as_root[@]}" dpkg --configure -a && # finishes an installation that was killed
        quietly "${apt[@]}" update -qq && quietly "${apt[@]}" install --no-install-recommends "$@"
}

# Runs a command with a dot every other second in place of its output; if it fails, the end of that is shown.
quietly() {
    local log status=0 began=$SECONDS
    log="$(mktemp)"
    (while sleep 2 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do printf .; done) 9>&- &
    local dots=$!
    "$@" >"$log" 2>&1 || status=$?
    kill "$dots"
    wait "$dots" 2>/dev/null || true
    if ((SECONDS - began >= 2)); then echo " $((SECONDS - began)) s"; fi
    if [[ $status -ne 0 ]]; then
        echo "odesim: failed: $*" >&2
        tail -n 20 "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

make_venv() {
    local base
    base="$(readlink -f "$BASE_PYTHON")"
    if [[ ! -e "$VENV/odesim-installing" && "$(readlink -f "$VENV/bin/python")" == "$base" ]] &&
        "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
        echo "[2/4] virtual environment: kept ${VENV##*/}"
        return
    fi
    echo "[2/4] virtual environment: making ${VENV##*/}"
    rm -rf "$VENV"
    "$BASE_PYTHON" -m venv --system-site-packages "$VENV"
}

# The command odesim and the packages sim_core and ros_bridge, for any folder. The path in the .pth file is relative
# to the folder that it is in, so that a copy of the checkout with its environment finds its own code.
make_command() {
    local made="$VENV/bin/odesim.$$" packages
    packages="$(echo "$VENV"/lib/python3*/site-packages)"
    echo ../../../.. >"$packages/odesim.pth.$$"
    mv "$packages/odesim.pth.$$" "$packages/odesim.pth"
    cat >"$made" <<'END'
#!/bin/sh
here="$(dirname "$(readlink -f "$0")")"
root="$(dirname "$(dirname "$here")")"
export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"
exec "$here/python" "$root/scripts/lib/sim" "$@"
END
    chmod +x "$made"
    mv "$made" "$VENV/bin/odesim"
}

install_requirements() {
    local use="$1" file arguments=()
    if [[ "$(cat "$VENV/odesim-$use.stamp" 2>/dev/null)" == "$(packages_key "$use")" ]]; then
        echo "[3/4] Python packages: nothing missing"
        return
    fi
    echo "[3/4] Python packages: installing (some 100 MB the first time, a minute or more)"
    if ! install_pinned "$use"; then
        while read -r file; do arguments+=(-r "$file"); done < <(requirement_files "$use")
        # The messages of a ROS 2 installation are compiled against the numpy it came with.
        if [[ -n "$INSTALLED_ROS" ]]; then
            arguments+=("numpy==$("$BASE_PYTHON" -c 'import numpy; print(numpy.__version__)')")
        fi
        if ! pip_install "${arguments[@]}"; then
            echo "odesim: pip could not install what requirements/ lists; see the lines above, then start again:" \
                "what is installed is kept" >&2
            return 1
        fi
    fi
    packages_key "$use" >"$VENV/odesim-$use.stamp"
    packages_key run >"$VENV/odesim-run.stamp" # the tests need that and more
}

pip_install() {
    local status=0 metadata
    touch "$VENV/odesim-installing" # found by a later set-up: pip was killed and may have left half a package
    quietly "$VENV/bin/python" -m pip install --disable-pip-version-check "$@" || status=$?
    if ((status > 128)); then return "$status"; fi
    # A pip that fails brings back what it was replacing; a package that it could not finish has no RECORD yet.
    for metadata in "$VENV"/lib/python3*/site-packages/*.dist-info; do
        if [[ -d "$metadata" && ! -e "$metadata/RECORD" ]]; then rm -r "$metadata"; fi
    done
    rm "$VENV/odesim-installing"
    return "$status"
}

# The pinned packages; false where there are none for this Python and machine, or the index has them no more. A file
# that is another than the pinned one ends the set-up: that is what the hashes are for. So does a network that lets
# nothing through: asking for other versions would take as long again.
install_pinned() {
    local use="$1" file arguments=() log why
    while read -r file; do arguments+=(-r "$file"); done < <(pinned_files "$use")
    if [[ ${#arguments[@]} -eq 0 ]]; then
        if [[ -z "$INSTALLED_ROS" ]]; then
            echo "odesim: no pinned packages for $(python_and_machine): installing what requirements/ allows" >&2
        fi
        return 1
    fi
    begin_kernels
    log="$(mktemp)"
    # Compiling what it installs takes pip half of its time; Python compiles what it imports, once.
    if pip_install --no-compile --no-deps --require-hashes "${arguments[@]}" 2>"$log"; then
        rm "$log"
        return 0
    fi
    if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
        grep -A 6 'DO NOT MATCH THE HASHES' "$log" >&2
        echo "odesim: a package is another than the one that requirements/pinned names; see the lines above" >&2
        rm "$log"
        exit 1
    fi
    why="$(grep -oE "connection broken by '[A-Za-z]+" "$log" | tail -n 1)" || true
    if [[ -n "$why" ]] && grep -q 'from versions: none' "$log"; then
        echo "odesim: pip reaches no package index (${why##*\'}): tell pip what your network asks for, such as" \
            "https_proxy, PIP_INDEX_URL or PIP_CERT, and start again" >&2
        rm "$log"
        exit 1
    fi
    why="$(grep -o 'ERROR: .*' "$log" | tail -n 1 | cut -c 1-200)"
    rm "$log"
    echo "odesim: the pinned packages cannot be had (${why:-pip failed}): installing what requirements/ allows" >&2
    return 1
}

# Has the kernels compiled while pip loads what they do not need. What they need is pinned, so it will not change.
begin_kernels() {
    if [[ "$(cat "$VENV/odesim-kernels.stamp" 2>/dev/null)" == "$(kernels_key)" ]]; then return; fi
    pip_install --no-compile --no-deps --require-hashes \
        -r <(grep -E '^(llvmlite|numba|numpy|pyyaml|transforms3d)==' "$(pinned_files run)") 2>/dev/null || return 0
    make_kernels >"$VENV/odesim-kernels.log" 2>&1 9>&- &
    KERNELS=$!
    trap 'kill "$KERNELS" 2>/dev/null || true' EXIT
}

compile_kernels() {
    if [[ "$(cat "$VENV/odesim-kernels.stamp" 2>/dev/null)" == "$(kernels_key)" ]]; then
        echo "[4/4] kernels: compiled already"
        return
    fi
    echo "[4/4] kernels: compiling"
    if [[ -n "$KERNELS" ]]; then tail -n +1 -f --pid="$KERNELS" "$VENV/odesim-kernels.log"; fi
    if [[ -z "$KERNELS" ]] || ! wait "$KERNELS"; then (make_kernels); fi
    kernels_key >"$VENV/odesim-kernels.stamp"
}

# Becomes the process that compiles.
make_kernels() {
    # numba does not see a change in a function that a cached one calls.
    find "$ODESIM_ROOT/sim_core" -name '*.nb[ci]' -delete
    export PYTHONPATH="$ODESIM_ROOT${PYTHONPATH:+:$PYTHONPATH}"
    exec "$VENV/bin/python" -m sim_core.compile_kernels
}
