import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool } from '../effects/tool.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { echo, outcomeOf, someJournals } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { calls, fails, hangs, says, scriptedModel, type ScriptedModel } from '../testing/scripted-model.ts';
import type { OfferPort } from './kit.ts';
import { modelCompaction } from './compaction.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';

const journals = someJournals();
const tools = [echo('find', 'read'), echo('walk', 'keyed'), echo('buy', 'keyed')];

/** Shows `find`, and the tools for which it was called. */
const offer: OfferPort = (_run, all, made) => {
  const found = made.filter(({ name }) => name === 'find').map((call) => String(JSON.parse(call.arguments).text));
  return all.filter(({ name }) => name === 'find' || found.includes(name));
};

const shownIn = ({ requests }: ScriptedModel): readonly string[] =>
  requests.map((request) => request.tools.map(({ name }) => name).join(' '));

test('a request shows the tools that the calls before it have earned, even after a restart', async () => {
  const path = journals.path();
  const before = openSqliteJournal(path);
  const first = scriptedModel([calls(['find', { text: 'walk' }]), hangs()]);
  const one = anEngine({ journal: before, model: first, tools, offer });
  const begun = await one.engine.start(aRequest({ run: 'r1' }));
  while (first.requests.length < 2) await setImmediate();
  await one.engine.release('r1', 'now');
  await outcomeOf(begun);
  before.close();
  const second = scriptedModel([says('Walked.')]);
  const other = anEngine({ journal: openSqliteJournal(path), model: second, tools, offer });
  await outcomeOf(other.engine.resume('r1'));
  assert.deepEqual([shownIn(first), shownIn(second)], [['find', 'find walk'], ['find walk']]);
});

test('a tool that is not shown can be called, and an unknown one is answered with those that are shown', async () => {
  const model = scriptedModel([calls(['buy', { text: 'bread' }], ['bash', {}]), says('Bought.')]);
  const { engine } = anEngine({ journal: journals.open(), model, tools, offer });
  await outcomeOf(await engine.start(aRequest()));
  const [, second] = model.requests;
  assert.equal(second?.messages.at(-2)?.content, 'buy: bread');
  assert.match(second?.messages.at(-1)?.content ?? '', /no tool bash\. Known: find\.$/);
});

test('after a summary the model still reads the newest list, and has the tools that it had found', async () => {
  const list = z.strictObject({ items: z.array(z.string()) });
  const todo = defineTool({
    name: 'todo',
    description: 'todo',
    effect: 'read',
    input: list,
    timeoutMs: 1_000,
    execute: async () => ({ kind: 'ok', text: 'Noted.' }),
    keeps: ({ items }) => `Your list: ${items.join(', ')}`,
  });
  const model = scriptedModel([
    calls(['todo', { items: ['bake'] }], ['find', { text: 'walk' }]),
    calls(['todo', { items: ['bake', 'sell'] }]),
    calls(['todo', { items: { no: 'list' } }]),
    fails('context_too_long', false),
    says('Ada bakes.'),
    fails('context_too_long', false),
    says('Ada still bakes.'),
    fails('context_too_long', false),
    says('Ada bakes and bakes.'),
    says('Done.'),
  ]);
  const compaction = modelCompaction(model);
  const clock = { ...SYSTEM_CLOCK, sleep: async () => {} };
  const { engine } = anEngine({ journal: journals.open(), model, tools: [...tools, todo], offer, compaction, clock });
  await outcomeOf(await engine.start(aRequest()));
  const last = model.requests.at(-1);
  const said = last?.messages.map(({ content }) => content).join('\n') ?? '';
  assert.match(said, /Summary of the conversation so far:[^]*Your list: bake, sell/);
  assert.ok(!said.includes('Your list: bake\n'), said);
  assert.deepEqual(
    last?.tools.map(({ name }) => name),
    ['find', 'walk'],
  );
});
