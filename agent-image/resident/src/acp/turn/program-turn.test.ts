import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM_CLAIM_MAX_CHARS, programClaimOf, type ProgramClaim, wordsAfter } from '@hamlet/contract';
import type { ProgramNote } from '@hamlet/engine';
import { ProgramTurn, type Taken } from './program-turn.ts';
import { SessionUpdate, ToolCallUpdate } from './updates.ts';

const take = (turn: ProgramTurn, ...updates: readonly object[]): readonly Taken[] =>
  updates.map((update) => turn.take(SessionUpdate.parse(update)));
const said = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  messageId,
});
const called = (status: string | undefined, fields: object = {}) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'c1',
  status,
  ...fields,
});

function claimIn({ claim: text, tool }: ProgramNote): ProgramClaim {
  assert.ok(text.length <= PROGRAM_CLAIM_MAX_CHARS, `${text.length} characters`);
  const detail = { call_id: '1.0.t1', tool, effect: null, arguments_text: text, outcome: null, result_text: null };
  return programClaimOf(detail) ?? assert.fail(text);
}

const shape = (taken: readonly Taken[]) =>
  taken.flatMap(({ notes }) => notes.map(({ id, tool, outcome }) => [id, tool, outcome]));

test('chunks are the words of the answer, and words after a call or of another message begin a paragraph', () => {
  const turn = new ProgramTurn(1);
  const shown = take(
    turn,
    said('I '),
    said('look.'),
    called('in_progress'),
    said('Done'),
    said('.', 'm1'),
    said('Bye', 'm2'),
  );
  assert.equal(shown.map(({ words }) => words).join(''), turn.answer);
  assert.equal(turn.answer, 'I look.\n\nDone.\n\nBye');
});

test('words and calls are noted in the order in which they happened, and the last words are the rest of the answer', () => {
  const turn = new ProgramTurn(1, 'A new session.');
  const notes = take(
    turn,
    said('I look. '),
    said('Then I run it.'),
    called('in_progress'),
    called('completed'),
    said('It fails.'),
  ).flatMap((taken) => taken.notes);
  notes.push(...turn.sayings(), ...turn.sayings());
  take(turn, said('Repaired.'));
  assert.deepEqual(
    notes.map(({ id }) => id),
    ['s1', 't1', 't1', 's2'],
  );
  const words = notes.filter(({ id }) => id.startsWith('s')).map((note) => claimIn(note).output);
  assert.deepEqual(words, ['A new session.\n\nI look. Then I run it.', 'It fails.']);
  assert.equal(wordsAfter(`A new session.\n\n${turn.answer}`, words), 'Repaired.');
});

test('the words before calls are noted up to a limit, and a long text without its middle', () => {
  const turn = new ProgramTurn(1);
  const long = `first ${'y'.repeat(300_000)} last`;
  const notes = take(
    turn,
    said(long),
    ...Array.from({ length: 300 }, (_, at) => [called('in_progress', { toolCallId: `c${at}` }), said(`w${at}`)]).flat(),
  ).flatMap((taken) => taken.notes);
  const words = notes.filter(({ tool }) => tool === 'program.say').map((note) => claimIn(note).output);
  assert.equal(words.length, 200);
  assert.match(words[0] ?? '', /^first y[^]*characters left out[^]*y last$/);
});

test('a call is claimed when it begins and when it ends, with everything that its updates said', () => {
  const turn = new ProgramTurn(1);
  const diff = { type: 'diff', path: '/w/a.ts', oldText: 'one\n', newText: 'two\n' };
  const taken = take(
    turn,
    { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Edit a.ts', kind: 'edit', status: 'pending' },
    called('in_progress', { rawInput: { path: 'a.ts' }, locations: [{ path: '/w/a.ts', line: 3 }] }),
    called('in_progress', { content: [diff] }),
    called('completed', { rawOutput: 'written' }),
    called('failed', { title: 'too late' }),
  );
  assert.deepEqual(shape(taken), [
    ['t1', 'program.edit', null],
    ['t1', 'program.edit', 'ok'],
  ]);
  const last = taken.flatMap(({ notes }) => notes).at(-1) ?? assert.fail('no claim');
  assert.deepEqual(claimIn(last), {
    kind: 'edit',
    title: 'Edit a.ts',
    input: '{"path":"a.ts"}',
    output: 'written',
    locations: [{ path: '/w/a.ts', line: 3 }],
    diffs: [{ path: '/w/a.ts', diff: '--- a//w/a.ts\n+++ b//w/a.ts\n@@ -1,1 +1,1 @@\n-one\n+two\n' }],
    plan: [],
  });
});

test('a change of a huge file shows the differences of its beginnings and ends', () => {
  const turn = new ProgramTurn(1);
  const diff = { type: 'diff', path: 'p', oldText: `first\n${'a\n'.repeat(500_000)}`, newText: 'b\n'.repeat(500_000) };
  const asked = turn.asked(ToolCallUpdate.parse({ toolCallId: 'c1', content: [diff] }));
  const [{ before, after } = assert.fail('no change')] = asked?.call.diffs ?? [];
  assert.deepEqual([(before ?? '').length <= 200_000, after.length <= 200_000], [true, true]);
  const [taken] = take(turn, called('completed'));
  assert.match(claimIn(taken?.notes[0] ?? assert.fail('no claim')).diffs[0]?.diff ?? '', /^--- a\/p\n[^]*-first\n/);
});

test('a call that ends at once has both claims, one that never ends is unknown, and a kind of a newer protocol is other', () => {
  const turn = new ProgramTurn(1);
  const taken = take(
    turn,
    called('failed', { kind: 'teleport' }),
    called('in_progress', { toolCallId: 'c2', kind: 'execute' }),
    called('pending', { toolCallId: 'c3' }),
  );
  assert.deepEqual(shape([...taken, turn.finish()]), [
    ['t1', 'program.other', null],
    ['t1', 'program.other', 'failed'],
    ['t2', 'program.execute', null],
    ['t2', 'program.execute', 'unknown'],
  ]);
});

test('the calls of a repeated prompt have ids of their own', () => {
  const turn = new ProgramTurn(2);
  assert.deepEqual(shape(take(turn, called('in_progress'))), [['2.t1', 'program.other', null]]);
  assert.equal(turn.idOfFile('write_file'), '2.w1');
});

test('a call whose start the API has stored makes no claim, and its end is reported', () => {
  const turn = new ProgramTurn(1);
  take(turn, called('pending', { title: 'rm', rawInput: { command: 'rm x' } }));
  assert.equal(turn.asked({ toolCallId: 'c1', rawInput: undefined, rawOutput: undefined })?.call.input, 'rm x');
  turn.witness('c1', 't1');
  const taken = take(turn, called('in_progress'), called('completed', { rawOutput: 'gone' }));
  assert.deepEqual(
    [shape(taken), taken.flatMap(({ ends }) => ends)],
    [[], [{ id: 't1', isDone: true, output: 'gone' }]],
  );
});

test('each request about a call has an id of its own, the call ends all that were allowed, and requests are bounded', () => {
  const turn = new ProgramTurn(1);
  const ask = (fields: object) => turn.asked(ToolCallUpdate.parse({ toolCallId: 'c1', ...fields }));
  const ids = [
    ask({ kind: 'other', rawInput: { folder: '/tmp' } }),
    ask({ rawInput: { command: 'ls /tmp' } }),
    ask({}),
  ];
  assert.deepEqual(
    ids.map((asked) => asked?.id),
    ['t1', 't1.2', 't1.3'],
  );
  for (const id of ['t1', 't1.2']) turn.witness('c1', id);
  const ends = take(turn, called('completed', { rawOutput: 'a' })).flatMap((taken) => taken.ends);
  assert.deepEqual(ends, [
    { id: 't1', isDone: true, output: 'a' },
    { id: 't1.2', isDone: true, output: 'a' },
  ]);
  turn.witness('c1', ask({})?.id ?? '');
  assert.deepEqual(turn.finish().ends, [{ id: 't1.4', isDone: false, output: '' }], 'what has ended ends once');
  let asked = 4;
  while (asked < 1_000 && ask({}) !== null) asked += 1;
  let writes = 0;
  while (writes < 1_000 && turn.idOfFile('write_file') !== null) writes += 1;
  assert.deepEqual([asked, writes, turn.idOfFile('read_file')], [500, 500, 'r1']);
});

test('each change of the plan is a claim, and thoughts are kept apart from the answer', () => {
  const turn = new ProgramTurn(1);
  const plan = (status: string) => ({
    sessionUpdate: 'plan',
    entries: [{ content: 'Bake', status, priority: 'high' }],
  });
  const taken = take(turn, plan('pending'), plan('pending'), plan('completed'), {
    sessionUpdate: 'agent_thought_chunk',
    content: { type: 'text', text: 'Flour?' },
  });
  assert.deepEqual(shape(taken), [
    ['plan', 'program.plan', 'ok'],
    ['plan', 'program.plan', 'ok'],
  ]);
  const last = taken.flatMap(({ notes }) => notes).at(-1) ?? assert.fail('no claim');
  assert.deepEqual(claimIn(last).plan, [{ text: 'Bake', status: 'completed' }]);
  assert.deepEqual([turn.thoughts, turn.answer], ['Flour?', '']);
});

test('a chatty program is bounded: 10,000 calls, plans and thoughts, long texts, control characters and halves of characters', () => {
  const turn = new ProgramTurn(1);
  const long = `${'\u0000\n"\ud800'.repeat(50_000)}`;
  const entries = Array.from({ length: 900 }, () => ({ content: long, status: 'pending' }));
  let notes = 0;
  for (let each = 0; each < 10_000; each += 1) {
    const diff = { type: 'diff', path: `${each}`, newText: each < 3 ? long : 'x' };
    const fields = { toolCallId: `c${each}`, title: each < 3 ? long : 'x', content: [diff, diff, diff, diff, diff] };
    const taken = take(turn, called('completed', fields), {
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: 'hm '.repeat(100) },
    });
    for (const note of taken.flatMap((every) => every.notes)) {
      claimIn(note);
      notes += 1;
    }
  }
  const plans = Array.from({ length: 200 }, (_, at) => ({
    sessionUpdate: 'plan',
    entries: at % 2 === 0 ? entries : [],
  }));
  const planned = take(turn, ...plans.slice(0, 4)).flatMap((every) => every.notes);
  planned.forEach(claimIn);
  assert.equal(planned.length, 4);
  assert.ok(notes <= 1_000 && turn.thoughts.length <= 30_000, `${notes} claims`);
  take(turn, said('begin'), ...Array.from({ length: 300 }, () => said('y'.repeat(1_000))), said('end'));
  assert.match(turn.answer, /^begin[^]*characters left out[^]*end$/);
  assert.ok(turn.answer.length < 201_000);
});

test('unknown updates are ignored', () => {
  for (const update of [
    { sessionUpdate: 'usage_update', size: 1, used: 1 },
    { sessionUpdate: 'agent_message_chunk', content: 'words' },
    { sessionUpdate: 'tool_call', toolCallId: '' },
    null,
  ])
    assert.equal(SessionUpdate.safeParse(update).success, false, JSON.stringify(update));
  const image = SessionUpdate.parse({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'x' } });
  assert.equal(new ProgramTurn(1).take(image).words, '');
});
