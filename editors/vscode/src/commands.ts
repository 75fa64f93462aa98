// What a person can ask for, in the palette, in the menu of the status item and in code actions.
import * as vscode from 'vscode'
import type { ExecuteCommandMiddleware } from 'vscode-languageclient/node'
import { run } from './locate.ts'
import { codeOfPath, isRule, pathOfRule, SCHEME } from './rule.ts'
import type { Server } from './server.ts'
import { detail, title, type Status } from './status.ts'

/** The server's own commands pass through here: what it gives to be read is shown, what it wants to know is asked for. */
export const executeCommand: NonNullable<ExecuteCommandMiddleware['executeCommand']> = async (command, args, next) => {
	if (command === 'vramlint.suppress') {
		const reason = await askForReason()
		return reason === undefined ? undefined : next(command, [{ ...args[0], reason }])
	}
	const result: unknown = await next(command, args)
	if (command === 'vramlint.explain' && isRule(result)) {
		await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.from({ scheme: SCHEME, path: pathOfRule(result) }))
	}
	return result
}

async function askForReason(): Promise<string | undefined> {
	const reason = await vscode.window.showInputBox({
		title: 'vramlint: suppress this finding',
		prompt: 'Why is it all right here? The reason goes into the comment.',
		placeHolder: 'ten steps, then the list goes',
		validateInput: (text) => text.trim() === '' ? 'Say why, in a few words.' : undefined,
	})
	return reason?.trim()
}

export class RuleDocuments implements vscode.TextDocumentContentProvider {
	constructor(private readonly server: Server) {}

	async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
		const code = codeOfPath(uri.path)
		const rule = await this.server.request('vramlint.explain', code).catch(() => undefined)
		return isRule(rule) ? rule.markdown : `# ${code}\n\nvramlint is not running, or does not know this rule.\n`
	}
}

export function register(server: Server, status: Status, log: vscode.LogOutputChannel): vscode.Disposable[] {
	const commands: Record<string, () => Promise<unknown> | void> = {
		restartServer: () => server.restart(),
		showLog: () => log.show(true),
		showStatus: () => showStatus(status),
		checkFolders,
		fixFile,
		explainRule: () => explainRule(server),
	}
	return Object.entries(commands).map(([name, work]) =>
		vscode.commands.registerCommand(`vramlint.${name}`, () => work()))
}

async function showStatus(status: Status): Promise<void> {
	const choices: (vscode.QuickPickItem & { command: string; args?: unknown[] })[] = [
		{ label: '$(output) Show log', command: 'vramlint.showLog' },
		{ label: '$(debug-restart) Restart server', command: 'vramlint.restartServer' },
		{ label: '$(gear) Open settings', command: 'workbench.action.openSettings', args: ['vramlint.'] },
		{ label: '$(search) Check all files of the workspace', command: 'vramlint.checkFolders' },
		{ label: '$(book) Explain a rule', command: 'vramlint.explainRule' },
	]
	const choice = await vscode.window.showQuickPick(choices, { title: title(status.current), placeHolder: detail(status.current) })
	if (choice !== undefined) await vscode.commands.executeCommand(choice.command, ...(choice.args ?? []))
}

/** Sends one of its commands to the server; without one, a message says so. */
async function ask(command: string, ...args: unknown[]): Promise<unknown> {
	if (!(await vscode.commands.getCommands(true)).includes(command)) {
		void vscode.window.showWarningMessage('vramlint is not running.', 'Show Status').then((choice) =>
			choice && vscode.commands.executeCommand('vramlint.showStatus'))
		return undefined
	}
	return vscode.commands.executeCommand(command, ...args)
}

async function checkFolders(): Promise<void> {
	if (vscode.workspace.workspaceFolders === undefined) {
		void vscode.window.showInformationMessage('vramlint: no folder is open.')
		return
	}
	await vscode.commands.executeCommand('workbench.panel.markers.view.focus')
	await ask('vramlint.checkWorkspace')
}

async function fixFile(): Promise<void> {
	const document = vscode.window.activeTextEditor?.document
	if (document?.languageId === 'python') await ask('vramlint.fixAll', document.uri.toString())
}

async function explainRule(server: Server): Promise<void> {
	const here = rulesAtCursor()
	const program = server.program
	if (program === undefined) return void await ask('vramlint.explain')
	const { error, text } = await run(program.file, ['rules', '--output-format', 'json'], 10_000)
	if (error !== undefined) throw new Error(`vramlint cannot list its rules: ${text.trim() || error.message}`)
	const rules = (JSON.parse(text) as { code: string; name: string; summary: string }[])
		.map(({ code, name, summary }) => ({ label: code, description: name, detail: summary }))
	rules.sort((a, b) => Number(here.has(b.label)) - Number(here.has(a.label)))
	const choice = await vscode.window.showQuickPick(rules, { title: 'vramlint: explain a rule', matchOnDescription: true, matchOnDetail: true })
	if (choice !== undefined) await ask('vramlint.explain', choice.label)
}

function rulesAtCursor(): Set<string> {
	const editor = vscode.window.activeTextEditor
	if (editor === undefined) return new Set()
	const found = vscode.languages.getDiagnostics(editor.document.uri)
		.filter(({ source, range }) => source === 'vramlint' && range.intersection(editor.selection) !== undefined)
	return new Set(found.map(({ code }) => String(typeof code === 'object' ? code.value : code)))
}
