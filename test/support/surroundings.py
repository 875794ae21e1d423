"""Commands in a world of their own: mounts that nobody else sees, fewer resources, another clock."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
/* Wall time is an hour ago as soon as the file CLOCK_SET_BACK is there. */
static long back(void) {
    const char *file = getenv("CLOCK_SET_BACK");
    return file && access(file, F_OK) == 0 ? 3600 : 0;
}
int clock_gettime(clockid_t which, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(which, now);
    if (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE) now->tv_sec -= back();
    return code;
}
int gettimeofday(struct timeval *now, void *zone) {
    struct timespec found;
    (void)zone;
    int code = clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return code;
}
time_t time(time_t *where) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (where) *where = found.tv_sec;
    return found.tv_sec;
}
"""


@cache
def unshare() -> tuple[str, ...]:
    """What gives a command mounts of its own; empty: that is not allowed here."""
    for words in (("unshare", "--mount"), ("unshare", "--user", "--map-root-user", "--mount")):
        if (
            shutil.which("unshare")
            and not subprocess.run(
                [*words, "sh", "-c", 'mount -t tmpfs none "$0"', "/mnt"], capture_output=True, check=False
            ).returncode
        ):
            return words
    return ()


def mounted(prepare: str, *command: str | Path, after: str = "") -> list[str]:
    """A command with mounts of its own.

    Args:
        prepare: lines of shell that make them.
        command: what is done there.
        after: lines of shell that are done behind it, whatever came of it; `$code` is its exit code.
    """
    words = " ".join(shlex.quote(str(each)) for each in command)
    return [*unshare(), "sh", "-ec", f"{prepare}\ncode=0\n{words} || code=$?\n{after}\nexit $code"]


def no_shared_memory(folder: Path) -> str:
    """Lines of shell that make /dev a folder that has what programs need, but no shared memory."""
    dev = shlex.quote(str(folder))
    lines = [f"mount -t tmpfs none {dev}"]
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        lines += [f"touch {dev}/{name}", f"mount --bind /dev/{name} {dev}/{name}"]
    lines += [f"ln -s /proc/self/fd {dev}/fd", f"mount --rbind {dev} /dev"]
    return "\n".join(lines)


def clock_library(folder: Path) -> Path:
    """A library for LD_PRELOAD, with which wall time is set back when the file of CLOCK_SET_BACK appears."""
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(CLOCK, encoding="utf-8")
    words = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    subprocess.run(words, check=True, capture_output=True)
    return library
