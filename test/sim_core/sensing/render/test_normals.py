"""Normals of an IndexedFaceSet: its `creaseAngle`, and given normals."""

import math

import numpy as np
import pytest
from pictures import needs_gl

from sim_core.model.geometry import Cylinder, IndexedFaceSet
from sim_core.scene import parse_scene
from sim_core.sensing.render.meshes import SEGMENTS, form_of
from sim_core.session.simulation import Simulation

CUBE = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = [index for square in SQUARES for index in (*square, -1)]


def cube(crease: float = 0.0, **more: object) -> IndexedFaceSet:
    return IndexedFaceSet(CUBE, FACES, crease_angle=crease, **more)  # type: ignore[arg-type]


def test_without_a_crease_angle_faces_are_flat() -> None:
    assert cube().normals is None
    narrow = cube(math.pi / 2 - 1e-6).normals  # the faces of a cube are at right angles
    assert narrow is not None
    across = np.cross(*(cube().triangles[:, k] - cube().triangles[:, 0] for k in (1, 2)))
    flat = across / np.linalg.norm(across, axis=1, keepdims=True)
    assert narrow == pytest.approx(np.repeat(flat[:, None], 3, axis=1))


def test_within_the_crease_angle_a_corner_faces_the_mean_of_its_faces() -> None:
    """Each face has the same weight, whatever its number of triangles."""
    mesh = cube(1.6)
    assert mesh.normals == pytest.approx(mesh.triangles / math.sqrt(3.0))


def test_normals_are_stated_for_corners_or_for_triangles() -> None:
    square = (
        [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)],
        [0, 1, 2, -1, 0, 2, 3, -1],
    )
    at_points = [(float(k), 0.0, 1.0) for k in range(4)]
    by_point = IndexedFaceSet(*square, normal=at_points).normals
    assert by_point is not None and by_point[..., 0].tolist() == [[0, 1, 2], [0, 2, 3]]
    indexed = IndexedFaceSet(*square, normal=at_points, normal_index=[3, 2, 1, -1, 0, 0, 0, -1]).normals
    assert indexed is not None and indexed[..., 0].tolist() == [[3, 2, 1], [0, 0, 0]]
    stated = [(0.0, 0.6, 0.8), (0.0, 0.0, 1.0)]
    of_triangles = IndexedFaceSet(*square, normal=stated, normal_per_vertex=False).normals
    assert of_triangles == pytest.approx(np.repeat(np.array(stated)[:, None], 3, axis=1))
    wrong = IndexedFaceSet(*square, normal=at_points, normal_index=[0, 1]).normals
    assert wrong is None  # then the crease angle counts


@needs_gl
@pytest.mark.parametrize("angle", [0.0, 1.6])
def test_a_wall_bent_in_the_middle_is_lit_as_it_faces(angle: float) -> None:
    """Two walls meet at x 2; light along x. Flat: cos of the slope everywhere, smooth: 1 in the middle."""
    slope = 0.5
    back = math.tan(slope)
    points = f"2 0 -1, 2 0 1, {2 + back} 1 1, {2 + back} 1 -1, {2 + back} -1 1, {2 + back} -1 -1"
    sim = Simulation(parse_scene(f"""#VRML_SIM R2025a utf8
      WorldInfo {{ basicTimeStep 10 }} DirectionalLight {{ direction 1 0 0 }}
      Shape {{ appearance Appearance {{ material Material {{ diffuseColor 1 1 1 specularColor 0 0 0 }} }}
        geometry IndexedFaceSet {{ coord Coordinate {{ point [ {points} ] }}
          coordIndex [ 0 1 2 3 -1 1 0 5 4 ] creaseAngle {angle} }} }}
      Robot {{ name "r" children [ Camera {{ width 65 height 65 }} ] }}"""))  # fmt: skip
    sim.step()
    row = sim.robot("r")["camera"].value[32, :, 0].astype(float)
    sim.close()

    def shown(light: float) -> float:
        return 255.0 * (1.0 - math.exp(-light)) ** (1 / 2.2)

    assert row[32] == pytest.approx(shown(1.0 if angle else math.cos(slope)), abs=1.0)
    assert row[:32] == pytest.approx(row[:32:-1], abs=2.0)
    if angle:
        assert (np.diff(row[:33]) >= 0.0).all() and row[4] < row[32] - 3.0
    else:
        assert np.ptp(row[4:61]) <= 1.0


@pytest.mark.parametrize("radius", [1e13, 1e308])
def test_the_largest_cylinders_are_as_round_as_any(radius: float) -> None:
    form = form_of(Cylinder(radius, 1.0, True, True, True))
    assert form is not None and form.segments == SEGMENTS[-1]
