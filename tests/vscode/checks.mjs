// What must work in the window. Run by in-vscode, which sets the environment.
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { Window } from './window.mjs'

const { VRAMLINT, VRAMLINT_VSIX, VRAMLINT_EDITOR, VRAMLINT_PICTURES } = process.env
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
		this.folder = path.join(this.root, 'work')
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
		const done = spawnSync(process.execPath, [CODE_SERVER, ...this.options, '--install-extension', VRAMLINT_VSIX],
			{ env: this.env, encoding: 'utf8' })
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
				if (url !== undefined) resolve(`${url}/?folder=${this.folder}`)
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

	/** The end of what the editor and the extension wrote. */
	logs() {
		const files = fs.globSync('user/logs/**/*vramlint*/*.log', { cwd: this.root })
		const texts = files.map((file) => fs.readFileSync(path.join(this.root, file), 'utf8'))
		return [this.output ?? '', ...texts].map((text) => text.trim().split('\n').slice(-20).join('\n')).join('\n--\n')
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
const only = process.argv.slice(2)

function need(condition, ...said) {
	if (!condition) throw new Error(said.map((part) => typeof part === 'string' ? part : JSON.stringify(part)).join(' '))
}

async function check(name, work) {
	if (only.length > 0 && !only.some((wanted) => name.includes(wanted))) return
	const start = Date.now()
	try {
		await work()
		passed += 1
		console.log(`ok    ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`)
	} catch (error) {
		failed += 1
		console.log(`FAIL  ${name}: ${error.message}`)
		const picture = path.join(VRAMLINT_PICTURES, `failed-${failed}.png`)
		await window?.picture(picture).then(() => console.log(`      ${picture}`), () => {})
		await window?.page.keyboard.press('Escape').catch(() => {})
	}
}

async function picture(name) {
	await window.picture(path.join(VRAMLINT_PICTURES, `${name}.png`))
}

async function main() {
	fs.rmSync(VRAMLINT_PICTURES, { recursive: true, force: true })
	fs.mkdirSync(VRAMLINT_PICTURES, { recursive: true })
	editor.install()
	window = await Window.open(await editor.start())

	await check('a finding is underlined', async () => {
		await window.openFile('train.py')
		await window.expectSquiggles(1)
	})
	await check('the problems panel lists it', async () => {
		await window.showProblems()
		await window.until('VL101 in the panel', async () => (await window.problems()).some((row) => row.includes('VL101')))
		await picture('problems')
	})
	await check('hover shows the finding and its trail', async () => {
		await window.openFile('train.py')
		await window.goTo(15, 10)
		const hover = await window.hover()
		await window.until('trail', async () => /outlives each iteration/.test(await hover.innerText()))
		await picture('hover')
		await window.page.keyboard.press('Escape')
	})
	await check('a quick fix is offered and applied', async () => {
		await window.openFile('train.py')
		await window.goTo(15, 10)
		const fixes = await window.fixes()
		const titles = await fixes.allInnerTexts()
		await picture('fixes')
		need(titles.some((title) => title.includes('detach')), titles)
		await fixes.filter({ hasText: 'detach' }).first().click()
		await window.expectSquiggles(0)
		await window.save()
		need(editor.read('train.py').includes('losses.append(loss.detach())'), editor.read('train.py'))
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
	if (failed > 0) console.log(editor.logs())
	editor.stop()
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
