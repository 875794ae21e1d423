"""Reading a Makefile, which is parsed as text and not run."""

from pathlib import Path

import pytest

from ros_bridge.controller_api.makefiles import makefile_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "controllers" / "drive"
    made.mkdir(parents=True)
    (made / "parts").mkdir()
    for name in ("a.cpp", "b.cpp", "c.c", "parts/d.c"):
        (made / name).write_text("")
    return made


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("", []),
        ("CPP_SOURCES = a.cpp b.cpp\n", ["a.cpp", "b.cpp"]),
        ("CPP_SOURCES = a.cpp \\\n  b.cpp # two\ninclude Makefile.include\n", ["a.cpp", "b.cpp"]),
        ("C_SOURCES = c.c\nCXX_SOURCES := a.cpp\nCXX_SOURCES += b.cpp\n", ["c.c", "a.cpp", "b.cpp"]),
        ("PARTS = a\nCC_SOURCES = $(PARTS).cpp ${OTHERS}\nOTHERS = b.cpp\n", ["a.cpp", "b.cpp"]),
        ("CPP_SOURCES = $(wildcard *.cpp)\n", ["a.cpp", "b.cpp"]),
        ("P = ./parts\nC_SOURCES = $(wildcard $(P)/*.c ../*.c /*.c)\n", ["parts/d.c"]),
        ("C_SOURCES ?= c.c\nC_SOURCES ?= d.c\n", ["c.c"]),
        ("ifeq ($(OSTYPE),windows)\nC_SOURCES = w.c\nelse\nC_SOURCES = c.c\nendif\n", ["c.c"]),
        ('ifneq "$(NAME)" "drive"\nC_SOURCES = w.c\nendif\n', []),
        (
            "ifdef NAME\nifndef GONE\nC_SOURCES = c.c\nendif\nC_SOURCES += $(NAME).c\nendif\n",
            ["c.c", "drive.c"],
        ),
        ("all:\n\tC_SOURCES = rule.c\n", []),
        ("A = $(A)$(A)\nC_SOURCES = $(A)c.c\n", None),
    ],
)
def test_sources_that_a_makefile_names(folder: Path, text: str, sources: list[str] | None) -> None:
    (folder / "Makefile").write_text(text)
    found = makefile_in(folder).sources
    assert sources is None or found == sources


def test_flags_that_start_nothing_are_taken_over(folder: Path) -> None:
    text = """CFLAGS = -O3 -DNAME="a b" -std=c++17 -Wall -fno-exceptions -fplugin=evil.so -wrapper x -B. @file
INCLUDE = -I parts -I"$(WEBOTS_HOME)/include/controller/cpp" -Iinc
LIBRARIES = -L. -l m -pthread $(shell id) -Wl,-rpath,x -L$(WEBOTS_LIB_PATH) -lCppController -ldriver -lcar
"""
    (folder / "Makefile").write_text(text)
    found = makefile_in(folder)
    assert found.compile_flags == [
        *("-O3", "-DNAME=a b", "-std=c++17", "-Wall", "-fno-exceptions", "-Iparts", "-Iinc")
    ]
    assert found.link_flags == ["-L.", "-lm", "-pthread"]
    assert {"-fplugin=evil.so", "-wrapper", "-B.", "@file", "-Wl,-rpath,x"} <= set(found.left_out)


def test_a_folder_without_a_makefile_says_nothing(folder: Path) -> None:
    found = makefile_in(folder)
    assert not found.sources and not found.compile_flags and not found.left_out
