"""Procedural PROTO: what statements see and make, and that hostile ones end with one line."""

# ruff: noqa: E501 - a table of expressions is easier to read with one in each line
import math
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.base.limits import VARIABLE
from sim_core.scene import Scene, parse_scene
from sim_core.scene.assets import Assets

JAVASCRIPT = "# template language: javascript\n"
Make = Callable[..., Scene]
LIMIT = 5.0
"""Seconds in which a hostile PROTO must be refused."""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A scene with instances of a PROTO named P."""

    def make(body: str, fields: str = "", instances: str = "P { }", head: str = JAVASCRIPT) -> Scene:
        text = f"#VRML_SIM R2025a utf8\n{head}PROTO P [ {fields} ] {{\n{body} }}"
        (tmp_path / "P.proto").write_text(text, encoding="utf-8")
        world = f'#VRML_SIM R2025a utf8\nEXTERNPROTO "P.proto"\n{instances}'
        return parse_scene(world, str(tmp_path / "w.wbt"), Assets(cache=tmp_path))

    return make


def numbers(make: Make, expressions: list[str], code: str = "", head: str = JAVASCRIPT) -> list[float]:
    """The values of expressions, as the points of a Coordinate."""
    opening, closing = ("%<", ">%") if head else ("%{", "}%")
    values = " ".join(f"{opening}= {each} {closing} 0 0" for each in expressions)
    scene = make(f"{opening} {code} {closing} Coordinate {{ point [ {values} ] }}", head=head)
    return [point[0] for point in scene.nodes[0]["point"]]


# ---- statements, expressions, fields

FIELDS = """field SFBool b TRUE field SFInt32 i 3 field SFFloat f 0.5 field SFString s "text" field SFVec2f v2 1 2
  field SFVec3f v3 1 2 3 field SFColor c 0.1 0.2 0.3 field SFRotation r 0 0 1 1.5
  field SFNode n Box { size 4 5 6 } field SFNode none NULL
  field MFFloat mf [ 1 2 3 ] field MFVec3f mv [ 1 2 3, 4 5 6 ] field MFNode mn [ Solid { name "x" } ]"""
SEEN = {
    "fields.b.value ? 1 : 0": 1.0,
    "fields.i.value": 4.0,
    "fields.i.defaultValue": 3.0,
    "fields.f.value": 0.5,
    "fields.s.value.length": 4.0,
    "fields.v2.value.y": 2.0,
    "fields.v3.value.z": 3.0,
    "fields.c.value.g": 0.2,
    "fields.r.value.a": 1.5,
    "fields.n.value.node_name === 'Box' ? 1 : 0": 1.0,
    "fields.n.value.fields.size.value.y": 5.0,
    "fields.none.value === undefined ? 1 : 0": 1.0,
    "fields.mf.value[2]": 3.0,
    "fields.mv.value[1].x": 4.0,
    "fields.mn.value[0].fields.name.value.length": 1.0,
    "fields.mn.value.length": 1.0,
    "fields[['i'][0]].value": 4.0,
}


@pytest.mark.parametrize("expression", SEEN)
def test_every_field_type_is_seen_as_the_reference_says(make: Make, expression: str) -> None:
    scene = make(f"Coordinate {{ point [ %<= {expression} >% 0 0 ] }}", FIELDS, "P { i 4 }")
    assert scene.nodes[0]["point"][0][0] == SEEN[expression]


def test_statements_repeat_and_choose_what_stands_between_them(make: Make) -> None:
    body = """Group { children [
      %< for (let k = 0; k < fields.i.value; ++k) { >%
        %< if (k % 2 === 0) { >% Solid { name "%<= 'even ' + k >%" } %< } else { >% Pose { } %< } >%
      %< } >% ] } # a comment with %< no statement >%
"""
    children = make(body, "field SFInt32 i 3").nodes[0]["children"]
    assert [child.type_name for child in children] == ["Solid", "Pose", "Solid"]
    assert [child["name"] for child in children[::2]] == ["even 0", "even 2"]


def test_lua_statements_do_the_same(make: Make) -> None:
    body = """%{ local n = fields.i.value }% Group { children [
      %{ for k = 0, n - 1 do }% Solid { name "%{= k }%" translation %{= k * fields.v.value.y }% 0 0 } %{ end }% ] }"""
    children = make(body, "field SFInt32 i 3 field SFVec2f v 1 2", head="").nodes[0]["children"]
    assert [child["translation"][0] for child in children] == [0.0, 2.0, 4.0]


def test_lua_has_the_length_operator_and_what_lua_52_has(make: Make) -> None:
    body = """%{ -- it's a comment
      local words = {} for word in ("a b c"):gmatch("%w+") do table.insert(words, word) end
      if #words >= 3 then }% # it's %{ no statement
      Solid { name "%{= words[#words] }%" translation %{= table.maxn({1, 2, [7] = 3}) }%
        %{= math.pow(2, 3) }% %{= math.log10(1000) }% } %{ end }%"""
    solid = make(body, head="").nodes[0]
    assert (solid["name"], solid["translation"]) == ("c", (7.0, 8.0, pytest.approx(3.0)))


LUA_52 = {
    "4 / 2": "2", "math.pow(2, 2)": "4", "7 / 2": "3.5", "1e15": "1e+15", "2^53": "9.007199254741e+15",
    "0.1 + 0.2": "0.3", "-0.0": "-0", "math.floor(2.5)": "2", "3 % 2": "1", "('%d'):format(6 / 2)": "3",
    "('%d'):format(2.5)": "2", "('%g %.2f'):format(4, 4)": "4 4.00", "fields.i.value / 2": "2", "fields.f.value / 3": "2",
    "fields.f.value .. 'm'": "6m", "#{unpack({1, 2, 3})}": "3", "loadstring('return 2 + 2')()": "4", "load('return fields.i.value')()": "4",
    "bit32.band(12, 10)": "8", "bit32.lshift(1, 31)": "2147483648", "math.atan2(0, -1)": "3.1415926535898",
    "math.type": "nil", "utf8": "nil", "rawlen({1, 2})": "2", "tostring('10' + 5)": "15", "select('#', 1, nil)": "2",
}  # fmt: skip
"""Values as Lua 5.2 writes them: each number is a double, written by "%.14g" (its manual, 8 and luaconf.h)."""


def test_numbers_and_functions_of_lua_are_those_of_lua_52(make: Make) -> None:
    names = " ".join(f'Solid {{ name "%{{= {each} }}%" }}' for each in LUA_52)
    body = f"Group {{ children [ {names} ] }}"
    solids = make(body, "field SFInt32 i 4 field SFFloat f 6", head="").nodes[0]["children"]
    assert [each["name"] for each in solids] == list(LUA_52.values())


def test_a_whole_number_worked_out_in_lua_fits_a_field_of_whole_numbers(make: Make) -> None:
    code = "%{ local half = fields.n.value / 2 local k = math.pow(2, 2) }%"
    body = (
        code
        + "Group { children [ Shape { geometry Sphere { subdivision %{= half }% } } Shape { geometry ElevationGrid { xDimension %{= k }% } } ] }"
    )
    sphere, grid = (
        each["geometry"] for each in make(body, "field SFInt32 n 4", head="").nodes[0]["children"]
    )
    assert (sphere["subdivision"], grid["xDimension"]) == (2, 4)


def test_is_and_templates_work_in_one_body(make: Make) -> None:
    scene = make(
        "Solid { %< if (true) { >% name IS label %< } >% }", 'field SFString label "a"', 'P { label "b" }'
    )
    assert scene.nodes[0]["name"] == "b"


def test_what_templates_print_is_shown(make: Make) -> None:
    scene = make("%< console.log('size', fields.i.value); >% Group { }", "field SFInt32 i 3")
    assert any("PROTO P says: size 3" in str(warning) for warning in scene.warnings)


def test_the_context_says_where_a_template_is(make: Make, tmp_path: Path) -> None:
    scene = make(
        'Solid { name "%<= context.world >%|%<= context.proto >%|%<= context.webots_version.major >%" }'
    )
    assert scene.nodes[0]["name"] == f"{tmp_path}/w.wbt|{tmp_path}/P.proto|R2025a"


# ---- determinism

RANDOM = "%< let a = Math.random(), b = Date.now(); >% Coordinate { point [ %<= a >% %<= b >% 0 ] }"


def test_without_the_tag_every_load_gives_the_same(make: Make) -> None:
    first, second = (make(RANDOM, instances="P { } P { }") for _ in range(2))
    points = {node["point"][0] for scene in (first, second) for node in scene.nodes}
    assert len(points) == 1


def test_with_the_tag_instances_differ(make: Make) -> None:
    scene = make(RANDOM, instances="P { } P { }", head=JAVASCRIPT + "# tags: nonDeterministic\n")
    assert scene.nodes[0]["point"] != scene.nodes[1]["point"]


def test_instances_have_numbers_of_their_own(make: Make) -> None:
    scene = make("Coordinate { point [ %<= context.id >% 0 0 ] }", instances="P { } P { }")
    assert scene.nodes[0]["point"] != scene.nodes[1]["point"]


# ---- the modules, by their formulas


def test_random_numbers_keep_to_their_limits_and_repeat_with_a_seed(make: Make) -> None:
    code = "import * as wbrandom from 'wbrandom.js'; wbrandom.seed(7);"
    values = numbers(
        make, ["wbrandom.integer(2, 4)"] * 60 + ["wbrandom.real(-1, 1)"] * 60 + ["wbrandom.real()"], code
    )
    assert set(values[:60]) == {2.0, 3.0, 4.0}
    assert all(-1.0 <= value <= 1.0 for value in values[60:]) and len(set(values[60:])) > 50
    again = "import {seed, integer} from 'wbrandom.js'; seed(7);"
    assert numbers(make, ["integer(2, 4)"] * 5, again) == values[:5]
    first = "import {{seed, integer}} from 'wbrandom.js'; {};".format
    unseeded, one = (numbers(make, ["integer(0, 9999)"] * 5, first(code)) for code in ("", "seed(1)"))
    assert unseeded != one
    lua = "local wbrandom = require('wbrandom') wbrandom.seed(7)"
    assert numbers(make, ["wbrandom.integer(2, 4)"] * 5, lua, "") == values[:5]


def test_random_numbers_are_those_of_webots(make: Make) -> None:
    """x := (1140671485 x + 12820163) mod 2^24, from 0: as in Webots' modules of both languages."""
    unseeded = numbers(make, ["wbrandom.real()"], "import * as wbrandom from 'wbrandom.js';")
    assert unseeded == [12820163 / (2**24 - 1)]
    first = (1140671485 + 12820163) % 2**24
    lua = "local wbrandom = require('wbrandom') wbrandom.seed(1)"
    assert numbers(make, ["wbrandom.real()", "wbrandom.integer(7, 9)"], lua, "") == pytest.approx(
        [first / (2**24 - 1), 7 + (1140671485.0 * first + 12820163.0) % 2.0**24 % 3]
    )


def test_templates_write_below_their_own_folder_only(make: Make, tmp_path: Path) -> None:
    """What one instance has written the others of the load can read; nothing else is there."""
    code = """
      const name = context.temporary_files_path + '/sub/count.txt';
      const before = wbfile.fileExists(name) ? Number(wbfile.readTextFile(name)) : 0;
      wbfile.writeTextFile(name, String(before + 1 + 0 * context.id));"""
    scene = make(f"%< {code} >% Coordinate {{ point [ %<= before >% 0 0 ] }}", instances="P { } P { }")
    assert [node["point"][0][0] for node in scene.nodes] == [0.0, 1.0]
    (written,) = (tmp_path / "templates").rglob("*.txt")
    assert written.read_text() == "2"
    for path in ("/etc/passwd", "'+context.temporary_files_path+'/../x.txt", "../x.txt"):
        with pytest.raises(SceneErrors, match="templates may use files only below"):
            make(f"%< wbfile.writeTextFile('{path}', 'x'); >% Group {{ }}")
    assert [each.name for each in tmp_path.rglob("*.txt")] == ["count.txt"]


def test_vectors_and_rotations(make: Make) -> None:
    code = """import * as v2 from 'wbvector2.js'; import * as v3 from 'wbvector3.js'; import * as wbrotation from 'wbrotation.js';
      const a = {x: 1, y: 2, z: 2}, b = {x: 0, y: 3, z: 4}, quarter = {x: 0, y: 0, z: 1, a: Math.PI / 2};
      const turned = wbrotation.rotateVector3ByRotation(quarter, {x: 1, y: 0, z: 0});
      const half = wbrotation.combine(quarter, quarter);
      const back = wbrotation.fromMatrix3(wbrotation.toMatrix3({x: 0, y: 1, z: 0, a: 3}));
      const cross = v3.cross(a, b), meet = v2.intersection({x: 0, y: 0}, {x: 2, y: 2}, {x: 0, y: 2}, {x: 2, y: 0});"""
    expected = {
        "v3.norm(a)": 3.0, "v3.dot(a, b)": 14.0, "cross.x": 2.0, "cross.y": -4.0, "cross.z": 3.0,
        "v2.norm(b)": 3.0, "v2.distance(a, b)": math.sqrt(2.0), "v2.angle({x: 1, y: 1}, {x: 2, y: 2})": math.pi / 4,
        "meet.x": 1.0, "v2.intersection({x: 0, y: 0}, {x: 1, y: 0}, {x: 0, y: 1}, {x: 1, y: 1}) === null ? 1 : 0": 1.0,
        "turned.x": 0.0, "turned.y": 1.0, "half.z": 1.0, "half.a": math.pi, "back.y": 1.0, "back.a": 3.0,
    }  # fmt: skip
    assert numbers(make, list(expected), code) == pytest.approx(list(expected.values()), abs=1e-12)


def test_geometry_and_utilities(make: Make) -> None:
    code = """import * as g from 'wbgeometry.js'; import * as u from 'wbutility.js';
      const ring = g.circle(2, 8, {x: 1, y: 0}), line = [{x: 0, y: 0}, {x: 1, y: 1}, {x: 2, y: 2}];
      const square = [{x: 0, y: 0}, {x: 0, y: 1}, {x: 1, y: 1}, {x: 1, y: 0}], curve = g.bSpline2(line, 4);"""
    expected = {
        "ring.length": 9.0, "Math.hypot(ring[3].x - 1, ring[3].y)": 2.0, "ring[8].x - ring[0].x": 0.0,
        "g.isPoint2InPolygon({x: 0.5, y: 0.5}, square) ? 1 : 0": 1.0,
        "g.isPoint2InPolygon({x: 1.5, y: 0.5}, square) ? 1 : 0": 0.0,
        "g.isPoint2ArrayClockwise(square) ? 1 : 0": 1.0, "g.isPoint2ArrayClockwise(square.reverse()) ? 1 : 0": 0.0,
        "g.findClosestPoint2InArray({x: 1.9, y: 1.9}, line).x": 2.0,
        "curve.length": 9.0, "curve[0].x": 0.0, "curve[curve.length - 1].x": 2.0, "Math.max(...curve.map((p) => Math.abs(p.x - p.y)))": 0.0,
        "u.degreesToRadians(180)": math.pi, "u.isVector3({x: 1, y: 2, z: 3}) ? 1 : 0": 1.0, "u.isScalar('a') ? 1 : 0": 0.0,
    }  # fmt: skip
    assert numbers(make, list(expected), code) == pytest.approx(list(expected.values()), abs=1e-12)


LUA_MODULES = {
    "wbmath.round(2.5)": 3.0, "wbcore.tablelength({ 4, 5 })": 2.0, "wbcore.deepcopy({ a = { 3 } }).a[1]": 3.0,
    "#wbstring.split('a, b, c', ', ')": 3.0, "#wbstring.split('', ',')": 0.0,
    "#wbgeometry.circle(2, 8, 1, 0, 0)": 9.0, "wbgeometry.circle(2, 8, 1, 0, 0)[5].x": -1.0,
    "wbgeometry.ispointinpolygon(0.5, 0.5, square) and 1 or 0": 1.0,
    "wbgeometry.ispointinpolygon(1.5, 0.5, square) and 1 or 0": 0.0,
    "wbgeometry.findclosest2Dpointinarray({ x = 0.9, y = 0.1 }, square).x": 1.0,
    "#wbgeometry.bspline2D(line, 4)": 9.0, "wbgeometry.bspline2D(line, 4)[9].y": 2.0,
    "#wbgeometry.bspline3D(curve, 5)": 11.0, "wbgeometry.bspline3D(curve, 5)[1].z": 3.0,
    "wbgeometry.bspline3D(curve, 5)[6].z": 3.0 + 4.0 / 6.0,
    "wbrotation.combine(quarter, quarter).a": math.pi,
    "wbrotation.rotatevector3byrotation(quarter, { x = 1, y = 0, z = 0 }).y": 1.0,
    "wbrotation.frommatrix3(wbrotation.tomatrix3({ x = 0, y = 1, z = 0, a = 3 })).a": 3.0,
    "wbrotation.rotatevector3byquaternion(wbrotation.toquaternion(quarter), { x = 0, y = 1, z = 0 }).x": -1.0,
    "wbrotation.normalize({ x = 0, y = 0, z = 2, a = 7 }).a": 7.0 - 2.0 * math.pi,
}  # fmt: skip


def test_modules_of_lua(make: Make) -> None:
    code = "".join(
        f"{name} = require('{name}') "
        for name in ("wbmath", "wbcore", "wbstring", "wbgeometry", "wbrotation")
    )
    code += """
      local square = { { x = 0, y = 0 }, { x = 0, y = 1 }, { x = 1, y = 1 }, { x = 1, y = 0 } }
      local line = { { x = 0, y = 0 }, { x = 1, y = 1 }, { x = 2, y = 2 } }
      local curve = { { x = 0, y = 0, z = 3 }, { x = 1, y = 0, z = 4 }, { x = 2, y = 0, z = 3 } }
      local quarter = { x = 0, y = 0, z = 1, a = math.pi / 2 }"""
    found = numbers(make, list(LUA_MODULES), code, head="")
    assert found == pytest.approx(list(LUA_MODULES.values()), abs=1e-12)


def test_random_integers_of_lua_begin_at_1(make: Make) -> None:
    found = numbers(make, ["wbrandom.integer(3)"] * 60, "local wbrandom = require('wbrandom') ", "")
    assert set(found) == {1.0, 2.0, 3.0}


def test_lua_s_own_modules_can_be_required(make: Make) -> None:
    code = "local maths, strings, system = require('math'), require('string'), require('os') "
    expressions = ["maths.sqrt(9)", "strings.len('four')", "system.clock()", "system.time() - os.time()"]
    assert numbers(make, expressions, code, head="") == [3.0, 4.0, 0.0, 0.0]


# ---- mistakes and hostility: one line each, in time

HOSTILE_JAVASCRIPT = {
    "while (true) {}": "took ",
    "/(a+)+$/.test('a'.repeat(40) + 'b');": "took ",
    "let a = []; while (true) a.push(new Uint8Array(1e7));": "took more than 256 MiB",
    "let s = 'x'.repeat(1e9);": "took more than 256 MiB",
    "const f = () => f(); f();": "Maximum call stack size exceeded (line 2 of the body)",
    "fields.x.y;": "cannot read property 'y' of undefined (line 2 of the body)",
    "throw new Error('no');": "Error: no (line 2 of the body)",
    "if (": "SyntaxError",
    "import * as q from '/etc/passwd';": "an import that is not one of a module of Webots",
    "import * as q from 'nothing.js';": "import of nothing.js, expected one of wbgeometry, ",
    "import('x');": "an import that is not one of a module of Webots",
    "wbfile.readTextFile('/etc/passwd');": "templates may use files only below",
    "(() => {}).constructor('return 1')();": "not a function",
    "eval('1');": "not a function",
}
CHANGED = "changed functions that make the text of its body"
HOSTILE_JAVASCRIPT |= {
    "JSON.stringify = () => 5;": CHANGED,
    "JSON.stringify = () => 'no JSON';": CHANGED,
    """JSON.stringify = () => '{"text": "", "printed": 5, "files": {}}';""": CHANGED,
    """JSON.stringify = () => '{"text": "", "printed": [], "files": {"/x": 5}}';""": CHANGED,
    """JSON.stringify = () => '[' .repeat(100000);""": CHANGED,
    "Object.prototype.toJSON = () => 5;": CHANGED,
    "JSON.stringify = () => { throw new Error('mine') };": "Error: mine",
    r"wbfile.writeTextFile('a\0b', 'text');": "cannot be written: ",
    "wbfile.writeTextFile('a'.repeat(300), 'text');": "cannot be written: ",
    "wbfile.writeTextFile('a', ''); wbfile.writeTextFile('a/b', '');": "cannot be written: ",
}
HOSTILE_LUA = {
    "while true do end": "took too many steps",
    "while true do pcall(function() while true do end end) end": "took too many steps",
    "string.find(string.rep('a', 30000), string.rep('.-', 12) .. 'b')": "took longer than 4 s",
    "local s = string.rep('a', 1e9)": "took more than 256 MiB",
    "local f; f = function() return 1 + f() end f()": "stack overflow",
    "io.open('/etc/passwd')": "templates cannot use files",
    "os.execute('ls')": "attempt to call field 'execute' (a nil value)",
    "require('package')": "no module package",
    "local gd = require('gd')": "no module gd (line 2 of the body)",
    "load(('').dump(function() end))()": "attempt to call a nil value",
    "load('while true do end')()": "took too many steps",
    "load('return require')()('package')": "no module package",
    "load('x = string.dump')() if x == nil then error('closed') end": "closed (line 2 of the body)",
    "while true do xpcall(function() while true do end end, print) end": "took too many steps",
    "error('no')": "no (line 2 of the body)",
    "for": "expected near",
}
HOSTILE = [
    *((code, f"%< {code} >%", JAVASCRIPT, says) for code, says in HOSTILE_JAVASCRIPT.items()),
    *((code, f"%{{ {code} }}%", "", says) for code, says in HOSTILE_LUA.items()),
]


@pytest.mark.parametrize(
    ("body", "head", "says"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_a_hostile_template_ends_with_one_line(make: Make, body: str, head: str, says: str) -> None:
    start = time.process_time()
    with pytest.raises(SceneErrors) as caught:
        make(f"{body}\nGroup {{ }}", head=head)
    assert time.process_time() - start < LIMIT
    (line,) = str(caught.value).splitlines()
    assert "w.wbt:3:1: the template of PROTO P: " in line and says in line


def test_half_characters_are_what_webots_makes_of_them(make: Make, tmp_path: Path) -> None:
    """The application's texts are UTF-8, which has none: they become U+FFFD."""
    write = r"wbfile.writeTextFile(context.temporary_files_path + '/\ud800.txt', '\udfff');"
    scene = make(rf"""%< print('a\ud800'); {write} >% Solid {{ name "%<= '\udbff' >%" }}""")
    assert any("says: a\ufffd" in str(line) for line in scene.warnings)
    assert scene.nodes[0]["name"] == "\ufffd"


def test_bytes_of_lua_that_are_no_text_are_told_in_one_line(make: Make) -> None:
    with pytest.raises(SceneErrors, match="the template of PROTO P: UnicodeDecodeError") as caught:
        make(r'%{= "#\255\254" }% Group { }', head="")
    assert len(str(caught.value).splitlines()) == 1


def test_the_files_of_one_load_are_counted(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    write = "[1, 2, 3].forEach((n) => wbfile.writeTextFile(String(n), ''));"
    monkeypatch.setenv(VARIABLE, "template_files=3")
    make(f"%< {write} >% Group {{ }}")
    monkeypatch.setenv(VARIABLE, "template_files=2")
    with pytest.raises(SceneErrors, match=r"too many files, expected at most 2 .*template_files"):
        make(f"%< {write} >% Group {{ }}")


def test_a_statement_without_end_is_refused(make: Make) -> None:
    with pytest.raises(SceneErrors, match='a "%<" without ">%"'):
        make("Group { } %< let a = 1;")


def test_a_mistake_in_what_a_template_made_says_so(make: Make) -> None:
    with pytest.raises(
        SceneErrors, match=r"P\.proto \(as made by its template\):2:\d+: unknown field \"nme\""
    ):
        make("Solid { %<= 'nme' >% 3 }")
