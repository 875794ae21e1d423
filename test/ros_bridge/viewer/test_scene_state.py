"""Latest state of the markers, whatever arrived between two queries."""

import pytest
from visualization_msgs.msg import Marker

from ros_bridge.viewer.scene.scene_state import SceneState


def cube(number: int = 0, x: float = 0.0, namespace: str = "r", action: int = Marker.ADD) -> Marker:
    marker = Marker(ns=namespace, id=number, type=Marker.CUBE, action=action)
    marker.pose.position.x = x
    marker.scale.x = marker.scale.y = marker.scale.z = 1.0
    return marker


@pytest.fixture
def state() -> SceneState:
    return SceneState()


def seen(state: SceneState) -> list[tuple[int, bool, float | None]]:
    """Return number, whether it was shown before, and present x, of all changes."""
    return [
        (change.key[1], change.before is not None, change.now.place.position[0] if change.now else None)
        for change in state.changes()
    ]


def test_new_moved_and_deleted(state):
    state.apply([cube(0), cube(1)])
    assert seen(state) == [(0, False, 0.0), (1, False, 0.0)]
    assert seen(state) == []
    state.apply([cube(1, x=2.0)])
    assert seen(state) == [(1, True, 2.0)]
    state.apply([cube(1, action=Marker.DELETE)])
    assert seen(state) == [(1, True, None)]


def test_only_the_latest_counts(state):
    for x in range(100):
        state.apply([cube(0, x=float(x))])
    assert seen(state) == [(0, False, 99.0)]


def test_what_comes_and_goes_between_two_looks_is_not_told(state):
    state.apply([cube(0), cube(0, action=Marker.DELETE), cube(7, action=Marker.DELETE)])
    assert seen(state) == []


def test_delete_all_forgets_what_is_not_sent_again(state):
    state.apply([cube(0), cube(1)])
    seen(state)
    state.apply([Marker(action=Marker.DELETEALL), cube(1, x=5.0)])
    assert seen(state) == [(0, True, None), (1, True, 5.0)]
    assert state.namespaces() == {"r": 1}


def test_namespaces_are_counted(state):
    state.apply([cube(0), cube(1), cube(0, namespace="world")])
    assert state.namespaces() == {"r": 2, "world": 1}


def scene_order(life: int, parts: int) -> Marker:
    """Return the marker that starts a scene on `/odesim/scene`."""
    return Marker(action=Marker.DELETEALL, id=life, text=str(parts))


def part(number: int) -> Marker:
    return Marker(ns="world", id=-1 - number, type=Marker.MESH_RESOURCE, mesh_resource="embedded://gone.glb")


def test_it_says_how_much_of_the_scene_has_come(state):
    assert state.loading == "Loading the scene"
    state.apply([part(0)], is_scene=True)
    assert state.loading == "Loading the scene", "it is not known of what this is a part"
    state.apply([scene_order(1, 3), part(0)], is_scene=True)
    assert state.loading == "Loading the scene: 1 of 3 parts"
    state.apply([part(0), part(1)], is_scene=True)
    assert state.loading == "Loading the scene: 2 of 3 parts"
    state.apply([part(2)], is_scene=True)
    assert state.loading == ""
    state.apply([scene_order(1, 3)], is_scene=True)
    assert state.loading == "", "somebody else came, and everything is sent again"
    state.apply([scene_order(2, 2), part(0)], is_scene=True)
    assert state.loading == "Loading the scene: 1 of 2 parts"
    state.remove_markers()
    assert state.loading == "Loading the scene"


def test_the_same_scene_is_sent_again_without_a_gap(state):
    state.apply([scene_order(1, 1), part(0), cube(0, namespace="labels"), cube(1)], is_scene=True)
    list(state.changes())
    state.apply([scene_order(1, 1), cube(1)], is_scene=True)
    gone = [change.key for change in state.changes() if change.now is None]
    assert gone == [("labels", 0)], "what is not a part comes with the order, or is gone"


def test_others_forget_their_own_markers(state):
    state.apply([scene_order(1, 1), cube(0)], is_scene=True)
    state.apply([cube(0, namespace="theirs")])
    state.apply([Marker(action=Marker.DELETEALL), cube(1, namespace="theirs")])
    assert (state.namespaces(), state.scene_id) == ({"r": 1, "theirs": 1}, 1)
    state.apply([scene_order(2, 0)], is_scene=True)
    assert state.namespaces() == {"theirs": 1}
