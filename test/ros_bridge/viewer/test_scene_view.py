"""Updates sent to browsers: only what has changed."""

from typing import Any

import pytest
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ros_bridge.viewer.scene.scene_state import SceneState
from ros_bridge.viewer.scene.scene_view import SceneView


class FakeNode:
    """Records calls."""

    def __init__(self, scene: "FakeScene", name: str, values: dict[str, Any]) -> None:
        self.__dict__.update(values, name=name, _scene=scene)

    def __setattr__(self, name: str, value: Any) -> None:
        self._scene.told.append((self.name, name))
        self.__dict__[name] = value

    def remove(self) -> None:
        self._scene.told.append((self.name, "remove"))


class FakeScene:
    """Replaces `viser.ViserServer.scene`."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def __getattr__(self, method: str) -> Any:
        def add(name: str, *_: Any, **values: Any) -> FakeNode:
            self.told.append((name, method))
            return FakeNode(self, name, values)

        return add

    def news(self) -> list[tuple[str, str]]:
        news, self.told = self.told, []
        return news


def cube(x: float = 0.0, red: float = 0.0, size: float = 1.0, action: int = Marker.ADD) -> Marker:
    marker = Marker(ns="a/b c", id=3, type=Marker.CUBE, action=action, color=ColorRGBA(r=red, a=1.0))
    marker.pose.position.x = x
    marker.scale.x = size
    return marker


@pytest.fixture
def scene() -> FakeScene:
    return FakeScene()


@pytest.fixture
def show(scene):
    state, view = SceneState(), SceneView(scene)

    def one(marker: Marker) -> list[tuple[str, str]]:
        state.apply([marker])
        view.show_state(state)
        return scene.news()

    one.view = view
    return one


def test_a_marker_hangs_below_its_layer(show):
    assert show(cube()) == [("/layer0", "add_frame"), ("/layer0", "visible"), ("/layer0/3", "add_box")]


def test_only_what_differs_is_sent(show):
    show(cube())
    assert show(cube()) == []
    assert show(cube(x=1.0)) == [("/layer0/3", "position"), ("/layer0/3", "wxyz")]
    assert show(cube(x=1.0, red=1.0)) == [("/layer0/3", "color"), ("/layer0/3", "opacity")]
    assert show(cube(x=1.0, red=1.0, size=2.0)) == [("/layer0/3", "add_box")]
    assert show(cube(action=Marker.DELETE)) == [("/layer0/3", "remove")]


def test_colours_of_corners_and_dots_are_drawn_anew_when_they_change(show):
    corners = [Point(x=float(x), y=float(y)) for x, y in ((0, 0), (1, 0), (0, 1))]
    point_colours = [ColorRGBA(r=1.0, a=1.0), ColorRGBA(g=1.0, a=1.0), ColorRGBA(b=1.0, a=1.0)]
    marker = Marker(ns="m", type=Marker.TRIANGLE_LIST, points=corners, colors=point_colours)
    assert show(marker)[-1] == ("/layer0/0", "add_mesh_trimesh")
    assert show(Marker(ns="m", type=Marker.TRIANGLE_LIST, points=corners, colors=point_colours)) == []
    marker = Marker(ns="m", type=Marker.POINTS, points=corners, colors=point_colours)
    assert show(marker) == [("/layer0/0", "add_point_cloud")]


def test_a_layer_hidden_before_it_comes_stays_hidden(show, scene):
    show.view.set_visible("a/b c", False)
    show(cube())
    assert show.view._layers["a/b c"].visible is False
    show.view.set_visible("a/b c", True)
    assert scene.news() == [("/layer0", "visible")]
