"""The files of editors/ whose editors are not run here: they are in the form that their editors read, have no key that
these do not know, and what they start is there and does what they expect of it."""
import json
import pathlib
import re
import subprocess
import tomllib

EDITORS = pathlib.Path(__file__).resolve().parents[2] / "editors"
PROJECT = pathlib.Path(__file__).resolve().parent / "project"
SERVER = ["vramlint", "server"]


def need(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def read(name):
    return (EDITORS / name).read_text()


def json_with_comments(text):
    """What stands behind '//' outside of a string is a comment, which is all that our files have of it."""
    return json.loads(re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda found: found.group(1) or "", text))


def keys(place, has, *may):
    need(set(has) <= set(may), place, "has", sorted(set(has) - set(may)))


def helix(program):
    data = tomllib.loads(read("helix/languages.toml"))
    keys("helix", data, "language", "language-server")
    server = data["language-server"]["vramlint"]
    keys("its server", server, "command", "args", "config", "environment", "timeout", "required-root-patterns")
    need([server["command"], *server["args"]] == SERVER, server)
    (language,) = data["language"]
    keys("its language", language, "name", "language-servers")
    need(language["name"] == "python" and language["language-servers"][-1] == "vramlint", language)


def sublime(program):
    client = json_with_comments(read("sublime/LSP.sublime-settings"))["clients"]["vramlint"]
    keys("sublime", client, "enabled", "command", "selector", "settings", "initializationOptions", "env")
    need(client["command"] == SERVER and client["enabled"] and client["selector"] == "source.python", client)


def kate(program):
    data = json.loads(read("kate/settings.json"))
    keys("kate", data, "servers", "global")
    server = data["servers"]["python"]
    keys("its server", server, "command", "rootIndicationFileNames", "settings", "initializationOptions")
    need(server["command"] == SERVER, server)


def pycharm(program):
    template = json.loads(read("pycharm/template.json"))
    keys("pycharm", template, "id", "name", "programArgs", "fileTypeMappings", "expandConfiguration")
    need(template["programArgs"]["default"].split() == SERVER, template)
    for mapping in template["fileTypeMappings"]:
        keys("fileTypeMappings", mapping, "fileType", "languageId")
        keys("fileType", mapping["fileType"], "name", "patterns")
    for name in ("settings", "initializationOptions"):
        need(isinstance(json.loads(read(f"pycharm/{name}.json")), dict), name)


def zed(program):
    extension = tomllib.loads(read("zed/extension.toml"))
    keys("zed", extension, "id", "name", "description", "version", "schema_version", "language_servers")
    need(extension["schema_version"] == 1 and extension["language_servers"]["vramlint"]["languages"] == ["Python"], extension)
    crate = tomllib.loads(read("zed/Cargo.toml"))
    need(crate["lib"]["crate-type"] == ["cdylib"] and "zed_extension_api" in crate["dependencies"], crate)
    need(crate["package"]["version"] == extension["version"], "versions of zed/")
    settings = json_with_comments(read("zed/settings.json"))
    keys("zed/settings.json", settings, "languages", "lsp")
    need("vramlint" in settings["languages"]["Python"]["language_servers"], settings)
    keys("lsp.vramlint", settings["lsp"]["vramlint"], "binary", "settings", "initialization_options")


def efm(program):
    import yaml  # pinned in requirements.txt
    data = yaml.safe_load(read("efm/config.yaml"))
    (tool,) = data["languages"]["python"]
    keys("efm", tool, "lint-command", "lint-stdin", "lint-ignore-exit-code", "lint-source", "lint-formats")
    need(data["version"] == 2 and tool["lint-formats"] == ["%f:%l:%c: %m"], data)
    command = tool["lint-command"].replace("${INPUT}", str(PROJECT / "train.py")).replace("vramlint", str(program), 1)
    done = subprocess.run(command, shell=True, input=(PROJECT / "train.py").read_bytes(), stdout=subprocess.PIPE, cwd=PROJECT)
    found = [re.fullmatch(r"(.+?):(\d+):(\d+): (.*)", line) for line in done.stdout.decode().splitlines()]
    need([line and line.groups()[1:3] for line in found] == [("13", "5")], done.stdout)


def check(program):
    """The lines of results."""
    results = []
    for function in (helix, sublime, kate, pycharm, zed, efm):
        try:
            function(program)
            results.append(f"ok {function.__name__}")
        except (AssertionError, KeyError, ValueError, OSError) as fault:
            results.append(f"not ok {function.__name__}: {type(fault).__name__} {fault}")
    return results
