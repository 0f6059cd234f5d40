-- Remove representatives from buckets of one shard. Atomic.
-- KEYS[1]  clock of the shard     ARGV[1]  entries of [probe 1][lower half 2][representative 8]
-- writes   b
-- returns  how many entries were removed
local removed = 0
for i = 1, #ARGV[1], 11 do
  local key, name = HEAD .. 'b1' .. sub(ARGV[1], i, i + 2), sub(ARGV[1], i + 3, i + 10)
  local value = call('GET', key) or ''
  for place = 1, #value, 10 do
    if sub(value, place + 2, place + 9) == name then
      value = sub(value, 1, place - 1) .. sub(value, place + 10)
      if value == '' then call('UNLINK', key) else call('SET', key, value) end
      removed = removed + 1
      break
    end
  end
end
return removed
