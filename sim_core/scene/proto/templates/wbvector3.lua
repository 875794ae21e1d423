-- Vectors {x, y, z}.
local M = {}
function M.equal(a, b) return a.x == b.x and a.y == b.y and a.z == b.z end
function M.add(a, b) return { x = a.x + b.x, y = a.y + b.y, z = a.z + b.z } end
function M.minus(a, b) return { x = a.x - b.x, y = a.y - b.y, z = a.z - b.z } end
function M.multiply(v, s) return { x = v.x * s, y = v.y * s, z = v.z * s } end
function M.dot(a, b) return a.x * b.x + a.y * b.y + a.z * b.z end
function M.norm(v) return math.sqrt(M.dot(v, v)) end
function M.cross(a, b) return { x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x } end
function M.distance(a, b) return M.norm(M.minus(b, a)) end
function M.normalize(v) return M.multiply(v, 1 / M.norm(v)) end
return M
