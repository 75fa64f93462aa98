// The client of one program: what it is told, and how it bears a server that ends.
import { createInterface } from 'node:readline'
import * as vscode from 'vscode'
import {
	CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, type LanguageClientOptions, type Middleware,
} from 'vscode-languageclient/node'

const DOCUMENTS = [
	{ scheme: 'file', language: 'python' },
	{ scheme: 'untitled', language: 'python' },
	{ scheme: 'vscode-notebook-cell', language: 'python' },
]

export interface Wishes {
	program: string
	log: vscode.LogOutputChannel
	executeCommand: NonNullable<Middleware['executeCommand']>
	/** Called when the server has ended so often that it is not started again. */
	onGivenUp: (client: Client) => void
}

export class Client extends LanguageClient {
	/** The last line that the server wrote beside the protocol: where it ends, the reason. */
	lastWords = ''
	/** Resolved when it writes no more. */
	silence: Promise<unknown> = Promise.resolve()
	private hasStarted = false

	constructor({ program, log, executeCommand, onGivenUp }: Wishes) {
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri
		const args: unknown = vscode.workspace.getConfiguration('vramlint', folder).get('args')
		const self = (): Client => this
		const options: LanguageClientOptions = {
			documentSelector: DOCUMENTS,
			outputChannel: log,
			traceOutputChannel: log,
			revealOutputChannelOn: RevealOutputChannelOn.Never,
			initializationOptions: () => ({
				settings: vscode.workspace.getConfiguration('vramlint', folder),
				asksForReason: true,
				showsExplanations: true,
				showsFindings: true,
			}),
			initializationFailedHandler: () => false,
			stdioOptions: {
				stdout: () => {},
				stderr: (input) => {
					const lines = createInterface({ input, crlfDelay: Infinity })
					lines.on('line', (line) => {
						log.error(line)
						self().lastWords = line
					})
					self().silence = new Promise((resolve) => lines.on('close', resolve))
				},
			},
			errorHandler: {
				// What breaks the connection closes it, too.
				error: () => ({ action: ErrorAction.Continue, handled: true }),
				closed: () => self().afterEnd(onGivenUp),
			},
			middleware: {
				executeCommand,
				workspace: {
					// A change may stop the server, and be told to it at the same time.
					didChangeConfiguration: async (sections, next) => {
						if (self().isRunning()) await next(sections).catch((error) => log.debug(String(error)))
					},
				},
			},
		}
		super('vramlint', 'vramlint', {
			command: program,
			args: ['server', ...(Array.isArray(args) ? args.map(String) : [])],
			options: folder?.scheme === 'file' ? { cwd: folder.fsPath } : {},
		}, options)
	}

	override async start(): Promise<void> {
		await super.start()
		this.hasStarted = true
	}

	/** Logs it. People are told by those who know what it means for them. */
	override error(message: string, data?: unknown): void {
		super.error(message, data, false)
	}

	private readonly usual = this.createDefaultErrorHandler()

	private async afterEnd(onGivenUp: (client: Client) => void): Promise<{ action: CloseAction; handled: true }> {
		const { action } = this.hasStarted ? await this.usual.closed() : { action: CloseAction.DoNotRestart }
		if (this.hasStarted && action === CloseAction.DoNotRestart) onGivenUp(this)
		return { action, handled: true }
	}
}
