-- Pseudo-random numbers, the same as those of wbrandom.js.
local state, SIZE = 0, 16777216
local function next_number()
  state = (state * 1664525 + 10427871) % SIZE
  return state
end
local function limits(min, max, most)
  if min == nil then return 0, most elseif max == nil then return 0, min end
  return min, max
end
local M = {}
function M.seed(s) state = math.floor(s) % SIZE end
function M.real(min, max)
  local low, high = limits(min, max, 1)
  return low + (high - low) * next_number() / (SIZE - 1)
end
function M.integer(min, max)
  if min ~= nil and max == nil then min, max = 1, min end -- from 1 as math.random: lists of Lua begin there
  local low, high = limits(min, max, SIZE - 1)
  return low + math.floor((high - low + 1) * next_number() / SIZE)
end
return M
