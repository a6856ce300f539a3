import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortArguments, shownArguments, shownCall, shownPost, shownWrite } from './shown-arguments.ts';
import { visibleText } from '@hamlet/core/visible-text';

test('every argument is shown complete, with its name', () => {
  const body = `${'rope '.repeat(2000)}\nsecond line`;
  assert.deepEqual(shownArguments(JSON.stringify({ body, seconds: 60, tags: ['a', 'b'], long: [body] })), [
    { name: 'body', text: body, isText: true },
    { name: 'seconds', text: '60', isText: false },
    { name: 'tags', text: '["a","b"]', isText: false },
    { name: 'long', text: `[\n  ${JSON.stringify(body)}\n]`, isText: false },
  ]);
});

const HIDDEN: readonly (readonly [string, string, string])[] = [
  ['a mark that reorders text', 'pay \u202Ebob', 'pay ⟨U+202E⟩bob'],
  ['a character without width', 'pay\u200Bbob', 'pay⟨U+200B⟩bob'],
  ['a control', 'a\u0007b', 'a⟨U+0007⟩b'],
  ['a carriage return', 'a\rb', 'a⟨U+000D⟩b'],
  ['a tag character', 'a\u{E0041}b', 'a⟨U+E0041⟩b'],
  ['a look-alike of a space', 'a\u00A0b', 'a⟨U+00A0⟩b'],
  ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
  ['a private character', 'a\uE000b', 'a⟨U+E000⟩b'],
  ['a hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
];
for (const [name, text, shown] of HIDDEN)
  test(`${name} is made visible`, () => {
    assert.equal(visibleText(text), shown);
  });

test('ordinary text stays unchanged', () => {
  for (const text of ['Grüße, 日本 😀', 'two\nlines\tand a tab', '<b>&amp;</b> **no** [markup](x)'])
    assert.equal(visibleText(text), text);
});

test('hidden characters in names become visible too, and text that is not an object is shown complete', () => {
  assert.equal(shownArguments('{"a\u200Bmount":1}')[0]?.name, 'a⟨U+200B⟩mount');
  for (const text of ['not json', '[1,2]', 'null', ''])
    assert.deepEqual(shownArguments(text), [{ name: '', text, isText: false }]);
});

test('a folded call shows its values in one short line', () => {
  assert.equal(shortArguments('{"title":"Rope\\nfor Bob","tags":[],"n":2}'), 'Rope for Bob · [] · 2');
  assert.equal(shortArguments(null), '');
  assert.equal(shortArguments('{}'), '');
  assert.equal([...shortArguments(JSON.stringify({ body: 'x'.repeat(500) }))].length, 90);
});

const ID = '01a20000-0000-7000-8000-00000000000a';
const post = (args: object | string) =>
  shownPost({ tool: 'post_to_board', arguments: typeof args === 'string' ? args : JSON.stringify(args) });

test('the deliverables of a post are shown apart from its other arguments, each once', () => {
  assert.deepEqual(post({ body: 'b', deliverables: [ID, ID], odd: 1, title: 't' }), {
    argumentsText: '{"body":"b","odd":1,"title":"t"}',
    deliverables: [ID],
  });
});

test('arguments other than a post with deliverables stay unchanged', () => {
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

test('a write shows its content first, then the facts that identify it, without omissions', () => {
  const write = { body: '{"a":1}', bytes: 7, call: 'c1', sha256: 'ab', summary: 'POST https://a.org/x', more: 'odd' };
  assert.deepEqual(shownWrite(JSON.stringify(write)), {
    summary: 'POST https://a.org/x',
    content: [
      { name: 'Body', text: '{"a":1}', isText: true },
      { name: 'more', text: 'odd', isText: true },
    ],
    facts: [
      { name: 'Length in bytes', text: '7', isText: false },
      { name: 'Sent during call (as the pod claims)', text: 'c1', isText: true },
      { name: 'SHA-256 of the write', text: 'ab', isText: true },
    ],
  });
});

test('a push has a line for each reference, and hidden characters are visible', () => {
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

test('a request for a host shows its first request and the rule that would keep it open', () => {
  const args = {
    summary: 'open a.org (ports 80 and 443) for reading',
    details: ['first request: GET /', 'to keep it open'],
    host: 'a.org',
    ports: [80, 443],
  };
  assert.deepEqual(shownWrite(JSON.stringify(args)), {
    summary: 'open a.org (ports 80 and 443) for reading',
    content: [{ name: 'About the host', text: 'first request: GET /\nto keep it open', isText: false }],
    facts: [
      { name: 'Host', text: 'a.org', isText: true },
      { name: 'Ports', text: '80 and 443', isText: false },
    ],
  });
});

test('a change of a file and an act of a program are read by subject and content, and no field is left out', () => {
  const edit = JSON.stringify({ new_text: 'b', old_text: 'a\u202E', path: '/etc/hosts', first_line: 3 });
  const shown = shownCall('edit_file', edit);
  assert.equal(shown?.summary, '/etc/hosts');
  assert.deepEqual(
    shown.content.map(({ name, text }) => [name, text]),
    [
      ['Replaces', 'a⟨U+202E⟩'],
      ['With', 'b'],
    ],
  );
  assert.deepEqual(shown.facts, [{ name: 'first_line', text: '3', isText: false }]);
  const act = shownCall('program_act', JSON.stringify({ kind: 'other', title: 'Open the oven', input: '', paths: [] }));
  assert.deepEqual([act?.summary, act?.content.length, act?.facts.length], ['Open the oven', 2, 1]);
  const sent = shownCall('call_agent', JSON.stringify({ agent: 'mill', message: 'A price?' }));
  assert.deepEqual([sent?.summary, sent?.content], ['mill', [{ name: 'Message', text: 'A price?', isText: true }]]);
  for (const [tool, text] of [
    ['say', '{"path":"x"}'],
    ['edit_file', '{"path":3}'],
    ['edit_file', 'x'],
  ] as const)
    assert.equal(shownCall(tool, text), null);
});

test('a post is read by its title, then its text, in any order of its fields', () => {
  const shown = shownCall(
    'post_to_board',
    JSON.stringify({ body: 'It costs 4.20.', tags: ['food'], title: 'Rye bread' }),
  );
  assert.deepEqual(shown, {
    summary: 'Rye bread',
    content: [{ name: 'Text', text: 'It costs 4.20.', isText: true }],
    facts: [{ name: 'tags', text: '["food"]', isText: false }],
  });
});

test('a purchase is read in words with its highest price, and no field is left out', () => {
  const bought = (args: object) => shownCall('buy', JSON.stringify({ seconds: 3_600, max_price: '1', ...args }));
  const quota = bought({ item: { kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 } });
  assert.equal(quota?.summary, '10,000 more tokens an hour for 1 h, for at most 1.00 ai$');
  assert.deepEqual(
    quota.facts.map(({ name }) => name),
    ['seconds', 'max_price', 'item'],
  );
  const gpu = bought({ item: { kind: 'gpu', lane: 'gpu-0', starts_at: '2026-12-01T08:00:00.000Z' } });
  assert.match(gpu?.summary ?? '', /^The GPU gpu-0 for itself from Tue 1 Dec, 08:00/);
  assert.equal(bought({ item: { kind: 'bread' } }), null);
});
