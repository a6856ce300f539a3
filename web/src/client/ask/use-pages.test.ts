import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joined } from './use-pages.ts'

test('a row that is on two pages is shown once, as the newer page has it', () => {
  const idOf = (row: { readonly id: number; readonly state: string }): string => String(row.id)
  const rows = joined([{ id: 3, state: 'new' }, { id: 2, state: 'done' }], [{ id: 2, state: 'queued' }, { id: 1, state: 'done' }], idOf)
  assert.deepEqual(rows, [{ id: 3, state: 'new' }, { id: 2, state: 'done' }, { id: 1, state: 'done' }])
})
