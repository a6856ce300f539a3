import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownWrite } from './shown-arguments.ts';

test('a write shows what is sent first, and the facts that identify it after that; nothing is left out', () => {
  const write = { body: '{"a":1}', bytes: 7, call: 'c1', sha256: 'ab', summary: 'POST https://a.org/x', more: 'odd' };
  assert.deepEqual(shownWrite(JSON.stringify(write)), {
    summary: 'POST https://a.org/x',
    content: [
      { name: 'Body', text: '{"a":1}', isText: true },
      { name: 'more', text: 'odd', isText: true },
    ],
    facts: [
      { name: 'Length in bytes', text: '7', isText: false },
      { name: 'Sent during call', text: 'c1', isText: true },
      { name: 'SHA-256 of the write', text: 'ab', isText: true },
    ],
  });
});

test('a push has a line for each reference, and characters that hide are visible', () => {
  const shown = shownWrite(
    JSON.stringify({ summary: 'push to a\u202Eb', changes: ['new x at 1', 'y\u200B from 1 to 2'] }),
  );
  assert.equal(shown?.summary, 'push to a⟨U+202E⟩b');
  assert.deepEqual(shown?.content, [{ name: 'Branches', text: 'new x at 1\ny⟨U+200B⟩ from 1 to 2', isText: false }]);
  const named = { summary: 'push to a: new x at 1; y at 2', changes: ['new x at 1', 'y at 2'] };
  assert.equal(shownWrite(JSON.stringify(named))?.summary, 'push to a', 'the references stand below');
  assert.equal(shownWrite('{"changes":1}'), null);
  assert.deepEqual(shownWrite('{"summary":"s","changes":1}')?.content, [
    { name: 'Branches', text: '1', isText: false },
  ]);
});
