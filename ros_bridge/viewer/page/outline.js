// Outlines the selected node's parts: their back sides, drawn again with a shift of some pixels to each corner.
(() => {
  if (window.odesimChosen) return;
  const COLOUR = 'vec4(1.0, 0.55, 0.05, 1.0)', PIXELS = 2.5, BACK = 1;
  const SHIFTS = [[1, 1], [-1, 1], [1, -1], [-1, -1]];
  const MOST = 60;  // meshes that are outlined; each is drawn four times more
  let chosen = [], told = '', copies = [];
  window.odesimChosen = () => chosen;
  const border = (mesh, shift) => {
    const material = mesh.material.clone();
    Object.assign(material, {name: '', side: BACK, transparent: false, opacity: 1, alphaTest: 0, userData: {}});
    material.onBeforeCompile = (shader) => {
      shader.uniforms.odesimShift = material.userData.shift;
      shader.vertexShader = 'uniform vec2 odesimShift;\n' + shader.vertexShader.replace('#include <project_vertex>',
        '#include <project_vertex>\ngl_Position.xy += odesimShift * gl_Position.w;');
      shader.fragmentShader = shader.fragmentShader.replace('#include <dithering_fragment>',
        `#include <dithering_fragment>\ngl_FragColor = ${COLOUR};`);
    };
    material.userData.shift = {value: [0, 0]};
    material.customProgramCacheKey = () => 'odesim-outline';
    const copy = new mesh.constructor(mesh.geometry, material);
    Object.assign(copy, {castShadow: false, receiveShadow: false, raycast: () => {}});
    copy.userData = {shift, of: mesh};
    mesh.add(copy);
    return copy;
  };
  const clear = () => {
    for (const copy of copies) { copy.removeFromParent(); copy.material.dispose(); }
    copies = [];
  };
  const isLost = () => copies.some((copy) => {
    let top = copy;
    while (top.parent) top = top.parent;
    return top !== window.__viserMutable.scene && !top.isScene;
  });
  const look = () => {
    const now = document.getElementById('odesim-chosen')?.dataset.parts ?? '[]';
    const shared = window.__viserMutable;
    if (!shared?.canvas) return;
    if (now !== told || isLost()) {
      told = now;
      chosen = JSON.parse(now);
      clear();
      const meshes = [];
      for (const name of chosen)
        shared.nodeRefFromName[name]?.traverse((object) => { if (object.isMesh && object.material.userData?.dressed) meshes.push(object); });
      if (chosen.length && !meshes.length) told = '';  // they are not built yet
      copies = meshes.slice(0, MOST).flatMap((mesh) => SHIFTS.map((shift) => border(mesh, shift)));
      shared.requestRender();
    }
    const {clientWidth, clientHeight} = shared.canvas;
    for (const {material, userData: {shift}} of copies)
      material.userData.shift.value = [2 * PIXELS * shift[0] / clientWidth, 2 * PIXELS * shift[1] / clientHeight];
  };
  setInterval(look, 150);
})();
