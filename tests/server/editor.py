"""An editor that knows the protocol well: pytest-lsp's client, with what an editor does around it.

Capabilities are written as the protocol's JSON, with dotted names: {"workspace.configuration": True}.
"""
import asyncio
import copy
import pathlib
import typing

import pytest_lsp
from lsprotocol import converters, types
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

import program
import texts

CONVERTER = converters.get_converter()
# It takes long to make one.
SHARED = pytest_lsp.client.default_converter()
# lsprotocol takes an action that has a command for the command.
SHARED.register_structure_hook(
    typing.Union[types.Command, types.CodeAction],
    lambda value, _: SHARED.structure(value, types.Command if isinstance(value.get("command"), str) else types.CodeAction))

PUSH = {
    "general.positionEncodings": ["utf-8"],
    "textDocument.publishDiagnostics": {"relatedInformation": True, "versionSupport": True, "dataSupport": True,
                                        "codeDescriptionSupport": True, "tagSupport": {"valueSet": [1, 2]}},
    "textDocument.synchronization": {"didSave": True},
    "textDocument.codeAction": {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "source", "source.fixAll"]}},
        "isPreferredSupport": True, "dataSupport": True},
    "textDocument.hover": {"contentFormat": ["markdown", "plaintext"]},
    "workspace.applyEdit": True,
    "workspace.workspaceEdit": {"documentChanges": True},
    "workspace.workspaceFolders": True,
}
PULL = {**PUSH, "textDocument.diagnostic": {"dynamicRegistration": False, "relatedDocumentSupport": False},
        "workspace.diagnostics": {"refreshSupport": True}}
RESOLVES = {"textDocument.codeAction.resolveSupport": {"properties": ["edit"]}}
WATCHES = {"workspace.didChangeWatchedFiles": {"dynamicRegistration": True}}


def nested(dotted):
    """{"a.b": 1} as {"a": {"b": 1}}"""
    whole = {}
    for name, value in dotted.items():
        *path, last = name.split(".")
        place = whole
        for step in path:
            place = place.setdefault(step, {})
        place[last] = copy.deepcopy(value)
    return whole


def plain(value):
    """A value of the protocol's as JSON."""
    return CONVERTER.unstructure(value)


class Editor(pytest_lsp.LanguageClient):
    def __init__(self):
        super().__init__(converter_factory=lambda: SHARED)
        self.encoding = "utf-16"
        self.pulls = False
        self.settings = {}          # for a folder's URI, or ""
        self.published = []         # all that was, in order
        self.edits, self.registrations = [], []
        self.refreshed = {"diagnostic": 0, "codeLens": 0, "inlayHint": 0}
        self.created_tokens, self.progress = [], []
        self.texts, self.versions = {}, {}
        self.result_ids = {}
        self.folder = None
        self._news = asyncio.Event()
        register_lsp_features(self, {**DEFAULT_CLIENT_FEATURES, **self._own_features()})

    def _own_features(self):
        def publish(params: types.PublishDiagnosticsParams):
            self.published.append(plain(params))
            self._news.set()

        def apply_edit(params: types.ApplyWorkspaceEditParams):
            self.edits.append(plain(params))
            self.apply(plain(params)["edit"])
            self._news.set()
            return types.ApplyWorkspaceEditResult(applied=True)

        def register(params: types.RegistrationParams):
            self.registrations += plain(params)["registrations"]
            self._news.set()

        def configuration(params: types.ConfigurationParams):
            return [self.settings.get(item.scope_uri or "", self.settings.get("")) for item in params.items]

        def show(params: types.ShowMessageParams):
            self.messages.append(params)
            self._news.set()

        def log(params: types.LogMessageParams):
            self.log_messages.append(params)
            self._news.set()

        def create(params: types.WorkDoneProgressCreateParams):
            self.created_tokens.append(params.token)

        def progress(params: types.ProgressParams):
            assert params.token in self.created_tokens, "progress of a token that was not created"
            self.progress.append(plain(params.value))
            self._news.set()

        def refresh(name):
            def refreshed(params):
                self.refreshed[name] += 1
                self._news.set()
            return refreshed

        return {"textDocument/publishDiagnostics": publish, "workspace/applyEdit": apply_edit,
                "client/registerCapability": register, "workspace/configuration": configuration,
                "window/showMessage": show, "window/logMessage": log, "window/workDoneProgress/create": create,
                "$/progress": progress, "workspace/diagnostic/refresh": refresh("diagnostic"),
                "workspace/codeLens/refresh": refresh("codeLens"), "workspace/inlayHint/refresh": refresh("inlayHint")}

    # ---- the session ----

    async def begin(self, capabilities=None, options=None, folders=None, arguments=(), **params):
        """Starts a server. FOLDERS: those that are open; the first is where relative paths are meant."""
        folders = [pathlib.Path(folder) for folder in folders or ()]
        self.folder = folders[0] if folders else None
        await self.start_io(program.PROGRAM, "server", *arguments, env=program.ENVIRONMENT, cwd="/")
        capabilities = capabilities if isinstance(capabilities, types.ClientCapabilities) else CONVERTER.structure(
            nested(PUSH if capabilities is None else capabilities), types.ClientCapabilities)
        if options is None:
            options = {"settings": {"debounce": 0}}
        self.answer = await self.initialize_session(types.InitializeParams(
            capabilities=capabilities, initialization_options=options, root_uri=folders[0].as_uri() if folders else None,
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name=folder.name) for folder in folders] or None,
            **params))
        self.encoding = plain(self.answer.capabilities).get("positionEncoding", "utf-16")
        self.pulls = self.answer.capabilities.diagnostic_provider is not None
        return self

    async def end(self):
        await self.shutdown_session()
        process = self._server
        await self.stop()
        assert process.returncode == 0, f"exit status {process.returncode}"
        assert self.error is None, self.error

    async def until(self, found, seconds=program.SECONDS):
        """What FOUND returns once that is true."""
        async def waiting():
            while True:
                self._news.clear()
                value = found()
                if value:
                    return value
                await self._news.wait()
        try:
            return await asyncio.wait_for(waiting(), seconds)
        except asyncio.TimeoutError:
            raise AssertionError(f"it did not come to be within {seconds} s; last published: {self.published[-2:]}") from None

    async def settle(self):
        """Once this returns the server has done what it had to do."""
        for _ in range(4):
            await self.hover_at("untitled:nothing", {"line": 0, "character": 0})

    # ---- documents ----

    def uri(self, name):
        return name if ":" in name else (self.folder / name).as_uri()

    def open(self, name, text=None, version=1, language="python"):
        """Opens NAME, a path below the folder or an address, with TEXT or what it holds on the disk; returns its address."""
        uri = self.uri(name)
        self.texts[uri] = (self.folder / name).read_bytes().decode() if text is None else text
        self.versions[uri] = version
        self.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(
            uri=uri, language_id=language, version=version, text=self.texts[uri])))
        return uri

    def change(self, uri, *changes):
        """CHANGES: texts for the whole, or (range as JSON, text)."""
        self.versions[uri] += 1
        events = []
        for item in changes:
            if isinstance(item, str):
                self.texts[uri] = item
                events.append(types.TextDocumentContentChangeWholeDocument(text=item))
            else:
                self.texts[uri] = texts.change(self.texts[uri], *item, self.encoding)
                events.append(types.TextDocumentContentChangePartial(
                    range=CONVERTER.structure(item[0], types.Range), text=item[1]))
        self.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri]), events))
        return self.versions[uri]

    def replace(self, uri, old, new):
        """Changes the first OLD in the document to NEW, as typing does."""
        text = self.texts[uri]
        start = text.index(old)
        return self.change(uri, ({"start": texts.position_at(text, start, self.encoding),
                                  "end": texts.position_at(text, start + len(old), self.encoding)}, new))

    def save(self, uri):
        self.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def close(self, uri):
        self.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def position(self, uri, what, occurrence=0):
        """Where WHAT begins in the document."""
        text, at = self.texts[uri], -1
        for _ in range(occurrence + 1):
            at = text.index(what, at + 1)
        return texts.position_at(text, at, self.encoding)

    def apply(self, edit):
        """What an editor does with a WorkspaceEdit: changes the documents, and tells of it."""
        for uri, edits in edits_of(edit).items():
            for change in edit.get("documentChanges", ()):
                document = change["textDocument"]
                if document["uri"] == uri and document.get("version") is not None:
                    assert document["version"] == self.versions[uri], "an edit of another version"
            self.change(uri, texts.apply(self.texts[uri], edits, self.encoding))

    # ---- requests ----

    def last(self, uri, version=None):
        return next((told for told in reversed(self.published)
                     if told["uri"] == uri and (version is None or told.get("version") == version)), None)

    async def findings(self, uri, version=None):
        """What the server finds in the present text of URI, by whichever way it tells."""
        if self.pulls:
            report = await self.pull(uri)
            assert report["kind"] == "full"
            return report["items"]
        version = self.versions.get(uri) if version is None else version
        return (await self.until(lambda: self.last(uri, version)))["diagnostics"]

    async def pull(self, uri, previous=None):
        return plain(await self.text_document_diagnostic_async(types.DocumentDiagnosticParams(
            types.TextDocumentIdentifier(uri), previous_result_id=previous)))

    async def codes(self, uri):
        """(code, line from 0) of what is found."""
        return [(item["code"], item["range"]["start"]["line"]) for item in await self.findings(uri)]

    async def hover_at(self, uri, position):
        return plain(await self.text_document_hover_async(types.HoverParams(
            types.TextDocumentIdentifier(uri), CONVERTER.structure(position, types.Position))))

    async def actions(self, uri, range_=None, only=None, diagnostics=None):
        """The actions at RANGE_; without one, at the first finding, which is sent along."""
        if range_ is None:
            diagnostics = (await self.findings(uri))[:1]
            range_ = diagnostics[0]["range"]
        context = types.CodeActionContext(
            diagnostics=[CONVERTER.structure(item, types.Diagnostic) for item in diagnostics or ()], only=only)
        return plain(await self.text_document_code_action_async(types.CodeActionParams(
            types.TextDocumentIdentifier(uri), CONVERTER.structure(range_, types.Range), context)))

    async def resolve(self, action):
        return plain(await self.code_action_resolve_async(CONVERTER.structure(action, types.CodeAction)))

    async def execute(self, command, *arguments):
        return plain(await self.workspace_execute_command_async(types.ExecuteCommandParams(command, list(arguments))))

    def say_settings(self, settings):
        self.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))

    def say_files(self, *changes):
        """CHANGES: (path, 1 created, 2 changed, 3 deleted)"""
        self.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(
            [types.FileEvent(uri=pathlib.Path(path).as_uri(), type=types.FileChangeType(kind)) for path, kind in changes]))


def edits_of(edit):
    """URI → edits of a WorkspaceEdit, whichever of its two forms it has."""
    assert ("changes" in edit) != ("documentChanges" in edit), edit
    if "changes" in edit:
        return edit["changes"]
    return {change["textDocument"]["uri"]: change["edits"] for change in edit["documentChanges"]}


def titled(actions, beginning):
    """The action whose title begins so."""
    found = [action for action in actions if action["title"].startswith(beginning)]
    assert len(found) == 1, [action["title"] for action in actions]
    return found[0]
