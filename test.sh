#!/usr/bin/env bash
# Runs the checkers and the tests: ./test.sh [ARGUMENTS of pytest]. Installs what is missing on the first start.
set -euo pipefail

# shellcheck source=scripts/setup_env.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup_env.sh"
odesim_setup test
cd "$ODESIM_ROOT"

# The slowest checker works beside the tests and says its word among theirs: their closing line stays the last one.
check_types() {
    local said code=0
    said="$("$PYTHON" -m mypy 2>&1)" || code=$?
    printf '\n== mypy\n%s\n' "$said"
    if [[ $code -ne 0 ]]; then echo "== note: mypy FAILED, so this run fails whatever the tests say"; fi
    return "$code"
}
check_types &
mypy=$!
trap 'kill "$mypy" 2>/dev/null || true' EXIT

failed=()
for checker in "ruff check" "ruff format --check"; do
    echo "== $checker"
    read -ra words <<<"$checker"
    "$PYTHON" -m "${words[@]}" || failed+=("$checker")
done

echo "== pytest ${*}"
for checker in "${failed[@]}"; do echo "== note: $checker FAILED above, so this run fails whatever the tests say"; done
tests=0
# Hundreds of tests start processes, and each worker reads all tests: where nothing compiled may be kept, all of them
# would compile every module each time.
unset PYTHONDONTWRITEBYTECODE
"$PYTHON" -m compileall -q sim_core ros_bridge webots_api || true # an error in one is for the tests to tell
# Two workers more than processors, because many tests wait for processes and messages more than they compute. A file
# stays with one worker, so that what its tests share is made once; test/conftest.py puts the longest files first.
workers=$(($(nproc) + 2))
"$PYTHON" -m pytest -n "$((workers < 6 ? workers : 6))" --dist loadfile --no-loadscope-reorder "$@" || tests=$?
wait "$mypy" || failed+=(mypy)
if [[ ${#failed[@]} -gt 0 && $tests -eq 0 ]]; then exit 1; fi
exit "$tests"
