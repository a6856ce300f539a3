import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUrl, writeUrl } from './url-state.ts'

test('what is written is read again', () => {
  const state = { agent: 'ada', x: 40.25, y: 31, z: 24, code: null }
  assert.equal(writeUrl(state), '?agent=ada&x=40.25&y=31&z=24')
  assert.deepEqual(readUrl(writeUrl(state)), state)
  assert.equal(writeUrl(readUrl('')), '')
})

test('nonsense is left out', () => {
  assert.deepEqual(readUrl('?x=left&y=&z=Infinity&agent=bob'), { agent: 'bob', x: null, y: null, z: null, code: null })
})
