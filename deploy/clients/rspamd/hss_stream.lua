-- Ask the hss_stream gateway about a whole message; a symbol with score and reasons comes back.
-- Fails open: without an answer in time, or with one that makes no sense, the scan goes on as if we were not there.
-- Install and settings: README.md beside this file.
local MODULE = 'hss_stream'
local rspamd_logger = require 'rspamd_logger'
local rspamd_http = require 'rspamd_http'
local lua_util = require 'lua_util'
local ucl = require 'ucl'

local settings = {
  url = 'http://127.0.0.1:8080/v1/mail',
  token = nil,               -- from `hss-stream tokens create`; none while the gateway is open on loopback
  timeout = 0.5,             -- seconds for the whole question; beyond it the scan goes on
  max_size = 2 * 1024 * 1024, -- bytes; larger messages are not asked about
  max_reasons = 5,           -- shown as options of the symbol
  max_score = 10.0,          -- most that one message can get from us
  skip_authenticated = true, -- mail of our own users
}

local options = rspamd_config:get_all_opt(MODULE)
if not options or options.enabled == false then
  lua_util.disable_module(MODULE, 'config')
  return
end
settings = lua_util.override_defaults(settings, options)

-- One reason as an option: its name, and the cluster or domains it rests on.
local function to_option(reason)
  local facts = type(reason.facts) == 'table' and reason.facts or {}
  local subject = facts.cluster or facts.domains or facts.domain or facts.provider
  local text = tostring(reason.name)
  if type(reason.weight) == 'number' then text = string.format('%s=%.1f', text, reason.weight) end
  if subject then text = text .. ':' .. tostring(subject) end
  return text
end

local function fail(task, why)
  rspamd_logger.warnx(task, '%s: no verdict: %s', MODULE, why)
  task:insert_result('HSS_FAIL', 0.0, why)
end

-- Returns the answer if it is one of ours: rubbish with status 200 is as good as none.
local function parse(body)
  local parser = ucl.parser()
  local is_parsed = parser:parse_text(body)
  if not is_parsed then return nil end
  local answer = parser:get_object()
  if type(answer) ~= 'table' or answer.format ~= 1 or type(answer.score) ~= 'number'
      or type(answer.verdict) ~= 'string' then
    return nil
  end
  return answer
end

local function insert(task, answer)
  local shown = {}
  for _, reason in ipairs(type(answer.reasons) == 'table' and answer.reasons or {}) do
    if #shown >= settings.max_reasons then break end
    if type(reason) == 'table' then shown[#shown + 1] = to_option(reason) end
  end
  if answer.degraded == true then shown[#shown + 1] = 'degraded' end
  local score = math.min(answer.score, settings.max_score)
  if answer.verdict == 'spam' then
    task:insert_result('HSS_SPAM', score, shown)
  elseif answer.verdict == 'suspect' then
    task:insert_result('HSS_SUSPECT', score, shown)
  elseif answer.verdict == 'ham' then
    task:insert_result('HSS_HAM', 1.0, shown)
  else
    task:insert_result('HSS_UNKNOWN', 0.0, shown)
  end
end

local function check(task)
  if settings.skip_authenticated and task:get_user() then return end
  if task:get_size() > settings.max_size then return end

  local function on_answer(err, code, body)
    if err then return fail(task, tostring(err)) end
    if code ~= 200 then return fail(task, string.format('HTTP %s', code)) end
    local answer = parse(body)
    if not answer then return fail(task, 'the answer makes no sense') end
    insert(task, answer)
  end

  local headers = { ['Content-Type'] = 'message/rfc822' }
  if settings.token then headers['Authorization'] = 'Bearer ' .. settings.token end
  local is_sent = rspamd_http.request({
    task = task,
    url = settings.url,
    method = 'post',
    body = task:get_content(),
    headers = headers,
    timeout = settings.timeout,
    keepalive = true,
    max_size = 65536,
    callback = on_answer,
  })
  if not is_sent then fail(task, 'the question could not be sent') end
end

local id = rspamd_config:register_symbol({
  name = 'HSS_CHECK',
  type = 'callback',
  callback = check,
  group = MODULE,
  flags = 'empty',
  augmentations = { string.format('timeout=%f', settings.timeout) },
})
-- Scores multiply the score of the verdict, so that 1.0 takes it as it is.
local symbols = {
  HSS_SPAM = { 1.0, 'hss_stream: part of a known spam campaign' },
  HSS_SUSPECT = { 1.0, 'hss_stream: signs of machine-made spam' },
  HSS_HAM = { -0.5, 'hss_stream: cleared by an editor' },
  HSS_UNKNOWN = { 0.0, 'hss_stream: nothing known' },
  HSS_FAIL = { 0.0, 'hss_stream: no answer; the scan went on without it' },
}
for name, symbol in pairs(symbols) do
  rspamd_config:register_symbol({ name = name, type = 'virtual', parent = id, group = MODULE })
  rspamd_config:set_metric_symbol({ name = name, score = symbol[1], description = symbol[2], group = MODULE })
end
