// The interpreter that the Python extension has chosen, where there is that extension.
import * as vscode from 'vscode'

interface Environments {
	getActiveEnvironmentPath(resource?: vscode.Uri): { path: string }
	resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri: vscode.Uri | undefined } } | undefined>
	onDidChangeActiveEnvironmentPath: vscode.Event<unknown>
}

/** Its answer may take long, or never come. */
const PATIENCE = 10_000

async function environments(): Promise<Environments | undefined> {
	const extension = vscode.extensions.getExtension<{ environments?: Environments }>('ms-python.python')
	return extension === undefined ? undefined : (await extension.activate())?.environments
}

async function ask(folder: vscode.Uri | undefined): Promise<string | undefined> {
	const known = await environments()
	if (known === undefined) return undefined
	const resolved = await known.resolveEnvironment(known.getActiveEnvironmentPath(folder))
	return resolved?.executable.uri?.fsPath
}

export async function activeInterpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
	const never = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE, undefined))
	return Promise.race([ask(folder).catch(() => undefined), never])
}

export async function onDidChangeInterpreter(listener: () => void): Promise<vscode.Disposable | undefined> {
	return (await environments().catch(() => undefined))?.onDidChangeActiveEnvironmentPath(listener)
}
