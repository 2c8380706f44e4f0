-- The load for wrk (see load.ts): paths in turn, and each token for a number of calls.
local head, paths, tokens, tail, calls, tokenCalls = {}, {}, {}, "", 0, 1

local function lines(file)
  local all = {}
  for line in io.lines(file) do all[#all + 1] = line end
  return all
end

function init(args)
  local method, pause = args[1], tonumber(args[4])
  if pause > 0 then
    function delay() return math.random(1, 2 * pause - 1) end
  end
  tokenCalls = tonumber(args[2])
  paths, tokens = lines(args[3] .. "/paths"), lines(args[3] .. "/tokens")
  local file = io.open(args[3] .. "/tail", "rb")
  tail = file:read("*a")
  file:close()
  for i, path in ipairs(paths) do
    head[i] = method .. " " .. path .. " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\nAuthorization: Bearer "
  end
end

function request()
  local token = tokens[math.floor(calls / tokenCalls) % #tokens + 1]
  local text = head[calls % #head + 1] .. token .. tail
  calls = calls + 1
  return text
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Ms":%.4f,"p99Ms":%.4f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000
  ))
end
