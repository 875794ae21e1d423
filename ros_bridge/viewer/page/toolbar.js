// The toolbar over the scene: run, speed, views, pictures. Its state comes from `run_panel.py`.
(() => {
  if (window.odesimToolbar) return;
  window.odesimToolbar = true;
  const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
  const PICTURES_PER_SECOND = 30;
  // icons on 24 × 24, drawn with lines
  const ICONS = {
    run: 'M7 4l12 8-12 8z', pause: 'M7 5h3v14H7zM14 5h3v14h-3z', step: 'M5 4l10 8-10 8zM19 4v16',
    fast: 'M3 5l9 7-9 7zM12 5l9 7-9 7z', reset: 'M5 4v16M19 4v16L8 12z', home: 'M3 12l9-8 9 8M6 10v10h12V10',
    fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M9 9h6v6H9z', follow: 'M12 3v5M12 16v5M3 12h5M16 12h5M12 8a4 4 0 1 0 .01 0',
    camera: 'M4 8h4l2-3h4l2 3h4v11H4zM12 10a3 3 0 1 0 .01 0', movie: 'M12 4a8 8 0 1 0 .01 0M12 9a3 3 0 1 0 .01 0',
    stop: 'M6 6h12v12H6z', theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9',
  };
  const send = (what) => window.odesimSend(what), press = (key) => () => send({key});
  const state = () => JSON.parse(document.getElementById('odesim-run')?.dataset.run ?? '{}');
  const make = (kind, given, ...inside) => {
    const element = Object.assign(document.createElement(kind), given);
    element.append(...inside);
    return element;
  };
  const draw = (button, icon) => {
    if (button.dataset.icon === icon) return;
    button.dataset.icon = icon;
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
  };
  const name = (button, label, key) => {
    if (button.ariaLabel === label) return;
    button.ariaLabel = label;
    button.title = key ? `${label} (${key})` : label;
  };
  const tool = (icon, label, key, act) => {
    const button = make('button', {type: 'button', onclick: () => { act(); button.blur(); }});
    draw(button, icon);
    name(button, label, key);
    return button;
  };

  const chosenTitle = () => document.getElementById('odesim-chosen')?.dataset.title ?? '';
  let recorder = null;

  // ---- the camera follows the selected object, in this browser
  let follows = false, before = null;
  const track = () => {
    const control = window.__viserMutable?.cameraControl, parts = window.odesimChosen?.() ?? [];
    if (!follows || !control || !chosenTitle()) return void (before = null);
    // an edit makes parts anew, under the same names; until then there is none
    const name = parts.includes(before?.name) ? before.name : parts[0];
    const object = window.__viserMutable.nodeRefFromName?.[name];
    if (!object) return;
    const place = object.getWorldPosition(window.__viserMutable.camera.position.clone());
    if (before?.name === name && before.place.distanceTo(place) > 0) {
      const step = place.clone().sub(before.place);
      const [eye, target] = [control.getPosition(place.clone()).add(step), control.getTarget(place.clone()).add(step)];
      control.setLookAt(...eye.toArray(), ...target.toArray(), false);
      window.__viserMutable.requestRender();  // what moved the object may have been drawn already
    }
    before = {name, place};
  };
  const eachFrame = () => {
    requestAnimationFrame(eachFrame);
    if (recorder) window.__viserMutable.requestRender();  // a movie has all its pictures, also of what stands still
    track();
  };

  // ---- a movie of what the browser draws
  const record = () => {
    if (recorder) return recorder.stop();
    const stream = window.__viserMutable.canvas.captureStream(PICTURES_PER_SECOND), parts = [];
    recorder = new MediaRecorder(stream, {mimeType: 'video/webm', videoBitsPerSecond: 8e6});
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      const link = make('a', {href: window.URL.createObjectURL(new Blob(parts, {type: 'video/webm'})), download: 'odesim.webm'});
      link.click();
      setTimeout(() => window.URL.revokeObjectURL(link.href), 10000);
      recorder = null;
    };
    recorder.start(1000);
  };

  const run = tool('run', 'Run', 'P', press('P'));
  const fast = tool('fast', 'Fast', '', () => send({mode: 'fast'}));
  const speed = make('select', {ariaLabel: 'Speed', title: 'Speed, in multiples of real time',
    onchange: () => { send({speed: Number(speed.value)}); speed.blur(); }});
  const QUALITIES = ['low', 'medium', 'high'];
  const quality = make('select', {ariaLabel: 'Quality', title: 'Quality of the picture: shadows, reflections, pixels',
    onchange: () => { window.odesimQuality(quality.value); quality.blur(); }},
    ...QUALITIES.map((each) => make('option', {value: each, textContent: each})));
  const follow = tool('follow', 'Follow', '', () => { follows = !follows; before = null; track(); });
  const movie = tool('movie', 'Record a movie', '', record);
  const help = make('button', {type: 'button', id: 'odesim-help-button', textContent: '?'});
  name(help, 'Keys and mouse', 'H');
  const title = make('output', {ariaLabel: 'Selected node'});
  const bar = make('div', {id: 'odesim-toolbar', role: 'toolbar', ariaLabel: 'Simulation and view'},
    run, tool('step', 'Step', 'N', press('N')), fast, speed, tool('reset', 'Reset', 'R', press('R')), make('i'),
    tool('home', 'Viewpoint', 'V', press('V')), tool('fit', 'Fit to view', 'F', press('F')), follow, make('i'),
    tool('camera', 'Screenshot', '', () => send({screenshot: true})), movie,
    quality, tool('theme', 'Dark or light', 'T', press('T')), help, title);

  const offer = (wanted) => {  // a speed that was set elsewhere is in the list too
    const all = [...new Set([...SPEEDS, wanted])].sort((a, b) => a - b), shown = all.join();
    if (speed.dataset.all !== shown) {
      speed.dataset.all = shown;
      speed.replaceChildren(...all.map((each) => make('option', {value: each, textContent: `${each} ×`})));
    }
    if (document.activeElement !== speed) speed.value = wanted;
  };
  const show = () => {
    if (!bar.isConnected) document.body.append(bar);
    const {mode, wanted, viewOnly} = state(), isPaused = mode === 'paused';
    draw(run, isPaused ? 'run' : 'pause');
    name(run, isPaused ? 'Run' : 'Pause', 'P');
    fast.ariaPressed = mode === 'fast';
    follow.ariaPressed = follows;
    draw(movie, recorder ? 'stop' : 'movie');
    name(movie, recorder ? 'End the movie' : 'Record a movie', '');
    movie.ariaPressed = !!recorder;
    if (wanted) offer(wanted);
    if (document.activeElement !== quality) quality.value = window.odesimQuality?.() ?? '';
    for (const each of [run, run.nextSibling, fast, speed, speed.nextSibling]) each.disabled = !mode || viewOnly;
    if (title.value !== chosenTitle()) title.value = chosenTitle();
  };
  setInterval(show, 100);
  eachFrame();
})();
