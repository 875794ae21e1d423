-- Pseudo-random numbers, the same as those of wbrandom.js.
local state, SIZE = 0, 2.0 ^ 24
local function next_number()
  state = (1140671485 * state + 12820163) % SIZE
  return state
end
local M = {}
function M.seed(s) state = s end
function M.real(min, max)
  if min == nil then min, max = 0, 1 elseif max == nil then min, max = 0, min end
  return min + (max - min) * next_number() / (SIZE - 1)
end
function M.integer(min, max)
  if min == nil then min, max = 0, SIZE - 1 elseif max == nil then min, max = 1, min end
  return math.floor(min + next_number() % (max - min + 1))
end
return M
