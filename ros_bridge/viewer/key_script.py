"""Script for the browser that reports held keys and the mouse: viser itself reports presses, not releases.

The script writes the held keys into a text field of the window, at each change and ten times a second
while a key is down, so that the viewer also notices when a browser has gone; and, if a controller has enabled
it, the mouse over the scene. Elements with the attribute
`data-odesim-key` count as that key while a pointer holds them.
"""

from __future__ import annotations

from html import escape

from ros_bridge.viewer.keys import MARK, MOUSE

REPEAT_MS = 100
FIELD = f"{MARK} nobody 0"
"""First content of the field, by which the script finds it."""

_SCRIPT = """
(() => {
  if (window.odesimKeys) return;
  window.odesimKeys = true;
  const held = new Map();
  const name = Math.random().toString(36).slice(2);
  let count = 0, mouse = '', waits = false;
  const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const find = () => [...document.querySelectorAll('input')].find(each => each.value.startsWith('MARK '));
  const hide = () => {
    const row = find()?.closest('[class*=Flex]')?.parentElement;
    if (row) row.style.display = 'none';
  };
  const tell = () => {
    const field = find();
    if (!field) return;
    put.call(field, ['MARK', name, ++count, ...held.values(), ...(mouse ? [mouse] : [])].join(' '));
    field.dispatchEvent(new Event('input', {bubbles: true}));
  };
  const release = () => { if (held.size) { held.clear(); tell(); } };
  const types = ['text', 'number', 'search', 'password'];
  const isTyping = at => at instanceof Element &&
    (at.isContentEditable || at.matches('textarea, select') ||
     (at.matches('input') && types.includes(at.type)));
  const drives = /^(Arrow\\w+|[wasdWASD ])$/;
  const isTaken = key => {
    const taken = document.getElementById('odesim-keys')?.dataset.taken;
    return taken === 'all' || (taken === 'drive' && drives.test(key));
  };
  window.addEventListener('keydown', event => {
    if (isTyping(event.target) || event.metaKey || /^(F\\d+|Tab)$/.test(event.key)) return;
    if (!isTaken(event.key)) return;
    event.stopImmediatePropagation();
    if (!event.ctrlKey && !event.altKey) event.preventDefault();
    if (held.has(event.code)) return;
    held.set(event.code, event.key === ' ' ? 'Space' : event.key);
    tell();
  }, true);
  window.addEventListener('keyup', event => { if (held.delete(event.code)) tell(); }, true);
  window.addEventListener('blur', release);
  document.addEventListener('visibilitychange', release);
  window.addEventListener('pointerdown', event => {
    const button = event.target instanceof Element && event.target.closest('[data-odesim-key]');
    if (!button) return;
    event.preventDefault();
    held.set('pointer' + event.pointerId, button.dataset.odesimKey);
    tell();
  }, true);
  for (const kind of ['pointerup', 'pointercancel'])
    window.addEventListener(kind, event => { if (held.delete('pointer' + event.pointerId)) tell(); }, true);
  const point = event => {
    if (document.getElementById('odesim-keys')?.dataset.mouse !== 'on') return false;
    if (!(event.target instanceof HTMLCanvasElement)) return false;
    const area = event.target.getBoundingClientRect(), before = mouse;
    const buttons = [1, 4, 2].map(bit => event.buttons & bit ? 1 : 0);
    const u = (event.clientX - area.left) / area.width, v = (event.clientY - area.top) / area.height;
    const place = window.odesimPoint?.(event) ?? [];
    mouse = 'MOUSE' + [...buttons, ...[u, v, ...place].map(each => each.toFixed(4))].join(',');
    return mouse !== before;
  };
  for (const kind of ['pointerdown', 'pointerup'])
    window.addEventListener(kind, event => { if (point(event)) tell(); }, true);
  window.addEventListener('pointermove', event => {
    if (!point(event) || waits) return;
    waits = true;
    setTimeout(() => { waits = false; tell(); }, REPEAT / 2);
  }, true);
  setInterval(() => { hide(); if (held.size) tell(); }, REPEAT);
})()
"""

_BUTTON = (
    "width:2.6em;height:2.2em;font-size:1.1em;border:1px solid #228be6;border-radius:4px;color:#228be6;"
    "background:none;touch-action:none;user-select:none;cursor:pointer"
)


def script_html(taken: str, has_mouse: bool = False) -> str:
    """Return HTML that runs the script: `<script>` in HTML added later is not run, event handlers are.

    Args:
        taken: keys that go to the simulation and do not move the camera: `all`, `drive` (arrows, W, A, S, D
            and space), or none.
        has_mouse: whether the mouse is reported.
    """
    script = _SCRIPT.replace("MARK", MARK).replace("MOUSE", MOUSE).replace("REPEAT", str(REPEAT_MS))
    mouse = "on" if has_mouse else "off"
    return (
        f'<div id="odesim-keys" data-taken="{taken}" data-mouse="{mouse}" style="display:none">'
        f'<img alt="" src="data:," onerror="{escape(" ".join(script.split()))}"></div>'
    )


def pad_html() -> str:
    """Return four arrow buttons that drive the robot while they are held."""
    places = {
        "ArrowUp": ("▲", 2, 1),
        "ArrowLeft": ("◀", 1, 2),
        "ArrowDown": ("▼", 2, 2),
        "ArrowRight": ("▶", 3, 2),
    }
    buttons = "".join(
        f'<button data-odesim-key="{key}" aria-label="{key}" '
        f'style="grid-column:{column};grid-row:{row};{_BUTTON}">{sign}</button>'
        for key, (sign, column, row) in places.items()
    )
    return (
        '<div style="display:grid;grid-template-columns:repeat(3,min-content);gap:0.3em;'
        f'justify-content:center;padding:0.2em 0 0.5em">{buttons}</div>'
    )
