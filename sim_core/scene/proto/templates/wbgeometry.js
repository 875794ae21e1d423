// Shapes in the plane, and curves. A circle ends with its first point. A spline is uniform and cubic, with end
// points that continue the line of the last two: (points - 1) * subdivision + 1 points.
const circle = (radius, div, center = { x: 0, y: 0 }, shift = 0) => {
  const points = [];
  for (let i = 0; i <= div; ++i) {
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
  const beyond = (p, q) => Object.fromEntries(axes.map((axis) => [axis, 2 * p[axis] - q[axis]]));
  const held = [beyond(points[0], points[1]), ...points, beyond(points[points.length - 1], points[points.length - 2])];
  const at = (i, t) => {
    const u = 1 - t;
    const weights = [u ** 3 / 6, (3 * t ** 3 - 6 * t ** 2 + 4) / 6, (-3 * t ** 3 + 3 * t ** 2 + 3 * t + 1) / 6, t ** 3 / 6];
    const point = {};
    for (const axis of axes) point[axis] = weights.reduce((sum, w, k) => sum + w * held[i + k][axis], 0);
    return point;
  };
  const made = [points[0]];
  for (let i = 0; i + 3 < held.length; ++i)
    for (let k = 1; k <= subdivision; ++k) made.push(at(i, k / subdivision));
  return made;
};
return {
  circle, isPoint2InPolygon, findClosestPoint2InArray, isPoint2ArrayClockwise,
  bSpline2: (points, subdivision) => spline(points, subdivision, ["x", "y"]),
  bSpline3: (points, subdivision) => spline(points, subdivision, ["x", "y", "z"]),
};
