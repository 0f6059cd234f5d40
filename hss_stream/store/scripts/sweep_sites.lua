-- Forget sites and providers past their life time. Atomic; looks at a bounded number.
-- KEYS[1]  clock of the shard     ARGV[1]  limit   ARGV[2]  life time, seconds
-- writes   v, u, z, g, n, p, a, e (what was used since moves to its new hour)
-- returns  how many were looked at
local limit, lifetime = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = clock_now()
local looked = 0

local function last_use(letter, name)
  local from, to = 1, 4
  if letter == 'u' then from, to = PROVIDER_LAST, PROVIDER_LAST + 3 end
  local last = call('GETRANGE', HEAD .. (letter == 'u' and 'n1' or 'g1') .. name, from, to)
  return #last == 4 and U('<I4', last) or nil
end

local function forget_provider(name, due)
  local raw = call('GET', HEAD .. 'n1' .. name)
  local _, state, _, _, _, _, _, length = U(PROVIDER, raw)
  call('HINCRBY', HEAD .. 'a1', state, -1)
  call('RPUSH', HEAD .. 'e1', P('<I4', due) .. sub(raw, PROVIDER_BYTES + 1, PROVIDER_BYTES + length))
  call('UNLINK', HEAD .. 'n1' .. name, HEAD .. 'p1' .. name)
end

for _, slot in ipairs(call('ZRANGEBYSCORE', HEAD .. 'z1', '-inf', math.floor(clock / HOUR) - 1)) do
  local letter = sub(slot, 1, 1)
  local key = HEAD .. letter .. '1' .. sub(slot, 2)
  while looked < limit do
    local name = call('LPOP', key)
    if not name then break end
    looked = looked + 1
    local last = last_use(letter, name)
    if last then
      local due = last + lifetime
      if due >= clock then wheel_add(letter, due, name)
      elseif letter == 'u' then forget_provider(name, due)
      else call('UNLINK', HEAD .. 'g1' .. name) end
    end
  end
  if call('LLEN', key) == 0 then call('ZREM', HEAD .. 'z1', slot) end
end
return looked
