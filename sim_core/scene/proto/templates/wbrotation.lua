-- Rotations as axis and angle {x, y, z, a}, as quaternions {w, x, y, z}, as matrices of nine numbers by rows.
local M = {}
local function turned_by(x, y, z, cosine, sine)
  local angle = math.atan2(sine, cosine)
  if sine < 1e-15 then return { x = 0, y = 0, z = 1, a = 0 } end
  return { x = x / sine, y = y / sine, z = z / sine, a = angle }
end
function M.equal(p, q) return p.x == q.x and p.y == q.y and p.z == q.z and p.a == q.a end
function M.isvalid(r) return r.x ~= 0 or r.y ~= 0 or r.z ~= 0 end
function M.isidentity(r) return r.a == 0 end
function M.normalizeangle(r) r.a = r.a - 2 * math.pi * math.floor(r.a / (2 * math.pi) + 0.5) end
function M.normalizeaxis(r)
  if not M.isvalid(r) then r.x, r.y, r.z = 0, 0, 1 end
  local length = math.sqrt(r.x * r.x + r.y * r.y + r.z * r.z)
  r.x, r.y, r.z = r.x / length, r.y / length, r.z / length
end
function M.normalize(r)
  M.normalizeaxis(r)
  M.normalizeangle(r)
  return r
end
function M.toquaternion(r)
  local n = M.normalize({ x = r.x, y = r.y, z = r.z, a = r.a })
  local s = math.sin(n.a / 2)
  return { w = math.cos(n.a / 2), x = n.x * s, y = n.y * s, z = n.z * s }
end
function M.fromquaternion(q)
  local size = math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z)
  local r = turned_by(q.x, q.y, q.z, q.w, size)
  r.a = 2 * r.a
  return r
end
function M.tomatrix3(r)
  local n = M.normalize({ x = r.x, y = r.y, z = r.z, a = r.a })
  local x, y, z, c, s = n.x, n.y, n.z, math.cos(n.a), math.sin(n.a)
  local t = 1 - c
  return {
    t * x * x + c, t * x * y - s * z, t * x * z + s * y,
    t * x * y + s * z, t * y * y + c, t * y * z - s * x,
    t * x * z - s * y, t * y * z + s * x, t * z * z + c,
  }
end
function M.frommatrix3(m)
  -- The largest of the four squares is used, to avoid a small divisor (Shepperd's method).
  local squares = { 1 + m[1] + m[5] + m[9], 1 + m[1] - m[5] - m[9], 1 - m[1] + m[5] - m[9], 1 - m[1] - m[5] + m[9] }
  local best = 1
  for i = 2, 4 do if squares[i] > squares[best] then best = i end end
  local d = 2 * math.sqrt(squares[best])
  local parts = ({
    { d / 4, (m[8] - m[6]) / d, (m[3] - m[7]) / d, (m[4] - m[2]) / d },
    { (m[8] - m[6]) / d, d / 4, (m[2] + m[4]) / d, (m[3] + m[7]) / d },
    { (m[3] - m[7]) / d, (m[2] + m[4]) / d, d / 4, (m[6] + m[8]) / d },
    { (m[4] - m[2]) / d, (m[3] + m[7]) / d, (m[6] + m[8]) / d, d / 4 },
  })[best]
  local sign = parts[1] < 0 and -1 or 1
  return M.fromquaternion({ w = sign * parts[1], x = sign * parts[2], y = sign * parts[3], z = sign * parts[4] })
end
function M.combine(p, q)
  local a, b = M.toquaternion(p), M.toquaternion(q)
  return M.fromquaternion({
    w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
    y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
    z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
  })
end
function M.rotatevector3bymatrix3(m, v)
  return {
    x = m[1] * v.x + m[2] * v.y + m[3] * v.z,
    y = m[4] * v.x + m[5] * v.y + m[6] * v.z,
    z = m[7] * v.x + m[8] * v.y + m[9] * v.z,
  }
end
function M.rotatevector3byrotation(r, v) return M.rotatevector3bymatrix3(M.tomatrix3(r), v) end
function M.rotatevector3byquaternion(q, v) return M.rotatevector3byrotation(M.fromquaternion(q), v) end
return M
