"""What a store in Redis runs inside the server, in Lua: a script is atomic there.

Ids are written with `%d`, for Lua itself writes large numbers as 1e+14.
"""

OPEN = """
-- KEYS: meta, last, log, keys. ARGV: names and values. Gives all that meta holds; nothing where the keys are not ours.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' and redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4]) == 0 then
  redis.call('HSET', KEYS[1], unpack(ARGV))
  redis.call('SET', KEYS[2], '0')
elseif kind ~= 'hash' then
  return {}
end
return redis.call('HGETALL', KEYS[1])
"""

_NOW = """
local function now()  -- milliseconds, by the server's clock, which is one for all owners
  local time = redis.call('TIME')
  return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
"""

_DROP_GROUP = """
local function drop_group(copies, times, id)
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', copies, id, id)) do redis.call('ZREM', times, name) end
  redis.call('ZREMRANGEBYSCORE', copies, id, id)
end
"""

PUT = (
    _NOW
    + """
-- KEYS: last, log, keys, claims, owners, seen, copies, copy times.
-- ARGV: seen, record, digest of its name, '1' for every newer one, most to look at, owner or '', its name.
-- Gives the new id or 0, what is newer than seen, and the last id before; -1 where that is gone.
local function read(data)  -- the head that packed.py writes
  local _, _, _, s1, s2, numbers, bands, scope, group, digest, at = struct.unpack('<I4I4I8I4I4I4I4I4I4c16', data)
  local names = at + s1 + s2 + numbers + bands
  return {digest = digest, bands = data:sub(names - bands, names - 1),
          scope = data:sub(names, names + scope - 1), key = data:sub(names + scope + group)}
end

local seen, new, every, most = tonumber(ARGV[1]), read(ARGV[2]), ARGV[4] == '1', tonumber(ARGV[5])

local function matters(old)  -- whether one may be a duplicate of the other, or its earlier state
  if old.scope ~= new.scope then return false end
  if every or old.key == new.key or old.digest == new.digest then return true end
  for i = 1, math.min(#old.bands, #new.bands), 4 do
    if old.bands:sub(i, i + 3) == new.bands:sub(i, i + 3) then return true end
  end
  return false
end

local last = tonumber(redis.call('GET', KEYS[1]) or '-1')
if last < seen then return {0, {}, last} end

local found = redis.call('XRANGE', KEYS[2], string.format('%d-0', seen + 1), '+', 'COUNT', most + 1)
local newer, keep = {}, #found <= most
for i = 1, math.min(#found, most) do
  newer[i] = {found[i][1], found[i][2][2]}
  keep = keep and not matters(read(found[i][2][2]))
end
if not keep then return {0, newer, last} end

local old = redis.call('HGET', KEYS[3], ARGV[3])
local id = string.format('%d', last + 1)
redis.call('XADD', KEYS[2], id .. '-0', 'r', ARGV[2])  -- first: refused where memory is full, with nothing changed
redis.call('SET', KEYS[1], id)
redis.call('HSET', KEYS[3], ARGV[3], id)
if old then
  redis.call('XDEL', KEYS[2], old .. '-0')
  redis.call('HDEL', KEYS[4], old)
  redis.call('ZREM', KEYS[6], old)
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[7], old, old)) do redis.call('ZADD', KEYS[7], id, name) end
end
redis.call('ZADD', KEYS[6], math.floor(now() / 1000), id)
if redis.call('ZREM', KEYS[7], ARGV[7]) == 1 then redis.call('ZREM', KEYS[8], ARGV[7]) end
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[4], id, ARGV[3] .. ARGV[6])
  redis.call('HSET', KEYS[5], ARGV[6], now())
end
return {last + 1, newer, last}
"""
)

REMOVE = (
    _DROP_GROUP
    + """
-- KEYS: log, keys, claims, seen, copies, copy times. ARGV: id, digest of its name. Gives the number of records removed.
redis.call('HDEL', KEYS[3], ARGV[1])
if redis.call('HGET', KEYS[2], ARGV[2]) == ARGV[1] then redis.call('HDEL', KEYS[2], ARGV[2]) end
redis.call('ZREM', KEYS[4], ARGV[1])
drop_group(KEYS[5], KEYS[6], ARGV[1])
return redis.call('XDEL', KEYS[1], ARGV[1] .. '-0')
"""
)

SETTLE = """
-- KEYS: claims. ARGV: id, owner. Gives 1 where that owner had claimed it. A claim is the digest of a name and an owner.
local claim = redis.call('HGET', KEYS[1], ARGV[1])
if not claim or claim:sub(17) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])
"""

RELEASE = (
    _DROP_GROUP
    + """
-- KEYS: log, keys, claims, owners, seen, copies, copy times. ARGV: owner, id, or '' for all of the owner and itself.
-- Gives the ids removed.
local gone = {}
local function forget(id, claim)
  if not claim or claim:sub(17) ~= ARGV[1] then return end
  redis.call('HDEL', KEYS[3], id)
  redis.call('XDEL', KEYS[1], id .. '-0')
  redis.call('ZREM', KEYS[5], id)
  drop_group(KEYS[6], KEYS[7], id)
  local digest = claim:sub(1, 16)
  if redis.call('HGET', KEYS[2], digest) == id then redis.call('HDEL', KEYS[2], digest) end
  gone[#gone + 1] = tonumber(id)
end
if ARGV[2] ~= '' then
  forget(ARGV[2], redis.call('HGET', KEYS[3], ARGV[2]))
else
  local claims = redis.call('HGETALL', KEYS[3])
  for i = 1, #claims, 2 do forget(claims[i], claims[i + 1]) end
  redis.call('HDEL', KEYS[4], ARGV[1])
end
return gone
"""
)

NOTE = """
-- KEYS: seen, copies, copy times. ARGV: id, seconds for which a time is good, name of a copy or '', most of them.
local seen, time = redis.call('ZSCORE', KEYS[1], ARGV[1]), redis.call('TIME')
if not seen then return end
local second = tonumber(time[1])
if second - seen >= tonumber(ARGV[2]) or tonumber(seen) > second then redis.call('ZADD', KEYS[1], second, ARGV[1]) end
if ARGV[3] == '' then return end
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[3], string.format('%d', time[1] * 1000000 + time[2]), ARGV[3])  -- one after another
local over = math.min(redis.call('ZCARD', KEYS[3]) - ARGV[4], 1000)  -- a bound that was lowered is reached in steps
if over > 0 then
  local old = redis.call('ZPOPMIN', KEYS[3], over)
  for i = 1, #old, 2 do redis.call('ZREM', KEYS[2], old[i]) end
end
"""

BEAT = (
    _NOW
    + """
-- KEYS: owners. ARGV: owner.
return redis.call('HSET', KEYS[1], ARGV[1], now())
"""
)

LIVES = (
    _NOW
    + """
-- KEYS: owners. ARGV: owner, milliseconds to wait for a beat. Gives 1 if it was heard of.
local beat, time = redis.call('HGET', KEYS[1], ARGV[1]), now()
if not beat then return 0 end
if tonumber(beat) > tonumber(time) then redis.call('HSET', KEYS[1], ARGV[1], time) end  -- the clock was set back
return time - beat < tonumber(ARGV[2]) and 1 or 0
"""
)
