// A rule's document as a document of the editor: vramlint-rule:/VL101 tensor-append.md
export const SCHEME = 'vramlint-rule'

export interface Rule {
	code: string
	name: string
	markdown: string
}

export function isRule(value: unknown): value is Rule {
	const rule = value as Partial<Rule> | null
	return typeof rule === 'object' && rule !== null && typeof rule.code === 'string' && typeof rule.name === 'string' &&
		typeof rule.markdown === 'string'
}

/** The last part of the path names the editor's tab. */
export function pathOfRule(rule: Pick<Rule, 'code' | 'name'>): string {
	return `/${rule.code} ${rule.name}.md`
}

export function codeOfPath(path: string): string {
	return /^\/?([A-Za-z]+[0-9]+)/.exec(path)?.[1] ?? ''
}
