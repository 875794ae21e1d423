-- Environment of a template: no files, no system functions, and a limit on the number of steps.
return function(code, values, modules, seed, steps)
  local sethook, load_ = debug.sethook, load
  local printed, made = {}, {}
  local function show(...)
    local words = {}
    for i = 1, select("#", ...) do words[i] = tostring((select(i, ...))) end
    if #printed < 50 then printed[#printed + 1] = table.concat(words, " ") end
  end
  local closed = function() error("templates cannot use files", 2) end
  local known = {}
  local env = {
    assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, pcall = pcall, print = show,
    select = select, tonumber = tonumber, tostring = tostring, type = type, unpack = table.unpack,
    xpcall = xpcall, rawequal = rawequal, rawget = rawget, rawset = rawset, rawlen = rawlen, setmetatable = setmetatable, getmetatable = function(t)
      return type(t) == "table" and getmetatable(t) or nil
    end,
    table = {
      concat = table.concat, insert = table.insert, remove = table.remove, sort = table.sort, unpack = table.unpack,
      pack = table.pack, maxn = function(t)
        local most = 0
        for key in pairs(t) do if type(key) == "number" and key > most then most = key end end
        return most
      end,
    },
    string = {}, math = {}, bit32 = bit32,
    os = { time = function() return seed end, clock = function() return 0 end, getenv = function() return nil end },
    io = { open = closed, write = show, stderr = { write = function(_, ...) show(...) end } },
    debug = { getinfo = function() return { source = values.context.proto } end },
    fields = values.fields, context = values.context,
    __out = function(value) made[#made + 1] = tostring(value) end,
  }
  for name, value in pairs(string) do if name ~= "dump" then env.string[name] = value end end
  for name, value in pairs(math) do env.math[name] = value end
  env.math.log10 = function(a) return math.log(a, 10) end -- as maxn, unpack and loadstring: of Lua 5.1, still in Webots
  env.load = function(text, name, _, own) return load_(text, name, "t", own or env) end
  env.loadstring = function(text, name) return load_(text, name, "t", env) end
  math.randomseed(seed)
  env._G = env
  for _, name in ipairs({ "os", "io", "math", "string", "table", "bit32", "debug" }) do known[name] = env[name] end
  env.require = function(name)
    if known[name] == nil then
      local text = modules[name]
      if text == nil then error("no module " .. tostring(name), 2) end
      known[name] = assert(load_(text, name, "t", env))()
    end
    return known[name]
  end
  local body, problem = load_(code, "body", "t", env)
  if body == nil then return false, problem, {} end
  sethook(function()
    sethook(function() error("took too many steps", 0) end, "", 1)
    error("took too many steps", 0)
  end, "", steps)
  local ok, message = pcall(body)
  sethook()
  if not ok then return false, tostring(message), printed end
  return true, table.concat(made), printed
end
