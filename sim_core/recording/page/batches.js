// Draws equal shapes at once: meshes of `look.js` with the same corners and the same surface, up to its colour,
// are drawn as instances of one mesh, of fewer triangles if they are small in the picture. They themselves stay in
// the scene, in a layer that no camera draws, and are moved, hidden, clicked and outlined there as before.
(() => {
  if (window.odesimBatches) return;
  const LEAST = 3;  // meshes that are worth a batch
  const LAYER = 30, SMALLEST = 0.5;  // radius in pixels of a shape below which it is not drawn
  const shared = () => window.__viserMutable;
  const root = () => shared()?.scene?.__r3f?.root?.getState?.();
  let members = [], batches = [], Instanced = null;
  const geometries = [], files = [];  // what was seen, by its number

  // ---- what is equal
  const isSame = (a, b) => a === b || (!!a && !!b && a.length === b.length && a.every((each, k) => each === b[k]));
  const isSameGeometry = (a, b) => {
    const names = Object.keys(a.attributes);
    return names.length === Object.keys(b.attributes).length && isSame(a.index?.array, b.index?.array)
      && names.every((name) => isSame(a.attributes[name].array, b.attributes[name]?.array));
  };
  const numbers = new WeakMap();
  const numberOf = (thing, all, isEqual) => {
    if (!numbers.has(thing)) {
      const found = all.findIndex((each) => each && isEqual(each, thing));
      numbers.set(thing, found < 0 ? all.push(thing) - 1 : found);
    }
    return numbers.get(thing);
  };
  const keyOf = ({geometry, material, matrixWorld}, file, place) => {
    if (material.transparent || matrixWorld.determinant() <= 0) return '';  // drawn from back to front; mirrored
    const {base, ...told} = material.userData.dressed, {roughness, metalness, opacity} = material;
    const hasMap = Object.values(material).some((each) => each?.isTexture && each !== material.envMap);
    const maps = hasMap ? [numberOf(file, files, isSame), place] : [];
    return JSON.stringify([numberOf(geometry, geometries, isSameGeometry), roughness, metalness, opacity, maps, told]);
  };

  // ---- batches
  const gather = (scene) => {  // meshes that have their surface, each with its file and its place in it
    const tree = window.__viserSceneTree.getState(), found = [];
    for (const [name, node] of Object.entries(shared().nodeRefFromName)) {
      const file = tree[name]?.message?.props?.glb_data;
      let place = 0;
      if (file) node?.traverse((mesh) => {
        if (mesh !== node) mesh.matrixAutoUpdate = false;  // a part moves as a whole
        if (mesh.isMesh && mesh.material.userData?.dressed && !mesh.userData.of) found.push({mesh, file, place: place++});
      });
    }
    if (!Instanced) scene.traverse((object) => { if (object.isInstancedMesh) Instanced ??= object; });
    return Instanced ? found : [];
  };
  const begin = (scene, all) => {
    const first = all[0], material = first.material.clone(), {base, ...told} = first.material.userData.dressed;
    Object.assign(material, {name: JSON.stringify({base: [1, 1, 1], ...told}), userData: {}});  // look.js gives it its surface
    const grow = told.phong ? Math.PI : 1;
    const colours = all.flatMap((each) => each.material.userData.dressed.base.map((part) => grow * part));
    const levels = window.odesimLevels(first.geometry).map(([geometry, diameter]) => {
      const mesh = new Instanced.constructor(geometry, material, all.length);
      mesh.instanceColor = new mesh.instanceMatrix.constructor(new Float32Array(colours), 3);
      Object.assign(mesh, {frustumCulled: false, raycast: () => {}, count: 0});
      scene.add(mesh);
      return {mesh, diameter, shown: [], was: new Float64Array(16 * all.length).fill(NaN)};
    });
    for (const each of all) { each.userData.layers = each.layers.mask; each.layers.set(LAYER); }
    const {center, radius} = first.geometry.boundingSphere;
    return {material, levels, all, colours, radius, reach: radius + center.length()};
  };
  const regroup = (scene, found) => {
    for (const {material, levels} of batches) {
      material.dispose();
      for (const {mesh} of levels) { mesh.removeFromParent(); mesh.dispose(); }
    }
    const groups = new Map();
    for (const {mesh, file, place} of found) {
      mesh.layers.mask = mesh.userData.layers ?? mesh.layers.mask;
      const key = keyOf(mesh, file, place);
      if (key) groups.set(key, [...(groups.get(key) ?? []), mesh]);
    }
    const isWorth = (all) => all.length >= LEAST || window.odesimLevels(all[0].geometry).length > 1;
    batches = [...groups.values()].filter(isWorth).map((all) => begin(scene, all));
  };
  const look = () => {
    const state = root();
    if (!state || !window.__viserSceneTree) return;
    state.raycaster.layers.enable(LAYER);
    const found = gather(state.scene);
    if (found.length === members.length && found.every(({mesh}, k) => mesh === members[k])) return;
    members = found.map(({mesh}) => mesh);
    state.scene.updateMatrixWorld();
    regroup(state.scene, found);
    shared().requestRender();
  };

  // ---- before each picture: instances are where the meshes are, unless these are hidden or too small
  const isShown = (object, scene) => {
    for (; object; object = object.parent) {
      if (!object.visible) return false;
      if (object === scene) return true;
    }
    return false;
  };
  window.odesimBatches = (renderer, scene, camera) => {
    const eye = camera.matrixWorld.elements, pixels = renderer.domElement.height * camera.projectionMatrix.elements[5] / 2;
    for (const {levels, all, colours, radius, reach} of batches) {
      for (const level of levels) level.mesh.count = 0;
      for (let number = 0; number < all.length; ++number) {
        const now = all[number].matrixWorld.elements;
        const far = Math.hypot(now[12] - eye[12], now[13] - eye[13], now[14] - eye[14]) - reach;
        if (radius * pixels < SMALLEST * far || !isShown(all[number], scene)) continue;
        const {mesh, shown, was} = levels.find(({diameter}) => 2 * radius * pixels <= diameter * far) ?? levels.at(-1);
        const {instanceMatrix, instanceColor, count} = mesh;
        for (let k = 0, at = 16 * count; k < 16; ++k, ++at) {
          if (was[at] === now[k]) continue;
          instanceMatrix.array[at] = was[at] = now[k];
          instanceMatrix.needsUpdate = true;
        }
        if (shown[count] !== number) {
          for (let k = 0; k < 3; ++k) instanceColor.array[3 * count + k] = colours[3 * number + k];
          shown[count] = number;
          instanceColor.needsUpdate = true;
        }
        ++mesh.count;
      }
      for (const {mesh} of levels) mesh.visible = mesh.count > 0;
    }
  };
  setInterval(look, 200);
})();
