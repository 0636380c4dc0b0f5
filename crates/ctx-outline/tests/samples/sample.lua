local M = {}

--- Adds.
-- function in_a_comment() end
function M.add(a, b)
  if a then return a + b end
  while false do repeat local x = "end" until true end
  return [[ end ]]
end

--[==[ function
in a long comment ]] ]==]
local function helper(...)
  for i = 1, 10 do print(i) end
  return function() return 'nested' end
end

M.handlers = {
  open = function(event)
    print("opened", event.name, helper())
  end,
  limit = 10,
}

function M:method() return self end

M.later = function()
  M.add(1, 2)
  M.add(3, 4)
end

return M
