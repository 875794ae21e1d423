// Messages, checks and conversions.
const has = (value, keys) => value !== null && typeof value === "object" && Object.keys(value).length === keys.length &&
  keys.every((key) => typeof value[key] === "number");
const isScalar = (s) => typeof s === "number";
const isVector2 = (v) => has(v, ["x", "y"]);
const isVector3 = (v) => has(v, ["x", "y", "z"]);
const error = (message) => console.error(message);
return {
  error, isScalar, isVector2, isVector3,
  assert: (statement, message) => { if (!statement) error(message); },
  info: (message) => console.log(message),
  deepCopy: (original) => original === undefined ? undefined : JSON.parse(JSON.stringify(original)),
  degreesToRadians: (angle) => angle * Math.PI / 180,
  radiansToDegrees: (angle) => angle * 180 / Math.PI,
  isAxisAngle: (r) => has(r, ["x", "y", "z", "a"]),
  isQuaternion: (q) => has(q, ["w", "x", "y", "z"]),
  isMatrix3: (m) => has(m, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]),
  isArrayOfPoints: (array, dim) => Array.isArray(array) && array.every(dim === 2 ? isVector2 : isVector3),
};
