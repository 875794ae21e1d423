// Vectors {x, y}.
const equal = (a, b) => a.x === b.x && a.y === b.y;
const add = (a, b) => ({ x: a.x + b.x, y: a.y + b.y });
const minus = (a, b) => ({ x: a.x - b.x, y: a.y - b.y });
const multiply = (v, s) => ({ x: v.x * s, y: v.y * s });
const norm = (v) => Math.hypot(v.x, v.y);
const cross = (a, b) => a.x * b.y - a.y * b.x;
return {
  equal, add, minus, multiply, norm, cross,
  distance: (a, b) => norm(minus(b, a)),
  angle: (a, b) => Math.atan2(b.y - a.y, b.x - a.x),
  dot: (a, b) => a.x * b.x + a.y * b.y,
  normalize: (v) => multiply(v, 1 / norm(v)),
  // The intersection of the segments p1 p2 and p3 p4, or null.
  intersection: (p1, p2, p3, p4) => {
    const a = minus(p2, p1), b = minus(p4, p3), size = cross(a, b);
    if (size === 0) return null;
    const s = cross(minus(p3, p1), b) / size, t = cross(minus(p3, p1), a) / size;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1 ? add(p1, multiply(a, s)) : null;
  },
};
