"""Sources of a folder that become a program, and messages if they cannot."""

import subprocess
from pathlib import Path

import pytest

from ros_bridge.controller_api.compiling import build_program, main_source
from ros_bridge.processes.controller_lookup import find_controller
from sim_core.base.errors import ConfigError

MAIN = '#include <cstdio>\nint twice(int);\nint main() {{ std::printf("{} %d\\n", twice(21)); return 0; }}\n'
TWICE = "int twice(int a) { return 2 * a; }\n"
OTHER_MAIN = "/* an attempt */ int main() { return 1; }\n"


@pytest.fixture
def controllers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "worlds").mkdir()
    return tmp_path / "controllers"


def written(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def output(controllers: Path, name: str, said: list[str] | None = None) -> str:
    """Return the output of the program built for `controller "name"`."""
    command = find_controller(name, controllers.parent / "worlds" / "w.wbt")
    assert command is not None
    program = build_program(Path(command[0]), (said if said is not None else []).append)
    assert program.name == name
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip()


def test_a_source_of_any_name_is_built_and_named_after_the_folder(controllers: Path) -> None:
    written(controllers / "drive", start__cpp=MAIN.format("any"), part__cpp=TWICE)
    assert output(controllers, "drive") == "any 42"


def test_a_makefile_says_which_sources_belong(controllers: Path) -> None:
    folder = written(
        controllers / "drive",
        one__cpp=MAIN.format("made"),
        two__cpp=TWICE,
        old__cpp=OTHER_MAIN,
        Makefile="CPP_SOURCES = one.cpp \\\n  two.cpp\ninclude Makefile.include\n",
    )
    assert output(controllers, "drive") == "made 42"
    written(controllers.parent / "shared", three__cpp=TWICE)
    (folder / "Makefile").write_text("CPP_SOURCES = one.cpp ../../shared/three.cpp\n")
    assert output(controllers, "drive") == "made 42"


def test_flags_of_a_makefile_count(controllers: Path) -> None:
    text = '#include <number.h>\n#include <stdio.h>\nint main(void) { return printf("%d\\n", A + B) < 0; }\n'
    folder = written(controllers / "drive", drive__c=text, Makefile="CFLAGS = -DA=40\nINCLUDE = -I parts\n")
    written(folder / "parts", number__h="#define B 2\n")
    assert output(controllers, "drive") == "42"
    written(folder / "parts", number__h="#define B 3\n")
    assert output(controllers, "drive") == "43"
    (folder / "Makefile").write_text("CFLAGS = -DA=50\nINCLUDE = -I parts\n")
    assert output(controllers, "drive") == "53"


def test_a_library_of_the_project_is_part_of_the_program(controllers: Path) -> None:
    """This applies also to a library of Webots of which the project has a copy."""
    library = controllers.parent / "libraries" / "arithmetic"
    written(library, Makefile='C_SOURCES = $(wildcard ./src/*.c)\nINCLUDE = -I"./include"\n')
    written(library / "src", twice__c='#include "twice.h"\nint twice(int a) { return TWO * a; }\n')
    written(library / "include", twice__h="#define TWO 2\nint twice(int);\n")
    text = "#include <twice.h>\n#include <stdio.h>\n"
    text += 'int main(void) { return printf("%d\\n", twice(21)) < 0; }\n'
    folder = written(controllers / "drive", drive__c=text)
    for place in ("../..", '"$(WEBOTS_HOME)/projects/robots"'):
        (folder / "Makefile").write_text(
            f"PLACE = {place}\nINCLUDE = -I$(PLACE)/libraries/arithmetic/include\n"
            "LIBRARIES = -L$(PLACE)/libraries/arithmetic -larithmetic -lController\n"
        )
        assert output(controllers, "drive") == "42"
    written(library / "include", twice__h="#define TWO 3\nint twice(int);\n")
    assert output(controllers, "drive") == "63"
    written(folder, drive__c=text + "int twice(int a) { return -a; }\n")
    assert output(controllers, "drive") == "-21"


def test_our_headers_come_before_a_copy_of_those_of_webots(controllers: Path) -> None:
    """Headers next to the source are also found in angle brackets, as with Webots' Makefile."""
    text = "#include <webots/robot.h>\n#include <number.h>\n#include <stdio.h>\n"
    text += 'int main(void) { return printf("%d\\n", OD_PORT + NUMBER) < 0; }\n'
    folder = written(controllers / "drive", drive__c=text, number__h="#define NUMBER 2\n")
    written(folder / "libs" / "webots", robot__h="void wb_robot_init(void);\n")
    (folder / "Makefile").write_text("INCLUDE = -Ilibs\n")
    assert output(controllers, "drive") == "48232"


def test_quotes_do_not_lead_to_the_copy_either(controllers: Path) -> None:
    """Quotes search next to the source first, as for a header of its own."""
    text = '#include "own.h"\n#include <stdio.h>\nint main(void) { return printf("%d\\n", OD_PORT) < 0; }\n'
    folder = written(controllers / "drive", drive__c=text, own__h='#include "webots/robot.h"\n')
    copy = "#ifndef WB_ROBOT_H\n#define WB_ROBOT_H\nint wb_robot_init();\n#endif\n"
    written(folder / "webots", robot__h=copy)
    assert output(controllers, "drive") == "48230"


def test_a_program_of_another_system_is_passed_over(controllers: Path) -> None:
    folder = written(controllers / "drive", drive__cpp=MAIN.format("built"), part__cpp=TWICE)
    for head in (b"\xcf\xfa\xed\xfe", b"MZ"):
        (folder / "drive").write_bytes(head + bytes(60))
        (folder / "drive").chmod(0o755)
        assert output(controllers, "drive") == "built 42"


def test_another_program_beside_the_one_named_after_the_folder_is_left_out(controllers: Path) -> None:
    said: list[str] = []
    written(controllers / "drive", drive__cpp=MAIN.format("named"), part__cpp=TWICE, old__cpp=OTHER_MAIN)
    assert output(controllers, "drive", said) == "named 42"
    assert any("not part of the program: old.cpp, which has a main of its own" in line for line in said)


def test_the_source_named_after_the_folder_is_the_program_if_it_can_be_linked(controllers: Path) -> None:
    """As with Webots' Makefile without sources; the others may be included, or be no programs at all."""
    text = (
        '#include <stdio.h>\n#include "part.c"\nint main(void) { return printf("%d\\n", twice(21)) < 0; }\n'
    )
    folder = written(controllers / "drive", drive__c=text, part__c=TWICE, notes__c="not a program")
    assert output(controllers, "drive") == "42"
    written(folder, part__c=TWICE.replace("2", "3"))
    assert output(controllers, "drive") == "63"


@pytest.mark.parametrize("suffix", ["c", "cpp"])
def test_tasks_of_a_robot_wait_for_each_other_by_its_mutexes(controllers: Path, suffix: str) -> None:
    text = """#include <stdio.h>
        #include <webots/robot.h>
        static WbMutexRef mutex;
        static int sum, ended;
        static void add(void *count) {
          for (int i = 0; i < *(int *)count; i++) {
            wb_robot_mutex_lock(mutex);
            sum = sum + 1;
            wb_robot_mutex_unlock(mutex);
          }
          wb_robot_mutex_lock(mutex);
          ended++;
          wb_robot_mutex_unlock(mutex);
        }
        int main(void) {
          int count = 100000, over = 0;
          mutex = wb_robot_mutex_new();
          for (int i = 0; i < 4; i++) wb_robot_task_new(add, &count);
          while (over < 4) {
            wb_robot_mutex_lock(mutex);
            over = ended;
            wb_robot_mutex_unlock(mutex);
          }
          wb_robot_mutex_delete(mutex);
          return printf("%d", sum) < 0;
        }"""
    written(controllers / "drive", **{f"drive__{suffix}": text})
    assert output(controllers, "drive") == "400000"


def test_of_two_programs_by_hand_the_one_that_is_named_is_built(tmp_path: Path, controllers: Path) -> None:
    folder = written(tmp_path / "mine", a__cpp=MAIN.format("a"), b__cpp=MAIN.format("b"), c__cpp=TWICE)
    for name in "ab":
        program = build_program(folder / f"{name}.cpp", str)
        assert subprocess.run([program], capture_output=True, text=True).stdout.strip() == f"{name} 42"


def test_two_mains_are_told_as_the_linker_tells_them(controllers: Path) -> None:
    """Both places, and the line that names the file."""
    folder = written(controllers / "drive", a__cpp=OTHER_MAIN, b__cpp=OTHER_MAIN)
    said: list[str] = []
    with pytest.raises(ConfigError, match=r"multiple definition of .main'"):
        output(controllers, "drive", said)
    assert any("b.cpp" in line for line in said) and any("first defined here" in line for line in said)
    assert main_source(folder) == folder / "a.cpp"


def test_all_that_a_compiler_finds_is_told(controllers: Path) -> None:
    lines = "".join(f"int f{number}(void) {{ return gone{number}; }}\n" for number in range(30))
    folder = written(controllers / "drive", drive__c=f"{lines}int main(void) {{ return 0; }}\n")
    said: list[str] = []
    with pytest.raises(ConfigError, match=r"drive\.c:1:\d+: error: .gone0. undeclared"):
        build_program(folder / "drive.c", said.append)
    assert all(any(f"gone{number}" in line for line in said) for number in range(30))


def test_a_source_outside_of_the_project_is_refused(controllers: Path) -> None:
    text = "C_SOURCES = drive.c ../../../far.c\n"
    folder = written(controllers / "drive", drive__c=OTHER_MAIN, Makefile=text)
    with pytest.raises(ConfigError, match=r"the Makefile names .*far\.c, expected a source in "):
        build_program(folder / "drive.c", str)


def test_a_folder_without_sources_has_no_program(controllers: Path) -> None:
    assert main_source(controllers / "nowhere") is None
    assert main_source(written(controllers / "empty", notes__txt="")) is None


def test_compiled_programs_come_before_scripts_and_sources_last(controllers: Path) -> None:
    """The order is that of Webots' user guide, "Controller Start-up"."""
    folder = written(controllers / "drive", drive__class="", drive__jar="", drive__py="", drive__c="")
    written(folder, drive__java="")
    world = controllers.parent / "worlds" / "w.wbt"
    for name in ("drive.class", "drive.jar", "drive.py", "drive.c", "drive.java"):
        command = find_controller("drive", world)
        assert command is not None and Path(command[-1]) == folder / name
        (folder / name).unlink()
    assert find_controller("drive", world) is None
