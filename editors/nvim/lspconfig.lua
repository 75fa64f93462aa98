-- The language server of vramlint, for Neovim before 0.11 with nvim-lspconfig:
--
--     dofile('/path/to/editors/nvim/lspconfig.lua')
--     require('lspconfig').vramlint.setup {}

local file = debug.getinfo(1, 'S').source:sub(2)
local config = dofile(vim.fn.fnamemodify(file, ':p:h') .. '/lsp/vramlint.lua')
local configs = require('lspconfig.configs')

if not configs.vramlint then
  configs.vramlint = {
    default_config = {
      cmd = config.cmd,
      filetypes = config.filetypes,
      root_dir = require('lspconfig.util').root_pattern(unpack(config.root_markers)),
      single_file_support = true,
      init_options = config.init_options,
      settings = config.settings,
    },
  }
end

-- What nvim-lspconfig calls commands are those of Neovim's command line.
for name, command in pairs(config.commands) do
  vim.lsp.commands[name] = command
end
