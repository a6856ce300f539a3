/** Compares docs/AGENTS.md with the code: conditions, reasons, wakes, runtimes, limits and the example. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHAIN, CONDITION_TYPES, REASONS, RUN_STEPS_MAX, SPEECH_MAX_LENGTH, WAKE_KINDS } from '@hamlet/contract';
import { RUN_ATTEMPTS_MAX } from '@hamlet/core';
import { API_BACKOFF } from './village/retry.ts';
import { resourcePlanOf } from './brain/resource-plan.ts';
import { MAX_ITEMS, MAX_NEIGHBOURS } from './loop/perceive.ts';
import { PERCEPTION_TILES } from './brain/situation.ts';
import { ANSWER_TIMEOUT_MS, MODEL_ANSWER_TIMEOUT_MS } from './runtime/voice.ts';
import { MAX_UNRECORDED_TURNS } from './loop/turn-loop.ts';
import { MAX_DIARY_ENTRIES, MAX_LIFE_BYTES } from './memory/life-store.ts';
import { RUN_TIME_LIMIT_MS } from './runs/take-run.ts';
import { RUNTIMES } from './runtimes.ts';
import { LIMITS } from './testing/a-village.ts';

/** Steps in a run by the plan of a tier with this many concurrent tools. */
const stepsOf = (tools: number): number =>
  resourcePlanOf({ tier: null, model: null, limits: { ...LIMITS, concurrent_tools: tools } }).toolCalls;

const ROOT = join(import.meta.dirname, '../../..');
const doc = readFileSync(join(ROOT, 'docs/AGENTS.md'), 'utf8');
const plain = doc.replaceAll(/\s+/g, ' ');

test('docs/AGENTS.md lists every condition, and every reason with its advice', () => {
  assert.ok(plain.includes(CHAIN.map((type) => `\`${type}\``).join(' → ')));
  for (const type of CONDITION_TYPES) assert.ok(plain.includes(`\`${type}\``), type);
  const rows = new Map(
    [...doc.matchAll(/^\| `([A-Z][A-Za-z]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(([, reason, advice]) => [reason, advice]),
  );
  assert.deepEqual(Object.fromEntries(rows), { ...REASONS });
});

test('docs/AGENTS.md names every wake and every runtime', () => {
  for (const name of [...WAKE_KINDS, ...Object.keys(RUNTIMES)]) assert.ok(doc.includes(`\`${name}\``), name);
});

test('the example equals the compiled file', () => {
  assert.ok(doc.includes(readFileSync(join(ROOT, 'agent-image/engine/examples/echo-runtime.ts'), 'utf8').trimEnd()));
});

test('docs/AGENTS.md states the limits of the code', () => {
  const sentences = [
    `${MAX_NEIGHBOURS} agents within ${PERCEPTION_TILES} tiles and the ${MAX_ITEMS} nearest items`,
    `up to ${MAX_UNRECORDED_TURNS} of them`,
    `after ${API_BACKOFF.first / 1_000} s, then longer, up to ${API_BACKOFF.longest / 1_000} s`,
    `newest ${MAX_DIARY_ENTRIES} entries`,
    `compacted at ${MAX_LIFE_BYTES / 1024 / 1024} MiB`,
    `A sentence has ${ANSWER_TIMEOUT_MS / 1_000} s, with \`engine\` ${MODEL_ANSWER_TIMEOUT_MS / 1_000} s`,
    `cut to ${SPEECH_MAX_LENGTH} characters`,
    `as the tier allows (below), ${RUN_STEPS_MAX} at most, and ${RUN_TIME_LIMIT_MS / 60_000} minutes`,
    `${stepsOf(1)} steps a run for each tool at a time (${[1, 2, 8].map(stepsOf).join(', ')} in the tiers of the chart)`,
    `after ${RUN_ATTEMPTS_MAX} cycles that took it up in a row without progress`,
  ];
  for (const sentence of sentences) assert.ok(plain.includes(sentence), sentence);
});
