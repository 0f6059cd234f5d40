-- Fold a cluster into an older one, unless it is folded already. Atomic.
-- KEYS[1]  clock of the merged cluster's shard
-- ARGV[1]  source   ARGV[2]  offset of the merging page   ARGV[3]  space   ARGV[4]  merged   ARGV[5]  into   ARGV[6]  life time
-- writes   s/t/m, w, z, o
-- returns  what the cluster showed: SHOWN, `into` is what it really points to, and its prototype's URL
-- repeats  the same page again gets the same answer
local source, offset, space, id = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local kept = outbox_find(source, 'L', space, id, offset)
if kept then return kept end
local record = read_cluster(space, id)
if not record then
  record = new_cluster(clock_now())
  wheel_add('w', clock_now() + tonumber(ARGV[6]), space .. id)
end
if record[20] == NONE then
  record[20] = ARGV[5]
  record[5] = record[5] + 1
end
write_cluster(space, id, record)
local shown = show(record, record[2], prototype(id), record[10], record[3], 0)
call('APPEND', outbox_key(source), outbox_entry('L', space, id, offset, shown))
return shown
