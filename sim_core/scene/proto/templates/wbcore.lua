-- Tables.
local M = {}
function M.deepcopy(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, each in pairs(value) do copy[M.deepcopy(key)] = M.deepcopy(each) end
  return setmetatable(copy, getmetatable(value))
end
function M.tablelength(list)
  local count = 0
  while list[count + 1] ~= nil do count = count + 1 end
  return count
end
return M
