import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Journal } from '../journal/journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { aTool, outcomeOf, someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { calls, fails, hangs, says, scriptedModel, type Step } from '../testing/scripted-model.ts';
import { modelCompaction } from './compaction.ts';
import type { Notice } from './kit.ts';
import type { KeptSummary, ModelPort, ModelRequest, Summary } from './ports.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';

const journals = someJournals();

const MAX_CHARS = 9_000;
const CALLS = 12;
const CONSTRAINT = 'Never touch the oven of Bob.';
const FOLDED = 'Looked at the first places.';

const isSummary = ({ system }: ModelRequest): boolean => system.stable.startsWith('Summarize');
const sizeOf = ({ messages }: ModelRequest): number => messages.reduce((sum, { content }) => sum + content.length, 0);
const clock = { ...SYSTEM_CLOCK, sleep: async () => {} };

type Model = ModelPort & { readonly requests: ModelRequest[]; readonly summaries: ModelRequest[] };

/** A model with a small context window. It looks around until it has seen enough places, and counts them in the request. */
function aModel(seen: readonly string[], summary: Step = says(FOLDED)): Model {
  const [requests, summaries]: [ModelRequest[], ModelRequest[]] = [[], []];
  return {
    requests,
    summaries,
    chat: (request, signal) => {
      if (isSummary(request)) {
        summaries.push(request);
        return summary(request, signal);
      }
      requests.push(request);
      if (sizeOf(request) > MAX_CHARS) return fails('context_too_long', false)(request, signal);
      const step = seen.length < CALLS ? calls(['look', { text: `place ${seen.length}` }]) : says('I saw them all.');
      return step(request, signal);
    },
  };
}

function aWorld() {
  const seen: string[] = [];
  const look = aTool({ name: 'look', effect: 'keyed' }, async ({ text }) => {
    seen.push(text);
    return { kind: 'ok', text: `${text}: ${'x'.repeat(1_500)}` };
  });
  return { seen, tools: [look] };
}

/** Each call of a request is followed directly by its result, as providers demand. */
function checkPairs({ messages }: ModelRequest): void {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant')
      for (const [place, call] of message.toolCalls.entries()) {
        const result = messages[index + 1 + place];
        assert.ok(result?.role === 'tool' && result.callId === call.id, 'a call without its result');
      }
    if (message.role === 'tool') assert.notEqual(messages[index - 1]?.role, 'user', 'a result without its call');
  }
}

async function talkBefore(journal: Journal): Promise<void> {
  const model: ModelPort = { chat: (request, signal) => says('I will not.')(request, signal) };
  await outcomeOf(await anEngine({ journal, model }).engine.start(aRequest({ run: 'r0', input: CONSTRAINT })));
}

test("a run that outgrows the model continues with summaries; calls keep their results, people's messages stay verbatim, and the journal keeps everything", async () => {
  const journal = journals.open();
  await talkBefore(journal);
  const { seen, tools } = aWorld();
  const model = aModel(seen);
  const { engine } = anEngine({ journal, model, tools, clock, compaction: modelCompaction(model) });
  const outcome = await outcomeOf(await engine.start(aRequest({ run: 'r1', input: 'Look at all places.' })));
  assert.deepEqual(outcome, { kind: 'done', text: 'I saw them all.' });
  assert.equal(new Set(seen).size, CALLS);
  assert.equal(seen.length, CALLS, 'no call ran twice');
  model.requests.forEach(checkPairs);
  const last = model.requests.at(-1)?.messages ?? [];
  assert.match(
    last[0]?.content ?? '',
    new RegExp(
      `word for word:\n- ${CONSTRAINT}[^]*${FOLDED}\n\nLook at all places.\n\n\\[Situation\\]\nIt is noon.\n\n\\[Left: 90 answers, [^\\]]+\\]$`,
    ),
  );
  for (const { messages } of model.requests)
    assert.ok(
      messages.every(
        ({ role }, index) => role !== 'user' || !['user', 'tool'].includes(messages[index - 1]?.role ?? ''),
      ),
      'strict templates want an answer before each message of a person',
    );
  const summaries = typesOf(journal, 'r1').filter((type) => type === 'turns_compacted').length;
  assert.ok(summaries >= 1 && summaries === model.summaries.length);
  const prefixes = new Set(model.requests.map(({ messages, system }) => `${system.stable} ${messages[0]?.content}`));
  assert.ok(prefixes.size <= summaries + 1, 'between two summaries the start of the request stays the same');
  const found = journal.eventsOf('r1');
  const results = found.ok
    ? found.events.flatMap((event) => (event.type === 'tool_settled' ? [event.result] : []))
    : [];
  assert.ok(results.every((ref) => journal.textOf(ref) !== null));
  assert.equal(engine.spentOf('r1')?.tokens, 15 * (CALLS + 1 + summaries + failuresIn(journal)));
});

const failuresIn = (journal: Journal): number =>
  typesOf(journal, 'r1').filter((type) => type === 'model_failed').length;

/** Copies the facts of what it is sent, newest last, as far as its answer has room. */
const copying: Step = (request, signal) => {
  const facts = request.messages[0]?.content.match(/place \d+ has \w+/g) ?? [];
  return says([...new Set(facts)].join('; ').slice(-2_000))(request, signal);
};

for (const known of [false, true])
  test(`after several summaries the model still has each fact; each summary covers many turns, context ${known ? 'known' : 'unknown'}`, async () => {
    const places = 30;
    const seen: string[] = [];
    const look = aTool({ name: 'look', effect: 'keyed' }, async ({ text }) => {
      seen.push(text);
      return { kind: 'ok', text: `${'x'.repeat(600)} ${text} has fact${text.slice(-2).trim()} ${'y'.repeat(600)}` };
    });
    const base = aModel(seen, copying);
    const model: Model = {
      ...base,
      chat: async function* (request, signal) {
        const isDone = !isSummary(request) && seen.length >= places && sizeOf(request) <= MAX_CHARS;
        const goesOn = !isSummary(request) && seen.length < places && sizeOf(request) <= MAX_CHARS;
        if (goesOn || isDone) base.requests.push(request);
        const step = isDone ? says('Done.') : goesOn ? calls(['look', { text: `place ${seen.length}` }]) : null;
        for await (const part of step === null ? base.chat(request, signal) : step(request, signal))
          yield part.type === 'delta' ? part : { ...part, usage: usageOf(request) };
      },
    };
    const compaction = modelCompaction(model, () => (known ? Math.floor(MAX_CHARS / 3) : null));
    const { engine } = anEngine({ journal: journals.open(), model, tools: [look], clock, compaction });
    assert.equal((await outcomeOf(await engine.start(aRequest({ run: 'r1' })))).kind, 'done');
    const { length: summaries } = model.summaries;
    assert.ok(summaries >= 3 && summaries <= places / 3, `${summaries} summaries of ${places} turns`);
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    const lost = Array.from({ length: places }, (_, place) => place).filter(
      (place) => !last.includes(`place ${place} has`),
    );
    assert.deepEqual(lost, []);
  });

const usageOf = (request: ModelRequest) => ({ prompt: Math.ceil(sizeOf(request) / 3), completion: 5, total: 5 });

test('a result that would overflow the context is noticed before it is sent, also in the first request of a run', async () => {
  const journal = journals.open();
  const sizes: number[] = [];
  const model: ModelPort = {
    chat: async function* (request, signal) {
      if (!isSummary(request)) sizes.push(sizeOf(request));
      const isFirst = request.messages.every(({ role }) => role !== 'tool');
      const step = isSummary(request)
        ? says('Read and answered.')
        : isFirst
          ? calls(['read', { text: 'x' }])
          : says('word '.repeat(200));
      for await (const part of step(request, signal))
        yield part.type === 'delta' ? part : { ...part, usage: usageOf(request) };
    },
  };
  const read = aTool({ name: 'read', effect: 'read' }, async () => ({ kind: 'ok', text: 'z'.repeat(4_000) }));
  const compaction = modelCompaction(model, () => 3_000);
  const { engine } = anEngine({ journal, model, tools: [read], clock, compaction });
  for (let run = 0; run < 8; run += 1) await outcomeOf(await engine.start(aRequest({ input: `question ${run}` })));
  assert.ok(Math.max(...sizes) <= 9_000, `the longest request has ${Math.max(...sizes)} characters`);
});

test('with a known context window the summary is made before the model refuses', async () => {
  const { seen, tools } = aWorld();
  const model = aModel(seen);
  const counting: ModelPort = {
    chat: async function* (request, signal) {
      for await (const part of model.chat(request, signal))
        yield part.type === 'answer' ? { ...part, usage: { prompt: sizeOf(request), completion: 0, total: 0 } } : part;
    },
  };
  const journal = journals.open();
  const compaction = modelCompaction(counting, () => MAX_CHARS);
  const { engine } = anEngine({ journal, model: counting, tools, clock, compaction });
  assert.equal((await outcomeOf(await engine.start(aRequest({ run: 'r1' })))).kind, 'done');
  assert.equal(failuresIn(journal), 0);
  assert.ok(model.summaries.length > 0);
});

test('a summary that fails or has no words costs its run, and the run that it works for, what it used', async () => {
  for (const failed of [undefined, 'overloaded']) await spendsOnSummaries(failed === undefined ? {} : { failed });
});

async function spendsOnSummaries(how: Pick<Summary, 'failed'>): Promise<void> {
  const { tools } = aWorld();
  const summaries: string[] = [];
  const compaction = {
    contextTokens: () => 100,
    summarize: async (text: string) => {
      summaries.push(text);
      return { text: ' ', tokens: 9_000, moneyMicros: 500, ...how };
    },
  };
  const model = scriptedModel([hangs(), calls(['look', { text: 'x' }]), says('Done.')]);
  const { engine } = anEngine({ journal: journals.open(), model, tools, clock, compaction });
  const parent = await engine.start(aRequest({ run: 'r1' }));
  const worker = await engine.start(aRequest({ run: 'r2', conversation: 'c2', parent: { run: 'r1', call: '1.0' } }));
  const outcome = await outcomeOf(worker);
  const spent = ['r1', 'r2'].map((run) => engine.spentOf(run));
  await outcomeOf(engine.cancel('r1'));
  assert.ok(parent.ok && outcome.kind === 'done' && summaries.length > 0);
  const made = { tokens: summaries.length * 9_000 + 30, moneyMicros: summaries.length * 500 + 2 };
  for (const each of spent) assert.partialDeepStrictEqual(each, made);
}

test('an engine that ends during a summary leaves none; the next engine makes it, and later ones reuse it', async () => {
  const path = journals.path();
  const { seen, tools } = aWorld();
  const stuck = aModel(seen, hangs());
  const first = openSqliteJournal(path);
  const before = anEngine({ journal: first, model: stuck, tools, clock, compaction: modelCompaction(stuck) });
  await before.engine.start(aRequest({ run: 'r1' }));
  while (stuck.summaries.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const [done, types] = [seen.length, typesOf(first, 'r1')];
  // The process ends without warning.
  first.close();
  const second = openSqliteJournal(path);
  assert.deepEqual(typesOf(second, 'r1'), types);
  const model = aModel(seen, says(FOLDED));
  const limits = { interruptGraceMs: 20 };
  const notify = (notice: Notice): void => {
    if (notice.type === 'event' && notice.event.type === 'turns_compacted') void next.engine.release('r1', 'now');
  };
  const next = anEngine({ journal: second, model, tools, clock, compaction: modelCompaction(model), limits, notify });
  await outcomeOf(next.engine.resume('r1'));
  assert.equal(model.summaries.length, 1);
  assert.equal(seen.length, done, 'a summary never starts a call');
  second.close();
  const third = openSqliteJournal(path);
  const last = aModel(seen);
  const { engine } = anEngine({ journal: third, model: last, tools, clock, compaction: modelCompaction(last) });
  assert.equal((await outcomeOf(engine.resume('r1'))).kind, 'done');
  assert.match(last.requests[0]?.messages[0]?.content ?? '', new RegExp(FOLDED));
  assert.equal(seen.length, CALLS);
});

test('if nothing can be shortened, the run fails with the reason', async () => {
  const tooLong: ModelPort = { chat: (request, signal) => fails('context_too_long', false)(request, signal) };
  const { engine } = anEngine({
    journal: journals.open(),
    model: tooLong,
    clock,
    compaction: modelCompaction(tooLong),
  });
  const outcome = await outcomeOf(await engine.start(aRequest({ input: 'x'.repeat(9_999) })));
  assert.deepEqual(outcome, { kind: 'failed', code: 'model_context_too_long', text: '', unsettled: [] });
});

for (const [name, step] of [
  ['fails', fails('overloaded', true)],
  ['is too short', says('OK.')],
] as const)
  test(`a summary that ${name} is not used: once the model refuses the request, an extract of the work stands for it`, async () => {
    const journal = journals.open();
    const seen: string[] = [];
    const read = aTool({ name: 'look', effect: 'keyed' }, async ({ text }) => {
      seen.push(text);
      return { kind: 'ok', text: `${text} has the key K-${1_000 + seen.length}-Z ${'x'.repeat(1_500)}` };
    });
    const model = aModel(seen, step);
    const { engine, notices } = anEngine({ journal, model, tools: [read], clock, compaction: modelCompaction(model) });
    const outcome = await outcomeOf(await engine.start(aRequest({ run: 'r1', input: CONSTRAINT })));
    assert.deepEqual(outcome, { kind: 'done', text: 'I saw them all.' });
    model.requests.forEach(checkPairs);
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    for (let key = 1; key <= CALLS; key += 1) assert.match(last, new RegExp(`K-${1_000 + key}-Z`));
    assert.ok(notices.some((notice) => notice.type === 'problem' && notice.where === 'compaction'));
  });

const OVEN = 'Please bake rye bread for Bob, with flour from the mill near the lake.';
const BREAD = 'I baked rye bread for Bob: four kilos of flour from the mill make six loaves of rye bread.';
const ANOTHER = 'Why does the deployment of the payment server fail with certificate errors?';

test('a message that begins a new topic in a half-filled context folds the old topic, and the summary is kept as memory', async () => {
  const journal = journals.open();
  const kept: KeptSummary[] = [];
  const memory = { recall: async () => ['likes tea'], keep: async (summary: KeptSummary) => void kept.push(summary) };
  const begun: ModelRequest[] = [];
  const model: ModelPort = {
    chat: (request, signal) => {
      if (!isSummary(request)) begun.push(request);
      return says(isSummary(request) ? 'The agent baked six loaves of rye bread for Bob.' : BREAD)(request, signal);
    },
  };
  const run = async (input: string, contextTokens: number): Promise<string> => {
    const compaction = modelCompaction(model, () => contextTokens);
    const { engine } = anEngine({ journal, model, memory, clock, compaction });
    await outcomeOf(await engine.start(aRequest({ run: `r${begun.length}`, input })));
    return JSON.stringify(begun.at(-1)?.messages);
  };
  for (const text of [OVEN, `Again, ${OVEN}`]) await run(text, 300);
  assert.match(
    await run('How many kilos of flour do loaves of rye bread for Bob take?', 300),
    /six loaves of rye bread\."/,
  );
  assert.equal(kept.length, 0, 'the topic is the same');
  assert.doesNotMatch(await run(ANOTHER, 3_000), /Summary/, 'there is room');
  const folded = await run('Translate the menu of our little coffee bar into Spanish.', 400);
  assert.match(
    folded,
    /^\[\{"role":"user","content":"Summary of the conversation so far:[^]*six loaves[^]*Spanish\.[^]*likes tea/,
  );
  assert.equal(kept.length, 1);
  assert.equal(kept[0]?.text, 'The agent baked six loaves of rye bread for Bob.');
  assert.deepEqual(Object.keys(kept[0] ?? {}).toSorted(), ['conversation', 'earlier', 'id', 'run', 'text']);
  assert.deepEqual(kept[0]?.earlier, ['r0', 'r1', 'r2', 'r3']);
  const events = journal.eventsOf(kept[0]?.run ?? '');
  const built = events.ok
    ? events.events.flatMap((event) => (event.type === 'context_built' ? [event.parts] : []))
    : [];
  assert.deepEqual(
    built.map((parts) => parts.map(({ source }) => source)),
    [['instructions', 'summary', 'message', 'situation', 'memory']],
  );
});

test('before a run a conversation that does not fit keeps its newest runs whole, and loses results before words', async () => {
  const journal = journals.open();
  const look = aTool({ name: 'look', effect: 'read' }, async () => ({ kind: 'ok', text: 'z'.repeat(2_400) }));
  const model: Model = aModel([]);
  const chatty: ModelPort = {
    chat: (request, signal) => {
      model.requests.push(request);
      const hasCalled = request.messages.at(-1)?.role === 'tool';
      return (hasCalled ? says('It is all right.') : calls(['look', { text: 'x' }]))(request, signal);
    },
  };
  const compaction = { contextTokens: () => 2_000, summarize: async () => ({ text: '', tokens: 1, moneyMicros: 0 }) };
  const { engine } = anEngine({ journal, model: chatty, tools: [look], clock, compaction });
  for (const run of ['r1', 'r2', 'r3', 'r4'])
    await outcomeOf(await engine.start(aRequest({ run, input: `ask ${run}` })));
  const messages = model.requests.at(-2)?.messages ?? [];
  model.requests.forEach(checkPairs);
  const words = messages.flatMap(({ role, content }) => (role === 'user' ? [content.slice(0, 6)] : []));
  assert.deepEqual(words, ['ask r1', 'ask r2', 'ask r3', 'ask r4']);
  const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [content.length] : []));
  assert.ok((results[0] ?? 0) < 2_400, `${results}`);
  assert.deepEqual(results.slice(1), [2_400, 2_400]);
  const found = journal.eventsOf('r4');
  const [built] = found.ok
    ? found.events.flatMap((event) => (event.type === 'context_built' ? [event.parts] : []))
    : [];
  assert.deepEqual(
    built?.flatMap(({ source, run, form }) => (source === 'history' ? [`${run} ${form}`] : [])),
    ['r1 shortened', 'r2 whole', 'r3 whole'],
  );
});
