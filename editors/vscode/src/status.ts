// The state of the server, as people see it: an item beside the language of the file, which opens a menu.
import * as vscode from 'vscode'
import type { Place } from './locate.ts'

export type State =
	| { kind: 'off' }
	| { kind: 'starting' }
	| { kind: 'running'; version: string; program: Place }
	| { kind: 'failed'; reason: string }

export class Status implements vscode.Disposable {
	private readonly item: vscode.LanguageStatusItem
	private state: State = { kind: 'off' }

	constructor() {
		this.item = vscode.languages.createLanguageStatusItem('vramlint', { language: 'python' })
		this.item.name = 'vramlint'
		this.show({ kind: 'off' })
	}

	get current(): State {
		return this.state
	}

	show(state: State): void {
		this.state = state
		this.item.busy = state.kind === 'starting'
		this.item.severity = state.kind === 'failed' ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information
		this.item.text = title(state)
		this.item.detail = detail(state)
		this.item.command = { command: 'vramlint.showStatus', title: 'More…', tooltip: 'Log, restart, settings' }
	}

	dispose(): void {
		this.item.dispose()
	}
}

export function title(state: State): string {
	switch (state.kind) {
	case 'off': return 'vramlint is off'
	case 'starting': return 'vramlint starts'
	case 'running': return `vramlint ${state.version}`
	case 'failed': return 'vramlint does not run'
	}
}

export function detail(state: State): string {
	switch (state.kind) {
	case 'running': return `${state.program.file}, from ${state.program.origin}`
	case 'failed': return state.reason
	default: return ''
	}
}
