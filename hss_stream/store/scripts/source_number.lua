-- Give a source its number: once, in rising order, never reused. Atomic.
-- KEYS[1]  clock of shard 0     ARGV[1]  name of the source
-- writes   N
-- returns  the number
local key = HEAD .. 'N1'
local number = call('HGET', key, ARGV[1])
if number then return tonumber(number) end
number = call('HINCRBY', key, '', 1)
call('HSET', key, ARGV[1], number)
return number
