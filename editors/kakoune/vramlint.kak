# In kakrc: source /path/to/editors/kakoune/vramlint.kak

hook -group vramlint global BufSetOption filetype=python %{
    # ':lint-buffer' shows what is found, ':lint-next-message' goes there.
    set-option buffer lintcmd %{
        vramlint_lint() {
            vramlint check --quiet --force-exclude --output-format concise --stdin-filename "$kak_buffile" - <"$1"
        }
        vramlint_lint}

    # With kak-lsp, version 17 and later, the language server.
    try %{
        set-option -add buffer lsp_servers %{
            [vramlint]
            args = ["server"]
            root_globs = ["vramlint.toml", ".vramlint.toml", "pyproject.toml", ".git"]
            settings_section = "vramlint"
            # Settings are those of vramlint.toml in camelCase.
            [vramlint.settings.vramlint]
            # minConfidence = "flow"
        }
    }
}
