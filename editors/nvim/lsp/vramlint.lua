-- The language server of vramlint, for Neovim 0.11 and later: put this folder's parent on 'runtimepath', or copy this file
-- to lsp/ in your configuration, and say
--
--     vim.lsp.enable('vramlint')
--
-- It runs beside any other server. Settings are those of vramlint.toml, in camelCase:
--
--     vim.lsp.config('vramlint', { settings = { vramlint = { minConfidence = 'flow' } } })

--- Asks the server to run a command. Before 0.11 a client's functions were no methods.
local function execute(client, command, bufnr, done)
  local method, params = 'workspace/executeCommand', { command = command.command, arguments = command.arguments }
  local function answered(err, result)
    if err then
      vim.notify('vramlint: ' .. err.message, vim.log.levels.ERROR)
    elseif done then
      done(result)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered, bufnr)
  else
    client.request(method, params, answered, bufnr)
  end
end

--- Shows a rule's document in a window of its own, which 'q' closes.
local function show(document)
  vim.cmd('new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype = 'nofile'
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].swapfile = false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(document.markdown, '\n', { plain = true, trimempty = true }))
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = 'markdown'
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = bufnr, nowait = true })
end

--- The commands that need a person: they are run here, and the server does the rest.
local commands = {
  ['vramlint.explain'] = function(command, ctx)
    execute(vim.lsp.get_client_by_id(ctx.client_id), command, ctx.bufnr, show)
  end,
  ['vramlint.suppress'] = function(command, ctx)
    vim.ui.input({ prompt = 'Why is it right here? ' }, function(reason)
      if reason then
        command = vim.deepcopy(command)
        command.arguments[1].reason = reason
        execute(vim.lsp.get_client_by_id(ctx.client_id), command, ctx.bufnr)
      end
    end)
  end,
}

return {
  cmd = { 'vramlint', 'server' },
  filetypes = { 'python' },
  root_markers = { 'vramlint.toml', '.vramlint.toml', 'pyproject.toml', '.git' },
  init_options = { asksForReason = true, showsExplanations = true },
  settings = { vramlint = vim.empty_dict() },
  commands = commands,
}
