// What must work in the window. Run by in-vscode, which sets the environment.
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { Window } from './window.mjs'

const { VRAMLINT, VRAMLINT_VSIX, VRAMLINT_PYTHON_VSIX, VRAMLINT_EDITOR, VRAMLINT_PICTURES } = process.env
const CODE_SERVER = path.join(VRAMLINT_EDITOR, 'node_modules/code-server/out/node/entry.js')

const SETTINGS = {
	'chat.disableAIFeatures': true,
	'editor.minimap.enabled': false,
	'extensions.autoCheckUpdates': false,
	'extensions.ignoreRecommendations': true,
	'files.autoSave': 'off',
	'git.enabled': false,
	'security.workspace.trust.startupPrompt': 'never',
	'security.workspace.trust.banner': 'never',
	'telemetry.telemetryLevel': 'off',
	'window.commandCenter': false,
	'workbench.editor.enablePreview': false,
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
	'workbench.startupEditor': 'none',
	'workbench.tips.enabled': false,
}

/** VS Code on a port of its own, with nothing of the user's. */
class Editor {
	constructor() {
		this.root = fs.mkdtempSync(path.join(os.tmpdir(), 'vramlint-vscode-'))
		for (const name of ['user', 'extensions', 'home', 'bin']) fs.mkdirSync(path.join(this.root, name))
		this.folder = path.join(this.root, 'wörk #1 %41')
		fs.cpSync(path.join(import.meta.dirname, 'workspace'), this.folder, { recursive: true })
		this.program = path.join(this.root, 'bin', 'vramlint')
		fs.copyFileSync(VRAMLINT, this.program)
		fs.writeFileSync(path.join(this.root, 'config.yaml'), 'auth: none\n')
		this.write('user/User/settings.json', SETTINGS, this.root)
		this.options = ['--config', path.join(this.root, 'config.yaml'), '--user-data-dir', path.join(this.root, 'user'),
			'--extensions-dir', path.join(this.root, 'extensions')]
		// The editor asks a login shell for PATH.
		this.write('home/.profile', `PATH=${path.dirname(this.program)}:$PATH\n`, this.root)
		this.env = { ...process.env, HOME: path.join(this.root, 'home'), SHELL: '/bin/bash' }
	}

	write(name, content, folder = this.folder) {
		const file = path.join(folder, name)
		fs.mkdirSync(path.dirname(file), { recursive: true })
		fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, '\t'))
	}

	read(name) {
		return fs.readFileSync(path.join(this.folder, name), 'utf8')
	}

	install() {
		this.write('home/interpreter', '/nowhere/bin/python', this.root)
		const extensions = [VRAMLINT_VSIX, VRAMLINT_PYTHON_VSIX].flatMap((file) => ['--install-extension', file])
		const done = spawnSync(process.execPath, [CODE_SERVER, ...this.options, ...extensions], { env: this.env, encoding: 'utf8' })
		if (!done.stdout.includes('successfully installed')) throw new Error(done.stdout + done.stderr)
	}

	async start() {
		this.process = spawn(process.execPath, [CODE_SERVER, ...this.options, '--auth', 'none', '--bind-addr', '127.0.0.1:0',
			'--session-socket', path.join(this.root, 'socket'), '--disable-telemetry', '--disable-update-check'],
			{ env: this.env, detached: true })
		this.output = ''
		return new Promise((resolve, reject) => {
			const hear = (data) => {
				this.output += data
				const url = /HTTP server listening on (http:\S+?)\/?\s/.exec(this.output)?.[1]
				if (url !== undefined) resolve(`${url}/?folder=${encodeURIComponent(this.folder)}`)
			}
			this.process.stdout.on('data', hear)
			this.process.stderr.on('data', hear)
			this.process.on('exit', () => reject(new Error(this.output)))
		})
	}

	/** The servers that run now, by process id. */
	servers() {
		return fs.readdirSync('/proc').filter((name) => {
			try {
				return /^\d+$/.test(name) && fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${this.root}/`) &&
					fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes('server')
			} catch {
				return false
			}
		}).map(Number)
	}

	/** What the extension wrote, window by window. */
	logged() {
		const files = fs.globSync('user/logs/**/*vramlint*/*.log', { cwd: this.root }).sort()
		return files.map((file) => fs.readFileSync(path.join(this.root, file), 'utf8'))
	}

	/** The end of what the editor and the extension wrote. */
	logs() {
		return [this.output ?? '', ...this.logged()].map((text) => text.trim().split('\n').slice(-20).join('\n')).join('\n--\n')
	}

	stop() {
		if (this.process !== undefined && this.process.exitCode === null) process.kill(-this.process.pid, 'SIGKILL')
		fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 3 })
	}
}

const editor = new Editor()
let window
let passed = 0
let failed = 0
let again = 0
const only = process.argv.slice(2)

function need(condition, ...said) {
	if (!condition) throw new Error(said.map((part) => typeof part === 'string' ? part : JSON.stringify(part)).join(' '))
}

/** How many checks may need a second try: more is no accident of a window that is driven by a clock. */
const SECOND_TRIES = 2

async function check(name, work, first = true) {
	if (only.length > 0 && !only.some((wanted) => name.includes(wanted))) return
	const start = Date.now()
	const said = () => `${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`
	try {
		await work()
		passed += 1
		console.log(`ok    ${said()}`)
	} catch (error) {
		const picture = path.join(VRAMLINT_PICTURES, `failed-${failed + again + 1}.png`)
		await window?.picture(picture).then(() => error.message += `\n      ${picture}`, () => {})
		// What comes next is to find an orderly window.
		await window?.page.keyboard.press('Escape').catch(() => {})
		await window?.command('View: Revert and Close Editor').catch(() => {})
		if (first && again < SECOND_TRIES) {
			again += 1
			console.log(`again ${name}: ${error.message}`)
			return check(name, work, false)
		}
		failed += 1
		console.log(`FAIL  ${said()}: ${error.message}`)
	}
}

async function picture(name) {
	await window.picture(path.join(VRAMLINT_PICTURES, `${name}.png`))
}

const TRAIN = editor.read('train.py')
const LEAK = 'losses.append(loss)'
const CELL = `import torch

kept = []
for step, x in enumerate(loader):
    loss = model(x).sum()
    loss.backward()
    kept.append(loss)
print(sum(float(one) for one in kept))
`

function notebook(...cells) {
	return {
		cells: cells.map((text, i) => ({ cell_type: 'code', execution_count: null, id: `cell-${i}`, metadata: {}, outputs: [], source: text })),
		metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5,
	}
}

/** train.py as it was at first, open, with the cursor at the finding. */
async function atTheLeak() {
	editor.write('train.py', TRAIN)
	await window.openFile('train.py')
	await window.until('the file as it was', async () => (await window.text()).includes(LEAK))
	await window.expectSquiggles(1)
	await window.goTo(15, 10)
}

let marker = 0

/** Makes CHANGES all there is of the folder's settings, and waits until they count: the window's title tells. */
async function settings(changes) {
	const title = `settings ${marker += 1}`
	editor.write('.vscode/settings.json', { ...changes, 'window.title': title })
	await window.until(title, async () => (await window.page.title()) === title)
}

async function expectProblem(pattern, present = true) {
	await window.showProblems()
	await window.until(`${pattern} is ${present ? '' : 'not '}among the problems`,
		async () => (await window.problems()).some((row) => pattern.test(row)) === present)
}

async function expectServers(wanted) {
	return window.until('the servers that run', () => {
		const servers = editor.servers()
		return wanted(servers) && servers
	})
}

function programOf(id) {
	return fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')[0]
}

async function findings() {
	await check('a finding is underlined', async () => {
		await window.openFile('train.py')
		await window.expectSquiggles(1)
	})
	await check('the problems panel lists it with its trail', async () => {
		await expectProblem(/'loss' is kept in 'losses'.*VL101/s)
		await expectProblem(/Ln 10, Col 5.*outlives each iteration/s)
		await picture('problems')
	})
	await check('hover shows finding, trail and document', async () => {
		await atTheLeak()
		const hover = await window.hover()
		for (const wanted of [/'loss' is kept in 'losses'/, /outlives each iteration of this loop/, /What it does/]) {
			await window.until(wanted, async () => wanted.test(await hover.innerText()))
		}
		const text = await hover.innerText()
		need(text.split("'loss' is kept in 'losses'").length === 2, 'it is said once, and not', text)
		await picture('hover')
		await window.page.keyboard.press('Escape')
	})
	await check('it comes and goes while one types', async () => {
		await atTheLeak()
		await window.goTo(15, 27)
		await window.page.keyboard.type('.item()')
		await window.expectSquiggles(0)
		for (let i = 0; i < 7; i += 1) await window.page.keyboard.press('Backspace')
		await window.expectSquiggles(1)
		await window.save()
		need(editor.read('train.py') === TRAIN, editor.read('train.py'))
	})
	await check('a file that was never saved is checked', async () => {
		await window.command('File: New Untitled Text File')
		await window.command('Change Language Mode')
		await window.row('(bat)').waitFor()
		await window.input().fill('python')
		await window.row('(python)').click()
		await window.paste(CELL)
		await window.expectSquiggles(1)
		await window.press('Control+A', 'a selection', () => window.selects())
		await window.press('Delete', 'nothing', async () => (await window.text()).trim() === '')
		await window.expectSquiggles(0)
		await window.command('View: Revert and Close Editor')
	})
	await check('a change in an imported file, not saved, counts', async () => {
		editor.write('meters.py', 'class Meter:\n    def __init__(self):\n        self.values = []\n\n    def add(self, value):\n        self.values.append(float(value))\n')
		editor.write('use.py', 'import torch\nfrom meters import Meter\n\n\ndef train(model, loader, optimizer):\n    meter = Meter()\n    for x in loader:\n' +
			'        optimizer.zero_grad()\n        loss = model(x).mean()\n        loss.backward()\n        optimizer.step()\n        meter.add(loss)\n    return meter\n')
		await window.openFile('use.py')
		await window.expectSquiggles(0)
		await window.openFile('meters.py')
		await window.goTo(6, 9)
		await window.press('Shift+End', 'a selection', () => window.selects())
		await window.paste('self.values.append(value)')
		await window.openFile('use.py')
		await window.expectSquiggles(1)
		await window.openFile('meters.py')
		await window.command('View: Revert and Close Editor')
		await window.openFile('use.py')
		await window.expectSquiggles(0)
	})
	await check('the cells of a notebook are checked', async () => {
		editor.write('run.ipynb', notebook('import torch\nkept = []\n', CELL.replace('import torch\n\nkept = []\n', '')))
		await window.openFile('run.ipynb')
		await window.expectSquiggles(1)
		await expectProblem(/'loss' is kept in 'kept'/)
		await picture('notebook')
		await window.command('View: Close Editor')
	})
	await check('files that are not open are checked when that is asked for', async () => {
		editor.write('deep/closed.py', CELL.replaceAll('kept', 'never_opened'))
		await window.command('vramlint: Check All Files of the Workspace')
		await expectProblem(/kept in 'never_opened'/)
		await window.openFile('deep/closed.py')
		await window.expectSquiggles(1)
		await window.page.waitForTimeout(500)
		await window.expectSquiggles(1)
		await window.command('View: Close Editor')
	})
}

async function actions() {
	await check('a quick fix is offered, preferred and applied', async () => {
		await atTheLeak()
		const titles = await (await window.fixes()).allInnerTexts()
		await picture('fixes')
		for (const wanted of ['losses.append(loss.detach())', 'Suppress VL101', 'Explain VL101 tensor-append']) {
			need(titles.some((title) => title.includes(wanted)), wanted, 'is not among', titles)
		}
		await window.page.keyboard.press('Escape')
		await window.fixBy('Auto Fix...', 0)
		await window.save()
		need(editor.read('train.py') === TRAIN.replace(LEAK, 'losses.append(loss.detach())'), editor.read('train.py'))
	})
	await check('suppressing asks for the reason', async () => {
		await atTheLeak()
		await (await window.fixes()).filter({ hasText: 'Suppress VL101' }).first().click()
		const input = window.input()
		await input.waitFor()
		await window.page.keyboard.press('Enter')
		need(await input.isVisible(), 'no reason is enough')
		await input.fill('ten steps, then the list goes')
		await window.press('Enter', 'the end of the box', () => input.isHidden())
		await window.expectSquiggles(0)
		await window.save()
		need(editor.read('train.py').includes(`${LEAK}  # vramlint: ignore[VL101] -- ten steps, then the list goes\n`), editor.read('train.py'))
	})
	await check('who does not give a reason changes nothing', async () => {
		await atTheLeak()
		await (await window.fixes()).filter({ hasText: 'Suppress VL101' }).first().click()
		await window.input().waitFor()
		await window.press('Escape', 'the end of the box', () => window.input().isHidden())
		await window.page.waitForTimeout(300)
		await window.expectSquiggles(1)
		need((await window.page.locator('.tab.active.dirty').count()) === 0, 'the file was changed')
	})
	await check('explaining shows the document of the rule', async () => {
		await atTheLeak()
		await (await window.fixes()).filter({ hasText: 'Explain VL101' }).first().click()
		await window.until('the document', async () => /What it does[\s\S]*Why it costs memory/.test(await window.framesText()))
		await picture('explain')
		await window.command('View: Close Editor')
	})
	await check('any rule can be explained', async () => {
		await window.openFile('train.py')
		await window.command('vramlint: Explain a Rule')
		await window.input().fill('hook-retain')
		await window.row('hook-retain').click()
		await window.until('the document', async () => /hook-retain \(VL107\)/.test(await window.framesText()))
		await window.command('View: Close Editor')
	})
	await check('all is fixed on save', async () => {
		await settings({ 'editor.codeActionsOnSave': { 'source.fixAll.vramlint': 'explicit' } })
		await atTheLeak()
		await window.goTo(1, 1)
		await window.page.keyboard.type('# ')
		await window.save()
		await window.until('the fix', () => editor.read('train.py').includes('losses.append(loss.detach())'))
		await settings({})
	})
	await check('all is fixed by command', async () => {
		await atTheLeak()
		await window.fixBy('vramlint: Fix All That Can Be Fixed Safely in This File', 0)
		await window.save()
		need(editor.read('train.py').includes('losses.append(loss.detach())'), editor.read('train.py'))
	})
	await check('a cell of a notebook is fixed', async () => {
		editor.write('fix.ipynb', notebook(CELL))
		await window.openFile('fix.ipynb')
		await window.expectSquiggles(1)
		await window.page.locator('.notebookOverlay .view-line', { hasText: 'kept.append' }).filter({ visible: true }).click()
		await (await window.fixes()).filter({ hasText: 'detach' }).first().click()
		await window.expectSquiggles(0)
		await window.save()
		need(JSON.stringify(JSON.parse(editor.read('fix.ipynb')).cells[0].source).includes('kept.append(loss.detach())'), editor.read('fix.ipynb'))
		await window.command('View: Close Editor')
	})
	await check('all cells of a notebook are fixed by command', async () => {
		editor.write('all.ipynb', notebook(CELL, CELL.replaceAll('kept', 'held')))
		await window.openFile('all.ipynb')
		await expectProblem(/kept in 'kept'/)
		await expectProblem(/kept in 'held'/)
		await window.page.locator('.notebookOverlay .view-line', { hasText: 'kept.append' }).filter({ visible: true }).click()
		await window.command('vramlint: Fix All That Can Be Fixed Safely in This File')
		await expectProblem(/all\.ipynb/, false)
		await window.save()
		need(/kept\.append\(loss\.detach.*held\.append\(loss\.detach/s.test(editor.read('all.ipynb')), editor.read('all.ipynb'))
		await window.command('View: Close Editor')
	})
	await check('snippets are there, and silent', async () => {
		editor.write('empty.py', 'import torch\n\n')
		await window.openFile('empty.py')
		await window.goTo(3, 1)
		await window.page.keyboard.type('torch-st')
		const row = window.page.locator('.suggest-widget .monaco-list-row', { hasText: 'torch-step' }).first()
		if (!await row.waitFor({ timeout: 5_000 }).then(() => true, () => false)) await window.press('Control+Space', 'the snippet', () => row.isVisible())
		await row.click()
		await window.until('the loop', async () => /for inputs, targets in loader:/.test(await window.text()))
		await window.page.keyboard.press('Escape')
		await window.page.waitForTimeout(500)
		await window.expectSquiggles(0)
		await window.save()
	})
}

async function configuration() {
	await check('a broken vramlint.toml is underlined', async () => {
		editor.write('vramlint.toml', 'selct = ["VL1"]\n')
		await expectProblem(/unknown key 'selct'/)
		await window.openFile('vramlint.toml')
		await window.expectSquiggles(1)
		await picture('configuration')
	})
	await check('and is not when it is mended', async () => {
		editor.write('vramlint.toml', 'ignore = ["VL101"]\n')
		await expectProblem(/unknown key/, false)
		editor.write('train.py', TRAIN)
		await window.openFile('train.py')
		await window.expectSquiggles(0)
		fs.rmSync(path.join(editor.folder, 'vramlint.toml'))
		await window.expectSquiggles(1)
	})
	await check('a setting counts at once', async () => {
		await atTheLeak()
		await settings({ 'vramlint.ignore': ['tensor-append'] })
		await window.expectSquiggles(0)
		await settings({ 'vramlint.severity': { VL101: 'error' } })
		await window.until('an error', async () => (await window.page.locator('.squiggly-error').count()) === 1)
		await settings({})
		await window.until('a warning', async () => (await window.page.locator('.squiggly-warning').count()) === 1)
	})
	await check('a lens stands at the loop', async () => {
		await atTheLeak()
		await settings({ 'vramlint.lens': 'codeLens' })
		const lens = window.page.locator('.codelens-decoration', { hasText: 'host memory grows' })
		await lens.waitFor()
		await picture('lens')
		await lens.locator('a').first().click()
		await window.until('the document', async () => /tensor-append \(VL101\)/.test(await window.framesText()))
		await window.command('View: Close Editor')
		await window.openFile('train.py')
		await settings({ 'vramlint.lens': 'inlayHint' })
		await window.until('a hint in the line', async () => /host memory grows/.test(await window.text()))
		await settings({})
		await window.until('nothing', async () => !/host memory grows/.test(await window.text()) && (await lens.count()) === 0)
	})
	await check('it can be switched off and on', async () => {
		await atTheLeak()
		await settings({ 'vramlint.enable': false })
		await window.expectSquiggles(0)
		await expectServers((servers) => servers.length === 0)
		await settings({})
		await window.expectSquiggles(1)
	})
}

async function life() {
	await check('the server can be restarted', async () => {
		await atTheLeak()
		const [before] = await expectServers((servers) => servers.length === 1)
		await window.command('vramlint: Restart Server')
		await expectServers((servers) => servers.length === 1 && servers[0] !== before)
		await window.expectSquiggles(1)
	})
	await check('a server that dies comes back', async () => {
		await atTheLeak()
		const [before] = await expectServers((servers) => servers.length === 1)
		process.kill(before, 'SIGKILL')
		await expectServers((servers) => servers.length === 1 && servers[0] !== before)
		await window.expectSquiggles(1)
	})
	await check('the conversation with the server is logged where that is asked for', async () => {
		await window.command('Developer: Set Log Level...')
		await window.row('vramlint').click()
		await window.row('Trace').click()
		await window.command('vramlint: Restart Server')
		await window.until('a request in the log', () => /textDocument\/diagnostic/.test(editor.logged().join()))
	})
	await check('settings of the wrong kind stop nothing', async () => {
		await settings({ 'vramlint.args': 'x', 'vramlint.path': 7, 'vramlint.select': 'no such rule', 'vramlint.severity': [], 'vramlint.lens': 3 })
		await window.command('vramlint: Restart Server')
		await expectServers((servers) => servers.length === 1)
		await settings({})
		await atTheLeak()
	})
	await check('the status says what runs', async () => {
		await window.command('vramlint: Show Status')
		const box = window.box()
		await window.until('title', async () => /vramlint \d+\.\d+\.\d+/.test(await box.innerText()))
		need((await window.input().getAttribute('placeholder')).includes(editor.program), await window.input().getAttribute('placeholder'))
		await picture('status')
		await window.page.keyboard.press('Escape')
	})
	await check('a folder that is not trusted does not choose the program', async () => {
		for (const name of ['evil', '.venv/bin/vramlint']) {
			editor.write(name, `#!/bin/sh\ntouch ${editor.root}/ran\nexec ${editor.program} "$@"\n`)
			fs.chmodSync(path.join(editor.folder, name), 0o755)
		}
		await settings({ 'vramlint.path': 'evil', 'vramlint.args': ['--log-file', path.join(editor.root, 'ran')] })
		await window.command('vramlint: Restart Server')
		await expectServers((servers) => servers.length === 1)
		await atTheLeak()
		need(!fs.existsSync(path.join(editor.root, 'ran')), 'it was run')
	})
	await check('one that is trusted does', async () => {
		await window.command('Workspaces: Manage Workspace Trust')
		await window.page.locator('.workspace-trust-editor a.monaco-button', { hasText: /^Trust$/ }).first().click()
		await window.until('its program', () => fs.existsSync(path.join(editor.root, 'ran')))
		await window.command('View: Close Editor')
		await settings({})
		await atTheLeak()
	})
	const runsFrom = (origin) => window.until(`a program from ${origin}`, () =>
		editor.logged().join('').match(/runs '.*/g).pop().endsWith(`from ${origin}`))
	await check('the environment of a trusted folder comes before PATH', async () => {
		await window.command('vramlint: Restart Server')
		await runsFrom("the environment '.venv' of the folder")
	})
	await check('the environment that is active comes first, as soon as it is chosen', async () => {
		editor.write('active/bin/vramlint', `#!/bin/sh\nexec ${editor.program} "$@"\n`, editor.root)
		fs.chmodSync(path.join(editor.root, 'active/bin/vramlint'), 0o755)
		editor.write('home/interpreter', path.join(editor.root, 'active/bin/python'), editor.root)
		await runsFrom('the active Python environment')
		await window.expectSquiggles(1)
		fs.rmSync(path.join(editor.folder, '.venv'), { recursive: true })
		editor.write('home/interpreter', '/nowhere/bin/python', editor.root)
		await runsFrom('PATH')
	})
	await check('a program that is not there is told of, with a way out', async () => {
		await settings({ 'vramlint.path': '/nowhere/vramlint' })
		const toast = window.page.locator('.notification-toast', { hasText: '/nowhere/vramlint' })
		await toast.waitFor()
		need(/there is no such file/.test(await toast.innerText()), await toast.innerText())
		await picture('missing')
		await toast.locator('a.monaco-button', { hasText: 'Open Settings' }).click()
		await window.page.locator('.settings-editor').waitFor()
		await window.command('View: Close Editor')
		await window.openFile('train.py')
		await window.expectSquiggles(0)
		await settings({})
		await window.expectSquiggles(1)
	})
	await check('one that is too old is told of as well', async () => {
		editor.write('old', `#!/bin/sh\ncase $1 in server) echo "vramlint: error: 'server' is neither a command nor a path" >&2; exit 2;; esac\necho vramlint 0.0.1\n`)
		fs.chmodSync(path.join(editor.folder, 'old'), 0o755)
		await settings({ 'vramlint.path': 'old' })
		await window.page.locator('.notification-toast', { hasText: 'it is too old: vramlint 0.0.1 has no language server' }).waitFor()
		await window.command('Notifications: Clear All Notifications')
		await settings({})
		await atTheLeak()
	})
	await check('one that does not start is told of, once, in its own words', async () => {
		await settings({ 'vramlint.args': ['--no-such-option'] })
		const toasts = window.page.locator('.notification-toast')
		await toasts.filter({ hasText: /does not start: .*no-such-option/ }).waitFor()
		need((await toasts.count()) === 1, await toasts.allInnerTexts())
		await picture('ends')
		await toasts.locator('a.monaco-button', { hasText: 'Show Log' }).click()
		await window.page.locator('.output-view .view-line', { hasText: 'no-such-option' }).first().waitFor()
		await settings({})
		await atTheLeak()
	})
	await check('one that ends again and again is given up, until it is restarted', async () => {
		await atTheLeak()
		const killed = new Set()
		while (killed.size < 5) {
			const [server] = await expectServers((servers) => servers.length === 1 && !killed.has(servers[0]))
			process.kill(server, 'SIGKILL')
			killed.add(server)
		}
		await window.page.locator('.notification-toast', { hasText: 'has ended again and again' }).waitFor()
		await expectServers((servers) => servers.length === 0)
		await window.command('vramlint: Restart Server')
		await window.expectSquiggles(1)
		await window.command('Notifications: Clear All Notifications')
	})
	await check('the program in the extension is the last that is taken', async () => {
		const [extension] = fs.readdirSync(path.join(editor.root, 'extensions')).filter((name) => name.startsWith('vramlint.'))
		const bundled = path.join(editor.root, 'extensions', extension, 'bin/vramlint')
		fs.mkdirSync(path.dirname(bundled))
		fs.renameSync(editor.program, bundled)
		await window.command('vramlint: Restart Server')
		await window.until('it runs', () => editor.servers().some((id) => programOf(id) === bundled))
		await window.expectSquiggles(1)
	})
	await check('each folder of a workspace has its own configuration', async () => {
		editor.write('one/train.py', TRAIN)
		editor.write('two/train.py', TRAIN)
		editor.write('two/vramlint.toml', 'ignore = ["VL101"]\n')
		editor.write('both.code-workspace', { folders: [{ path: 'one' }, { path: 'two' }] })
		await window.show(`${new URL(window.page.url()).origin}/?workspace=${encodeURIComponent(`${editor.folder}/both.code-workspace`)}`)
		await window.openFile('one/train.py')
		await window.expectSquiggles(1)
		await window.openFile('two/train.py')
		await window.expectSquiggles(0)
	})
	await picturesForTheReadme()
	await check('no server is left behind when the window is closed', async () => {
		await window.page.goto('about:blank')
		await window.until('none', () => editor.servers().length === 0)
	})
}

/** Two pictures of a window that has nothing else in it. */
async function picturesForTheReadme() {
	editor.write('example/train.py', TRAIN)
	editor.write('user/User/settings.json', { ...SETTINGS, 'editor.hover.above': false, 'editor.occurrencesHighlight': 'off',
		'breadcrumbs.enabled': false, 'editor.stickyScroll.enabled': false, 'workbench.activityBar.location': 'hidden' }, editor.root)
	await window.page.setViewportSize({ width: 1000, height: 720 })
	await window.show(`${new URL(window.page.url()).origin}/?folder=${encodeURIComponent(`${editor.folder}/example`)}`)
	await window.openFile('train.py')
	await window.expectSquiggles(1)
	await window.command('View: Toggle Primary Side Bar Visibility')
	await window.goTo(15, 10)
	const hover = await window.hover()
	await window.until('the document', async () => /What it does/.test(await hover.innerText()))
	await window.page.waitForTimeout(500)
	await picture('readme-finding')
	await window.page.keyboard.press('Escape')
	await window.showProblems()
	await window.command('View: Focus Active Editor Group')
	await window.fixes()
	await window.page.waitForTimeout(500)
	await picture('readme-fix')
	await window.page.keyboard.press('Escape')
}

async function main() {
	fs.rmSync(VRAMLINT_PICTURES, { recursive: true, force: true })
	fs.mkdirSync(VRAMLINT_PICTURES, { recursive: true })
	editor.install()
	window = await Window.open(await editor.start())
	// From here on all extensions are there.
	await window.openFile('train.py')
	await window.expectSquiggles(1)
	await findings()
	await actions()
	await configuration()
	await life()
}

for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
	process.on(signal, () => {
		editor.stop()
		process.exit(2)
	})
}
try {
	await main()
} catch (error) {
	failed += 1
	console.log(`FAIL  ${error.stack}`)
	await window?.picture(path.join(VRAMLINT_PICTURES, 'failed.png')).catch(() => {})
} finally {
	await window?.close().catch(() => {})
	if (failed + again > 0) console.log(editor.logs())
	editor.stop()
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
