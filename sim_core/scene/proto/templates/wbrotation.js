// Rotations as axis and angle {x, y, z, a}, as quaternions {w, x, y, z}, as matrices of nine numbers by rows.
const normalize = (r) => {
  const length = Math.hypot(r.x, r.y, r.z);
  if (length === 0) return { x: 0, y: 0, z: 1, a: 0 };
  const turns = Math.round(r.a / (2 * Math.PI));
  return { x: r.x / length, y: r.y / length, z: r.z / length, a: r.a - 2 * Math.PI * turns };
};
const toQuaternion = (r) => {
  const n = normalize(r), s = Math.sin(n.a / 2);
  return { w: Math.cos(n.a / 2), x: n.x * s, y: n.y * s, z: n.z * s };
};
const fromQuaternion = (q) => {
  const size = Math.hypot(q.x, q.y, q.z);
  if (size < 1e-15) return { x: 0, y: 0, z: 1, a: 0 };
  return { x: q.x / size, y: q.y / size, z: q.z / size, a: 2 * Math.atan2(size, q.w) };
};
const toMatrix3 = (r) => {
  const { x, y, z, a } = normalize(r), c = Math.cos(a), s = Math.sin(a), t = 1 - c;
  return [t * x * x + c, t * x * y - s * z, t * x * z + s * y,
          t * x * y + s * z, t * y * y + c, t * y * z - s * x,
          t * x * z - s * y, t * y * z + s * x, t * z * z + c];
};
const fromMatrix3 = (m) => {
  // The largest of the four squares is used, to avoid a small divisor (Shepperd's method).
  const squares = [1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8]];
  const best = squares.indexOf(Math.max(...squares)), d = 2 * Math.sqrt(squares[best]);
  const parts = [
    [d / 4, (m[7] - m[5]) / d, (m[2] - m[6]) / d, (m[3] - m[1]) / d],
    [(m[7] - m[5]) / d, d / 4, (m[1] + m[3]) / d, (m[2] + m[6]) / d],
    [(m[2] - m[6]) / d, (m[1] + m[3]) / d, d / 4, (m[5] + m[7]) / d],
    [(m[3] - m[1]) / d, (m[2] + m[6]) / d, (m[5] + m[7]) / d, d / 4],
  ][best];
  const sign = parts[0] < 0 ? -1 : 1;
  return fromQuaternion({ w: sign * parts[0], x: sign * parts[1], y: sign * parts[2], z: sign * parts[3] });
};
const product = (p, q) => ({
  w: p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
  x: p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
  y: p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
  z: p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
});
const rotateVector3ByMatrix3 = (m, v) => ({
  x: m[0] * v.x + m[1] * v.y + m[2] * v.z,
  y: m[3] * v.x + m[4] * v.y + m[5] * v.z,
  z: m[6] * v.x + m[7] * v.y + m[8] * v.z,
});
return {
  normalize, toQuaternion, fromQuaternion, toMatrix3, fromMatrix3, rotateVector3ByMatrix3,
  equal: (p, q) => p.x === q.x && p.y === q.y && p.z === q.z && p.a === q.a,
  isIdentity: (r) => normalize(r).a === 0,
  combine: (p, q) => fromQuaternion(product(toQuaternion(p), toQuaternion(q))),
  rotateVector3ByRotation: (r, v) => rotateVector3ByMatrix3(toMatrix3(r), v),
  rotateVector3ByQuaternion: (q, v) => rotateVector3ByMatrix3(toMatrix3(fromQuaternion(q)), v),
};
