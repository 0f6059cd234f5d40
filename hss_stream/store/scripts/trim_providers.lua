-- Forget the events that providers made at offsets below the committed one. Atomic.
-- KEYS[1]  clock of the shard     ARGV[1]  source   ARGV[2]  next offset to read
-- writes   x
-- returns  how many were forgotten
local key, committed = HEAD .. 'x1' .. ARGV[1], tonumber(ARGV[2])
local old = {}
for _, place in ipairs(call('HKEYS', key)) do
  if U('>I8', place) < committed then old[#old + 1] = place end
end
for k = 1, #old, 100 do call('HDEL', key, unpack(old, k, math.min(k + 99, #old))) end
return #old
