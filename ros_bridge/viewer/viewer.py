"""The viewer: one thread that polls the simulation 30 times a second and updates the browsers.

Callbacks of browsers run in viser's threads and only put calls into the inbox. viser keeps the latest value
of everything for each browser and sends it when that browser is ready, so a slow browser skips values and
delays nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from visualization_msgs.msg import MarkerArray

from ros_bridge.base.log import Log
from ros_bridge.base.own_page import new_token
from ros_bridge.base.page_server import PORT, make_server
from ros_bridge.base.ros_thread import RosThread
from ros_bridge.topics.names import MARKERS, SCENE
from ros_bridge.topics.qos import ALL
from ros_bridge.viewer.cameras_panel import CamerasPanel
from ros_bridge.viewer.console_panel import ConsolePanel
from ros_bridge.viewer.keyboard import BrowserKeyboard
from ros_bridge.viewer.layer_panel import LayerPanel
from ros_bridge.viewer.lidar_panel import lidar_panel
from ros_bridge.viewer.motion_panel import MotionPanel
from ros_bridge.viewer.overlay_panel import OverlayPanel
from ros_bridge.viewer.page.page import Page
from ros_bridge.viewer.page.shortcuts import Shortcuts
from ros_bridge.viewer.panel import Panel, ViewerContext
from ros_bridge.viewer.picture_panel import picture_panel
from ros_bridge.viewer.plot_panel import PlotPanel
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.polling_server import PollingServer, ServeOptions, serve
from ros_bridge.viewer.pose_panel import PosePanel
from ros_bridge.viewer.robot_panel import RobotPanel, robots_of
from ros_bridge.viewer.run_panel import RunPanel
from ros_bridge.viewer.scene.drawables import MESHES
from ros_bridge.viewer.scene.gizmo import Gizmo
from ros_bridge.viewer.scene.label_overlay import LabelOverlay
from ros_bridge.viewer.scene.loading_overlay import LoadingOverlay
from ros_bridge.viewer.scene.pose_relay import PoseRelay
from ros_bridge.viewer.scene.scene_state import SceneState
from ros_bridge.viewer.scene.scene_view import SceneView
from ros_bridge.viewer.scene.selected_parts import SelectedParts
from ros_bridge.viewer.scene.views import ViewerCamera, home_view, restore, vertical
from ros_bridge.viewer.sim_link import SimLink
from ros_bridge.viewer.topic_panel import TopicPanel
from ros_bridge.viewer.tree.outline import ROOT, NodeOutline, ViewpointOutline, read_outline
from ros_bridge.viewer.tree.selection import Selection
from ros_bridge.viewer.tree.tree_panel import TreePanel
from ros_bridge.viewer.view_panel import ViewPanel
from ros_bridge.viewer.window_panel import WindowPanel

DISCOVERY_PERIOD = 1.0
"""Seconds of wall time between two queries of the topics."""
MARKER_DEPTH = 20
PANEL_WIDTH = 360.0
LOWER_SIZE = (640.0, 250.0)
"""Width and height of the lower window, pixels."""
DEFAULT_ASPECT = (16.0, 9.0)
"""Aspect ratio of a browser's picture, as long as it is not known."""

Tabs = Sequence[tuple[str, Callable[[ViewerContext], Panel]]]
MAIN_TABS: Tabs = (
    ("Robot", RobotPanel),
    ("Scene", TreePanel),
    ("View", ViewPanel),
    ("Layers", LayerPanel),
    ("Overlays", OverlayPanel),
)
LOWER_TABS: Tabs = (
    ("Console", ConsolePanel),
    ("Plot", PlotPanel),
    ("Picture", picture_panel),
    ("Cameras", CamerasPanel),
    ("Lidar", lidar_panel),
    ("Poses", PosePanel),
    ("Motion", MotionPanel),
    ("Window", WindowPanel),
    ("Topics", TopicPanel),
)
"""Tabs of the lower window."""
STEERING = (RobotPanel, MotionPanel, WindowPanel)
"""Panels that publish commands; a view-only viewer leaves them out."""


@dataclass(frozen=True)
class ViewOptions(ServeOptions):
    """Options of one viewer."""

    port: int = PORT


def view(options: ViewOptions) -> int:
    """Show the simulation until Ctrl-C.

    Returns:
        Exit code 0.

    Raises:
        ConfigError: viser is not installed, the address cannot be used, or ROS arguments are wrong.
    """
    token = new_token(options.host)
    server = make_server(options.host, options.port, token)

    def make(node: Any, watch: Any) -> Viewer:
        return Viewer(server, node, watch, options.exit_with_simulation, options.view_only)

    return serve(options, token, "viewer", "http://{} in a browser", make)


class Viewer(PollingServer):
    """The window, and the loop that keeps it up to date.

    Args:
        server: the viser server.
        node: its node.
        watch: a node that is not spun (see PolledTopic).
        exit_with_simulation: whether to end when the simulation does.
        view_only: whether to refuse all commands and changes.
    """

    period = 1.0 / 30.0

    def __init__(
        self, server: Any, node: Any, watch: Any, exit_with_simulation: bool, view_only: bool = False
    ) -> None:
        super().__init__()
        self.port = server.get_port()
        self._view_only = view_only
        self._exits = exit_with_simulation
        self._next_discovery = 0.0
        self._number = 0
        self._needs_view = True
        self._file = ""
        self._viewpoint: ViewpointOutline | None = None
        self._scene: PolledTopic | None = None
        self._markers: PolledTopic | None = None
        self._is_watched = self._is_read = False
        link = SimLink(node, watch, view_only=view_only)
        selection, scene = Selection(link, server), SceneView(server.scene)
        scene.picked = lambda name: self._inbox.put(lambda: selection.select_in_scene(name))
        self._context = ViewerContext(server, link, SceneState(), scene, node, watch, self._inbox, selection)
        self._context.message_handlers["tab"] = lambda title, _: self._context.opened.add(str(title))
        MESHES.warn = Log(node.get_logger()).warning
        self._panels: list[Panel] = []
        self._add_panels()
        self._ros = RosThread(node)
        self._ros.start()

    @property
    def link(self) -> SimLink:
        """Connection to the simulation."""
        return self._context.link

    def close(self) -> None:
        """Stop what the viewer drives, and release all resources."""
        for panel in self._panels:
            if isinstance(panel, (RobotPanel, BrowserKeyboard, WindowPanel)):
                panel.close()
        self._ros.stop_spinning()

    def _add_panels(self) -> None:
        """Create the panels: run and main tabs on the right, a window with further tabs over the scene."""
        context, gui = self._context, self._context.server.gui
        self._panels += [
            Page(context),
            PoseRelay(context),
            RunPanel(context, self._view_only),
            LabelOverlay(context),
            LoadingOverlay(context),
            SelectedParts(context),
        ]
        if not self._view_only:
            context.keyboard = BrowserKeyboard(context)
            self._panels += [context.keyboard, Gizmo(context)]
        self._add_tabs(gui.add_tab_group(), MAIN_TABS)
        (view,) = (panel for panel in self._panels if isinstance(panel, ViewPanel))
        self._panels.append(Shortcuts(context, view.reset_camera))
        gui.main_panel.dock_right()
        gui.main_panel.set_width(PANEL_WIDTH)
        lower = gui.add_panel()
        self._add_tabs(lower, LOWER_TABS)
        lower.float(x=12.0, y=-12.0, width=LOWER_SIZE[0], height=LOWER_SIZE[1])
        lower.minimize()  # the page opens it if it was open the last time, see `viewer.js`

    def _add_tabs(self, window: Any, tabs: Tabs) -> None:
        for title, make in tabs:
            if self._view_only and make in STEERING:
                continue
            with window.add_tab(title):
                self._panels.append(make(self._context))

    def _update(self, now: float) -> None:
        context = self._context
        context.link.poll()
        if now >= self._next_discovery:
            self._next_discovery = now + DISCOVERY_PERIOD
            self._discover()
        self._pause_without_browsers()
        for topic in filter(None, (self._scene, self._markers)):
            for message in topic.take():
                context.state.apply(message.markers, is_scene=topic is self._scene)
        with context.server.atomic():
            context.view.show_state(context.state)
            if self._needs_view and context.surround:
                self._place_cameras()
            for panel in self._panels:
                panel.refresh(now)
            if not self._is_read:
                self._read_world()
            self._follow_world()

    def _follow_world(self) -> None:
        """Move the cameras if the world has changed, but not after a revert."""
        outline = self._context.selection.outline
        if outline is None or not outline.file:
            return
        if outline.file != self._file:
            self._take_world(outline)
        elif (outline.viewpoint is None) != (self._viewpoint is None):
            self._viewpoint = outline.viewpoint
            self._set_first_view()

    def _take_world(self, outline: NodeOutline) -> None:
        """Move the cameras to the Viewpoint of a world, given by the outline of its root."""
        self._viewpoint = outline.viewpoint
        if outline.file == self._file:
            return
        if self._file or outline.viewpoint is not None:
            self._place_cameras()
        self._file = outline.file

    def _read_world(self) -> None:
        """Read the root, also if another node is selected: for a page that was loaded again."""

        def take(text: str | None) -> None:
            if text is not None:
                self._take_world(read_outline(text))

        self._is_read = self._context.link.read_parameter(f"{ROOT}.outline", take)

    def _discover(self) -> None:
        context = self._context
        context.link.discover()
        own = {each.topic_name for node in (context.node, context.watch) for each in node.subscriptions}
        context.topics = {
            name: kinds[0]
            for name, kinds in context.node.get_topic_names_and_types()
            if name not in own
            or context.node.count_publishers(name)  # else only the viewer itself has the topic
        }
        context.robots = robots_of(context.topics)
        self._look_for_markers()
        if context.link.number != self._number:
            self._number = context.link.number
            self._resubscribe()
        elif self._exits and self._number and context.link.has_ended:
            self._end()

    def _look_for_markers(self) -> None:
        """Subscribe to markers of other nodes; the scene contains all that the simulation's markers show."""
        name = f"{self._context.link.namespace}{MARKERS}"
        publishers = [self._full_name(info) for info in self._context.node.get_publishers_info_by_topic(name)]
        others = any(each != self._context.link.node_path for each in publishers)
        if others and self._markers is None:
            self._markers = PolledTopic(self._context.watch, MarkerArray, name, MARKER_DEPTH, latched=True)
        elif not others and self._markers is not None:
            self._markers.close()
            self._markers = None

    @staticmethod
    def _full_name(info: Any) -> str:
        return f"{info.node_namespace.rstrip('/')}/{info.node_name}"

    def _pause_without_browsers(self) -> None:
        """Unsubscribe while no browser is connected, so that the simulation does no needless work."""
        context = self._context
        was_watched, self._is_watched = self._is_watched, bool(context.server.get_clients())
        PolledTopic.pause_all(context.watch, not self._is_watched)
        if self._is_watched and not was_watched and self._number:
            self._resubscribe()  # removals in the meantime were not received

    def _resubscribe(self) -> None:
        """Start over for another simulation: drop all markers, and subscribe again to receive all of its."""
        for topic in filter(None, (self._scene, self._markers)):
            topic.close()
        self._context.state.remove_markers()
        self._context.surround = {}
        name = f"{self._context.link.namespace}{SCENE}"
        self._scene = PolledTopic(self._context.watch, MarkerArray, name, ALL, latched=True)
        self._markers = None
        self._needs_view = True
        self._file, self._viewpoint, self._is_read = "", None, False

    def _place_cameras(self) -> None:
        """Move the cameras to the world's Viewpoint; without one, so that the whole world is in sight."""
        view = self._set_first_view()
        if view is None:
            return
        self._needs_view = False
        for client in self._context.server.get_clients().values():
            restore(client.camera, view)

    def _set_first_view(self) -> ViewerCamera | None:
        """Set the view of browsers that connect from now on, and return it; None: nothing is known yet."""
        view = home_view(self._context.surround, self._viewpoint)
        if view is not None:
            first = self._context.server.initial_camera
            first.position, first.look_at, first.up = view.eye, view.target, view.up
            first.fov = vertical(view.field_of_view, *DEFAULT_ASPECT)
        return view
