// Vectors {x, y, z}.
const minus = (a, b) => ({ x: a.x - b.x, y: a.y - b.y, z: a.z - b.z });
const multiply = (v, s) => ({ x: v.x * s, y: v.y * s, z: v.z * s });
const norm = (v) => Math.hypot(v.x, v.y, v.z);
return {
  minus, multiply, norm,
  equal: (a, b) => a.x === b.x && a.y === b.y && a.z === b.z,
  add: (a, b) => ({ x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }),
  distance: (a, b) => norm(minus(b, a)),
  cross: (a, b) => ({ x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x }),
  dot: (a, b) => a.x * b.x + a.y * b.y + a.z * b.z,
  normalize: (v) => multiply(v, 1 / norm(v)),
};
