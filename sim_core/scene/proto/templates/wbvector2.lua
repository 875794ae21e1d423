-- Vectors {x, y}.
local M = {}
function M.equal(a, b) return a.x == b.x and a.y == b.y end
function M.add(a, b) return { x = a.x + b.x, y = a.y + b.y } end
function M.minus(a, b) return { x = a.x - b.x, y = a.y - b.y } end
function M.multiply(v, s) return { x = v.x * s, y = v.y * s } end
function M.norm(v) return math.sqrt(v.x * v.x + v.y * v.y) end
function M.cross(a, b) return a.x * b.y - a.y * b.x end
function M.dot(a, b) return a.x * b.x + a.y * b.y end
function M.distance(a, b) return M.norm(M.minus(b, a)) end
function M.angle(a, b) return math.atan2(b.y - a.y, b.x - a.x) end
function M.normalize(v) return M.multiply(v, 1 / M.norm(v)) end
return M
