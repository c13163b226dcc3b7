"""What the shared frontier runs inside the server, in Lua: a script is atomic there.

KEYS of all of them: waiting, leased, owners, numbers, dupefilter; see `Leases`. ARGV of all but PUSH: an owner, and the
seconds for which it is taken to be alive. Time is the server's: the clocks of crawlers differ.
"""

_COMMON = """
local waiting, leased, owners = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000

local function live() redis.call('ZADD', owners, now + ARGV[2], owner) end

local function acknowledge()  -- the numbers from ARGV[3] on; gives how many of them were no longer this owner's
  local gone = 0
  for i = 3, #ARGV do gone = gone + 1 - redis.call('HDEL', leased, owner .. ARGV[i]) end
  return gone
end

local function put_back(unwanted)  -- leases of which `unwanted(owner, number)` holds wait again, with their priority
  local count = 0
  for _, field in ipairs(redis.call('HKEYS', leased)) do
    if unwanted(field:sub(1, -9), field:sub(-8)) then
      local value = redis.call('HGET', leased, field)
      local space = value:find(' ', 1, true)
      redis.call('ZADD', waiting, value:sub(1, space - 1), value:sub(space + 1))
      redis.call('HDEL', leased, field)
      count = count + 1
    end
  end
  return count
end

local function bury(first, last)  -- owners named in ARGV, and those not heard of; gives how many leases they held
  for i = first, last do redis.call('ZREM', owners, ARGV[i]) end
  redis.call('ZREMRANGEBYSCORE', owners, '-inf', string.format('(%.6f', now))
  local alive = {[owner] = true}
  for _, name in ipairs(redis.call('ZRANGE', owners, 0, -1)) do alive[name] = true end
  return put_back(function(name) return not alive[name] end)
end
"""

JOIN = (
    _COMMON
    + """
-- ARGV[3]: 'all' deletes an old frontier where nobody is at work; 'done' only one that has come to its end; or ''.
-- ARGV[4] and on: owners that have ended. Gives how many others are at work.
bury(4, #ARGV)
local others, left = redis.call('ZCARD', owners), redis.call('ZCARD', waiting)
if others == 0 and (ARGV[3] == 'all' or (ARGV[3] == 'done' and left == 0)) then redis.call('DEL', unpack(KEYS)) end
live()
return others
"""
)

PUSH = """
-- ARGV: score, request, and its fingerprint, or '' where it need not be new. Gives 0 if it was there before.
if ARGV[3] ~= '' and redis.call('SADD', KEYS[5], ARGV[3]) == 0 then return 0 end
local number = redis.call('INCR', KEYS[4])
return redis.call('ZADD', KEYS[1], ARGV[1], struct.pack('>I8', number) .. ARGV[2])
"""

POP = (
    _COMMON
    + """
-- ARGV[3] and on: numbers that are done. Gives how many of these were lost before, and a request with its number or ''.
local gone = acknowledge()
live()
local found = redis.call('ZPOPMIN', waiting)
if #found == 0 then return {gone, ''} end
redis.call('HSET', leased, owner .. found[1]:sub(1, 8), found[2] .. ' ' .. found[1])
return {gone, found[1]}
"""
)

COUNT = (
    _COMMON
    + """
-- ARGV[3] and on: numbers that are done. Gives how many of these were lost before, and how many requests are left.
local gone = acknowledge()
live()
return {gone, redis.call('ZCARD', waiting) + redis.call('HLEN', leased)}
"""
)

BEAT = (
    _COMMON
    + """
-- ARGV[3]: how many owners follow that have ended; then the numbers that we have under way. What the dead held waits
-- again, and what we hold without knowing, since the answer with it was lost. Gives how many of both.
live()
local ended, known = tonumber(ARGV[3]), {}
for i = 4 + ended, #ARGV do known[ARGV[i]] = true end
local dead = bury(4, 3 + ended)
return {dead, put_back(function(name, number) return name == owner and not known[number] end)}
"""
)

LEAVE = (
    _COMMON
    + """
-- ARGV[3]: 'clear' deletes the frontier if nobody else is at work. What we still hold waits again. Gives the others.
put_back(function(name) return name == owner end)
redis.call('ZREM', owners, owner)
local others = redis.call('ZCARD', owners)
if others == 0 and ARGV[3] == 'clear' then redis.call('DEL', unpack(KEYS)) end
return others
"""
)
