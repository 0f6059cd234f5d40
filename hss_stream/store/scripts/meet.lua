-- Note what a new store is made with, or say what it was made with. Atomic.
-- KEYS[1]  clock of shard 0     ARGV  names and values in turn
-- writes   M
-- returns  names and values the store was made with
local key = HEAD .. 'M1'
if call('EXISTS', key) == 0 then call('HSET', key, unpack(ARGV)) end
return call('HGETALL', key)
