// Hides the scene until all of it has arrived, is built and lit, and says how far that is.
(() => {
  if (window.odesimLoading) return;
  window.odesimLoading = true;
  const PATIENCE = 30000;  // ms without progress, after which an incomplete scene is shown all the same
  let complete = null, progress = '', since = 0;
  const box = document.createElement('div'), text = document.createElement('p'), bar = document.createElement('progress');
  Object.assign(box, {id: 'odesim-loading', role: 'status'});
  bar.setAttribute('aria-label', 'parts of the scene');
  box.append(text, bar);

  // parts of the scene in the page, and those of them that are built and have their surface
  const count = () => {
    const tree = window.__viserSceneTree?.getState() ?? {}, nodes = window.__viserMutable?.nodeRefFromName ?? {};
    let all = 0, built = 0;
    for (const name in tree) {
      if (tree[name]?.message?.type !== 'GlbMessage') continue;
      all += 1;
      let dressed = 0, plain = 0;
      nodes[name]?.traverse((object) => {
        if (object.isMesh && object.material.name?.startsWith('{"base"')) object.material.userData.dressed ? ++dressed : ++plain;
      });
      built += tree[name].effectiveVisibility === false || (dressed > 0 && plain === 0) ? 1 : 0;
    }
    return [all, built];
  };
  const look = () => {
    const told = document.getElementById('odesim-parts')?.dataset.parts;
    if (!told) return;
    const parts = JSON.parse(told);
    if (!box.isConnected) document.body.append(box);
    const cover = (words, done, of) => {
      if (text.innerText !== words) text.innerText = words;
      [bar.value, bar.max] = [done, Math.max(of, 1)];
      box.hidden = false;
    };
    if (!parts.running) return void (box.hidden = true);
    if (parts.loading) {  // the viewer itself does not have everything yet
      complete = null;
      return cover(parts.loading, parts.arrived, parts.of);
    }
    if (complete === parts.scene) return void (box.hidden = true);
    const [all, built] = count(), now = [all, built, parts.scene].join();
    if (now !== progress) [progress, since] = [now, performance.now()];
    const isComplete = built >= all && all >= parts.drawn && window.odesimIsLit?.();
    if (isComplete || performance.now() - since > PATIENCE) {
      complete = parts.scene;
      box.hidden = true;
    } else cover(built < parts.drawn ? `Building the scene: ${built} of ${parts.drawn} parts` : 'Lighting the scene', built, parts.drawn);
  };
  setInterval(look, 100);
})();
