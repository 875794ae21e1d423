// Shapes in the plane, and curves. A spline is a uniform cubic one whose ends are held by tripled end points.
const circle = (radius, div, center = { x: 0, y: 0 }, shift = 0) => {
  const points = [];
  for (let i = 0; i < div; ++i) {
    const angle = i * 2 * Math.PI / div + shift;
    points.push({ x: center.x + radius * Math.cos(angle), y: center.y + radius * Math.sin(angle) });
  }
  return points;
};
const isPoint2InPolygon = (p, polygon) => {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const a = polygon[i], b = polygon[j];
    if (a.y > p.y !== b.y > p.y && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
};
const findClosestPoint2InArray = (reference, points) => {
  const distance = (p) => Math.hypot(p.x - reference.x, p.y - reference.y);
  return points.reduce((best, p) => distance(p) < distance(best) ? p : best, points[0]);
};
const isPoint2ArrayClockwise = (points) => {
  let area = 0;
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length];
    area += (q.x - p.x) * (q.y + p.y);
  });
  return area > 0;
};
const spline = (points, subdivision, axes) => {
  if (points.length < 2) return points.slice();
  const first = points[0], last = points[points.length - 1];
  const held = [first, first, ...points, last, last], made = [];
  const at = (i, t) => {
    const u = 1 - t;
    const weights = [u ** 3 / 6, (3 * t ** 3 - 6 * t ** 2 + 4) / 6, (-3 * t ** 3 + 3 * t ** 2 + 3 * t + 1) / 6, t ** 3 / 6];
    const point = {};
    for (const axis of axes) point[axis] = weights.reduce((sum, w, k) => sum + w * held[i + k][axis], 0);
    return point;
  };
  for (let i = 0; i + 3 < held.length; ++i)
    for (let k = 0; k < subdivision; ++k) made.push(at(i, k / subdivision));
  made.push(at(held.length - 4, 1));
  return made;
};
return {
  circle, isPoint2InPolygon, findClosestPoint2InArray, isPoint2ArrayClockwise,
  bSpline2: (points, subdivision) => spline(points, subdivision, ["x", "y"]),
  bSpline3: (points, subdivision) => spline(points, subdivision, ["x", "y", "z"]),
};
