#!/usr/bin/env bash
# Runs the checkers and the tests: ./test.sh [ARGUMENTS of pytest]. Installs what is missing on the first start.
set -euo pipefail

# shellcheck source=scripts/setup_env.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup_env.sh"
odesim_setup test
cd "$ODESIM_ROOT"

failed=()
for checker in "ruff check" "ruff format --check" mypy; do
    echo "== $checker"
    read -ra words <<<"$checker"
    "$PYTHON" -m "${words[@]}" || failed+=("$checker")
done

# Said before the tests, because their closing line stays the last one.
echo "== pytest ${*}"
for checker in "${failed[@]}"; do echo "== note: $checker FAILED above, so this run fails whatever the tests say"; done
tests=0
# Files side by side: many tests wait for processes and messages more than they compute.
"$PYTHON" -m pytest -n auto --maxprocesses 4 --dist loadfile "$@" || tests=$?
if [[ ${#failed[@]} -gt 0 && $tests -eq 0 ]]; then exit 1; fi
exit "$tests"
