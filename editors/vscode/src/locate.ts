// Where the program is: the setting, the active Python environment, PATH, the extension, in this order. Knows nothing of
// VS Code, so that it can be tested without it.
import { execFile } from 'node:child_process'
import { access, constants, stat } from 'node:fs/promises'
import * as path from 'node:path'

export interface Place {
	file: string
	/** Said to people: "the setting 'vramlint.path'", "the Python environment", … */
	origin: string
}

/** What the search needs to know of the world. */
export interface World {
	/** The setting as it stands there; empty if not set. */
	setting: string
	/** Whether what lies in the workspace may be run. */
	trusted: boolean
	/** The interpreter that is active for the workspace. */
	interpreter: string | undefined
	/** The first folder of the workspace. */
	folder: string | undefined
	/** Folder of the extension. */
	extension: string
	home: string
	env: NodeJS.ProcessEnv
	platform: NodeJS.Platform
}

export interface Found {
	program: Place | undefined
	/** What was looked at before that and cannot be used. */
	refused: Refusal[]
}

export interface Refusal extends Place {
	reason: string
}

/** The setting with ~ and variables replaced, absolute. */
export function expand(setting: string, world: World): string {
	const known = setting
		.replace(/^~(?=$|[/\\])/, () => world.home)
		.replace(/\$\{(workspaceFolder|userHome|env:([^}]*))\}/g, (_, name: string, variable: string | undefined) => {
			if (name === 'workspaceFolder') return world.folder ?? ''
			if (name === 'userHome') return world.home
			return world.env[variable ?? ''] ?? ''
		})
	return path.resolve(world.folder ?? world.home, known)
}

/** All places where the program may be, the best first. A setting is the only one. */
export function places(world: World): Place[] {
	if (world.setting.trim() !== '') {
		return [{ file: expand(world.setting.trim(), world), origin: "the setting 'vramlint.path'" }]
	}
	const windows = world.platform === 'win32'
	const name = windows ? 'vramlint.exe' : 'vramlint'
	const found: Place[] = []
	// An environment often lies in the folder itself, and whoever wrote the folder chose what is in it.
	if (world.trusted) {
		if (world.interpreter !== undefined) {
			const folder = path.dirname(world.interpreter)
			found.push({ file: path.join(folder, name), origin: 'the active Python environment' })
			if (windows) found.push({ file: path.join(folder, 'Scripts', name), origin: 'the active Python environment' })
		}
		if (world.folder !== undefined) {
			for (const environment of ['.venv', 'venv']) {
				const file = path.join(world.folder, environment, windows ? 'Scripts' : 'bin', name)
				found.push({ file, origin: `the environment '${environment}' of the folder` })
			}
		}
	}
	for (const folder of (world.env['PATH'] ?? world.env['Path'] ?? '').split(path.delimiter)) {
		// A relative one, or an empty one, would mean wherever the editor happens to run.
		if (path.isAbsolute(folder) && (world.trusted || !isIn(folder, world.folder))) {
			found.push({ file: path.join(folder, name), origin: 'PATH' })
		}
	}
	found.push({ file: path.join(world.extension, 'bin', name), origin: 'the extension' })
	return found.filter((place, i) => found.findIndex((other) => other.file === place.file) === i)
}

/** The first program that can do what is needed, and those before it that cannot. */
export async function locate(world: World): Promise<Found> {
	const refused: Refusal[] = []
	for (const place of places(world)) {
		const reason = await whyNot(place.file)
		if (reason === undefined) return { program: place, refused }
		refused.push({ ...place, reason })
	}
	return { program: undefined, refused }
}

/** The reason of a place where there is nothing. */
export const MISSING = 'there is no such file'

async function whyNot(file: string): Promise<string | undefined> {
	try {
		if (!(await stat(file)).isFile()) return 'it is not a file'
	} catch {
		return MISSING
	}
	try {
		await access(file, constants.X_OK)
	} catch {
		return 'it may not be executed'
	}
	const { error, text } = await run(file, ['server', '--help'], 10_000)
	if (error === undefined) {
		return text.includes('vramlint server') ? undefined : 'it is something else than vramlint'
	}
	if (error.killed) return 'it does not answer'
	if (text.includes("'server'")) {
		const version = await run(file, ['--version'], 10_000)
		return `it is too old: ${version.text.trim() || 'its version'} has no language server`
	}
	return `it does not run: ${text.trim().split('\n').pop() || error.message}`
}

/** Runs FILE. The text is what it wrote, in either stream. */
export function run(file: string, args: string[], timeout: number): Promise<{ error: (Error & { killed?: boolean | undefined }) | undefined; text: string }> {
	return new Promise((resolve) => {
		try {
			execFile(file, args, { timeout, windowsHide: true, maxBuffer: 16 << 20 }, (error, stdout, stderr) => {
				resolve({ error: error ?? undefined, text: error ? stderr + stdout : stdout })
			})
		} catch (error) {
			resolve({ error: error as Error, text: '' })
		}
	})
}

function isIn(inner: string, folder: string | undefined): boolean {
	if (folder === undefined) return false
	const way = path.relative(folder, inner)
	return way === '' || (!way.startsWith('..') && !path.isAbsolute(way))
}
