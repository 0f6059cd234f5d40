-- Forget results (and on the home shard pins) of offsets below the committed one. Atomic.
-- KEYS[1]  clock of the shard     ARGV[1]  source   ARGV[2]  next offset to read
-- writes   o, P
-- returns  how many bytes of results stay
local committed = tonumber(ARGV[2])
local key = outbox_key(ARGV[1])
local box = call('GET', key) or ''
local i = 1
while i <= #box do
  local offset, _, _, _, length = U(OUT, box, i)
  if offset >= committed then break end
  i = i + OUT_BYTES + length
end
if i > #box then call('UNLINK', key) elseif i > 1 then call('SET', key, sub(box, i)) end
local pins_key = HEAD .. 'P1' .. ARGV[1]
local old = {}
for _, range in ipairs(call('HKEYS', pins_key)) do
  if tonumber(string.match(range, ':(%d+)$')) < committed then old[#old + 1] = range end
end
for k = 1, #old, 100 do call('HDEL', pins_key, unpack(old, k, math.min(k + 99, #old))) end
return #box - i + 1
