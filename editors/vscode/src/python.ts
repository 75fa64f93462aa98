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

/** Calls LISTENER when another one is chosen, and when the extension itself comes to be. */
export function onDidChangeInterpreter(listener: () => void): vscode.Disposable {
	let watch: vscode.Disposable | undefined
	const attach = async () => {
		const known = watch === undefined ? await environments().catch(() => undefined) : undefined
		if (known !== undefined) watch ??= known.onDidChangeActiveEnvironmentPath(listener)
		return known !== undefined
	}
	void attach()
	const arrival = vscode.extensions.onDidChange(async () => {
		if (await attach()) listener()
	})
	return { dispose: () => [watch, arrival].forEach((each) => each?.dispose()) }
}
