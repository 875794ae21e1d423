// The viewer's additions to viser's page: look and motion of the world, shortcuts, help, scroll positions,
// and which panels were open.
(() => {
  if (window.odesimPage) return;
  window.odesimPage = true;
  const data = (id, key) => document.getElementById('odesim-' + id)?.dataset[key] ?? '';
  const changed = {};
  const news = (id, key) => {
    const now = data(id, key);
    if (!now || now === changed[id]) return '';
    changed[id] = now;
    return now;
  };

  // ---- messages to the viewer: one every 100 ms, because viser sends only the last one of 50 ms
  const me = Math.random().toString(36).slice(2), queue = [];
  let count = 0;
  const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const field = () => [...document.querySelectorAll('input')].find((each) => each.value.startsWith('odesim-page '));
  setInterval(() => {
    const at = field();
    const row = at?.closest('[class*=Flex]')?.parentElement;
    if (row) row.style.display = 'none';
    if (!at || !queue.length) return;
    put.call(at, ['odesim-page', me, ++count, JSON.stringify(queue.shift())].join(' '));
    at.dispatchEvent(new Event('input', {bubbles: true}));
  }, 100);
  const send = window.odesimSend = (what) => queue.push(what);

  const LOWER = '[data-dock-minimize]';
  const titled = (title) => [...document.querySelectorAll('[data-dock-tab], [role=tab]')].find((each) => each.innerText.trim() === title);
  const openTab = (title) => {
    for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
      titled(title)?.dispatchEvent(new (kind.startsWith('p') ? PointerEvent : MouseEvent)(kind, {bubbles: true, button: 0, pointerId: 1, isPrimary: true}));
  };

  // ---- shortcuts and help
  const help = () => document.getElementById('odesim-help');
  const showHelp = (on) => { const box = help(); if (box) box.hidden = !on; };
  const isTyping = (at) => at instanceof Element &&
    (at.isContentEditable || at.matches('textarea, select') ||
     (at.matches('input') && !['checkbox', 'radio', 'range'].includes(at.type)));
  window.addEventListener('keydown', (event) => {
    if (isTyping(event.target)) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toUpperCase() === 'Z') {
      send({[event.shiftKey ? 'redo' : 'undo']: true});
      return event.preventDefault();
    }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (event.key === '?' || key === 'H') return showHelp(help()?.hidden);
    if (key === 'Escape' && help() && !help().hidden) return showHelp(false);
    if (key === '/') {
      openTab('Scene');
      setTimeout(() => [...document.querySelectorAll('label')]
        .find((each) => each.innerText.trim() === 'Search' && each.offsetParent)
        ?.closest('[class*=Flex]')?.querySelector('input')?.focus(), 150);
      event.preventDefault();
      return;
    }
    if (document.getElementById('odesim-keys')?.dataset.taken === 'all' && key !== 'Escape') return;
    if (!(help()?.dataset.keys ?? '').split(' ').includes(key) || event.repeat) return;
    send({key});
  });

  // ---- mouse: rows of the tree, help, places of new nodes
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const row = event.target.closest('[data-odesim-row]');
    if (row) send({row: row.dataset.odesimRow});
    if (event.target.closest('#odesim-help-button')) showHelp(help()?.hidden);
    else if (help() && !help().hidden && !event.target.closest('#odesim-help > div')) showHelp(false);
  });
  let down = null;
  const isAiming = () => document.getElementById('odesim-aim')?.dataset.on === 'yes';
  const castRay = (event) => {
    const shared = window.__viserMutable, {left, top, width, height} = shared.canvas.getBoundingClientRect();
    const state = shared.scene.__r3f.root.getState();
    const at = state.pointer.clone().set(2 * (event.clientX - left) / width - 1, 1 - 2 * (event.clientY - top) / height);
    state.raycaster.setFromCamera(at, shared.camera);
    const meshes = [];
    state.scene.traverse((object) => { if (object.isMesh && object.material.userData?.dressed) meshes.push(object); });
    return {ray: state.raycaster.ray, hit: () => state.raycaster.intersectObjects(meshes, false)[0]};
  };
  window.odesimPoint = (event) => {  // what is below the pointer, in the axes of the world; empty: nothing
    const hit = castRay(event).hit();
    return hit ? hit.point.applyQuaternion(turnOfWorld().invert()).toArray() : [];
  };
  const turnOfWorld = () => {  // from the axes of the world to those of the page
    const [w, x, y, z] = window.__viserSceneTree.getState()[''].wxyz;
    return window.__viserMutable.camera.quaternion.clone().set(x, y, z, w);
  };

  // ---- Shift and the left button: drag the selected object in a horizontal plane
  let dragged = null;
  const tellDrag = (phase, shift) => {
    const last = queue.at(-1)?.drag;
    if (phase === 'update' && last?.phase === 'update') queue.pop();
    send({drag: {phase, shift}});
  };
  document.addEventListener('pointerdown', (event) => {
    down = [event.clientX, event.clientY];
    const canvas = window.__viserMutable?.canvas;
    if (!event.shiftKey || event.button || !canvas || event.target !== canvas) return;
    const found = castRay(event).hit(), parts = new Set(window.odesimChosen().map((name) => window.__viserMutable.nodeRefFromName[name]));
    for (let object = found?.object; object; object = object.parent) if (parts.has(object)) dragged = {from: found.point, shift: [0, 0]};
    if (!dragged) return;
    event.stopPropagation();
    tellDrag('start', dragged.shift);
  }, true);
  document.addEventListener('pointermove', (event) => {
    if (!dragged) return;
    event.stopPropagation();
    const {ray} = castRay(event), turn = turnOfWorld(), up = dragged.from.clone().set(0, 0, 1).applyQuaternion(turn);
    const slope = ray.direction.dot(up), far = dragged.from.clone().sub(ray.origin).dot(up) / slope;
    if (!slope || far <= 0) return;  // the pointer is at or above the horizon
    const moved = ray.origin.clone().addScaledVector(ray.direction, far).sub(dragged.from).applyQuaternion(turn.invert());
    tellDrag('update', dragged.shift = [moved.x, moved.y]);
  }, true);
  for (const kind of ['pointerup', 'pointercancel']) document.addEventListener(kind, (event) => {
    if (!dragged) return;
    event.stopPropagation();
    tellDrag('end', dragged.shift);
    dragged = null;
  }, true);
  document.addEventListener('pointerup', (event) => {
    const shared = window.__viserMutable, canvas = shared?.canvas;
    if (!isAiming() || !canvas || event.target !== canvas || !down) return;
    if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
    const place = window.odesimPoint(event);
    if (place.length) send({place});
  }, true);

  // ---- keep the console's end and the selected row in sight; hide notifications of viser
  let chosen = '', atEnd = true;
  document.addEventListener('scroll', (event) => {
    const box = event.target;
    if (box.id === 'odesim-console') atEnd = box.scrollTop + box.clientHeight > box.scrollHeight - 8;
  }, true);
  let said = '', tree = null, height = 0;
  const tidy = () => {
    const box = document.getElementById('odesim-console');
    if (box && box.innerHTML !== said) {
      said = box.innerHTML;
      if (atEnd) box.scrollTop = box.scrollHeight;
    }
    const rows = document.getElementById('odesim-tree');
    if (rows) {
      if (rows !== tree) { tree = rows; rows.scrollTop = height; }
      height = rows.scrollTop;
      const now = rows.querySelector('[aria-current=true]');
      if (now && now.dataset.odesimRow !== chosen) {
        chosen = now.dataset.odesimRow;
        now.scrollIntoView({block: 'nearest'});
      }
    }
    for (const note of document.querySelectorAll('.mantine-Notification-root'))
      if (note.innerText.startsWith('Software WebGL')) note.style.display = 'none';
    const panel = help();
    if (panel && panel.parentElement !== document.body && !document.body.querySelector(':scope > #odesim-help'))
      document.body.append(panel.cloneNode(true)), panel.remove();
  };
  setInterval(tidy, 200);

  // ---- tabs that are looked at; fields of topics, which are clicked or dragged into the plot
  const seen = new Set();
  setInterval(() => {
    for (const tab of document.querySelectorAll('[role=tab][aria-selected=true]')) {
      const title = tab.innerText.trim();
      if (tab.checkVisibility() && !seen.has(title) && document.querySelector(LOWER)?.ariaExpanded === 'true') {
        seen.add(title);
        send({tab: title});
      }
    }
  }, 300);
  const FIELD = 'text/odesim-field', isPlot = (at) => at instanceof Element && (at.closest('.uplot') || titled('Plot')?.contains(at));
  document.addEventListener('click', (event) => {
    const at = event.target instanceof Element && event.target.closest('[data-odesim-field], [data-odesim-topic]');
    if (at) send(at.dataset.odesimField ? {curve: at.dataset.odesimField} : {topic: at.dataset.odesimTopic});
  });
  document.addEventListener('dragstart', (event) => {
    const at = event.target instanceof Element && event.target.closest('[data-odesim-field]');
    if (at) event.dataTransfer.setData(FIELD, at.dataset.odesimField);
  });
  document.addEventListener('dragover', (event) => {
    if (event.dataTransfer.types.includes(FIELD) && isPlot(event.target)) event.preventDefault();
  });
  document.addEventListener('drop', (event) => {
    const field = event.dataTransfer.getData(FIELD);
    if (!field || !isPlot(event.target)) return;
    event.preventDefault();
    send({curve: field});
    openTab('Plot');
  });

  // ---- whether the lower window was open the last time in this world
  let known = '';
  setInterval(() => {
    const lower = document.querySelector(LOWER), title = document.title;
    if (!lower || !title.endsWith('· odesim')) return;
    const key = 'odesim lower ' + title, isOpen = lower.ariaExpanded;
    if (known === key) return localStorage.setItem(key, isOpen);
    known = key;
    if ((localStorage.getItem(key) ?? isOpen) !== isOpen) lower.click();
  }, 300);

  let names = [];
  const look = () => {
    requestAnimationFrame(look);
    const surround = news('surround', 'surround');
    if (surround) {
      const told = JSON.parse(surround);
      window.odesimLook(told);
      document.title = told.title + ' · odesim';
    }
    const called = news('names', 'names');
    if (called) { names = JSON.parse(called); changed.poses = ''; }
    const poses = news('poses', 'poses');
    if (poses) {
      const bytes = Uint8Array.from(atob(poses), (letter) => letter.charCodeAt(0));
      const rows = new Float32Array(bytes.buffer);
      if (rows.length === 7 * names.length) window.odesimMove(names, rows);
    }
  };
  look();
})();
