#!/usr/bin/env bash
# Runs a world: ./run.sh [WORLD] [OPTIONS of `odesim run`]. Installs what is missing on the first start.
# At a terminal the browser viewer comes along, unless --no-viewer is among the options.
set -euo pipefail

# shellcheck source=scripts/setup_env.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup_env.sh"
odesim_setup run

names_a_world() {
    local argument
    if [[ $# -gt 0 && "$1" != -* ]]; then return 0; fi
    for argument in "$@"; do
        case "$argument" in *.wbt | *.x3d) return 0 ;; esac
    done
    return 1
}

if ! names_a_world "$@"; then set -- "$ODESIM_ROOT/worlds/wall_avoiders.wbt" "$@"; fi
if [[ -t 1 ]]; then set -- --viewer "$@"; fi # a later --no-viewer wins
exec "$PYTHON" "$ODESIM_ROOT/scripts/lib/sim" run "$@"
