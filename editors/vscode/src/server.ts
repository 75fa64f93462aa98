// The life of the server: found, started, asked, restarted.
import * as os from 'node:os'
import * as vscode from 'vscode'
import { ExecuteCommandRequest, State, type Middleware } from 'vscode-languageclient/node'
import { Client } from './client.ts'
import { locate, MISSING, type Found, type Place, type Refusal, type World } from './locate.ts'
import { activeInterpreter } from './python.ts'
import type { Status } from './status.ts'

export class Server {
	/** Starts and stops come one after another. */
	private turn: Promise<void> = Promise.resolve()
	private client: Client | undefined
	private place: Place | undefined
	private readonly complained = new Set<string>()

	constructor(
		private readonly context: vscode.ExtensionContext,
		private readonly log: vscode.LogOutputChannel,
		private readonly status: Status,
		private readonly executeCommand: NonNullable<Middleware['executeCommand']>,
	) {}

	/** Where the running program is. */
	get program(): Place | undefined {
		return this.client?.isRunning() ? this.place : undefined
	}

	/** Has it do one of its commands, past all that stands between. Undefined where it does not run. */
	async request(command: string, ...args: unknown[]): Promise<unknown> {
		await this.turn
		return this.client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: args })
	}

	/** Starts it, or starts it anew. */
	restart(): Promise<void> {
		return this.next(async () => {
			await this.end()
			await this.begin()
		})
	}

	stop(): Promise<void> {
		return this.next(() => this.end())
	}

	/** Starts it anew if another program would be found now. */
	restartIfMoved(): Promise<void> {
		return this.next(async () => {
			const found = isWanted() ? await this.find() : undefined
			if (found?.program?.file === this.place?.file) return
			await this.end()
			await this.begin(found)
		})
	}

	private next(work: () => Promise<void>): Promise<void> {
		this.turn = this.turn.then(work).catch((error) => this.fail(String(error), 'The log says more.', SHOW_LOG))
		return this.turn
	}

	private async find(): Promise<Found> {
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri
		const trusted = vscode.workspace.isTrusted
		const world: World = {
			setting: textOf(vscode.workspace.getConfiguration('vramlint', folder).get('path')),
			trusted,
			interpreter: trusted ? await activeInterpreter(folder) : undefined,
			folder: folder?.scheme === 'file' ? folder.fsPath : undefined,
			extension: this.context.extensionUri.fsPath,
			home: os.homedir(),
			env: process.env,
			platform: process.platform,
		}
		return locate(world)
	}

	private async begin(known?: Found): Promise<void> {
		this.place = undefined
		if (!isWanted()) return
		this.status.show({ kind: 'starting' })
		const { program, refused } = known ?? await this.find()
		const unfit = refused.filter(({ reason }) => reason !== MISSING)
		for (const { file, origin, reason } of program ? unfit : refused) {
			this.log.warn(`'${file}', from ${origin}, is not used: ${reason}`)
		}
		if (program === undefined) {
			this.fail(whyNone(refused, unfit), 'Install it into your Python environment, or say where it is.', COPY, OPEN_SETTINGS, TRY_AGAIN)
			return
		}
		this.place = program
		this.log.info(`runs '${program.file}', from ${program.origin}`)
		const client = this.client = new Client({
			program: program.file,
			log: this.log,
			executeCommand: this.executeCommand,
			onGivenUp: (client) => {
				if (client === this.client) this.tellOfEnd('has ended again and again', client)
			},
		})
		client.onDidChangeState(({ newState }) => {
			if (client !== this.client) return
			if (newState === State.Running) this.showRunning(client, program)
			else if (newState === State.Starting) this.status.show({ kind: 'starting' })
		})
		try {
			await client.start()
			this.showRunning(client, program)
		} catch (error) {
			await Promise.race([client.silence, new Promise((resolve) => setTimeout(resolve, 1_000))])
			await this.end()
			client.lastWords ||= error instanceof Error ? error.message : String(error)
			this.tellOfEnd('does not start', client)
		}
	}

	private tellOfEnd(what: string, client: Client): void {
		const said = client.lastWords.replace(/^vramlint: error: /, '')
		this.fail(`the server of '${this.place?.file}' ${what}${said && `: ${said}`}`, 'The log says more.', SHOW_LOG, OPEN_SETTINGS, TRY_AGAIN)
	}

	private showRunning(client: Client, program: Place): void {
		const version = client.initializeResult?.serverInfo?.version ?? ''
		this.complained.clear()
		this.status.show({ kind: 'running', version, program })
	}

	private async end(): Promise<void> {
		const client = this.client
		this.client = undefined
		this.status.show({ kind: 'off' })
		try {
			await client?.dispose()
		} catch (error) {
			// It did not start, or went away by itself: there is nothing to stop.
			this.log.debug(String(error))
		}
	}

	/** Says so where it is seen, once for each reason, with what can be done. */
	private fail(reason: string, advice: string, ...remedies: Remedy[]): void {
		this.log.error(reason)
		this.status.show({ kind: 'failed', reason })
		if (this.complained.has(reason)) return
		this.complained.add(reason)
		void vscode.window.showErrorMessage(`vramlint: ${reason}. ${advice}`, ...remedies.map(({ title }) => title)).then(async (title) => {
			if (title === TRY_AGAIN.title) this.complained.delete(reason)
			await remedies.find((remedy) => remedy.title === title)?.apply()
		})
	}
}

interface Remedy {
	title: string
	apply: () => Thenable<unknown>
}

const COPY: Remedy = {
	title: "Copy 'pip install vramlint'",
	apply: () => vscode.env.clipboard.writeText('pip install --upgrade vramlint'),
}
const OPEN_SETTINGS: Remedy = {
	title: 'Open Settings',
	apply: () => vscode.commands.executeCommand('workbench.action.openSettings', '@id:vramlint.path @id:vramlint.args'),
}
const SHOW_LOG: Remedy = { title: 'Show Log', apply: () => vscode.commands.executeCommand('vramlint.showLog') }
const TRY_AGAIN: Remedy = { title: 'Try Again', apply: () => vscode.commands.executeCommand('vramlint.restartServer') }

/** Settings may be of any kind, whatever the manifest says. */
function textOf(value: unknown): string {
	return typeof value === 'string' ? value : ''
}

/** One place stands for all: the only one, or the first that has something. */
function whyNone(refused: Refusal[], unfit: Refusal[]): string {
	const one = refused.length === 1 ? refused[0] : unfit[0]
	return one === undefined
		? 'the program is not installed, or not where it is looked for'
		: `'${one.file}', from ${one.origin}, is not used: ${one.reason}`
}

/** Whether any folder wants findings. */
function isWanted(): boolean {
	const folders = vscode.workspace.workspaceFolders?.map((folder) => folder.uri) ?? [undefined]
	return folders.some((folder) => vscode.workspace.getConfiguration('vramlint', folder).get('enable', true))
}
