// Geometries with fewer triangles, for shapes that are small in the picture.
//
// window.odesimLevels(geometry): [[geometry, diameter], …], each for shapes up to a diameter in pixels; the coarsest
// first, the geometry itself last.
(() => {
  if (window.odesimLevels) return;
  const CELLS = [6, 12, 24, 48], PIXELS = 2;  // cells along a shape; pixels along a cell at most
  const MANY = 100, WORTH = 0.7;  // triangles worth a level; share of the triangles that one may have

  // Corners in a cell of a grid move to the first of them (Rossignac and Borrel, 1993); triangles without area vanish.
  // A corner keeps its normal and place in pictures; of those that are about equal in a cell, the first one.
  const coarser = (geometry, cells) => {
    const {position, normal, uv} = geometry.attributes, {center, radius} = geometry.boundingSphere;
    const count = position.count, corners = geometry.index?.array ?? Uint32Array.from({length: count}, (_, k) => k);
    const spots = new Map(), looks = new Map(), moved = new Uint32Array(count), merged = new Uint32Array(count);
    const first = (all, key, corner) => all.get(key) ?? (all.set(key, corner), corner);
    const cellOf = (from, middle) => Math.floor((from - middle) * cells / (2 * radius)) + 64;
    for (let corner = 0, k = 0; corner < count; ++corner, k += 3) {
      const [x, y, z] = position.array.subarray(k, k + 3);
      let key = (cellOf(x, center.x) * 128 + cellOf(y, center.y)) * 128 + cellOf(z, center.z);
      moved[corner] = first(spots, key, corner);
      for (const part of normal?.array.subarray(k, k + 3) ?? []) key = 3 * key + Math.round(part) + 1;
      for (const part of uv?.array.subarray(2 * corner, 2 * corner + 2) ?? []) key = 1024 * key + (Math.round(2 * part) & 1023);
      merged[corner] = first(looks, key, corner);
    }
    const index = [];
    for (let k = 0; k < corners.length; k += 3) {
      const [a, b, c] = corners.subarray(k, k + 3);
      if (moved[a] !== moved[b] && moved[b] !== moved[c] && moved[c] !== moved[a]) index.push(merged[a], merged[b], merged[c]);
    }
    if (index.length > WORTH * corners.length) return null;
    const level = new geometry.constructor(), kept = [...new Set(index)], numbers = new Map(kept.map((corner, k) => [corner, k]));
    for (const [name, {array, itemSize, constructor}] of Object.entries(geometry.attributes)) {
      const taken = kept.map((corner) => (name === 'position' ? moved[corner] : corner) * itemSize);
      level.setAttribute(name, new constructor(Float32Array.from(taken.flatMap((from) => [...array.slice(from, from + itemSize)])), itemSize));
    }
    level.setIndex(index.map((corner) => numbers.get(corner)));
    level.boundingSphere = geometry.boundingSphere;
    return level;
  };

  const known = new WeakMap();
  window.odesimLevels = (geometry) => {
    if (!known.has(geometry)) {
      const levels = [[geometry, Infinity]];
      for (const cells of CELLS.toReversed()) {
        const [finest] = levels[0], count = (finest.index ?? finest.attributes.position).count / 3;
        const level = count > MANY && coarser(finest, cells);
        if (level) levels.unshift([level, PIXELS * cells]);
      }
      known.set(geometry, levels);
      geometry.addEventListener('dispose', () => levels.slice(0, -1).forEach(([level]) => level.dispose()));
    }
    return known.get(geometry);
  };
})();
