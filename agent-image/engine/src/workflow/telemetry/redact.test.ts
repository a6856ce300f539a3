import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTelemetryEvent, TELEMETRY_TYPES } from '../testing/a-telemetry-event.ts';
import { diceOf, seedOf, type Dice } from '../../testing/dice.ts';
import { TelemetryEvent } from './event.ts';
import type { Json } from './payload.ts';
import { createRedactor, type Redaction, type Redactor } from './redact.ts';

const CASES = 500;
const SECRETS = [
  'hunter2-hunter2',
  'sk-"quoted"\\n\nvalue',
  'hunter2-hunter2-longer',
  '$(.*)+[a]|^x',
  'pass word/with?signs',
];

function redactor(parts: Partial<Redaction>): Redactor {
  const made = createRedactor({ paths: [], secrets: [], ...parts });
  return made.ok ? made.redact : assert.fail(made.problems.join());
}

const inputAfter = (paths: readonly string[], input: Json): unknown => {
  const event = redactor({ paths })(aTelemetryEvent('task_created', { input }));
  return event.type === 'task_created' ? event.input : assert.fail(event.type);
};

test('a path hides one field, and a star every key and index', () => {
  const input = { user: { name: 'Ada', token: 't' }, list: [{ token: 1 }, { token: 2 }], token: 'top' };
  assert.deepEqual(inputAfter(['input.user.token'], input), {
    ...input,
    user: { name: 'Ada', token: '[redacted]' },
  });
  assert.deepEqual(inputAfter(['input.list.*.token'], input), {
    ...input,
    list: [{ token: '[redacted]' }, { token: '[redacted]' }],
  });
  assert.deepEqual(inputAfter(['input.list.1.token', 'input.token'], input), {
    ...input,
    list: [{ token: 1 }, { token: '[redacted]' }],
    token: '[redacted]',
  });
  assert.equal(inputAfter(['input'], input), '[redacted]');
  assert.deepEqual(inputAfter(['*.user'], input), { ...input, user: '[redacted]' });
  assert.deepEqual(inputAfter(['output.user', 'input.absent.deep', 'input.token.deeper'], input), input);
});

test('a path that can hide nothing is a problem', () => {
  for (const path of [
    '',
    'input..x',
    '.input',
    'run',
    'usage.total_tokens',
    'x'.repeat(3),
    Array(40).fill('*').join('.'),
  ])
    assert.equal(createRedactor({ paths: [path], secrets: [] }).ok, false, path);
});

test('a short secret is ignored, because it is a part of ordinary words', () => {
  const event = aTelemetryEvent('error', { message: 'The tool ended.' });
  assert.deepEqual(redactor({ secrets: ['tool', 'ended.'] })(event), event);
});

test('a secret that equals a word of a closed list leaves that word alone', () => {
  const secrets = ['stage_finished', 'permission', 'completed', 'total_tokens', 'pipelineId', 'commas_removed'];
  for (const type of TELEMETRY_TYPES) {
    const event = aTelemetryEvent(type);
    assert.deepEqual(redactor({ secrets })(event), event);
  }
});

test('keys that become the same keep both values', () => {
  const event = aTelemetryEvent('task_created', {
    input: { 'a hunter2-hunter2': 1, 'a [redacted]': 2, __proto__: null },
  });
  const after = redactor({ secrets: SECRETS })(event);
  assert.deepEqual(after.type === 'task_created' && after.input, { 'a [redacted]': 1, 'a [redacted]#2': 2 });
});

/** A JSON value with secrets in some of its texts and keys. */
function anyJson(dice: Dice, depth = 0): Json {
  const text = (): string =>
    [...Array(dice.below(4))]
      .map(() => (dice.chance(0.4) ? dice.of(SECRETS) : dice.of(['a', ' ', '"', '\\', 'é'])))
      .join('');
  const kind = dice.of(
    depth > 3 ? (['text', 'number'] as const) : (['text', 'number', 'list', 'object', 'json'] as const),
  );
  if (kind === 'text') return text();
  if (kind === 'number') return dice.below(100);
  if (kind === 'json') return JSON.stringify({ inner: text() });
  if (kind === 'list') return [...Array(dice.below(4))].map(() => anyJson(dice, depth + 1));
  return Object.fromEntries([...Array(dice.below(4))].map(() => [`k${text()}`, anyJson(dice, depth + 1)]));
}

test('no secret stays anywhere, the event keeps its form, and a second redaction changes nothing', () => {
  const seed = seedOf();
  const dice = diceOf(seed);
  const redact = redactor({ secrets: SECRETS, paths: ['input.*.deep'] });
  for (let number = 0; number < CASES; number += 1) {
    const value = anyJson(dice);
    const fields = {
      input: value,
      output: value,
      choice: value,
      message: JSON.stringify(value),
      run: dice.of(SECRETS),
      tool: dice.of(SECRETS),
    };
    const type = dice.of(TELEMETRY_TYPES);
    const known = Object.keys(aTelemetryEvent(type));
    const event = aTelemetryEvent(
      type,
      Object.fromEntries(Object.entries(fields).filter(([key]) => known.includes(key))),
    );
    const once = redact(event);
    const text = textsOf(once).join('\n');
    for (const secret of SECRETS) {
      assert.ok(!text.includes(secret), `seed ${seed}: ${secret}`);
      assert.ok(!text.includes(JSON.stringify(secret).slice(1, -1)), `seed ${seed}: ${secret} in JSON`);
    }
    assert.deepEqual(TelemetryEvent.parse(once), once, `seed ${seed}`);
    assert.deepEqual(redact(once), once, `seed ${seed}`);
  }
});

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each)]);
}

test('values without secrets and hidden fields stay as they are', () => {
  const seed = seedOf();
  const dice = diceOf(seed);
  const redact = redactor({ secrets: ['never-in-any-text'], paths: ['output.nothing'] });
  for (let number = 0; number < CASES; number += 1) {
    const event = aTelemetryEvent('task_created', { input: anyJson(dice) });
    assert.deepEqual(redact(event), event, `seed ${seed}`);
  }
});
