/** Runs in a village whose answers the test sets: the steps, their keys, the stored result, and the steps after a crash. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { sentenceFaults } from '@hamlet/test/env/sentence-faults';
import type { AgentView } from '@hamlet/contract';
import type { RuntimeContext, RunWork } from '@hamlet/engine';
import { createBodyLock } from '../engine/body-lock.ts';
import { noRunMemory, noThinking, poolOf, runtimeThat, workOf, type Answering } from '../testing/a-runtime.ts';
import { createAsyncEvent } from '../process/async-event.ts';
import { createLog } from '../process/json-log.ts';
import { createTurnGate } from './turn-gate.ts';
import { createScriptedRuntime } from '../runtime/scripted-runtime.ts';
import { anAgent, aRun, AT, aWorld, RUN_ID } from '../testing/a-village.ts';
import { DOWN, ok, scriptedVillage, STALE, type ScriptedVillage } from '../testing/scripted-village.ts';
import { startRunWorker } from './run-worker.ts';

/** A village in which a walk arrives at once. */
function walkable(self: Partial<AgentView> = {}, others: readonly AgentView[] = []): ScriptedVillage {
  const village = scriptedVillage();
  let ada = anAgent('ada', self);
  village.world = async () => ok(aWorld({ agents: [ada, ...others] }));
  const { move } = village;
  village.move = async (body, key) => {
    const answer = await move(body, key);
    if (answer.kind !== 'ok') return answer;
    if ('landmark_id' in body && body.landmark_id in AT)
      ada = anAgent('ada', { landmark_id: body.landmark_id, position: AT[body.landmark_id as keyof typeof AT] });
    if ('x' in body) ada = anAgent('ada', { landmark_id: null, position: { x: body.x, y: body.y } });
    return answer;
  };
  return village;
}

const stops = new Set<AbortController>();
afterEach(() => stops.forEach((stop) => stop.abort()));

function setUp(village: ScriptedVillage, answer?: Answering) {
  const runtime = answer === undefined ? createScriptedRuntime() : runtimeThat(answer);
  const stop = new AbortController();
  stops.add(stop);
  const stale: string[] = [];
  const lines: string[] = [];
  const pauses: number[] = [];
  const remembered: string[] = [];
  const kept: string[] = [];
  const turnGate = createTurnGate();
  const worker = startRunWorker({
    village,
    agentId: 'ada',
    cycle: 1,
    turnGate,
    runtimes: poolOf(runtime),
    thinking: noThinking(),
    work: { waitRun: async () => STALE, parkRun: async () => STALE },
    body: createBodyLock(),
    arrival: createAsyncEvent(),
    workTreeOf: async () => ({ repo: null, branch: null }),
    memoryPathOf: () => '/nowhere',
    memory: {
      ...noRunMemory(),
      keep: async (run, words) => void kept.push(...words.map(({ id }) => id.replace(run, 'RUN'))),
    },
    onEnded: ({ prompt }, { summary }) => void remembered.push(`${prompt} ${summary}`),
    stepsMax: () => null,
    log: createLog(
      (line) => void lines.push(line),
      () => 0,
      {},
    ),
    rest: async (ms) => void pauses.push(ms),
    random: () => 0,
    stop: stop.signal,
    onStale: () => void stale.push('stale'),
  });
  /** Lets the worker continue: every walk has arrived by the worker's next check. */
  async function until(holds: () => boolean): Promise<void> {
    for (let patience = 0; !holds(); patience += 1) {
      assert.ok(patience < 5_000, `in vain: ${lines.join('')}`);
      worker.arrived();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  return { worker, stop, stale, pauses, remembered, kept, turnGate, until };
}

const settled = (village: ScriptedVillage) => (): boolean => village.settled.length > 0;

/** Carries out the village's first run. */
async function carriedOut(village: ScriptedVillage, answer?: Answering) {
  const parts = setUp(village, answer);
  parts.worker.check();
  await parts.until(settled(village));
  return parts;
}

test('the requests of a run are carried out and recorded step by step, and its summary reports them', async () => {
  const village = walkable({}, [anAgent('bob', { position: AT.cafe, landmark_id: 'cafe' })]);
  village.runs.push(aRun('Go to the café and tell Bob that the bread is ready. Look around.'));
  const { worker, stop } = await carriedOut(village);
  assert.deepEqual(village.commands, [
    { landmark_id: 'cafe' },
    { kind: 'talk', text: 'The bread is ready.', to: 'bob' },
  ]);
  assert.deepEqual(village.keys, [`run-${RUN_ID}-0-0`, `run-${RUN_ID}-2-0`]);
  assert.deepEqual(pluck(village.steps, 'step', 'outcome'), [
    [0, 'done'],
    [1, 'done'],
    [2, 'done'],
    [3, 'done'],
  ]);
  const [end] = village.settled;
  assert.equal(end?.state, 'done');
  assert.match(
    end?.summary ?? '',
    /I am at the cafe\. I have found Bob\. I said “The bread is ready\.” to bob\. It is 10:00 and I am at the cafe\. I see Bob\./,
  );
  stop.abort();
  await worker.ended;
});

test('a run that no rule understands fails with no_model, does nothing, and explains how to connect a model', async () => {
  const village = walkable();
  village.runs.push(aRun('{"tool": "move", "arguments": {"landmark_id": "cafe"}}'));
  const { remembered, kept } = await carriedOut(village);
  assert.equal(remembered.length, 1);
  assert.deepEqual(kept, ['d-RUN'], 'a run outside of conversations is in the diary');
  assert.deepEqual([village.commands, village.steps], [[], []]);
  const [end] = village.settled;
  assert.deepEqual([end?.state, end?.error?.code], ['failed', 'no_model']);
  assert.match(
    end?.summary ?? '',
    /^I did nothing\. None of my rules understood “\{'tool'.*no language model.*only a scripted mind.*To connect a language model/,
  );
  assert.deepEqual(sentenceFaults(end?.summary ?? ''), []);
});

test('after a crash recorded steps are not repeated, and the interrupted step keeps its key', async () => {
  const village = walkable({ landmark_id: 'market', position: AT.market });
  village.runs.push(aRun('Go to the café. Say "hello". Go to the market. Say "bye".', { attempt: 2 }));
  village.steps.push(
    { step: 0, outcome: 'done', text: 'I was at the cafe.' },
    { step: 1, outcome: 'done', text: 'I said “hello”.' },
    { step: 2, outcome: 'done', text: 'I was at the market.' },
  );
  village.script.act = [{ kind: 'refused', code: 'idempotency_key_reused', detail: 'said before' }];
  await carriedOut(village);
  assert.deepEqual(village.commands, [{ kind: 'talk', text: 'bye' }], 'the agent neither walks nor greets again');
  assert.deepEqual(village.keys, [`run-${RUN_ID}-3-0`]);
  assert.equal(village.settled[0]?.summary, 'I was at the cafe. I said “hello”. I was at the market. I said “bye”.');
});

test('a refused step ends the run, with a report of the earlier steps', async () => {
  const village = walkable();
  village.script.act = [{ kind: 'refused', code: 'text_too_long', detail: 'too long' }];
  village.runs.push(aRun('Go to the market. Say "hi". Go home.'));
  await carriedOut(village);
  assert.deepEqual(
    village.settled.map(({ state, error }) => [state, error?.code]),
    [['failed', 'step_failed']],
  );
  assert.match(
    village.settled[0]?.summary ?? '',
    /^I am at the market\. I said “hi”, but the village refused it: too long\./,
  );
  assert.equal(village.commands.length, 2, 'the agent does not go home');
});

test('the agent retries a full place after a pause, and never retries a locked one', async () => {
  for (const [code, walks, state] of [
    ['no_free_slot', 2, 'done'],
    ['zone_locked', 1, 'failed'],
  ] as const) {
    const village = walkable();
    village.script.move = [{ kind: 'refused', code, detail: code }];
    village.runs.push(aRun('Go to the library.'));
    await carriedOut(village);
    assert.deepEqual([village.commands.length, village.settled[0]?.state], [walks, state]);
  }
});

test('the worker waits for an API that is down, and then continues the run', async () => {
  const village = walkable();
  village.script.nextRun = [DOWN];
  village.script.startRun = [DOWN, DOWN];
  village.script.noteStep = [DOWN];
  village.script.settleRun = [DOWN];
  village.runs.push(aRun('Say "hello".'));
  const { pauses } = await carriedOut(village);
  assert.equal(village.commands.length, 1);
  assert.equal(pauses.length, 5);
});

test('a cancellation ends a run that ignores it and reports the steps; the next run follows', async () => {
  const village = walkable();
  const first = aRun('first');
  village.runs.push(first, aRun('second', { run_id: '00000000-0000-4000-8000-000000000002' }));
  const contexts: RuntimeContext[] = [];
  const works: RunWork[] = [];
  const { worker, turnGate, until } = setUp(village, async (input, context) => {
    contexts.push(context);
    if (input.text === 'second') return 'Done.';
    works.push(workOf(input));
    await workOf(input).go('market');
    return new Promise(() => {});
  });
  worker.check();
  await until(() => village.steps.length === 1);
  assert.equal(turnGate.work, 'first');
  worker.hint({ run_id: RUN_ID, run: { ...first, cancel_requested_at: '2026-01-01T00:00:01Z' } });
  await until(() => village.settled.length === 2);
  assert.deepEqual(pluck(village.settled, 'state'), ['cancelled', 'done']);
  assert.equal(village.settled[0]?.summary, 'Cancelled. Done before that: I am at the market.');
  assert.equal(contexts[0]?.signal.aborted, true);
  await assert.rejects(async () => works[0]?.say('too late', null), /the run was cancelled/);
  assert.equal(turnGate.work, null);
});

test('a run that was cancelled before it continues ends at once', async () => {
  const village = walkable();
  village.runs.push(aRun('Go home.', { cancel_requested_at: '2026-01-01T00:00:01Z' }));
  village.steps.push({ step: 0, outcome: 'done', text: 'I was half way.' });
  await carriedOut(village);
  assert.deepEqual(
    [village.settled[0]?.state, village.settled[0]?.summary, village.commands],
    ['cancelled', 'Cancelled. Done before that: I was half way.', []],
  );
});

test('the end of the process leaves the run open, and the next cycle continues it', async () => {
  const village = walkable();
  village.runs.push(aRun('x'));
  let running = false;
  const { worker, stop, until } = setUp(village, () => {
    running = true;
    return new Promise(() => {});
  });
  worker.check();
  await until(() => running);
  stop.abort();
  await worker.ended;
  assert.deepEqual(village.settled, []);
});

test('a result that the village does not accept now is not retried at once', async () => {
  const village = walkable();
  village.runs.push(aRun('Say "hello".'));
  village.script.settleRun = [{ kind: 'refused', code: 'agent_frozen', detail: 'frozen' }];
  const { worker, remembered, until } = setUp(village);
  worker.check();
  await until(() => village.script.settleRun?.length === 0);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual([village.settled, remembered], [[], []]);
  worker.check();
  await until(settled(village));
  assert.deepEqual(village.steps.length, 1, 'recorded steps are not repeated');
});

test('a run whose lease has lapsed stays unsettled, and is taken again at once under the next lease', async () => {
  for (const question of ['noteStep', 'settleRun'] as const) {
    const village = walkable();
    village.script[question] = [{ kind: 'refused', code: 'claim_lapsed', detail: 'lapsed' }];
    village.runs.push(aRun('Say "hello".'));
    const { worker, stop, until } = setUp(village);
    worker.check();
    await until(() => village.script[question]?.length === 0);
    await until(settled(village));
    assert.deepEqual(pluck(village.settled, 'state', 'attempt'), [['done', 1]], question);
    assert.deepEqual(
      new Set(village.keys),
      new Set([`run-${RUN_ID}-0-0`]),
      'a step that may have happened is repeated only under the same key',
    );
    stop.abort();
    await worker.ended;
  }
});

test('any answer that reports a newer cycle ends the worker', async () => {
  for (const question of ['nextRun', 'startRun', 'noteStep', 'settleRun'] as const) {
    const village = walkable();
    village.script[question] = [STALE];
    village.runs.push(aRun('Say "hello".'));
    const { worker, stale } = setUp(village);
    worker.check();
    await worker.ended;
    assert.deepEqual(stale, ['stale'], question);
    assert.deepEqual(village.settled, []);
  }
});

test('a runtime that fails or exceeds the limits of a run fails the run with the reason', async () => {
  const failures: readonly (readonly [Answering, string])[] = [
    [() => Promise.reject(new Error('out of tokens')), 'runtime_failed'],
    [
      async (input) => {
        for (;;) await workOf(input).look();
      },
      'too_many_steps',
    ],
  ];
  for (const [answer, code] of failures) {
    const village = walkable();
    village.runs.push(aRun('x'));
    await carriedOut(village, answer);
    assert.deepEqual([village.settled[0]?.state, village.settled[0]?.error?.code], ['failed', code]);
  }
});
