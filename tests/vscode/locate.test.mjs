import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { after, test } from 'node:test'
import { expand, locate, MISSING, places } from '../../editors/vscode/src/locate.ts'

const root = mkdtempSync(path.join(tmpdir(), 'vramlint-locate-'))
after(() => rmSync(root, { recursive: true }))

const GOOD = 'if [ "$2" = --help ]; then echo "Usage: vramlint server [OPTION]..."; else echo vramlint 0.1.0; fi'
const OLD = `if [ "$1" = server ]; then echo "vramlint: error: 'server' is neither a command nor a path" >&2; exit 2; fi; echo vramlint 0.0.9`

function program(file, body, mode = 0o755) {
	const whole = path.join(root, file)
	mkdirSync(path.dirname(whole), { recursive: true })
	writeFileSync(whole, `#!/bin/sh\n${body}\n`)
	chmodSync(whole, mode)
	return whole
}

function world(changes = {}) {
	return {
		setting: '', trusted: true, interpreter: undefined, folder: '/work', extension: '/ext', home: '/home/me',
		env: { PATH: '/usr/bin' }, platform: 'linux', ...changes,
	}
}

const files = (changes) => places(world(changes)).map(({ file }) => file)

test('environment, folder, PATH and extension are looked at in this order', () => {
	assert.deepEqual(files({ interpreter: '/conda/bin/python' }), [
		'/conda/bin/vramlint', '/work/.venv/bin/vramlint', '/work/venv/bin/vramlint', '/usr/bin/vramlint', '/ext/bin/vramlint'])
})

test('without a folder and an interpreter, PATH and the extension are left', () => {
	assert.deepEqual(files({ folder: undefined }), ['/usr/bin/vramlint', '/ext/bin/vramlint'])
})

test('the setting is the only place', () => {
	assert.deepEqual(files({ setting: ' /opt/vramlint ', interpreter: '/conda/bin/python' }), ['/opt/vramlint'])
})

test('nothing in a folder that is not trusted is run', () => {
	assert.deepEqual(files({ trusted: false, interpreter: '/work/.venv/bin/python', env: { PATH: '/work/bin:/work:/usr/bin' } }),
		['/usr/bin/vramlint', '/ext/bin/vramlint'])
	assert.ok(files({ trusted: false, env: { PATH: '/workshop/bin' } }).includes('/workshop/bin/vramlint'))
})

test('relative and empty parts of PATH are no places', () => {
	assert.deepEqual(files({ folder: undefined, env: { PATH: ':.:bin:/a::/a' } }), ['/a/vramlint', '/ext/bin/vramlint'])
	assert.deepEqual(files({ folder: undefined, env: {} }), ['/ext/bin/vramlint'])
})

test('a setting may begin at home, at the folder or with a variable', () => {
	const env = { ROOT: '/opt/$&', PATH: '' }
	for (const [setting, file] of [
		['~/bin/vramlint', '/home/me/bin/vramlint'], ['~', '/home/me'], ['~other/x', '/work/~other/x'],
		['${userHome}/v', '/home/me/v'], ['${workspaceFolder}/tools/v', '/work/tools/v'], ['tools/v', '/work/tools/v'],
		['${env:ROOT}/v', '/opt/$&/v'], ['${env:NONE}/v', '/v'], ['/a/${other}', '/a/${other}'],
	]) assert.equal(expand(setting, world({ env })), file)
	assert.equal(expand('v', world({ folder: undefined })), '/home/me/v')
})

test('the first program that has a server is taken, what is passed over is said', async () => {
	const old = program('old/bin/vramlint', OLD)
	const good = program('good/vramlint', GOOD)
	const { program: found, refused } = await locate(world({ interpreter: path.join(path.dirname(old), 'python'), folder: undefined,
		env: { PATH: `${root}/none:${path.dirname(good)}` } }))
	assert.deepEqual(found, { file: good, origin: 'PATH' })
	assert.deepEqual(refused.map(({ reason }) => reason), ['it is too old: vramlint 0.0.9 has no language server', MISSING])
})

test('what cannot be used is refused with the reason', async () => {
	const directory = path.join(root, 'directory')
	mkdirSync(directory)
	for (const [setting, reason] of [
		[path.join(root, 'nowhere'), /^there is no such file$/],
		[directory, /^it is not a file$/],
		[program('plain', GOOD, 0o644), /^it may not be executed$/],
		[program('other', 'echo hello'), /^it is something else than vramlint$/],
		[program('broken', 'echo "libpcre2-8.so.0: cannot open shared object file" >&2; exit 127'), /^it does not run: libpcre2-8/],
		[program('silent', 'exit 3'), /^it does not run: Command failed/],
	]) {
		const { program: found, refused } = await locate(world({ setting }))
		assert.equal(found, undefined)
		assert.match(refused[0].reason, reason)
	}
})
