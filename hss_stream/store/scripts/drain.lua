-- Set the counts of a merged cluster aside for its survivor. Atomic.
-- KEYS[1]  clock of the merged cluster's shard     ARGV[1]  space   ARGV[2]  merged
-- writes   s/t/m, h, l, q
-- returns  false when it is not merged; else {into, number, counts}: [number 4][bytes 4][label bytes 4][record][label][HyperLogLog],
--          empty counts when there is nothing left
-- repeats  until acknowledged, the same counts under the same number
local space, id = ARGV[1], ARGV[2]
local record = read_cluster(space, id)
if not record or record[20] == NONE then return false end
local aside_key, many_key = HEAD .. 'q1' .. space .. id, HEAD .. 'h1' .. space .. id
local aside = call('GET', aside_key)
if aside then return {record[20], U('<I4', aside), aside} end
local label = call('GET', label_key(space, id)) or ''
if record[6] == 0 and label == '' then return {record[20], record[11], ''} end
record[11] = record[11] + 1
local packed = pack_cluster(record)
aside = P('<I4I4I4', record[11], #packed, #label) .. packed .. label .. (call('GET', many_key) or '')
call('SET', aside_key, aside)
call('UNLINK', many_key, label_key(space, id))
record[6], record[7], record[10] = 0, 0, 0
for k = 12, 19 do record[k] = 0 end
record[22], record[23], record.inline, record.samples = 0, 0, '', ''
write_cluster(space, id, record)
return {record[20], record[11], aside}
