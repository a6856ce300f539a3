import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownPost } from '../shown-arguments.ts';

const ID = '01a20000-0000-7000-8000-00000000000a';
const post = (args: object | string) =>
  shownPost({ tool: 'post_to_board', arguments: typeof args === 'string' ? args : JSON.stringify(args) });

test('the deliverables of a post stand apart from its other arguments, each once', () => {
  assert.deepEqual(post({ body: 'b', deliverables: [ID, ID], odd: 1, title: 't' }), {
    argumentsText: '{"body":"b","odd":1,"title":"t"}',
    deliverables: [ID],
  });
});

test('what is no post with deliverables is shown as it is', () => {
  for (const args of [
    { title: 't' },
    { deliverables: [] },
    { deliverables: [1] },
    { deliverables: ID },
    'no json',
    '[]',
  ])
    assert.equal(post(args), null, JSON.stringify(args));
  assert.equal(shownPost({ tool: 'say', arguments: JSON.stringify({ deliverables: [ID] }) }), null);
});
