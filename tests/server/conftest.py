import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import raw  # noqa: E402
from editor import Editor  # noqa: E402


@pytest.fixture
async def editors():
    """Makes editors, each with a server of its own; all end well when the test does."""
    begun = []

    async def begin(*arguments, **options):
        editor = Editor()
        begun.append(editor)
        return await editor.begin(*arguments, **options)

    yield begin
    for editor in begun:
        await editor.end()


@pytest.fixture
async def editor(editors, tmp_path):
    """One that is told of diagnostics, with an empty folder open."""
    return await editors(folders=[tmp_path])


@pytest.fixture
def server():
    """A server for a client that sends bytes; the test has to end it."""
    with raw.Server() as server:
        yield server


@pytest.fixture
def servers():
    """Makes such servers."""
    begun = []

    def begin(*arguments, **options):
        begun.append(raw.Server(*arguments, **options))
        return begun[-1]

    yield begin
    for one in begun:
        one.kill()
