import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentMemory, MemoryEntry, RepositoryMemory } from '@hamlet/contract';
import { agentMemoryLines, memoryActOf } from './agent-memory.ts';
import { entriesLines, memoriesLines } from './memory.ts';

const NOW = Date.parse('2026-11-25T12:10:00Z');
const at = '2026-11-25T12:00:00Z';
const entryOf = (parts: Partial<MemoryEntry>): MemoryEntry =>
  MemoryEntry.parse({
    memory_id: 'm-0123456789ab',
    kind: 'entity',
    name: 'oven',
    type: 'thing',
    to: null,
    about: null,
    observations: ['It is hot.'],
    pinned: false,
    outside: false,
    agent_id: 'ada',
    run_id: '01a20000-0000-7000-8000-000000000001',
    changed_at: at,
    audience: null,
    ...parts,
  });

test("memory lists repositories in the API's order, or says that none has a memory", () => {
  assert.equal(memoriesLines([], NOW), 'no repository has a memory');
  const memory = RepositoryMemory.parse({
    repository: 'git.example.org/a/b',
    entries: 2,
    bytes: 90,
    agents: ['ada', 'bob'],
    changed_at: at,
  });
  assert.match(memoriesLines([memory], NOW), /^REPOSITORY[^]*\ngit\.example\.org\/a\/b +2 +90 +ada,bob +10m$/);
});

test('memory lists entries newest first and replaces control characters', () => {
  const note = entryOf({
    memory_id: 'm-000000000001',
    name: 'm-000000000001',
    type: 'note',
    observations: ['a\u001b[2Jb'],
    audience: ['account 1', 'account 2'],
  });
  const relation = entryOf({ kind: 'relation', to: 'mill', type: 'in', observations: [], outside: true });
  const lines = entriesLines([entryOf({}), relation, note], 'x', NOW).split('\n');
  assert.match(lines[1] ?? '', /^m-000000000001 +ada +10m +no +2 people +a.*b$/);
  assert.ok(!lines.join('').includes('\u001b'));
  assert.match(lines[2] ?? '', /yes +all +oven in mill$/);
  assert.match(lines[3] ?? '', /no +all +oven \(thing\): It is hot\.$/);
  assert.equal(entriesLines([], 'git.example.org/none', NOW), 'git.example.org/none has no memory that you may know');
});

test('the words after an agent are one act, and others are refused', () => {
  assert.deepEqual(memoryActOf([]), { do: 'list' });
  assert.deepEqual(memoryActOf(['search', 'rye', 'bread']), { do: 'search', query: 'rye bread' });
  assert.deepEqual(memoryActOf(['unpin', 'm-1']), { do: 'unpin', id: 'm-1' });
  assert.deepEqual(memoryActOf(['correct', 'm-1', 'She', 'moved.']), { do: 'correct', id: 'm-1', text: 'She moved.' });
  for (const words of [['search'], ['forget'], ['forget', 'a', 'b'], ['correct', 'm-1'], ['list', 'x'], ['eat', 'x']])
    assert.throws(() => memoryActOf(words), /write list, search WORDS/, words.join(' '));
});

test("an agent's memory is a table with what is sure and since when, and says how full it is", () => {
  const memory = {
    memory_id: 'e-1',
    kind: 'evidence',
    text: 'I like \u001b[2Jtea.',
    speaker: 'Mia',
    certainty: 'said',
    since: at,
    pinned: true,
    dormant: false,
    until: null,
  } as AgentMemory;
  const totals = { active: 2, dormant: 1, pinned: 1, dropped: 0, capacity: 100 };
  const refused = { number: 4, op: 'pin', memory_id: 'm-1', at, state: 'refused', reason: 'too_many_pins' } as const;
  const waiting = { number: 5, op: 'forget', memory_id: 'm-2', at, state: 'waiting', reason: null } as const;
  const done = { ...waiting, number: 3, state: 'done' } as const;
  const list = { memories: [memory], totals, next_cursor: 'abc', shown: 1, changes: [waiting, refused, done] };
  const lines = agentMemoryLines(list, NOW);
  assert.match(lines[0] ?? '', /\ne-1 +evidence +said +10m +pinned +Mia: I like .*tea\.$/);
  assert.ok(!lines.join('').includes('\u001b'));
  assert.deepEqual(lines.slice(1), [
    '1 listed; find others with search WORDS, or older ones with --cursor=abc',
    '3 of 100 memories in use',
    '2 of them are not copied here yet',
    'change 5 (forget m-2) waits for the agent',
    'change 4 (pin m-1) was refused: its people have 200 pins; unpin another one first',
  ]);
  const none = { memories: [], totals: null, next_cursor: null, shown: 0, changes: [] };
  assert.deepEqual(agentMemoryLines(none, NOW), ['the agent remembers nothing that you may know']);
  assert.deepEqual(agentMemoryLines({ changed: 'e-1 is forgotten' }, NOW), ['e-1 is forgotten']);
});
