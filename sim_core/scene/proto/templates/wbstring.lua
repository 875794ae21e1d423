-- Strings.
local M = {}
function M.split(text, pattern)
  local parts, at = {}, 1
  while true do
    local first, last = text:find(pattern, at)
    if first == nil then break end
    if last < first then error("a pattern that fits an empty text", 2) end
    if first > 1 then parts[#parts + 1] = text:sub(at, first - 1) end
    at = last + 1
  end
  if at <= #text then parts[#parts + 1] = text:sub(at) end
  return parts
end
return M
