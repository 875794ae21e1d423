"""What the page of an animation has beside viser's player: sim time, labels, and a camera that follows.

The player keeps its own state; what is added looks at its time line, and turns its camera as a hand would.
"""

from __future__ import annotations

import json
from typing import Any

STYLE = (
    "position:fixed;bottom:4em;z-index:9;padding:0.2em 0.5em;border:none;border-radius:0.2em;"
    "background:#ffffffb0;color:#222;font:14px monospace"
)
ADDED = """
<div id="odesim-time" style="STYLE;left:1em;pointer-events:none"></div>
<button id="odesim-follow" type="button" style="STYLE;left:11em;cursor:pointer" hidden></button>
<div id="odesim-labels" style="position:fixed;z-index:5;overflow:hidden;pointer-events:none"></div>
<script>
(() => {
  document.title = DATA.title;
  const at = (id) => document.getElementById(id);
  const latest = (rows, now) => {  // the last row that is not later, by bisection
    let low = 0, high = rows.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (rows[middle][0] <= now + 1e-6) low = middle; else high = middle;
    }
    return low;
  };

  const showTime = (now) => {
    const start = DATA.starts[latest(DATA.starts, now)];  // where sim time jumps
    const ms = Math.floor(1000 * (start[1] + (now - start[0]) * DATA.speed) + 1e-3);
    const part = (value, digits) => String(value).padStart(digits, "0");
    at("odesim-time").textContent = Math.floor(ms / 3600000) + ":" +
      part(Math.floor(ms / 60000) % 60, 2) + ":" + part(Math.floor(ms / 1000) % 60, 2) + ":" +
      part(ms % 1000, 3);
  };

  let shown = "";
  const showLabels = (now) => {
    const canvas = document.querySelector("canvas");
    if (!canvas || !DATA.labels.length) return;
    const {left, top, width, height} = canvas.getBoundingClientRect();
    const row = latest(DATA.labels, now), key = [row, left, top, width, height].join();
    if (key === shown) return;
    shown = key;
    const box = at("odesim-labels");
    const pixels = {left, top, width, height};
    for (const side in pixels) box.style[side] = pixels[side] + "px";
    box.replaceChildren(...DATA.labels[row][1].map((label) => {
      const line = document.createElement("div");
      line.className = "odesim-label";
      line.textContent = label.text;
      Object.assign(line.style, {position: "absolute", whiteSpace: "pre", lineHeight: 1, color: label.colour,
        opacity: label.opacity, left: label.x * width + "px", top: label.y * height + "px",
        fontFamily: label.font + ", sans-serif", fontSize: label.size * height + "px"});
      return line;
    }));
  };

  // The camera is moved by as much as what it follows has moved, so it may be turned by hand meanwhile.
  let follows = true, last = 0, begun = 0;
  const follow = (now) => {
    const shared = window.__viserMutable, poses = DATA.poses;
    const control = shared && shared.cameraControl, camera = control && control.camera;
    const tree = window.__viserSceneTree && window.__viserSceneTree.getState()[""];
    if (!camera || !tree || !tree.wxyz) return;
    const vector = (xyz) => camera.position.clone().fromArray(xyz);
    const turn = (wxyz) => camera.quaternion.clone().set(wxyz[1], wxyz[2], wxyz[3], wxyz[0]);
    const axes = turn(tree.wxyz);  // from the axes of the world to those of the page
    const eye = control.getPosition(vector([0, 0, 0])), target = control.getTarget(vector([0, 0, 0]));
    if (!begun) begun = performance.now();
    if (begun > 0) {  // until the first view is there
      const first = vector(DATA.eye).applyQuaternion(axes);
      if (eye.distanceTo(first) > 1e-3 * (1 + first.length()) && performance.now() < begun + 5000) return;
      begun = -1;
    }
    const next = latest(poses, now), [from, to] = [poses[last], poses[next]];
    if (next === last || !follows) return;
    last = next;
    if (from[1] !== to[1]) return;  // it follows something else from here on
    const start = vector(from.slice(2, 5)).applyQuaternion(axes);
    const end = vector(to.slice(2, 5)).applyQuaternion(axes);
    const move = (point) => point.add(end).sub(start);
    if (DATA.kinds[to[1]] === "Mounted Shot") {
      const about = axes.clone().multiply(turn(to.slice(5))).multiply(turn(from.slice(5)).invert());
      about.multiply(axes.clone().invert());
      for (const point of [eye, target]) point.sub(start).applyQuaternion(about).add(start);
      camera.up.applyQuaternion(about).normalize();
      control.updateCameraUp();
    }
    if (DATA.kinds[to[1]] !== "Pan and Tilt Shot") move(eye);
    move(target);
    control.setLookAt(eye.x, eye.y, eye.z, target.x, target.y, target.z, false);
  };

  const button = at("odesim-follow");
  const press = (on) => {
    follows = on;
    button.textContent = on ? "follows " + DATA.followed : "follow " + DATA.followed;
    button.style.opacity = on ? 1 : 0.6;
    button.setAttribute("aria-pressed", on);
  };
  button.hidden = DATA.poses.length < 2;
  button.onclick = () => press(!follows);
  press(true);

  const look = () => {
    requestAnimationFrame(look);
    const slider = document.querySelector("[role=slider]");
    const now = slider ? parseFloat(slider.getAttribute("aria-valuenow")) : 0;
    showTime(now);
    showLabels(now);
    if (DATA.poses.length > 1) follow(now);
  };
  look();
})();
</script>
"""


def with_additions(page: str, data: dict[str, Any]) -> str:
    """The page with sim time, labels and a camera that follows.

    Args:
        page: viser's player with a recording.
        data: `title`; `starts`, rows (second of the animation, second of sim time) where sim time jumps, and
            `speed` between them; `labels`, rows (second, labels); `eye`, place of the first view; `followed`,
            a name, `kinds`, and `poses`, rows as those of `FollowTrack`.
    """
    text = json.dumps(data).replace("<", "\\u003c")  # no text can end the script
    added = ADDED.replace("STYLE", STYLE).replace("(() => {\n", f"(() => {{\n  const DATA = {text};\n", 1)
    end = page.rindex("</body>")
    return page[:end] + added + page[end:]
