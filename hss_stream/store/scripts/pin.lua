-- Pin the decisions of a batch, unless any of its offsets is pinned. Atomic.
-- KEYS[1]  clock of the source's home shard
-- ARGV[1]  source   ARGV[2]  fence the caller knows   ARGV[3]  first offset   ARGV[4]  last offset   ARGV[5]  decisions
-- writes   F, P
-- returns  1 when pinned; {fence} when the store's fence is lower than the caller knows (it went back);
--          {fence, fields and values of P} when somebody pinned before
-- repeats  a caller whose answer was lost finds its own decisions among those pinned
local fence_key, pins_key = HEAD .. 'F1' .. ARGV[1], HEAD .. 'P1' .. ARGV[1]
local fence = tonumber(call('GET', fence_key) or '-1')
if fence < tonumber(ARGV[2]) then return {fence} end
if tonumber(ARGV[3]) <= fence then return {fence, call('HGETALL', pins_key)} end
call('HSET', pins_key, ARGV[3] .. ':' .. ARGV[4], ARGV[5])
call('SET', fence_key, ARGV[4])
return 1
