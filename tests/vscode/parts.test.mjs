import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOfPath, isRule, pathOfRule } from '../../editors/vscode/src/rule.ts'
import { forServer } from '../../editors/vscode/src/settings.ts'

test('the server is told what is set, and nothing that is only for the editor', () => {
	assert.deepEqual(forServer({ enable: false, path: '/x', args: [], trace: { server: 'off' }, select: null, ignore: [], lens: 'off' }),
		{ enable: false, ignore: [], lens: 'off' })
	for (const nothing of [undefined, null, 'x', 1]) assert.deepEqual(forServer(nothing), {})
})

test('a rule has a document whose name leads back to it', () => {
	assert.equal(pathOfRule({ code: 'VL101', name: 'tensor-append' }), '/VL101 tensor-append.md')
	assert.equal(codeOfPath('/VL101 tensor-append.md'), 'VL101')
	assert.equal(codeOfPath('/../x.md'), '')
})

test('only a whole rule is one', () => {
	assert.ok(isRule({ code: 'VL101', name: 'a', markdown: '# a' }))
	for (const other of [null, undefined, 'x', {}, { code: 'VL101', name: 'a' }, { code: 1, name: 'a', markdown: '' }]) assert.ok(!isRule(other))
})
