-- vramlint's language server in a real Neovim. Each check writes a line to $RESULTS: 'ok NAME' or 'not ok NAME: WHY'. It
-- has a copy of the project as its current folder.

local SECONDS = 20
local root = vim.fn.getcwd()
local checks = {}

local function say(line)
  vim.fn.writefile({ (line:gsub('%s*\n%s*', ' | ')) }, vim.env.RESULTS, 'a')
end

-- Tools for the checks

local function await(what, condition)
  if not vim.wait(SECONDS * 1000, condition, 5) then
    error('never: ' .. (type(what) == 'function' and what() or what), 2)
  end
end

local function equal(wanted, got)
  if not vim.deep_equal(wanted, got) then
    error(('wanted %s, got %s'):format(vim.inspect(wanted), vim.inspect(got)), 2)
  end
end

local function matches(pattern, text)
  if not (text or ''):find(pattern) then
    error(('wanted %q in %s'):format(pattern, vim.inspect(text)), 2)
  end
end

local function write(name, text)
  vim.fn.writefile(vim.split(text, '\n', { plain = true }), name)
end

local function change(name, from, to)
  local text = table.concat(vim.fn.readfile(name), '\n')
  local changed, count = text:gsub(vim.pesc(from), (to:gsub('%%', '%%%%')))
  assert(count > 0, from .. ' is not in ' .. name)
  write(name, changed)
end

--- What Neovim shows of a buffer, as 'LINE CODE'.
local function found(bufnr)
  return vim.tbl_map(function(diagnostic)
    return ('%d %s'):format(diagnostic.lnum + 1, diagnostic.code)
  end, vim.diagnostic.get(bufnr or 0))
end

local function await_found(wanted, bufnr)
  await(function()
    return ('%s, but %s'):format(vim.inspect(wanted), vim.inspect(vim.diagnostic.get(bufnr or 0)))
  end, function()
    return vim.deep_equal(wanted, found(bufnr))
  end)
end

local function client(bufnr)
  return vim.lsp.get_clients({ name = 'vramlint', bufnr = bufnr })[1]
end

local function open(name)
  vim.cmd.edit(vim.fn.fnameescape(name))
  await('a client', function()
    return client(0) and client(0).initialized
  end)
  return vim.api.nvim_get_current_buf()
end

local function line(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, true)[1]
end

local function replace(number, from, to)
  local text = line(number)
  local first, last = text:find(from, 1, true)
  assert(first, from .. ' is not in line ' .. number .. ': ' .. text)
  vim.api.nvim_buf_set_text(0, number - 1, first - 1, number - 1, last, { to })
end

--- What has been asked is answered, and what was sent before that has been worked on.
local function settle(bufnr)
  local answered = client(bufnr):request_sync('textDocument/hover', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr or 0) },
    position = { line = 0, character = 0 },
  }, SECONDS * 1000, bufnr or 0)
  assert(answered and not answered.err, vim.inspect(answered))
end

--- The titles of what is offered at the cursor.
local function offers(only)
  local params = vim.lsp.util.make_range_params(0, client(0).offset_encoding)
  params.context = { diagnostics = {}, only = only }
  local answer = client(0):request_sync('textDocument/codeAction', params, SECONDS * 1000, 0)
  return vim.tbl_map(function(action)
    return action.title
  end, answer.result)
end

--- Does what is offered at the cursor: what has the pattern in its title, or what is preferred.
local function act(pattern, only)
  vim.lsp.buf.code_action({
    apply = true,
    context = only and { only = only, diagnostics = {} },
    filter = function(action)
      return pattern and action.title:find(pattern) ~= nil or not pattern and action.isPreferred
    end,
  })
end

-- Checks

function checks.finding()
  open('train.py')
  await_found({ '13 VL101' })
  local diagnostic = vim.diagnostic.get(0)[1]
  equal({ 12, 4, 12, 24 }, { diagnostic.lnum, diagnostic.col, diagnostic.end_lnum, diagnostic.end_col })
  equal({ vim.diagnostic.severity.WARN, 'vramlint' }, { diagnostic.severity, diagnostic.source })
  matches("^'loss' is kept in 'history' with its autograd graph", diagnostic.message)
  matches("\ncost: host memory grows .*\nhelp: keep 'loss.item%(%)'", diagnostic.message)
  local sent = diagnostic.user_data.lsp
  equal({ 9, 10, 3, 7 }, vim.tbl_map(function(related)
    return related.location.range.start.line
  end, sent.relatedInformation))
  matches("'history' outlives each iteration", sent.relatedInformation[4].message)
  equal('safe', sent.data.fix)
  equal('utf-8', client(0).offset_encoding)
end

function checks.edits()
  open('train.py')
  await_found({ '13 VL101' })
  replace(13, 'append(loss)', 'append(loss.item())')
  await_found({})
  vim.cmd.undo()
  await_found({ '13 VL101' })
  vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# größe 😀', '' })
  await_found({ '15 VL101' })
  vim.api.nvim_buf_set_lines(0, 0, -1, true, {})
  await_found({})
  vim.cmd.undo()
  await_found({ '13 VL101' })
end

function checks.typing()
  open('train.py')
  vim.bo.autoindent = false
  vim.bo.indentexpr = ''
  await_found({ '13 VL101' })
  local function type_keys(keys)
    vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
  end
  type_keys('Gdd')
  await_found({})
  type_keys('o<Esc>')
  for character in ('    history.append(loss)'):gmatch('.') do
    type_keys('A' .. character .. '<Esc>')
  end
  equal('    history.append(loss)', line(13))
  await_found({ '13 VL101' })
  type_keys('F)i.item()<Esc>')
  equal('    history.append(loss.item())', line(13))
  await_found({})
  type_keys('u')
  await_found({ '13 VL101' })
end

function checks.one_and_no_more()
  local bufnr = open('train.py')
  await_found({ '13 VL101' })
  for _ = 1, 3 do
    vim.cmd.write()
    replace(1, 'torch', 'torch ')
    settle()
  end
  vim.lsp.buf.document_highlight = nil
  vim.cmd.edit({ bang = true })
  await_found({ '13 VL101' })
  vim.cmd.split()
  settle()
  equal({ '13 VL101' }, found(bufnr))
  equal(1, #vim.lsp.get_clients({ name = 'vramlint' }))
end

function checks.fix()
  open('train.py')
  await_found({ '13 VL101' })
  vim.api.nvim_win_set_cursor(0, { 13, 8 })
  act()
  await('the fix', function()
    return line(13) == '    history.append(loss.detach())'
  end)
  await_found({})
  vim.cmd.undo()
  await_found({ '13 VL101' })
end

function checks.offers()
  open('train.py')
  await_found({ '13 VL101' })
  vim.api.nvim_win_set_cursor(0, { 13, 8 })
  equal({
    "Write 'history.append(loss.detach())' (VL101)",
    'Suppress VL101 on this line…',
    'Explain VL101 tensor-append',
  }, offers({ 'quickfix' }))
  equal({ 'Fix all that vramlint can fix safely' }, offers({ 'source.fixAll' }))
  equal({}, offers({ 'refactor' }))
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  equal({}, offers({ 'quickfix' }))
end

function checks.fix_all()
  open('train.py')
  local twice = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  vim.list_extend(twice, { 'for step in range(10):' })
  vim.list_extend(twice, vim.list_slice(twice, 9, 13))
  vim.api.nvim_buf_set_lines(0, 0, -1, true, twice)
  await_found({ '13 VL101', '19 VL101' })
  act('^Fix all', { 'source.fixAll' })
  await_found({})
  equal('    history.append(loss.detach())', line(13))
  equal('    history.append(loss.detach())', line(19))
end

function checks.suppress()
  open('train.py')
  await_found({ '13 VL101' })
  vim.api.nvim_win_set_cursor(0, { 13, 8 })
  local asked
  vim.ui.input = function(options, done)
    asked = options.prompt
    done(nil)
  end
  act('^Suppress')
  await('a question', function()
    return asked
  end)
  settle()
  equal('    history.append(loss)', line(13))
  vim.ui.input = function(_, done)
    done('only ten steps')
  end
  act('^Suppress')
  await('the comment', function()
    return line(13):find('# vramlint: ignore[VL101] -- only ten steps', 1, true)
  end)
  await_found({})
end

function checks.explain()
  open('train.py')
  await_found({ '13 VL101' })
  vim.api.nvim_win_set_cursor(0, { 13, 8 })
  act('^Explain')
  await('the document', function()
    return vim.bo.filetype == 'markdown' and line(1) == '# tensor-append (VL101)'
  end)
  equal('nofile', vim.bo.buftype)
  vim.api.nvim_feedkeys('q', 'xt', false)
  equal('python', vim.bo.filetype)
end

function checks.hover()
  open('train.py')
  await_found({ '13 VL101' })
  vim.api.nvim_win_set_cursor(0, { 13, 8 })
  vim.lsp.buf.hover()
  local text
  await('a window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), '\n')
        return true
      end
    end
  end)
  matches('`loss` is kept in `history`', text)
  matches('4%. line 8: `history` outlives', text)
  matches('Why it costs memory', text)
end

function checks.hover_on_a_suppression()
  open('train.py')
  replace(13, 'append(loss)', 'append(loss)  # vramlint: ignore[VL101]')
  await_found({})
  vim.api.nvim_win_set_cursor(0, { 13, (line(13):find('VL101', 1, true)) })
  local answer = client(0):request_sync('textDocument/hover',
    vim.lsp.util.make_position_params(0, client(0).offset_encoding), SECONDS * 1000, 0)
  matches('`loss` is kept in `history`.*\n# tensor%-append %(VL101%)', answer.result.contents.value)
end

function checks.unused_suppression()
  open('train.py')
  replace(11, 'loss.backward()', 'loss.backward()  # vramlint: ignore[VL102] -- was needed once')
  await_found({ '11 VL001', '13 VL101' })
  local diagnostic = vim.diagnostic.get(0, { lnum = 10 })[1]
  equal({ vim.diagnostic.severity.HINT, true }, { diagnostic.severity, diagnostic._tags.unnecessary })
  vim.api.nvim_win_set_cursor(0, { 11, diagnostic.col })
  act()
  await_found({ '13 VL101' })
  equal('    loss.backward()', line(11))
end

function checks.unsafe_fix()
  open('train.py')
  replace(4, 'history = []', 'total = 0')
  replace(13, 'history.append(loss)', 'total += loss')
  vim.api.nvim_buf_set_lines(0, 13, 13, true, { 'print(total)' })
  await_found({ '13 VL102' })
  vim.api.nvim_win_set_cursor(0, { 13, 4 })
  equal("Write 'total += loss.detach()' (VL102) – may change what the code does", offers({ 'quickfix' })[1])
  act()
  settle()
  equal('    total += loss', line(13))
  act('may change')
  await('the fix', function()
    return line(13) == '    total += loss.detach()'
  end)
end

function checks.whole_workspace()
  change('meters.py', 'value.item()', 'value')
  open('meters.py')
  settle() -- settings that come while it looks would end it
  local finished
  vim.api.nvim_create_autocmd('LspProgress', {
    pattern = 'end',
    callback = function()
      finished = true
    end,
  })
  client(0):exec_cmd({ title = 'check', command = 'vramlint.checkWorkspace' })
  await('the end of the progress', function()
    return finished
  end)
  await_found({ '13 VL101' }, vim.fn.bufadd(vim.fn.getcwd() .. '/train.py'))
  await_found({ '13 VL102' }, vim.fn.bufadd(vim.fn.getcwd() .. '/epochs.py'))
  equal({ '13 VL102' }, (open('epochs.py') and settle() or found()))
end

function checks.imported_buffer()
  local epochs = open('epochs.py')
  settle()
  equal({}, found())
  open('meters.py')
  replace(6, 'value.item()', 'value')
  await_found({ '13 VL102' }, epochs)
  vim.cmd.undo()
  await_found({}, epochs)
  replace(6, 'value.item()', 'value')
  await_found({ '13 VL102' }, epochs)
  vim.cmd.bdelete({ bang = true })
  await_found({}, epochs)
end

function checks.imported_file()
  local epochs = open('epochs.py')
  settle()
  change('meters.py', 'value.item()', 'value')
  vim.cmd.write()
  await_found({ '13 VL102' }, epochs)
end

function checks.configuration_file()
  open('train.py')
  await_found({ '13 VL101' })
  write('vramlint.toml', 'ignore = ["VL101"]\n')
  vim.cmd.write()
  await_found({})
  write('vramlint.toml', '\nignroe = ["VL101"]\n')
  vim.cmd.write()
  local faulty = vim.fn.bufadd(vim.fn.getcwd() .. '/vramlint.toml')
  await('a fault', function()
    return #vim.diagnostic.get(faulty) == 1
  end)
  local fault = vim.diagnostic.get(faulty)[1]
  equal({ 1, 0, vim.diagnostic.severity.ERROR }, { fault.lnum, fault.col, fault.severity })
  matches("unknown key 'ignroe'", fault.message)
  vim.fn.delete('vramlint.toml')
  vim.cmd.write()
  await_found({ '13 VL101' })
  await_found({}, faulty)
end

function checks.broken_configuration_is_told_once()
  write('vramlint.toml', 'ignroe = []\n')
  local told = {}
  vim.lsp.config('vramlint', {
    handlers = {
      ['window/showMessage'] = function(_, params)
        table.insert(told, params.message)
      end,
    },
  })
  open('train.py')
  await_found({ '13 VL101' })
  settle()
  vim.cmd.write()
  settle()
  equal({ "vramlint: vramlint.toml:1:1: unknown key 'ignroe'; did you mean 'ignore'?" }, told)
  write('vramlint.toml', 'ignore = []\n')
  vim.cmd.write()
  settle()
  write('vramlint.toml', 'ignroe = []\n')
  vim.cmd.write()
  await('a second fault', function()
    return #told == 2
  end)
end

function checks.watched_files()
  vim.lsp.config('vramlint', {
    capabilities = { workspace = { didChangeWatchedFiles = { dynamicRegistration = true } } },
  })
  local epochs = open('epochs.py')
  settle()
  equal({}, found())
  change('meters.py', 'value.item()', 'value')
  await_found({ '13 VL102' }, epochs)
  write('vramlint.toml', 'ignore = ["VL102"]\n')
  await_found({}, epochs)
  vim.fn.delete('vramlint.toml')
  await_found({ '13 VL102' }, epochs)
end

function checks.settings()
  open('train.py')
  await_found({ '13 VL101' })
  local function set(settings)
    client(0).settings = { vramlint = settings }
    client(0):notify('workspace/didChangeConfiguration', { settings = client(0).settings })
  end
  set({ ignore = { 'VL101' } })
  await_found({})
  set({ enable = true })
  await_found({ '13 VL101' })
  set({ enable = false })
  await_found({})
  set(vim.empty_dict())
  await_found({ '13 VL101' })
end

function checks.settings_at_start()
  vim.lsp.config('vramlint', { settings = { vramlint = { ignore = { 'VL101' } } } })
  open('train.py')
  settle()
  await_found({}) -- the server asks for them, and may have found something before the answer came
  replace(8, '10', '11')
  settle()
  equal({}, found())
end

function checks.lens()
  open('train.py')
  await_found({ '13 VL101' })
  local function hints()
    local answer = client(0):request_sync('textDocument/inlayHint', {
      textDocument = vim.lsp.util.make_text_document_params(0),
      range = { start = { line = 0, character = 0 }, ['end'] = { line = 99, character = 0 } },
    }, SECONDS * 1000, 0)
    return answer.result or {}
  end
  equal({}, hints())
  client(0).settings = { vramlint = { lens = 'inlayHint' } }
  client(0):notify('workspace/didChangeConfiguration', { settings = client(0).settings })
  await('a hint', function()
    return #hints() == 1
  end)
  equal(7, hints()[1].position.line)
  vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
  await('a hint that is shown', function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) == 1
  end)
end

function checks.wide_characters()
  open('wide.py')
  await_found({ '12 VL101' })
  local diagnostic = vim.diagnostic.get(0)[1]
  equal('größe.append(loss)', line(12):sub(diagnostic.col + 1, diagnostic.end_col))
  replace(12, '"größe 😀"', '"😀😀😀 größe"')
  settle()
  await('new places', function()
    diagnostic = vim.diagnostic.get(0)[1]
    return diagnostic and line(12):sub(diagnostic.col + 1, diagnostic.end_col) == 'größe.append(loss)'
  end)
  vim.api.nvim_win_set_cursor(0, { 12, diagnostic.col })
  act()
  await_found({})
  equal('\tname = "😀😀😀 größe"; größe.append(loss.detach()); print("😀")', line(12))
end

function checks.other_codings()
  -- Neovim decodes the file; what it says about its own coding is not true of what the server gets.
  vim.cmd.edit('latin.py')
  vim.api.nvim_buf_set_lines(0, 0, -1, true, { '# -*- coding: latin-1 -*-' })
  vim.api.nvim_buf_set_lines(0, 1, -1, true, vim.tbl_map(function(text)
    return (text:gsub('😀', 'ß'))
  end, vim.fn.readfile('wide.py')))
  vim.bo.fileencoding = 'latin1'
  vim.bo.fileformat = 'dos'
  vim.cmd.write()
  vim.cmd.edit({ bang = true })
  await_found({ '13 VL101' })
  local diagnostic = vim.diagnostic.get(0)[1]
  equal('größe.append(loss)', line(13):sub(diagnostic.col + 1, diagnostic.end_col))
  vim.api.nvim_win_set_cursor(0, { 13, diagnostic.col })
  act()
  await_found({})
  equal('\tname = "größe ß"; größe.append(loss.detach()); print("ß")', line(13))
end

function checks.broken_code()
  open('train.py')
  await_found({ '13 VL101' })
  vim.api.nvim_buf_set_lines(0, 13, 13, true, { 'def f(:', '    )]' })
  settle()
  await_found({ '13 VL101' })
end

function checks.several_buffers()
  local buffers = {}
  for number = 1, 20 do
    local name = ('train_%d.py'):format(number)
    vim.uv.fs_copyfile('train.py', name)
    buffers[number] = open(name)
  end
  for number, bufnr in ipairs(buffers) do
    await_found({ '13 VL101' }, bufnr)
    vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, vim.fn['repeat']({ '' }, number))
  end
  for number, bufnr in ipairs(buffers) do
    await_found({ ('%d VL101'):format(13 + number) }, bufnr)
  end
  equal(1, #vim.lsp.get_clients({ name = 'vramlint' }))
end

function checks.close_and_open_again()
  local bufnr = open('train.py')
  await_found({ '13 VL101' })
  replace(13, '(loss)', '(loss.item())')
  await_found({})
  vim.cmd.enew({ bang = true })
  vim.cmd.bdelete({ args = { tostring(bufnr) }, bang = true })
  equal({}, found(bufnr))
  open('train.py')
  await_found({ '13 VL101' })
end

function checks.rename()
  open('train.py')
  await_found({ '13 VL101' })
  vim.cmd.saveas('other.py')
  await_found({ '13 VL101' })
  replace(13, '(loss)', '(loss.item())')
  await_found({})
end

function checks.no_file_yet()
  open('new.py')
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.fn.readfile('train.py'))
  await_found({ '13 VL101' })
end

function checks.two_projects()
  vim.fn.mkdir('other')
  write('other/pyproject.toml', '[tool.vramlint]\nignore = ["VL101"]\n')
  vim.uv.fs_copyfile('train.py', 'other/train.py')
  local other = open('other/train.py')
  local here = open('train.py')
  await_found({ '13 VL101' }, here)
  settle(other)
  equal({}, found(other))
end

function checks.restart()
  local bufnr = open('train.py')
  await_found({ '13 VL101' })
  local before = client(0)
  before:stop()
  await('the end', function()
    return before:is_stopped() and #vim.lsp.get_clients({ name = 'vramlint' }) == 0
  end)
  equal({}, found(bufnr))
  vim.cmd.edit()
  await_found({ '13 VL101' })
  assert(client(0).id ~= before.id)
end

function checks.strange_names()
  local name = 'a b; touch owned #%$(touch owned)\'"`touch owned`ö😀.py'
  vim.uv.fs_copyfile('train.py', name)
  open(name)
  await_found({ '13 VL101' })
  vim.api.nvim_win_set_cursor(0, { 13, 8 })
  act()
  await_found({})
  equal('    history.append(loss.detach())', line(13))
  equal(nil, vim.uv.fs_stat('owned'))
end

function checks.lspconfig()
  -- nvim-lspconfig is no package of the machine's; what is used of it stands here.
  local configs = {}
  package.loaded['lspconfig.configs'] = configs
  package.loaded['lspconfig.util'] = {
    root_pattern = function(...)
      local markers = { ... }
      return function(path)
        return vim.fs.root(path, markers)
      end
    end,
  }
  vim.lsp.enable('vramlint', false)
  dofile(vim.env.EDITORS .. '/nvim/lspconfig.lua')
  local config = configs.vramlint.default_config
  vim.cmd.edit('train.py')
  vim.lsp.start({
    name = 'vramlint',
    cmd = config.cmd,
    root_dir = config.root_dir(vim.api.nvim_buf_get_name(0)),
    init_options = config.init_options,
    settings = config.settings,
  })
  await_found({ '13 VL101' })
  equal(vim.fn.getcwd(), client(0).root_dir)
  vim.api.nvim_win_set_cursor(0, { 13, 8 })
  act('^Explain')
  await('the document', function()
    return vim.bo.filetype == 'markdown' and line(1) == '# tensor-append (VL101)'
  end)
  vim.lsp.enable('vramlint')
end

-- Running them

local function clean()
  vim.lsp.config('vramlint', {
    settings = { vramlint = { ignore = {} } },
    handlers = { ['window/showMessage'] = vim.lsp.handlers['window/showMessage'] },
    capabilities = { workspace = { didChangeWatchedFiles = { dynamicRegistration = false } } },
  })
  for _, running in ipairs(vim.lsp.get_clients()) do
    running:stop()
  end
  vim.wait(SECONDS * 1000, function()
    return #vim.lsp.get_clients() == 0
  end, 5)
  vim.cmd('silent! only! | silent! %bwipeout!')
end

local names = vim.tbl_filter(function(name)
  return vim.startswith(name, vim.env.CHECK or '')
end, vim.tbl_keys(checks))
table.sort(names)
for number, name in ipairs(names) do
  local folder = root .. '/' .. number
  vim.fn.system({ 'cp', '-R', vim.env.PROJECT, folder })
  vim.cmd.cd(folder)
  local well, why = xpcall(checks[name], debug.traceback)
  say(well and 'ok ' .. name or ('not ok %s: %s'):format(name, why))
  clean()
end
say('done')
vim.cmd('qall!')
