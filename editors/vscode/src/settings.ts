// What the server is told of the settings. Knows nothing of VS Code.

/** Those that are of no concern to the server. */
const OURS = new Set(['path', 'args', 'trace'])

/** The section 'vramlint' as the server wants it: what says nothing (null) is left out. */
export function forServer(section: unknown): Record<string, unknown> {
	const told: Record<string, unknown> = {}
	if (typeof section !== 'object' || section === null) return told
	for (const [key, value] of Object.entries(section)) {
		if (!OURS.has(key) && value !== null && value !== undefined) told[key] = value
	}
	return told
}
