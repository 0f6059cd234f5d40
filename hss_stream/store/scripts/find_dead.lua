-- Find clusters past their life time, and forget domains past theirs. Atomic; looks at a bounded number.
-- KEYS[1]  clock of the shard     ARGV[1]  limit   ARGV[2]  cluster life time   ARGV[3]  domain life time
-- writes   w, v, z, d (what was used since moves to its new hour)
-- returns  for each dead cluster {space and name, survivor, name and sketch of each representative …}
local limit, lifetime, domain_lifetime = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local clock = clock_now()
local dead, looked = {}, 0

local function forget_domains(key)
  while looked < limit do
    local name = call('LPOP', key)
    if not name then return end
    looked = looked + 1
    local last = call('GETRANGE', HEAD .. 'd1' .. name, 24, 27)
    if #last == 4 then
      local due = U('<I4', last) + domain_lifetime
      if due < clock then call('UNLINK', HEAD .. 'd1' .. name) else wheel_add('v', due, name) end
    end
  end
end

local function add_dead(name, record)
  local entry = {name, record[20]}
  local names = sub(name, 2)
  for i = 1, #record.further, 10 do names = names .. sub(record.further, i, i + 7) end
  for i = 1, #names, 8 do
    local one = sub(names, i, i + 7)
    local sketch = call('GETRANGE', HEAD .. 'r1' .. one, 9, 264)
    if #sketch == 256 then entry[#entry + 1] = one .. sketch end
  end
  dead[#dead + 1] = entry
end

local function find_clusters(key)
  for _, name in ipairs(call('LRANGE', key, 0, limit - looked - 1)) do
    looked = looked + 1
    local record = read_cluster(sub(name, 1, 1), sub(name, 2))
    local due = record and record[9] + lifetime
    if record and due < clock then add_dead(name, record)
    else
      call('LREM', key, 1, name)
      if record then wheel_add('w', due, name) end
    end
  end
end

for _, slot in ipairs(call('ZRANGEBYSCORE', HEAD .. 'z1', '-inf', math.floor(clock / HOUR) - 1)) do
  if looked >= limit then break end
  local key = HEAD .. sub(slot, 1, 1) .. '1' .. sub(slot, 2)
  if sub(slot, 1, 1) == 'v' then forget_domains(key) else find_clusters(key) end
  if call('LLEN', key) == 0 then call('ZREM', HEAD .. 'z1', slot) end
end
return dead
