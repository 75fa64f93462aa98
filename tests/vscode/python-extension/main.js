const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const vscode = require('vscode')

const file = path.join(os.homedir(), 'interpreter')

exports.activate = (context) => {
	const changed = new vscode.EventEmitter()
	fs.watchFile(file, { interval: 100 }, () => changed.fire({}))
	context.subscriptions.push({ dispose: () => fs.unwatchFile(file) })
	return {
		environments: {
			getActiveEnvironmentPath: () => ({ id: 'x', path: fs.readFileSync(file, 'utf8') }),
			resolveEnvironment: async ({ path }) => ({ executable: { uri: vscode.Uri.file(path) } }),
			onDidChangeActiveEnvironmentPath: changed.event,
		},
	}
}
