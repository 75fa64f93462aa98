import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOfPath, isRule, pathOfRule } from '../../editors/vscode/src/rule.ts'

test('a rule has a document whose name leads back to it', () => {
	assert.equal(pathOfRule({ code: 'VL101', name: 'tensor-append' }), '/VL101 tensor-append.md')
	assert.equal(codeOfPath('/VL101 tensor-append.md'), 'VL101')
	assert.equal(codeOfPath('/../x.md'), '')
})

test('only a whole rule is one', () => {
	assert.ok(isRule({ code: 'VL101', name: 'a', markdown: '# a' }))
	for (const other of [null, undefined, 'x', {}, { code: 'VL101', name: 'a' }, { code: 1, name: 'a', markdown: '' }]) assert.ok(!isRule(other))
})
