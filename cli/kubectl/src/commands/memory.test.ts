import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryEntry, RepositoryMemory } from '@hamlet/contract';
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
  });
  const relation = entryOf({ kind: 'relation', to: 'mill', type: 'in', observations: [], outside: true });
  const lines = entriesLines([entryOf({}), relation, note], 'x', NOW).split('\n');
  assert.match(lines[1] ?? '', /^m-000000000001 +ada +10m +no +a.*b$/);
  assert.ok(!lines.join('').includes('\u001b'));
  assert.match(lines[2] ?? '', /yes +oven in mill$/);
  assert.match(lines[3] ?? '', /no +oven \(thing\): It is hot\.$/);
  assert.equal(entriesLines([], 'git.example.org/none', NOW), 'git.example.org/none has no memory');
});
