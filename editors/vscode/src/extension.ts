import * as vscode from 'vscode'
import { executeCommand, register, RuleDocuments } from './commands.ts'
import { onDidChangeInterpreter } from './python.ts'
import { SCHEME } from './rule.ts'
import { Server } from './server.ts'
import { Status } from './status.ts'

/** A change of these starts the server anew; of all others it is told. */
const NEEDS_RESTART = ['vramlint.enable', 'vramlint.path', 'vramlint.args']

let server: Server | undefined

export async function activate(context: vscode.ExtensionContext): Promise<void> {
	const log = vscode.window.createOutputChannel('vramlint', { log: true })
	const status = new Status()
	const started = server = new Server(context, log, status, executeCommand)
	context.subscriptions.push(
		log,
		status,
		...register(started, status, log),
		vscode.workspace.registerTextDocumentContentProvider(SCHEME, new RuleDocuments(started)),
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (NEEDS_RESTART.some((name) => event.affectsConfiguration(name))) void started.restart()
		}),
		vscode.workspace.onDidGrantWorkspaceTrust(() => void started.restartIfMoved()),
		onDidChangeInterpreter(() => void started.restartIfMoved()),
		vscode.workspace.onDidChangeWorkspaceFolders(() => void started.restartIfMoved()),
	)
	await started.restart()
}

export async function deactivate(): Promise<void> {
	await server?.stop()
}
