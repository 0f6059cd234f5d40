-- Take permits of a rate limit: one bucket for all processes. Atomic.
-- KEYS[1]  the bucket: "level at", at in microseconds of the server's clock
-- ARGV[1]  permits wanted   ARGV[2] permits a second   ARGV[3] most permits the bucket holds
-- returns  permits taken, from 0 to what was wanted
-- expires  once the bucket would be full again
local now = redis.call('TIME')
now = tonumber(now[1]) * 1000000 + tonumber(now[2])
local want, rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local level, at = burst, now
local kept = redis.call('GET', KEYS[1])
if kept then
  local old, since = string.match(kept, '^(%S+) (%S+)$')
  level, at = tonumber(old), tonumber(since)
end
level = math.min(burst, level + math.max(0, now - at) / 1000000 * rate)
local taken = math.min(want, math.floor(level))
redis.call('SET', KEYS[1], string.format('%.6f %d', level - taken, now), 'PX', math.ceil(burst / rate * 1000) + 1000)
return taken
