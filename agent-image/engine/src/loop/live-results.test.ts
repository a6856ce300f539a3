/** Results of tools reach the next request: images, within the room of the context, from a list of tools that may change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Tool } from '../effects/tool.ts';
import { aTool, echo, outcomeOf, someJournals } from '../testing/a-tool.ts';
import type { ModelPort } from './ports.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { BUDGETS } from '../testing/an-event.ts';
import { calls, says, scriptedModel } from '../testing/scripted-model.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const journals = someJournals();
const IMAGE = { mediaType: 'image/png' as const, data: 'aGVyZQ==' };

test('an image of a result is a part of the next request', async () => {
  const look = aTool({ name: 'look', effect: 'read' }, async () => ({ kind: 'ok', text: 'a.png', images: [IMAGE] }));
  const model = scriptedModel([calls(['look', { text: 'a.png' }]), says('A mill.')]);
  const { engine } = anEngine({ journal: journals.open(), model, tools: [look] });
  assert.equal((await outcomeOf(await engine.start(aRequest()))).kind, 'done');
  const last = model.requests[1]?.messages.at(-1);
  assert.deepEqual(last?.role === 'tool' && last.images, [IMAGE]);
});

test('a run holds only the images that its requests show', async () => {
  const look = aTool({ name: 'look', effect: 'read' }, async ({ text }) => {
    const images = [{ ...IMAGE, data: text.padEnd(1_000_000, 'A') }];
    return { kind: 'ok', text, images };
  });
  const heap = (): number => {
    gc();
    return process.memoryUsage().heapUsed;
  };
  const [before, turns] = [heap(), 40];
  let [asked, held] = [0, 0];
  const chat: ModelPort['chat'] = (request, signal) => {
    asked += 1;
    if (asked > turns) held = heap() - before;
    return (asked > turns ? says('Done.') : calls(['look', { text: String(asked) }]))(request, signal);
  };
  const { engine } = anEngine({ journal: journals.open(), model: { chat }, tools: [look] });
  const budgets = { ...BUDGETS, steps: 100 };
  assert.equal((await outcomeOf(await engine.start(aRequest({ budgets })))).kind, 'done');
  assert.ok(held < 20 << 20, `${held} bytes of ${turns} images of 1 MB`);
});

test('a call knows the room for its result, and a longer result loses its middle', async () => {
  const rooms: (number | undefined)[] = [];
  const long = aTool({ name: 'long', effect: 'read' }, async (_input, { roomChars }) => {
    rooms.push(roomChars);
    return { kind: 'ok', text: 'x'.repeat(20_000) };
  });
  const model = scriptedModel([calls(['long', { text: '' }]), says('Done.')]);
  const compaction = { contextTokens: () => 4_000, summarize: () => assert.fail('unused') };
  const { engine } = anEngine({ journal: journals.open(), model, tools: [long], compaction });
  assert.equal((await outcomeOf(await engine.start(aRequest()))).kind, 'done');
  const [room = 0] = rooms;
  assert.ok(room >= 2_000 && room <= 6_000, `${room}`);
  const content = model.requests[1]?.messages.at(-1)?.content ?? '';
  assert.ok(content.length <= room);
  assert.match(content, /^x+\n\[… \d+ characters left out …\]\nx+$/);
});

test('the results of many calls in one answer share the room, so that the model reads all of them', async () => {
  const rooms: number[] = [];
  for (const effect of ['read', 'once'] as const) {
    const long = aTool({ name: 'long', effect }, async (_input, { roomChars = 0 }) => {
      rooms.push(roomChars);
      return { kind: 'ok', text: 'x'.repeat(60_000) };
    });
    const many = Array.from({ length: 24 }, (_, at) => ['long', { text: String(at) }] as const);
    const model = scriptedModel([calls(...many), says('Done.')]);
    const compaction = { contextTokens: () => 64_000, summarize: () => assert.fail('unused') };
    const { engine } = anEngine({ journal: journals.open(), model, tools: [long], compaction });
    assert.equal((await outcomeOf(await engine.start(aRequest()))).kind, 'done');
    const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    assert.equal(results.length, 24);
    assert.ok(results.reduce((sum, { content }) => sum + content.length, 0) <= 64_000 * 0.5 * 3);
  }
  assert.equal(rooms.length, 48);
});

test('tools that come later are in the next request, and can be called', async () => {
  let tools: readonly Tool[] = [echo('look', 'read')];
  const grow = aTool({ name: 'grow', effect: 'read' }, async () => {
    tools = [...tools, echo('late', 'read')];
    return { kind: 'ok', text: 'grown' };
  });
  tools = [...tools, grow];
  const model = scriptedModel([calls(['grow', { text: '' }]), calls(['late', { text: 'here' }]), says('Done.')]);
  const { engine } = anEngine({
    journal: journals.open(),
    model,
    get tools() {
      return tools;
    },
  });
  assert.equal((await outcomeOf(await engine.start(aRequest()))).kind, 'done');
  assert.deepEqual(
    model.requests.map((request) => request.tools.map(({ name }) => name)),
    [
      ['look', 'grow'],
      ['look', 'grow', 'late'],
      ['look', 'grow', 'late'],
    ],
  );
  assert.match(model.requests[2]?.messages.at(-1)?.content ?? '', /late: here/);
});
