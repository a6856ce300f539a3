/** Runs that must answer in the form of a schema. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventOf } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { payloadsOf } from '../journal/mirror-payloads.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { echo, outcomeOf, someJournals } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { BUDGETS } from '../testing/an-event.ts';
import { answers, calls, hangs, says, scriptedModel, type Step } from '../testing/scripted-model.ts';
import type { RunRequest } from './engine.ts';

const journals = someJournals();

const SCHEMA = {
  type: 'object',
  properties: { loaves: { type: 'integer', minimum: 1 }, id: { type: 'integer' }, name: { type: 'string' } },
  required: ['loaves'],
  additionalProperties: false,
};
const FITS = '{"loaves":3}';
const OUTPUT = { schema: SCHEMA, answers: 3 };

type Setting = Readonly<{ journal?: Journal; request?: Partial<RunRequest> }>;

async function run(steps: readonly Step[], { journal = journals.open(), request = {} }: Setting = {}) {
  const model = scriptedModel(steps);
  const { engine } = anEngine({ journal, model, tools: [echo('look', 'read')] });
  const outcome = await outcomeOf(await engine.start(aRequest({ run: 'r1', output: OUTPUT, ...request })));
  model.assertDone();
  const contents = model.requests.map(({ messages }) => messages.map(({ content }) => content));
  return { outcome, contents, model, journal, engine };
}

type Answered = EventOf<'model_answered'>;

/** The answers of the run as the journal has them. */
function answersIn(journal: Journal): readonly Answered[] {
  const found = journal.eventsOf('r1');
  return found.ok ? found.events.filter((event) => event.type === 'model_answered') : assert.fail(found.message);
}
const checksIn = (journal: Journal) =>
  answersIn(journal).map(({ output }) => (output === undefined ? null : { ...output, text: '' }));

const done = (text: string, output = FITS) => ({ kind: 'done', text, output });
const failed = (code: string, text: string) => ({ kind: 'failed', code, text, unsettled: [] });

test('the schema is the last part of the first message, and an answer that fits is done with its value', async () => {
  const { outcome, contents, journal } = await run([calls(['look', { text: 'x' }]), says(FITS)]);
  assert.deepEqual(outcome, done(FITS));
  const [asked = ''] = contents[1] ?? [];
  assert.match(asked, /^Hello\n\n\[Situation\]\nIt is noon\.\n\n\[Answer\]\nAnswer with one JSON value that fits this/);
  assert.ok(asked.endsWith(`\n${JSON.stringify(SCHEMA)}`));
  assert.deepEqual(checksIn(journal), [null, { code: null, text: '', repair: [] }]);
});

const REPAIRED: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    'prose and a fence',
    'Here it is:\n```json\n{"loaves": 3}\n```\nEnjoy!',
    FITS,
    ['taken_from_text', 'taken_from_fence'],
  ],
  ['single quotes and a comma', "{'loaves': 3,}", FITS, ['quotes_replaced', 'commas_removed']],
  ['a number as a text', '{"loaves":"3"}', FITS, ['text_to_number']],
  ['thoughts', '<think>Three?</think>{"loaves":3}', FITS, ['removed_thoughts']],
  ['digits beyond 2^53', '{"loaves":3,"id":12345678901234567890}', '{"loaves":3,"id":12345678901234567890}', []],
];

for (const [name, text, output, actions] of REPAIRED)
  test(`an answer that is almost JSON is repaired without another request: ${name}`, async () => {
    const { outcome, journal } = await run([says(text)]);
    assert.deepEqual(outcome, done(text, output));
    assert.deepEqual(checksIn(journal), [{ code: null, text: '', repair: actions }]);
  });

test('a wrong answer is asked for again with the exact error, and the right one ends the run', async () => {
  const { outcome, contents, journal } = await run([says('I baked three.'), says('{"loaves":0}'), says(FITS)]);
  assert.deepEqual(outcome, done(FITS));
  assert.match(contents[1]?.at(-1) ?? '', /^Your answer could not be used \(JSON_SYNTAX_ERROR\): .*Answer again/);
  assert.match(contents[2]?.at(-1) ?? '', /\(JSON_SCHEMA_MINOR_MISMATCH\): loaves: must be >= 1\. Answer again/);
  assert.deepEqual(contents[2]?.slice(1, 4), ['I baked three.', contents[1]?.at(-1), '{"loaves":0}']);
  assert.deepEqual(
    checksIn(journal).map((check) => check?.code),
    ['JSON_SYNTAX_ERROR', 'JSON_SCHEMA_MINOR_MISMATCH', null],
  );
});

test('a run whose answers never fit fails with its own code and keeps the last words; calls between them do not count as answers', async () => {
  const steps = [says('One.'), calls(['look', { text: 'x' }]), says('{"name":"Rye"}'), says('Three.')];
  const { outcome } = await run(steps);
  assert.deepEqual(outcome, failed('output_not_valid', 'Three.'));
});

test('the tries stay within the budgets of the run: its last report is not held to the schema', async () => {
  const budgets = { ...BUDGETS, steps: 3 };
  const { outcome, contents, journal } = await run([says('One.'), says('Two.'), says('I am at the end.')], {
    request: { budgets, output: { schema: SCHEMA, answers: 50 } },
  });
  assert.deepEqual(outcome, failed('budget_steps', 'I am at the end.'));
  assert.match(contents.at(-1)?.at(-1) ?? '', /This is the last answer, without tools/);
  assert.equal(checksIn(journal).at(-1), null);
});

test('an answer that is cut at the limit of tokens is read once all its parts are there', async () => {
  const cut = (content: string): Step => answers({ content, finish: 'length' });
  const { outcome, journal } = await run([cut('{"loaves'), answers({}), cut('":'), says('3}')]);
  assert.deepEqual(outcome, done(FITS));
  assert.deepEqual(
    checksIn(journal).map((check) => check?.code),
    [undefined, undefined, undefined, null],
  );
  const never = await run(Array.from({ length: 6 }, () => cut('{"name":"')));
  assert.equal(never.outcome.kind === 'failed' && never.outcome.code, 'answer_cut');
});

test('an answer that is too long is refused, before it is parsed and after', async () => {
  const long = JSON.stringify({ loaves: 3, name: 'x'.repeat(70_000) });
  // Each of these characters takes six in JSON.
  const longer = `{'loaves':3,'name':'${'\u0001'.repeat(20_000)}'}`;
  const { outcome, contents } = await run([says(long), says(longer), says(FITS)]);
  assert.deepEqual(outcome, done(FITS));
  for (const at of [1, 2]) assert.match(contents[at]?.at(-1) ?? '', /the answer has more than 65536 characters/);
});

test('an answer that looks like a call in words counts as an answer if it fits the schema', async () => {
  const call = '{"name":"look","arguments":{"text":"x"}}';
  const schema = { type: 'object', properties: { name: { const: 'look' } }, required: ['name'] };
  const { outcome } = await run([says(call)], { request: { output: { schema, answers: 1 } } });
  assert.deepEqual(outcome, done(call, call));
  const { outcome: other, contents } = await run([says(call), says(FITS)]);
  assert.deepEqual(other, done(FITS));
  assert.match(contents[1]?.at(-1) ?? '', /Your last answer was empty/);
});

test('after a crash the next engine knows the output of a closed run, and continues an open one with its schema', async () => {
  const path = journals.path();
  const first = await run([says('```\n{"loaves": 3}\n```')], { journal: openSqliteJournal(path) });
  first.journal.close();
  const journal = openSqliteJournal(path);
  const closed = anEngine({ journal, model: scriptedModel([]) }).engine.outcomeOf('r1');
  assert.deepEqual(closed, done('```\n{"loaves": 3}\n```'));
  // The first answer of this run is in the journal; its process ends before the next one.
  const ending: Step = (request, signal) => {
    setImmediate(() => void interrupted.engine.interrupt());
    return hangs()(request, signal);
  };
  const limits = { interruptGraceMs: 50 };
  const interrupted = anEngine({ journal, model: scriptedModel([says('No JSON.'), ending]), limits });
  const request = aRequest({ run: 'r2', conversation: 'c2', output: { schema: SCHEMA, answers: 2 } });
  assert.equal((await outcomeOf(await interrupted.engine.start(request))).kind, 'waiting');
  journal.close();
  const again = openSqliteJournal(path);
  const model = scriptedModel([says('{"loaves":4}')]);
  const outcome = await outcomeOf(anEngine({ journal: again, model }).engine.resume('r2'));
  assert.deepEqual(outcome, done('{"loaves":4}', '{"loaves":4}'));
  assert.match(model.requests[0]?.messages.at(-1)?.content ?? '', /could not be used \(JSON_SYNTAX_ERROR\)/);
  again.close();
});

test('a mirror gets the schema and the value with the events', async () => {
  const { journal } = await run([says('```\n{"loaves": 3}\n```')]);
  const found = journal.eventsOf('r1');
  const texts = (found.ok ? found.events : []).flatMap((event) => payloadsOf(journal, event).map(({ text }) => text));
  assert.ok(texts.includes(JSON.stringify(SCHEMA)) && texts.includes(FITS), texts.join('\n'));
});

test('the next run of the conversation reads the answers, but neither the schema nor its form', async () => {
  const { journal } = await run([says('No JSON.'), says(FITS)]);
  const model = scriptedModel([says('Fine.')]);
  const { engine } = anEngine({ journal, model });
  assert.deepEqual(await outcomeOf(await engine.start(aRequest({ run: 'r2' }))), { kind: 'done', text: 'Fine.' });
  const [asked, , , , now] = model.requests[0]?.messages.map(({ content }) => content) ?? [];
  assert.deepEqual([asked, now], ['Hello', 'Hello\n\n[Situation]\nIt is noon.']);
});
