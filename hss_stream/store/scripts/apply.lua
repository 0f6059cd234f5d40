-- Apply the effects of a batch that fall on one shard. Atomic; the fence makes it happen once.
-- KEYS[1]  clock of the shard
-- ARGV[1]  source, 2 bytes     ARGV[2]  effects (store/packing.py), offsets rising
-- ARGV[3]  cluster life time, seconds   ARGV[4]  domain life time   ARGV[5]  entries a word   ARGV[6]  bytes a bucket
-- ARGV[7..12]  limits of the classes
-- writes   s/t/m, r, h, b, d, l, y, w, v, z, c, f, o
-- returns  one result for each join or vote, joined (SHOWN and the prototype's URL); zeros where it was trimmed
-- repeats  offsets at or below the fence change nothing and answer from the outbox
local source, effects = ARGV[1], ARGV[2]
local lifetime, domain_lifetime = tonumber(ARGV[3]), tonumber(ARGV[4])
local most, most_bytes = tonumber(ARGV[5]), tonumber(ARGV[6])
local limits = {}
for i = 7, 12 do limits[i - 6] = tonumber(ARGV[i]) end
local fence_key = HEAD .. 'f1' .. source
local fence = tonumber(call('GET', fence_key) or '-1')
local clock = clock_now()
local clock_before, top = clock, fence
local clusters, order, domains, domain_order = {}, {}, {}, {}
local results, out, buckets = {}, {}, {}
local NOTHING = P(SHOWN, 0, 0, 0, 0, 0, 0, 0, NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
local kept
local min = math.min

-- Results of offsets applied before, by offset, kind, space and name.
local function kept_result(offset, space, id)
  if not kept then
    kept = {}
    local box = call('GET', outbox_key(source)) or ''
    local i = 1
    while i <= #box do
      local off, kind, s, name, length = U(OUT, box, i)
      kept[kind .. s .. name .. off] = sub(box, i + OUT_BYTES, i + OUT_BYTES + length - 1)
      i = i + OUT_BYTES + length
    end
  end
  return kept['J' .. space .. id .. offset] or NOTHING
end

local function use(space, id, at, hit)
  if at > clock then clock = at end
  local name = space .. id
  local record = clusters[name]
  if not record then
    record = read_cluster(space, id)
    if not record then
      record = new_cluster(clock)
      wheel_add('w', clock + lifetime, name)
    end
    clusters[name] = record
    order[#order + 1] = name
  end
  record[9] = clock
  if hit ~= NONE and record[21] > 0 then
    local further = record.further
    local place = find(further, hit, 1, true)
    while place and place % 10 ~= 1 do place = find(further, hit, place + 1, true) end
    if place then
      local hits = min(U('<I2', further, place + 8) + 1, 65535)
      record.further = sub(further, 1, place + 7) .. P('<I2', hits) .. sub(further, place + 10)
    end
  end
  return record
end

local function draw_sample(record, token, url)
  if record[23] < 8 then
    record[23] = record[23] + 1
    record.samples = record.samples .. string.char(#url) .. url
    return
  end
  local place = token % record[6]
  if place >= 8 then return end
  local i = 1
  for _ = 1, place do i = i + 1 + string.byte(record.samples, i) end
  local after = i + 1 + string.byte(record.samples, i)
  record.samples = sub(record.samples, 1, i - 1) .. string.char(#url) .. url .. sub(record.samples, after)
end

-- verdicts/cluster_class.py, `is_class_due`
local function is_class_due(pages)
  if pages < 8 then return true end
  local _, bits = math.frexp(pages)
  return pages % 2 ^ (bits - 3) == 0
end

-- Both records keep sums that stay full once they are.
local function add_sum(record, place, more)
  if more > 0 then record[place] = min(record[place] + more, MAX) end
end

local function join(i, offset, at)
  local space, id, slots, domain, token, opens, hit, a, b, c, d, e, f, g, h, length =
    U('<c1c8Bc4I4Bc8I4I4I4I4I4I4I4I4B', effects, i)
  local stop = i + 60 + length
  if offset <= fence then
    results[#results + 1] = kept_result(offset, space, id)
    return stop
  end
  local record = use(space, id, at, hit)
  local pages = record[6] + 1
  record[6] = pages
  record[7] = record[7] + slots
  record[5] = record[5] + 1
  add_sum(record, 12, a) add_sum(record, 13, b) add_sum(record, 14, c) add_sum(record, 15, d)
  add_sum(record, 16, e) add_sum(record, 17, f) add_sum(record, 18, g) add_sum(record, 19, h)
  local known = record[10]
  count_domains(space, id, record, domain)
  if opens == 0 and (record[23] < 8 or token % pages < 8) then
    draw_sample(record, token, sub(effects, i + 60, stop - 1))
  end
  local before, proto = record[2], ''
  if is_class_due(pages) then
    settle_class(space, record, limits)
    if before ~= record[2] then proto = prototype(id) end
  end
  local shown = show(record, before, proto, known, record[3], 0)
  results[#results + 1] = shown
  out[#out + 1] = outbox_entry('J', space, id, offset, shown)
  return stop
end

-- verdicts/label.py, `apply_vote`: an editor's word, or a client on one side. A cluster that is not there gets none.
-- Words that change something or contradict are kept as [at 4][label][role][before][after][who]: the last 16.
local MOST_SAID = 16
local function vote(i, offset, at)
  local space, id, label, role, quorum, client, length = U('<c1c8BBBc8B', effects, i)
  local stop = i + 21 + length
  if offset <= fence then results[#results + 1] = kept_result(offset, space, id); return stop end
  local name = space .. id
  local record = clusters[name] or read_cluster(space, id)
  if not record then results[#results + 1] = NOTHING; return stop end
  if not clusters[name] then clusters[name] = record; order[#order + 1] = name end
  local raw = call('GET', label_key(space, id))
  local state = parse_label(raw)
  state.quorum = quorum
  local before = label_in_force(state)
  if role == 0 and label == 0 then state = {editor = 0, quorum = quorum, spam = {}, ham = {}}
  elseif role == 0 then state.editor = math.max(state.editor, label)
  else
    state.spam[client], state.ham[client] = nil, nil
    if label == 1 then state.spam[client] = true elseif label == 2 then state.ham[client] = true end
  end
  local packed = pack_label(state)
  local changed = packed ~= raw and 1 or 0
  record[3] = label_in_force(state)
  if changed == 1 then
    write_label(space, id, packed)
    record[5] = record[5] + 1
  end
  if changed == 1 or (before > 0 and label > 0 and before ~= label) then
    local key = HEAD .. 'y1' .. name
    call('RPUSH', key, P('<I4BBBB', at, label, role, before, record[3]) .. sub(effects, i + 21, stop - 1))
    call('LTRIM', key, -MOST_SAID, -1)
  end
  local shown = show(record, record[2], prototype(id), record[10], before, changed)
  results[#results + 1] = shown
  out[#out + 1] = outbox_entry('J', space, id, offset, shown)
  return stop
end

local function represent(i, offset)
  local space, id, name, evicted = U('<c1c8c8c8', effects, i)
  local url_at = i + 25 + 272
  local stop = url_at + string.byte(effects, url_at)
  if offset > fence then
    call('SET', HEAD .. 'r1' .. name, '\1' .. id .. sub(effects, i + 25, url_at - 1) .. sub(effects, url_at + 1, stop))
    local record = clusters[space .. id]
    if evicted ~= NONE then
      call('UNLINK', HEAD .. 'r1' .. evicted)
      for place = 1, #record.further, 10 do
        if sub(record.further, place, place + 7) == evicted then
          record.further = sub(record.further, 1, place - 1) .. sub(record.further, place + 10)
          record[21] = record[21] - 1
          break
        end
      end
    end
    if name ~= id and record[21] < 255 then
      record.further = record.further .. name .. '\0\0'
      record[21] = record[21] + 1
    end
  end
  return stop + 1
end

-- 1 format 2 verdict 3 flags 4 reserved 5 latest 6 worst 7 first 8 last 9 pages 10-13 sums
local DOMAIN = '<BBBBc8c8I4I4I4I4I4I4I4'
local function note_domain(i, at)
  local name, cluster, a, b, c, d = U('<c8c8I4I4I4I4', effects, i)
  local record = domains[name]
  local fresh = false
  if not record then
    local raw = call('GET', HEAD .. 'd1' .. name)
    if raw then record = {U(DOMAIN, raw)} else fresh = true end
  end
  if record and record[8] + domain_lifetime < clock then record = nil end
  if at > clock then clock = at end
  if fresh then wheel_add('v', clock + domain_lifetime, name) end
  if not record then record = {1, 0, 0, 0, NONE, NONE, clock, clock, 0, 0, 0, 0, 0} end
  if not domains[name] then domain_order[#domain_order + 1] = name end
  domains[name] = record
  record[5], record[8], record[9] = cluster, clock, record[9] + 1
  add_sum(record, 10, a) add_sum(record, 11, b) add_sum(record, 12, c) add_sum(record, 13, d)
end

local function bucket_of(key)
  local value = buckets[key]
  if value == nil then value = call('GET', key) or ''; buckets[key] = value end
  return value
end

local function index_add(i)
  local key = HEAD .. 'b1' .. sub(effects, i, i + 2)
  local entry = sub(effects, i + 3, i + 12)
  local value, high = bucket_of(key), sub(effects, i + 3, i + 4)
  local same, place = 0, find(value, high, 1, true)
  while place do
    if place % 10 == 1 then
      same = same + 1
      if sub(value, place, place + 9) == entry then return end
    end
    place = find(value, high, place + 1, true)
  end
  if same < most and #value + 10 <= most_bytes then
    buckets[key] = value .. entry
    call('SET', key, value .. entry)
  end
end

local function index_remove(i)
  local key = HEAD .. 'b1' .. sub(effects, i, i + 2)
  local name, value = sub(effects, i + 3, i + 10), bucket_of(key)
  for place = 1, #value, 10 do
    if sub(value, place + 2, place + 9) == name then
      value = sub(value, 1, place - 1) .. sub(value, place + 10)
      buckets[key] = value
      if value == '' then call('UNLINK', key) else call('SET', key, value) end
      return
    end
  end
end

local i = 1
while i <= #effects do
  local kind, offset, at = U('<c1I5I4', effects, i)
  local past = offset > fence
  if past and offset > top then top = offset end
  i = i + 10
  if kind == 'J' then i = join(i, offset, at)
  elseif kind == 'R' then i = represent(i, offset)
  elseif kind == 'V' then i = vote(i, offset, at)
  elseif kind == 'T' then
    if past then use(sub(effects, i, i), sub(effects, i + 1, i + 8), at, sub(effects, i + 9, i + 16)) end
    i = i + 17
  elseif kind == 'D' then
    if past then note_domain(i, at) end
    i = i + 32
  elseif kind == 'A' then
    if past then index_add(i) end
    i = i + 13
  else
    if past then index_remove(i) end
    i = i + 11
  end
end
for _, name in ipairs(order) do write_cluster(sub(name, 1, 1), sub(name, 2), clusters[name]) end
for _, name in ipairs(domain_order) do call('SET', HEAD .. 'd1' .. name, P(DOMAIN, unpack(domains[name], 1, 13))) end
if #out > 0 then call('APPEND', outbox_key(source), table.concat(out)) end
if clock > clock_before then call('SET', KEYS[1], string.format('%d', clock)) end
if top > fence then call('SET', fence_key, string.format('%d', top)) end
return table.concat(results)
