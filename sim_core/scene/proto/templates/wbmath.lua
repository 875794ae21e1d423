-- Numbers.
local M = {}
function M.round(number) return math.floor(number + 0.5) end
return M
