//! Tells Zed how to start `vramlint server`, and gives it the settings of `lsp.vramlint` in Zed's own.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, serde_json, LanguageServerId, Result};

struct Vramlint;

impl zed::Extension for Vramlint {
    fn new() -> Self {
        Vramlint
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)?.binary;
        let named = binary.as_ref().and_then(|binary| binary.path.clone());
        let command = named
            .or_else(|| worktree.which("vramlint"))
            .ok_or("there is no 'vramlint' on PATH, and 'lsp.vramlint.binary.path' names none")?;
        let args = binary
            .and_then(|binary| binary.arguments)
            .unwrap_or_else(|| vec!["server".to_string()]);
        Ok(zed::Command {
            command,
            args,
            env: worktree.shell_env(),
        })
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?.settings;
        Ok(settings.map(|settings| serde_json::json!({ "vramlint": settings })))
    }
}

zed::register_extension!(Vramlint);
