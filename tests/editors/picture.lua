-- What is on the picture: a finding, its trail in the hover window, and what is offered for it.

vim.o.laststatus = 0
vim.o.ruler = false
vim.o.showmode = false
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.winborder = 'rounded'
vim.o.shortmess = vim.o.shortmess .. 'FIW'
vim.diagnostic.config({ virtual_text = true })

vim.api.nvim_create_autocmd('VimEnter', {
  callback = vim.schedule_wrap(function()
    local function await(condition)
      assert(vim.wait(10000, condition, 10))
    end
    vim.cmd.edit('train.py')
    await(function()
      return #vim.diagnostic.get(0) == 1
    end)
    vim.api.nvim_win_set_cursor(0, { 13, 4 })
    -- That the cursor moved closes the window, and the question stops what else would be drawn: each has its time.
    vim.defer_fn(function()
      vim.lsp.buf.hover({ max_height = 10, max_width = 116 })
    end, 300)
    vim.defer_fn(vim.lsp.buf.code_action, 1000)
  end),
})
