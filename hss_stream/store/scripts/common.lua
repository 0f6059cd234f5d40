-- What all scripts share: keys of the shard, packed records, the outbox, the class of a cluster.
-- It is put before each script. KEYS[1] is always the clock of the shard: <prefix>{shard}c1; every other
-- key has the same beginning, so that a script stays on one hash slot (letters: store/keys.py).
-- Records are those of store/records.py; sizes and order must be the same there.
local call, sub, find, U, P = redis.call, string.sub, string.find, struct.unpack, struct.pack
local HEAD = sub(KEYS[1], 1, -3)
local NONE = '\0\0\0\0\0\0\0\0'
local HOUR = 3600
local MAX = 4294967295
-- 1 format 2 class 3 label 4 flags 5 revision 6 pages 7 similarity 8 born 9 last 10 domains 11 drains
-- 12-19 sums 20 into 21 further 22 inline 23 samples
local CLUSTER = '<BBBBI4I4dI4I4I4I4I4I4I4I4I4I4I4I4c8BBB'
local CLUSTER_BYTES = 79
local SHOWN = '<I4I4dI4BBBc8I4I4I4I4I4I4I4I4I4BBB'
-- Provider, store/provider_records.py: format state label reserved version revision last, lengths of name and facts
local PROVIDER = '<BBBBI4I4I4BI4'
local PROVIDER_BYTES = 21
local PROVIDER_LAST = 12

local function cluster_key(space, id) return HEAD .. space .. '1' .. id end
local function clock_now() return tonumber(call('GET', KEYS[1]) or '0') end

local function new_cluster(now)
  return {1, 0, 0, 0, 0, 0, 0, now, now, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NONE, 0, 0, 0,
    further = '', inline = '', samples = ''}
end

local function read_cluster(space, id)
  local raw = call('GET', cluster_key(space, id))
  if not raw then return nil end
  local record = {U(CLUSTER, raw)}
  record[24] = nil
  if record[1] ~= 1 then error('FORMAT cluster record of format ' .. record[1]) end
  local place = CLUSTER_BYTES + 10 * record[21]
  record.further = sub(raw, CLUSTER_BYTES + 1, place)
  local inline = record[22] == 255 and 0 or record[22]
  record.inline = sub(raw, place + 1, place + 4 * inline)
  record.samples = sub(raw, place + 4 * inline + 1)
  return record
end

local function pack_cluster(record)
  return P(CLUSTER, unpack(record, 1, 23)) .. record.further .. record.inline .. record.samples
end

local function write_cluster(space, id, record) call('SET', cluster_key(space, id), pack_cluster(record)) end

local function wheel_add(letter, due, name)
  local hour = math.floor(due / HOUR)
  if call('RPUSH', HEAD .. letter .. '1' .. hour, name) == 1 then
    call('ZADD', HEAD .. 'z1', hour, letter .. hour)
  end
end

-- Count domains (4 bytes each, joined) exactly up to 32, then by HyperLogLog.
local function count_domains(space, id, record, domains)
  local key = HEAD .. 'h1' .. space .. id
  if record[22] ~= 255 then
    local inline = record.inline
    for i = 1, #domains, 4 do
      local domain = sub(domains, i, i + 3)
      local at = find(inline, domain, 1, true)
      while at and at % 4 ~= 1 do at = find(inline, domain, at + 1, true) end
      if not at then inline = inline .. domain end
    end
    record.inline = inline
    record[22] = #inline / 4
    if record[22] <= 32 then record[10] = record[22]; return end
    domains, record.inline, record[22] = inline, '', 255
  end
  local changed = 0
  for i = 1, #domains, 400 do
    local some = {}
    for j = i, math.min(i + 399, #domains), 4 do some[#some + 1] = sub(domains, j, j + 3) end
    changed = changed + call('PFADD', key, unpack(some))
  end
  if changed > 0 or #domains == 0 then record[10] = math.max(33, call('PFCOUNT', key)) end
end

-- verdicts/cluster_class.py, `classify`: limits are pages, farm domains and percent, alike percent,
-- mirror domains and percent.
local function settle_class(space, record, limits)
  if space ~= 's' then return end
  local pages = record[6]
  if pages < limits[1] then record[2] = 0
  elseif record[10] >= limits[2] and record[13] > 0 and record[12] * 100 >= limits[3] * record[13] then record[2] = 2
  elseif record[15] > 0 and record[14] * 100 >= limits[4] * record[15] then
    local alike = record[7] * 100 >= limits[6] * 128 * pages and record[10] >= limits[5]
    record[2] = alike and 3 or 4
  else record[2] = 1 end
end

local function prototype(id)
  return call('GETRANGE', HEAD .. 'r1' .. id, 281, -1)
end

-- `domains`: their number before the page; `label`: that in force before, `changed`: 1 when a vote changed anything.
local function show(record, before, url, domains, label, changed)
  return P(SHOWN, record[6], record[10], record[7], record[5], before, record[2], record[3], record[20], domains,
    record[12], record[13], record[14], record[15], record[16], record[17], record[18], record[19],
    label, changed, #url) .. url
end

-- Labels, verdicts/label.py: [format][editor][quorum][clients for spam][clients for ham][8 bytes a client, sorted].
-- 0 none, 1 spam, 2 ham, so that the stronger word is the greater number.
local MOST_CLIENTS = 32
local function label_key(space, id) return HEAD .. 'l1' .. space .. id end

local function parse_label(raw)
  if not raw then return {editor = 0, quorum = 0, spam = {}, ham = {}} end
  local _, editor, quorum, spam, ham = U('<BBBBB', raw)
  local state = {editor = editor, quorum = quorum, spam = {}, ham = {}}
  for k = 1, spam + ham do
    local client = sub(raw, 8 * k - 2, 8 * k + 5)
    if k <= spam then state.spam[client] = true else state.ham[client] = true end
  end
  return state
end

local function least_clients(clients)
  local sorted = {}
  for client in pairs(clients) do sorted[#sorted + 1] = client end
  table.sort(sorted)
  for k = #sorted, MOST_CLIENTS + 1, -1 do clients[sorted[k]], sorted[k] = nil, nil end
  return sorted
end

local function pack_label(state)
  local spam, ham = least_clients(state.spam), least_clients(state.ham)
  if state.editor + #spam + #ham == 0 then return nil end
  return P('<BBBBB', 1, state.editor, state.quorum, #spam, #ham) .. table.concat(spam) .. table.concat(ham)
end

local function label_in_force(state)
  if state.editor > 0 then return state.editor end
  local spam, ham = 0, 0
  for _ in pairs(state.ham) do ham = ham + 1 end
  for client in pairs(state.spam) do if not state.ham[client] then spam = spam + 1 end end
  if ham >= math.max(state.quorum, 1) then return 2 end
  if spam >= math.max(state.quorum, 1) then return 1 end
  return 0
end

local function write_label(space, id, packed)
  if packed then call('SET', label_key(space, id), packed) else call('UNLINK', label_key(space, id)) end
end

-- Outbox: entries of [offset 5][kind 1][space 1][name 8][length 2][payload], in offset order.
local OUT = '<I5c1c1c8I2'
local OUT_BYTES = 17
local function outbox_key(source) return HEAD .. 'o1' .. source end
local function outbox_find(source, kind, space, id, offset)
  local box = call('GET', outbox_key(source)) or ''
  local i = 1
  while i <= #box do
    local off, k, s, name, length = U(OUT, box, i)
    if off == offset and k == kind and s == space and name == id then
      return sub(box, i + OUT_BYTES, i + OUT_BYTES + length - 1)
    end
    i = i + OUT_BYTES + length
  end
  return nil
end
local function outbox_entry(kind, space, id, offset, payload)
  return P(OUT, offset, kind, space, id, #payload) .. payload
end
