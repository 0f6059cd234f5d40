-- Remove clusters that are past their life time, and note each for its event. Atomic.
-- KEYS[1]  clock of the shard     ARGV[1]  life time   ARGV[2..]  space and name of each
-- writes   s/t/m, r, h, q, k, l, y, w, z, e
-- returns  how many were removed; one that was used since stays
local lifetime, clock, buried = tonumber(ARGV[1]), clock_now(), 0
local slots = call('ZRANGEBYSCORE', HEAD .. 'z1', '-inf', math.floor(clock / HOUR) - 1)

local function leave_wheel(name)
  for _, slot in ipairs(slots) do
    if sub(slot, 1, 1) == 'w' then
      local key = HEAD .. 'w1' .. sub(slot, 2)
      if call('LREM', key, 1, name) == 1 then
        if call('LLEN', key) == 0 then call('ZREM', HEAD .. 'z1', slot) end
        return
      end
    end
  end
end

for i = 2, #ARGV do
  local name = ARGV[i]
  local space, id = sub(name, 1, 1), sub(name, 2)
  local record = read_cluster(space, id)
  if record and record[9] + lifetime < clock then
    local url = prototype(id)
    call('RPUSH', HEAD .. 'e1', P('<c1c8I4B', space, id, record[9] + lifetime, #url) .. url .. pack_cluster(record))
    call('UNLINK', cluster_key(space, id), HEAD .. 'r1' .. id, HEAD .. 'h1' .. name, HEAD .. 'q1' .. name,
      HEAD .. 'k1' .. name, label_key(space, id), HEAD .. 'y1' .. name)
    for k = 1, #record.further, 10 do call('UNLINK', HEAD .. 'r1' .. sub(record.further, k, k + 7)) end
    leave_wheel(name)
    buried = buried + 1
  end
end
return buried
