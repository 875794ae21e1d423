-- Shapes in the plane, and curves; see wbgeometry.js.
local M = {}
function M.circle(radius, div, cx, cy, shift)
  local points = {}
  for i = 0, div do
    local angle = i * 2 * math.pi / div + (shift or 0)
    points[#points + 1] = { x = (cx or 0) + radius * math.cos(angle), y = (cy or 0) + radius * math.sin(angle) }
  end
  return points
end
function M.ispointinpolygon(x, y, polygon)
  local inside, b = false, polygon[#polygon]
  for _, a in ipairs(polygon) do
    if (a.y > y) ~= (b.y > y) and x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x then inside = not inside end
    b = a
  end
  return inside
end
function M.findclosest2Dpointinarray(reference, points)
  local best, least = reference, math.huge
  for _, point in ipairs(points) do
    local distance = (point.x - reference.x) ^ 2 + (point.y - reference.y) ^ 2
    if distance < least then best, least = point, distance end
  end
  return best
end
function M.islistclockwise2D(points)
  local area, p = 0, points[#points]
  for _, q in ipairs(points) do
    area = area + (q.x - p.x) * (q.y + p.y)
    p = q
  end
  return area < 0
end
local function beyond(p, q, axes)
  local point = {}
  for _, axis in ipairs(axes) do point[axis] = 2 * p[axis] - q[axis] end
  return point
end
local function spline(points, subdivision, axes)
  local count = #points
  if count < 2 then return { points[1] } end
  local held = { beyond(points[1], points[2], axes) }
  for _, point in ipairs(points) do held[#held + 1] = point end
  held[#held + 1] = beyond(points[count], points[count - 1], axes)
  local made = { points[1] }
  for i = 1, count - 1 do
    for k = 1, subdivision do
      local t, point = k / subdivision, {}
      local u = 1 - t
      local weights = { u ^ 3 / 6, (3 * t ^ 3 - 6 * t ^ 2 + 4) / 6, (3 * t + 3 * t ^ 2 - 3 * t ^ 3 + 1) / 6, t ^ 3 / 6 }
      for _, axis in ipairs(axes) do
        point[axis] = 0
        for j = 1, 4 do point[axis] = point[axis] + weights[j] * held[i + j - 1][axis] end
      end
      made[#made + 1] = point
    end
  end
  return made
end
function M.bspline2D(points, subdivision) return spline(points, subdivision, { "x", "y" }) end
function M.bspline3D(points, subdivision) return spline(points, subdivision, { "x", "y", "z" }) end
return M
