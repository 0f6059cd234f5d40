-- Note the pages of a batch whose domains fall on one shard: who serves the names of a site now. Atomic.
-- KEYS[1]  clock of the shard
-- ARGV[1]  source, 2 bytes     ARGV[2]  pages (store/redis_providers.py), offsets rising     ARGV[3]  life time, seconds
-- writes   g, v, z, c, f, o
-- returns  for each page the number of providers before it, their names and the page's blob; '' where it was trimmed
-- repeats  offsets at or below the fence change nothing and answer from the outbox
local source, pages, lifetime = ARGV[1], ARGV[2], tonumber(ARGV[3])
local fence_key = HEAD .. 'f1' .. source
local fence = tonumber(call('GET', fence_key) or '-1')
local clock = clock_now()
local clock_before, top = clock, fence
local results, out = {}, {}
local kept

local function kept_result(offset)
  if not kept then
    kept = {}
    local box = call('GET', outbox_key(source)) or ''
    local i = 1
    while i <= #box do
      local off, _, _, _, length = U(OUT, box, i)
      kept[off] = sub(box, i + OUT_BYTES, i + OUT_BYTES + length - 1)
      i = i + OUT_BYTES + length
    end
  end
  return kept[offset] or ''
end

-- Record of a site: [format][last use, 4 bytes], then for each provider [name, 8][since, 4].
local function note(domain, providers)
  local key = HEAD .. 'g1' .. domain
  local raw = call('GET', key)
  local before, since = '', {}
  if raw then
    if string.byte(raw) ~= 1 then error('FORMAT site record of format ' .. string.byte(raw)) end
    for i = 6, #raw, 12 do
      local name = sub(raw, i, i + 7)
      before = before .. name
      since[name] = sub(raw, i + 8, i + 11)
    end
  else
    wheel_add('v', clock + lifetime, domain)
  end
  local now = P('<BI4', 1, clock)
  for i = 1, #providers, 8 do
    local name = sub(providers, i, i + 7)
    now = now .. name .. (since[name] or P('<I4', clock))
  end
  call('SET', key, now)
  return before
end

local i = 1
while i <= #pages do
  local offset, at, domain, home, count, length, place = U('<I5I4c8BBI2', pages, i)
  local providers = sub(pages, place, place + 8 * count - 1)
  local blob = sub(pages, place + 8 * count, place + 8 * count + length - 1)
  i = place + 8 * count + length
  if offset <= fence then
    results[#results + 1] = kept_result(offset)
  else
    if at > clock then clock = at end
    if offset > top then top = offset end
    local before = home == 1 and note(domain, providers) or ''
    local payload = string.char(#before / 8) .. before .. blob
    out[#out + 1] = outbox_entry('S', '-', domain, offset, payload)
    results[#results + 1] = payload
  end
end
if #out > 0 then call('APPEND', outbox_key(source), table.concat(out)) end
if clock > clock_before then call('SET', KEYS[1], string.format('%d', clock)) end
if top > fence then call('SET', fence_key, string.format('%d', top)) end
return results
