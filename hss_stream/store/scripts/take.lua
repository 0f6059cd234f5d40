-- Add the counts of a merged cluster to its survivor, once. Atomic.
-- KEYS[1]  clock of the survivor's shard
-- ARGV[1]  space   ARGV[2]  merged   ARGV[3]  survivor   ARGV[4]  counts set aside, or empty
-- ARGV[5]  source of the merging page, or empty   ARGV[6]  its offset   ARGV[7]  life time   ARGV[8..13]  limits of the classes
-- writes   s/t/m, h, k, l, w, z, o
-- returns  what the survivor showed after: SHOWN and its prototype's URL
-- repeats  counts of a number not above the last one taken change nothing; a merging page gets the same answer
local space, merged, id, aside, source = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local limits = {}
for i = 8, 13 do limits[i - 7] = tonumber(ARGV[i]) end
local kept = source ~= '' and outbox_find(source, 'T', space, merged, tonumber(ARGV[6]))
if kept and aside == '' then return kept end
local record = read_cluster(space, id)
if not record then
  record = new_cluster(clock_now())
  record[5] = 1
  wheel_add('w', clock_now() + tonumber(ARGV[7]), space .. id)
  write_cluster(space, id, record)
end
local before, known, label = record[2], record[10], record[3]
if aside ~= '' then
  local number, bytes, label_bytes = U('<I4I4I4', aside)
  local taken_key = HEAD .. 'k1' .. space .. id
  if tonumber(call('HGET', taken_key, merged) or '0') < number then
    call('HSET', taken_key, merged, number)
    local counts = {U(CLUSTER, aside, 13)}
    record[6], record[7] = record[6] + counts[6], record[7] + counts[7]
    for k = 12, 19 do record[k] = math.min(record[k] + counts[k], MAX) end
    local place = 13 + CLUSTER_BYTES + 10 * counts[21]
    local inline = sub(aside, place, place + 4 * (counts[22] == 255 and 0 or counts[22]) - 1)
    place = place + #inline
    for _ = 1, counts[23] do
      local stop = place + string.byte(aside, place)
      if record[23] < 8 then
        record.samples = record.samples .. sub(aside, place, stop)
        record[23] = record[23] + 1
      end
      place = stop + 1
    end
    local many = sub(aside, 13 + bytes + label_bytes)
    if many ~= '' then
      local key, other = HEAD .. 'h1' .. space .. id, HEAD .. 'h1' .. space .. id .. 'taken'
      call('SET', other, many)
      call('PFMERGE', key, other)
      call('UNLINK', other)
      local own = record.inline
      record.inline, record[22] = '', 255
      count_domains(space, id, record, own)
      record[10] = math.max(33, call('PFCOUNT', key))
    end
    count_domains(space, id, record, inline)
    if label_bytes > 0 then
      local own = parse_label(call('GET', label_key(space, id)))
      local other = parse_label(sub(aside, 13 + bytes, 12 + bytes + label_bytes))
      own.editor, own.quorum = math.max(own.editor, other.editor), math.max(own.quorum, other.quorum)
      for client in pairs(other.spam) do own.spam[client] = true end
      for client in pairs(other.ham) do own.ham[client] = true end
      write_label(space, id, pack_label(own))
      record[3] = label_in_force(own)
    end
    settle_class(space, record, limits)
    record[5] = record[5] + 1
    write_cluster(space, id, record)
  end
end
local shown = show(record, before, prototype(id), known, label, 0)
if kept then return kept end
if source ~= '' then
  call('APPEND', outbox_key(source), outbox_entry('T', space, merged, tonumber(ARGV[6]), shown))
end
return shown
