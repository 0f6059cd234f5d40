-- Replace what is known of a provider, unless somebody else has meanwhile. Atomic.
-- KEYS[1]  clock of the shard
-- ARGV[1]  name, 8 bytes   ARGV[2]  version it was read with   ARGV[3]  life time, seconds   ARGV[4]  page time, seconds
-- ARGV[5]  state   ARGV[6]  label   ARGV[7]  revision   ARGV[8]  name as text   ARGV[9]  facts   ARGV[10]  last event
-- ARGV[11]  sample, '' when it is as before
-- ARGV[12..]  in turn: source of 2 bytes, place of 16 bytes (offset, provider), its events
-- writes   n, p, u, z, a, c, x
-- returns  1 when done, 0 when the version is another one
-- repeats  a repetition finds its own version and answers 0: read again, and find everything applied
local name, lifetime, at = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local key = HEAD .. 'n1' .. name
local raw = call('GETRANGE', key, 0, PROVIDER_BYTES - 1)
local version, before = 0, -1
if raw ~= '' then
  local format, _
  format, before, _, _, version = U(PROVIDER, raw)
  if format ~= 1 then error('FORMAT provider record of format ' .. format) end
end
if version ~= tonumber(ARGV[2]) then return 0 end
local clock = clock_now()
if at > clock then
  clock = at
  call('SET', KEYS[1], string.format('%d', clock))
end
local state = tonumber(ARGV[5])
call('SET', key, P(PROVIDER, 1, state, tonumber(ARGV[6]), 0, version + 1, tonumber(ARGV[7]), clock, #ARGV[8], #ARGV[9])
  .. ARGV[8] .. ARGV[9] .. ARGV[10])
if ARGV[11] ~= '' then call('SET', HEAD .. 'p1' .. name, ARGV[11]) end
if before == -1 then wheel_add('u', clock + lifetime, name) end
if before ~= state then
  call('HINCRBY', HEAD .. 'a1', state, 1)
  if before >= 0 then call('HINCRBY', HEAD .. 'a1', before, -1) end
end
for i = 12, #ARGV, 3 do call('HSET', HEAD .. 'x1' .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return 1
