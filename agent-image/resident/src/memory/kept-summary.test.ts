/** Summaries of conversations as memory: who may recall them, where, and what forgets them. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Run } from '@hamlet/contract';
import { openMemory } from '@hamlet/engine/memory';
import { atEnd, testFolder } from '@hamlet/test/env/at-end';
import { createRunBook } from '../engine/run-book.ts';
import { createRunMemory } from '../runs/run-memory.ts';
import { wordsOfRun } from '../runs/words-of-run.ts';
import { aRun } from '../testing/a-village.ts';
import { ok } from '../testing/scripted-village.ts';
import { wholeSentences } from './kept-summary.ts';
import { createOwnMemory } from './own-memory.ts';
import { lineOf } from './remembered.ts';

const root = testFolder('kept-summary');
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const SUMMARY = 'Mia decided to bake rye with the sourdough of the abbey. The oven needs 240 degrees.';

interface Said {
  readonly names: readonly string[];
  readonly prompt: string;
  readonly summary?: string;
  readonly session?: number | null;
  readonly safe?: boolean;
}

/** An agent whose runs end with words and a summary. `tainted`: the API marks the memories of each run. */
function anAgent({ tainted = false } = {}) {
  const store = openMemory({ dir: join(mkdtempSync(join(root, 'agent-')), 'store') });
  atEnd(async () => store.close());
  const own = createOwnMemory(store);
  const book = createRunBook();
  const memory = createRunMemory({
    ownMemory: own,
    catchUp: async () => true,
    work: {
      noteMemories: async (_run, _lease, { written }) => ok({ tainted: tainted ? [...written] : [], forgotten: [] }),
    },
    book,
    log: { warn: (_event, fields) => assert.fail(JSON.stringify(fields)) },
    stop: new AbortController().signal,
    rest: async () => {},
    random: () => 0,
  });
  let runs = 0;
  /** Runs since the last summary; the engine names those before it too. */
  const earlier: string[] = [];
  const end = async ({ names, prompt, summary, session = 91, safe = false }: Said): Promise<string> => {
    const people = names.map((name) => ({ id: `account ${name}`, name }));
    const run: Run = aRun(prompt, {
      run_id: idOf((runs += 1)),
      session_id: session === null ? null : idOf(session),
      created_by: { role: 'member', id: people[0]?.id ?? '' },
      ...(safe && { safe_mode: 'analysis_only' as const }),
    });
    const conversation = run.session_id ?? run.run_id;
    const audience = people.map(({ id }) => id);
    book.open({ runId: run.run_id, audience } as unknown as Parameters<typeof book.open>[0]);
    if (summary !== undefined)
      memory.summarized({
        id: `${runs}`.repeat(64).slice(0, 64),
        text: summary,
        conversation,
        run: run.run_id,
        earlier: earlier.splice(0),
      });
    earlier.push(run.run_id);
    const held = { run, session: session === null ? null : { session_id: idOf(session), people, repository: null } };
    const ended = { state: 'done', answer: 'The flour is ground.' } as const;
    await memory.keep(run.run_id, wordsOfRun({ ...held, repository: null }, ended));
    book.close(run.run_id);
    return run.run_id;
  };
  const recalled = async (session: number, ...names: readonly string[]): Promise<string> => {
    const reader = { present: names.map((name) => `account ${name}`), repository: null };
    const { memories } = await own.recall('How hot is the oven for the sourdough of the abbey?', reader, idOf(session));
    return memories.map(lineOf).join('\n');
  };
  return { store, own, end, recalled };
}

test('a summary is recalled in other conversations only, and only for its people', async () => {
  const { end, recalled } = anAgent();
  await end({ names: ['Mia'], prompt: 'Shall we bake?', summary: SUMMARY });
  assert.match(await recalled(92, 'Mia'), /- Summary of a conversation: Mia decided/);
  assert.doesNotMatch(await recalled(91, 'Mia'), /Summary/, 'in its own conversation');
  assert.doesNotMatch(await recalled(92, 'Noah'), /oven/);
  assert.doesNotMatch(await recalled(92, 'Mia', 'Noah'), /oven/);
});

test('the next summary of a conversation replaces the previous one', async () => {
  const { store, end, recalled } = anAgent();
  await end({ names: ['Mia'], prompt: 'Shall we bake?', summary: SUMMARY });
  await end({ names: ['Mia'], prompt: 'Hotter!', summary: 'Mia bakes rye. The oven of the abbey needs 260 degrees.' });
  const text = await recalled(92, 'Mia');
  assert.match(text, /260 degrees/);
  assert.doesNotMatch(text, /240 degrees/);
  const facts = store.list({ audience: 'keeper', kind: 'fact' }).memories;
  assert.equal(facts.length, 2, 'the first one stays as its history');
});

test('forgetting a message forgets every summary made from it', async () => {
  const { store, own, end } = anAgent();
  const first = await end({ names: ['Mia'], prompt: 'Shall we bake?', summary: SUMMARY });
  await end({ names: ['Mia'], prompt: 'Hotter!', summary: 'Mia bakes rye. The oven needs 260 degrees.' });
  own.forget(`e-${first}-0`, { present: ['account Mia'], repository: null });
  assert.deepEqual(store.list({ audience: 'keeper', kind: 'fact' }).memories, []);
});

test('forgetting the first message of a long conversation forgets its summary', async () => {
  const { store, own, end } = anAgent();
  const first = await end({ names: ['Mia'], prompt: 'Shall we bake?' });
  for (let number = 1; number < 50; number += 1) await end({ names: ['Mia'], prompt: `Bake loaf number ${number}.` });
  await end({ names: ['Mia'], prompt: 'Hotter!', summary: SUMMARY });
  assert.equal(store.stats().facts, 1);
  own.forget(`e-${first}-0`, { present: ['account Mia'], repository: null });
  assert.equal(store.stats().facts, 0);
});

test('a summary of words that were forgotten before it, or of an earlier summary of them, is not kept', async () => {
  const { store, own, end } = anAgent();
  const mia = { present: ['account Mia'], repository: null };
  const first = await end({ names: ['Mia'], prompt: 'Shall we bake with the sourdough of the abbey?' });
  own.forget(`e-${first}-0`, mia);
  await end({ names: ['Mia'], prompt: 'Is it hot?', summary: SUMMARY });
  assert.equal(store.stats().facts, 0);
  const second = await end({ names: ['Mia'], prompt: 'Let us bake rye bread.', summary: SUMMARY, session: 93 });
  assert.equal(store.stats().facts, 1);
  own.forget(`e-${second}-0`, mia);
  for (const more of ['It gets hot.', 'It is hot.'])
    await end({ names: ['Mia'], prompt: `Hotter! ${more}`, summary: `${SUMMARY} ${more}`, session: 93 });
  assert.equal(store.stats().facts, 0);
});

test('a person who joins later learns nothing from a summary of earlier words', async () => {
  const { end, recalled } = anAgent();
  await end({ names: ['Mia'], prompt: 'Shall we bake?' });
  await end({ names: ['Mia', 'Noah'], prompt: 'Noah joins us.', summary: SUMMARY });
  assert.doesNotMatch(await recalled(92, 'Noah'), /oven/);
  assert.match(await recalled(92, 'Mia'), /oven/);
});

test('a summary of work outside of sessions belongs to its giver; a run in a safe mode leaves none', async () => {
  const { store, end, recalled } = anAgent();
  await end({ names: ['Mia'], prompt: 'Bake!', summary: SUMMARY, session: null, safe: true });
  assert.deepEqual(store.list({ audience: 'keeper' }).memories, []);
  const run = await end({ names: ['Mia'], prompt: 'Bake!', summary: SUMMARY, session: null });
  assert.match(await recalled(92, 'Mia'), /Summary of a conversation/);
  const [fact] = store.list({ audience: 'keeper', kind: 'fact' }).memories;
  assert.deepEqual(fact?.kind === 'fact' && fact.provenance, [`d-${run}`]);
});

test('a summary of a tainted run does not enter a prompt unasked', async () => {
  const { own, end, recalled } = anAgent({ tainted: true });
  await end({ names: ['Mia'], prompt: 'Shall we bake?', summary: SUMMARY });
  assert.doesNotMatch(await recalled(92, 'Mia'), /Summary/);
  const found = await own.search('oven degrees', { present: ['account Mia'], repository: null }, 5);
  assert.equal(found.find(({ kind }) => kind === 'fact')?.taint, 'outside');
});

for (const [text, most, kept] of [
  ['One. Two.', 9, 'One. Two.'],
  ['One. Two.', 8, 'One.'],
  ['One. Two three', 9, 'One.'],
  ['Version 1.5 is out! It is fast.', 22, 'Version 1.5 is out!'],
  ['Open:\n1. The oven\n2. The mill', 20, 'Open:\n1. The oven'],
  ['He said “Go.” Then he went.', 15, 'He said “Go.”'],
  ['One long sentence', 8, 'One lon…'],
] as const)
  test(`“${text}” in ${most} characters is “${kept}”`, () => assert.equal(wholeSentences(text, most), kept));
