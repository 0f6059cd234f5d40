-- Forget counts set aside, once their survivor has them. Atomic.
-- KEYS[1]  clock of the merged cluster's shard     ARGV[1]  space   ARGV[2]  merged   ARGV[3]  number
-- writes   q
-- returns  1 when forgotten, 0 when there is another number or nothing
local key = HEAD .. 'q1' .. ARGV[1] .. ARGV[2]
local aside = call('GET', key)
if aside and U('<I4', aside) == tonumber(ARGV[3]) then return call('UNLINK', key) end
return 0
