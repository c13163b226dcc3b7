"""What a site memory in Redis runs inside the server, in Lua: a script is atomic there."""

OPEN = """
-- KEYS: meta, saved, sizes, pins. ARGV: names and values. Gives all that meta holds; nothing where keys are not ours.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' and redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4]) == 0 then
  redis.call('HSET', KEYS[1], unpack(ARGV))
elseif kind ~= 'hash' then
  return {}
end
return redis.call('HGETALL', KEYS[1])
"""

READ = """
-- KEYS: site. ARGV: the version that the caller knows. Gives version, head, and, of another one, templates by field.
local found = redis.call('HMGET', KEYS[1], 'version', 'head')
if not found[1] then return {'', '', {}} end
if found[1] == ARGV[1] then return {found[1], found[2] or '', {}} end
local templates, all = {}, redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if all[i]:sub(1, 2) == 't:' then
    templates[#templates + 1] = all[i]
    templates[#templates + 1] = all[i + 1]
  end
end
return {found[1], found[2] or '', templates}
"""

PIN = """
-- KEYS: pins. ARGV: the site's name, its rules as the caller knows them, the new ones; "" for none.
-- Gives 1, or 0 where they are others.
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1
"""

WRITE = """
-- KEYS: site, meta, saved, sizes. ARGV: the site's name, the version that this is made from, most bytes of all sites,
-- what the keys of sites begin with, number of fields to delete, these, then fields and values.
-- Gives 1, or 0 where the version is another or the keys are gone; and how many sites made room.
if redis.call('EXISTS', KEYS[2]) == 0 then return {0, 0} end
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[2] then return {0, 0} end
local site, most, first = ARGV[1], tonumber(ARGV[3]), 6 + tonumber(ARGV[5])
-- first, for it is refused where memory is full, with nothing changed
for i = first, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = 6, first - 1 do redis.call('HDEL', KEYS[1], ARGV[i]) end

local size = 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  size = size + #field + redis.call('HSTRLEN', KEYS[1], field)
end
local now = redis.call('TIME')
local total = redis.call('HINCRBY', KEYS[2], 'bytes', size - tonumber(redis.call('HGET', KEYS[4], site) or '0'))
redis.call('HSET', KEYS[4], site, size)
redis.call('ZADD', KEYS[3], now[1] + now[2] / 1e6, site)

local left = 0
while total > most and redis.call('ZCARD', KEYS[3]) > 1 do
  local oldest = redis.call('ZPOPMIN', KEYS[3])[1]
  redis.call('DEL', ARGV[4] .. oldest)
  total = redis.call('HINCRBY', KEYS[2], 'bytes', -tonumber(redis.call('HGET', KEYS[4], oldest) or '0'))
  redis.call('HDEL', KEYS[4], oldest)
  left = left + 1
end
return {1, left}
"""
