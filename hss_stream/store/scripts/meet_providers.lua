-- Make sure that providers are known by name, and say what is known of them. Atomic.
-- KEYS[1]  clock of the shard
-- ARGV[1]  life time, seconds   ARGV[2]  page time, seconds   ARGV[3..]  in turn: name of 8 bytes, name as text
-- writes   n, u, z, a (of providers met for the first time)
-- returns  for each provider its state and label, 2 bytes
-- repeats  the same again changes nothing
local lifetime, at = tonumber(ARGV[1]), tonumber(ARGV[2])
local found = {}
for i = 3, #ARGV, 2 do
  local key = HEAD .. 'n1' .. ARGV[i]
  local head = call('GETRANGE', key, 1, 2)
  if head == '' then
    head = '\0\0'
    local last = math.max(clock_now(), at)
    call('SET', key, P(PROVIDER, 1, 0, 0, 0, 0, 0, last, #ARGV[i + 1], 0) .. ARGV[i + 1])
    wheel_add('u', last + lifetime, ARGV[i])
    call('HINCRBY', HEAD .. 'a1', 0, 1)
  end
  found[#found + 1] = head
end
return found
