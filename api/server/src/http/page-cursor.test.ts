import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { refused } from './outcome.ts';
import { paged, pageCursor } from './page-cursor.ts';

const pages = pageCursor(z.number());
const read = (list: string, filter: object, cursor?: string) =>
  paged(pages, { ...filter, list, cursor, limit: 2 }, async ({ before }) => ({
    rows: [before],
    next: (before ?? 9) - 2,
  }));

test('a cursor continues only its own list and filter', async () => {
  const first = await read('calls', { agent: 'ada' });
  assert.ok(first.ok);
  const cursor = first.data.next_cursor ?? '';
  const second = await read('calls', { agent: 'ada' }, cursor);
  assert.ok(second.ok);
  assert.deepEqual(second.data.rows, [7]);
  for (const [list, filter] of [
    ['permissions', { agent: 'ada' }],
    ['calls', { agent: 'bob' }],
    ['calls', {}],
  ] as const)
    assert.deepEqual(await read(list, filter, cursor), refused('cursor_invalid'));
});
