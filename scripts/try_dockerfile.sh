#!/usr/bin/env bash
# Does what the Dockerfile says, in a chroot in place of a container, and runs odesim there:
#
#     debootstrap --variant=minbase trixie /tmp/root && scripts/try_dockerfile.sh /tmp/root
#
# As root. The FROM line is what the chroot stands for; of the network and the certificates it has what it comes with.
set -euo pipefail

root="$(realpath "$1")"
checkout="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# Runs a command in the chroot, with /proc, /dev and /sys of its own mounts, which go when it ends.
inside() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --propagation private bash -euc '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        exec chroot "$0" env -i HOME=/root TERM=dumb PATH="$1" ${PIP_CERT:+PIP_CERT=$PIP_CERT} bash -euc "$2"
    ' "$root" "$path" "$1"
}

path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
while read -r instruction words; do
    case "$instruction" in
        COPY)
            echo "== COPY $words"
            mkdir -p "$root${words#. }"
            git -C "$checkout" ls-files -z | tar -C "$checkout" --null -T - -cf - | tar -C "$root${words#. }" -xf -
            ;;
        RUN)
            echo "== RUN $words"
            time inside "$words"
            ;;
        ENV) path="${words#PATH=}" ;;
        "" | "#" | FROM | ENTRYPOINT | CMD) ;;
        *)
            echo "Dockerfile: found $instruction, which this script does not know" >&2
            exit 2
            ;;
    esac
done <"$checkout/Dockerfile"
echo "== odesim run"
inside "odesim run office --mode fast --duration 5 --no-controllers && odesim check office"
