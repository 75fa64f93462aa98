// The life of the server: found, started, asked, restarted.
import * as os from 'node:os'
import * as vscode from 'vscode'
import { ExecuteCommandRequest, LanguageClient, RevealOutputChannelOn, State, type Middleware } from 'vscode-languageclient/node'
import { locate, MISSING, type Found, type Place, type Refusal, type World } from './locate.ts'
import { activeInterpreter } from './python.ts'
import type { Status } from './status.ts'

const DOCUMENTS = [
	{ scheme: 'file', language: 'python' },
	{ scheme: 'untitled', language: 'python' },
	{ scheme: 'vscode-notebook-cell', language: 'python' },
]

export class Server {
	/** Starts and stops come one after another. */
	private turn: Promise<void> = Promise.resolve()
	private client: LanguageClient | undefined
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
		this.turn = this.turn.then(work).catch((error) => this.fail(String(error)))
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
		if (!isWanted()) {
			this.status.show({ kind: 'off' })
			return
		}
		this.status.show({ kind: 'starting' })
		const { program, refused } = known ?? await this.find()
		const unfit = refused.filter(({ reason }) => reason !== MISSING)
		for (const { file, origin, reason } of program ? unfit : refused) {
			this.log.warn(`'${file}', from ${origin}, is not used: ${reason}`)
		}
		if (program === undefined) {
			this.place = undefined
			this.fail(whyNone(refused, unfit))
			return
		}
		this.place = program
		this.log.info(`runs '${program.file}', from ${program.origin}`)
		const client = this.client = this.newClient(program)
		client.onDidChangeState(({ newState }) => {
			if (client !== this.client) return
			if (newState === State.Running) this.showRunning(client, program)
			else if (newState === State.Starting) this.status.show({ kind: 'starting' })
			else this.status.show({ kind: 'failed', reason: 'the server has ended' })
		})
		try {
			await client.start()
			this.showRunning(client, program)
		} catch (error) {
			await this.end()
			this.fail(`the server of '${program.file}' does not start: ${error instanceof Error ? error.message : error}`)
		}
	}

	private showRunning(client: LanguageClient, program: Place): void {
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

	private newClient(program: Place): LanguageClient {
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri
		const args: unknown = vscode.workspace.getConfiguration('vramlint', folder).get('args')
		const options = folder?.scheme === 'file' ? { cwd: folder.fsPath } : {}
		const client = new LanguageClient(
			'vramlint',
			'vramlint',
			{ command: program.file, args: ['server', ...(Array.isArray(args) ? args.map(textOf) : [])], options },
			{
				documentSelector: DOCUMENTS,
				outputChannel: this.log,
				traceOutputChannel: this.log,
				revealOutputChannelOn: RevealOutputChannelOn.Never,
				initializationOptions: () => ({
					settings: vscode.workspace.getConfiguration('vramlint', folder),
					asksForReason: true,
					showsExplanations: true,
					showsFindings: true,
				}),
				initializationFailedHandler: () => false,
				middleware: {
					executeCommand: this.executeCommand,
					workspace: {
						didChangeConfiguration: async (sections, next) => {
							try {
								await next(sections)
							} catch (error) {
								// The same change may have stopped it.
								if (client === this.client) throw error
							}
						},
					},
				},
			},
		)
		return client
	}

	/** Says so where it is seen, once for each reason. */
	private fail(reason: string): void {
		this.log.error(reason)
		this.status.show({ kind: 'failed', reason })
		if (this.complained.has(reason)) return
		this.complained.add(reason)
		void this.complain(reason)
	}

	private async complain(reason: string): Promise<void> {
		const copy = "Copy 'pip install vramlint'"
		const settings = 'Open Settings'
		const again = 'Try Again'
		const choice = await vscode.window.showErrorMessage(
			`vramlint: ${reason}. Install it into your Python environment, or say where it is.`, copy, settings, again)
		if (choice === copy) await vscode.env.clipboard.writeText('pip install --upgrade vramlint')
		if (choice === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'vramlint.path')
		if (choice === again) {
			this.complained.delete(reason)
			await this.restart()
		}
	}
}

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
