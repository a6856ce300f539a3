/**
 * A message after each way in which the run before it can end, over OpenAI's wire with a server that is as strict about what is
 * sent back as vLLM and the templates of Mistral and Gemma.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import type { Run } from '@hamlet/contract';
import { createEngineRuntime, RunCancelled } from '@hamlet/engine';
import { OPENAI_WIRE, startWireServer, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { z } from 'zod';
import { createBodyLock } from '../engine/body-lock.ts';
import { createModelPort } from '../engine/model-port.ts';
import { createRunBook } from '../engine/run-book.ts';
import { createThinking } from '../engine/thinking.ts';
import { NO_MEMORY } from '../memory/own-memory.ts';
import { createRepositoryMemory } from '../memory/repository-memory.ts';
import { noRunMemory, poolOf } from '../testing/a-runtime.ts';
import { aConfig, aRun } from '../testing/a-village.ts';
import { ok, scriptedVillage } from '../testing/scripted-village.ts';
import { villageTools } from '../tools/village-tools.ts';
import { fixedToken } from '../village/agent-token.ts';
import type { Refusal, SettledState } from '@hamlet/contract';
import type { WorkVillage } from '../village/work-village.ts';
import { createAsyncEvent } from '../process/async-event.ts';
import { LateChildRuns } from './child-runs.ts';
import { closeLeftRuns } from './run-worker.ts';
import { takeRun, type Taken } from './take-run.ts';
import { createTurnGate } from './turn-gate.ts';

const SESSION = '00000000-0000-4000-8000-000000090000';
const MODEL = { provider: 'test', name: 'small', scripted: false, reason: '', context_tokens: 16_384 };
const refused = (code: Refusal) => ({ kind: 'refused' as const, code, detail: code });

const Call = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });
/** The stable part of the prompt is a part of its own, which the gateway may have cached. */
const Content = z.union([
  z.string(),
  z.array(z.object({ text: z.string() })).transform((parts) => parts.map(({ text }) => text).join('')),
]);
const Body = z.object({
  messages: z.array(
    z.object({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: Content.nullish(),
      tool_calls: z.array(Call).optional(),
    }),
  ),
});
type Sent = z.infer<typeof Body>['messages'];

const BEFORE: Readonly<Record<string, readonly string[]>> = {
  user: ['', 'system', 'assistant'],
  assistant: ['user', 'tool'],
  tool: ['assistant', 'tool'],
};

/** The fault that a strict server finds in the messages; null if there is none. */
function faultIn(messages: Sent): string | null {
  for (const [index, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    const before = messages[index - 1]?.role ?? '';
    if (role !== 'system' && BEFORE[role]?.includes(before) !== true) return `${role} after ${before}`;
    if (role === 'assistant' && calls.length === 0 && (content ?? '') === '') return 'an empty message';
    for (const call of calls)
      if (!z.record(z.string(), z.unknown()).safeParse(JSON.parse(call.function.arguments)).success) return 'arguments';
  }
  return null;
}

const NO_QUOTA: WireAnswer = {
  status: 429,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '600' },
  chunks: [JSON.stringify({ code: 'token_quota_exhausted', detail: 'The hour is used up.' })],
};

const FROZEN: WireAnswer = {
  status: 409,
  headers: { 'content-type': 'application/problem+json' },
  chunks: [JSON.stringify({ code: 'village_frozen', detail: 'The village is frozen.' })],
};

/** Does what the newest words of a person say. */
function answerTo({ body }: WireRequest): WireAnswer {
  const { messages } = Body.parse(body);
  const fault = faultIn(messages);
  if (fault !== null) return OPENAI_WIRE.errors.bad_request;
  const said = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const isAnswered = messages.at(-1)?.role === 'tool';
  if (said.includes('outage')) return NO_QUOTA;
  if (said.includes('freeze')) return FROZEN;
  if (said.includes('refuse')) return OPENAI_WIRE.errors.auth;
  if (said.includes('hang')) return { ...OPENAI_WIRE.stream({}), chunks: ['hold'] };
  if (said.includes('Post') && !isAnswered) {
    const pieces = [said.includes('badly') ? '{"title":"He' : JSON.stringify({ title: 'Hello', body: 'World' })];
    return OPENAI_WIRE.stream({ calls: [{ id: 'c1', name: 'post_to_board', pieces }] });
  }
  return OPENAI_WIRE.stream({ text: ['Fine.'] });
}

async function setUp() {
  const wire = await startWireServer([], { otherwise: answerTo });
  after(() => wire.close());
  const folder = testFolder('ends');
  const village = scriptedVillage();
  village.config = async () =>
    ok(aConfig({ runtime: { name: 'engine', named: true, config: {} }, repository: null, model: MODEL }));
  const parks: unknown[] = [];
  const script: { wait: Refusal | null; settle: Refusal[] } = { wait: null, settle: [] };
  const waits = (state: Run['state']) => ok({ run: aRun('', { state }), permissions: [] });
  const work = {
    noteMemories: async () => ok({ tainted: [], forgotten: [] }),
    mirrored: async () => ok({ entries: [], payloads: [], next: 0 }),
    mirror: async (_run, _lease, batch) => ok({ stored_through: batch.entries.at(-1)?.seq ?? 0 }),
    performCall: async () => refused('permission_needed'),
    askPermission: (async () => ok({})) as unknown as WorkVillage['askPermission'],
    waitRun: async () => (script.wait === null ? waits('waiting_permission') : refused(script.wait)),
    parkRun: async (_run, _lease, why) => (parks.push(why), waits('queued')),
  } satisfies Partial<WorkVillage> as unknown as WorkVillage;
  const stop = new AbortController().signal;
  const shared = { rest: async () => {}, random: () => 0, agentId: 'ada', stop };
  const [arrival, body, book] = [createAsyncEvent(), createBodyLock(), createRunBook()];
  const repositoryMemory = createRepositoryMemory({ ...shared, work, book });
  const parts = {
    village,
    work,
    ownMemory: NO_MEMORY,
    repositoryMemory,
    body,
    arrival,
    childRuns: new LateChildRuns(),
  };
  const kit = { ...shared, ...parts };
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (event: string) => void warnings.push(event) };
  const { settleRun } = village;
  village.settleRun = async (run, end) => {
    const code = script.settle.shift();
    return code === undefined ? settleRun(run, end) : refused(code);
  };
  const think = () =>
    createThinking({
      ...kit,
      book,
      log,
      machine: async () => ({ hands: null, workspace: '/workspace', home: '/root', hasWayOut: false }),
      skills: { find: async () => [] },
      programs: null,
      catchUp: async () => false,
      onSummary: () => {},
      keepMemory: async () => {},
      journalPath: join(folder, 'journal.sqlite'),
      model: async () =>
        createModelPort({ url: wire.url, tokens: fixedToken('token'), leaseOf: () => 1, sleep: async () => {} }),
      tools: async (mirrored) => {
        const tools = villageTools({ ...kit, book, mirrored });
        return () => tools;
      },
    });
  const process = { thinking: think() };
  let runs = 0;
  const say = async (prompt: string, signal = stop): Promise<Taken> => {
    const { thinking } = process;
    const runtime = createEngineRuntime();
    await runtime.initialize(
      { sessionId: '', repoPath: '', memoryPath: '', agentId: 'ada', displayName: 'Ada', persona: '', settings: {} },
      thinking.host,
    );
    const run_id = `00000000-0000-4000-8000-00000000000${(runs += 1)}`;
    const run = aRun(prompt, { run_id, kind: 'message', session_id: SESSION, runtime: 'engine' });
    village.runs.unshift(run);
    const runtimes = poolOf(runtime, 'engine');
    const own = { workTreeOf: async () => ({ repo: null, branch: null }), memoryPathOf: () => folder };
    const ports = { ...kit, ...own, cycle: 1, log, thinking, runtimes, turnGate: createTurnGate() };
    return takeRun({ ...ports, stepsMax: () => null, memory: noRunMemory(), onEnded: () => {} }, run, signal);
  };
  const reboot = async (): Promise<void> => {
    await process.thinking.end();
    process.thinking = think();
  };
  return { village, script, parks, warnings, wire, process, say, reboot };
}

type Setting = Awaited<ReturnType<typeof setUp>>;
type Way = Readonly<{ words: string; taken: Taken; state?: SettledState; before?: (setting: Setting) => void }>;

const cancelSoon = (): AbortSignal => {
  const cancel = new AbortController();
  setTimeout(() => cancel.abort(new RunCancelled('stop')), 200);
  return cancel.signal;
};

const WAYS: Readonly<Record<string, Way>> = {
  'the API cancels it while it waits for a permission': { words: 'Post hello.', taken: 'left' },
  'the API cancels it while it is parked': { words: 'an outage', taken: 'left' },
  'its model refuses': { words: 'refuse', taken: 'ended', state: 'failed' },
  'its model writes malformed arguments': { words: 'Post badly.', taken: 'ended', state: 'done' },
  'a person cancels it during a request': { words: 'hang', taken: 'ended', state: 'cancelled' },
  'its lease is lost': { words: 'Post hello.', taken: 'ended', before: ({ script }) => (script.wait = 'claim_lapsed') },
  'an exception ends it': {
    words: 'Post hello.',
    taken: 'ended',
    state: 'failed',
    before: ({ script }) => (script.wait = 'agent_frozen'),
  },
  'the API refuses its result': {
    words: 'Hello.',
    taken: 'ended',
    state: 'failed',
    before: ({ script }) => script.settle.push('validation_failed'),
  },
};

for (const [title, { words, taken, state, before = () => {} }] of Object.entries(WAYS))
  test(`a conversation continues after a run: ${title}`, async () => {
    const setting = await setUp();
    const { village, say, reboot, wire } = setting;
    before(setting);
    assert.equal(await say(words, words === 'hang' ? cancelSoon() : undefined), taken);
    assert.equal(village.settled.at(-1)?.state, state);
    for (const [round, next] of [say, say].entries()) {
      if (round === 1) await reboot();
      assert.equal(await next('How are you?'), 'ended');
      assert.deepEqual([village.settled.at(-1)?.state, village.settled.at(-1)?.answer], ['done', 'Fine.']);
    }
    const faults = wire.requests.flatMap(({ body }) => faultIn(Body.parse(body).messages) ?? []);
    assert.deepEqual(faults, []);
    await setting.process.thinking.end();
  });

test('an outage and a freeze park the run with their code, and a refused result is logged', async () => {
  const { say, parks, script, warnings, village, process } = await setUp();
  assert.equal(await say('an outage'), 'left');
  assert.equal(await say('a freeze'), 'left');
  assert.deepEqual(parks, [
    { code: 'token_quota_exhausted', wait_ms: 600_000 },
    { code: 'village_frozen', wait_ms: 60_000 },
  ]);
  script.settle.push('validation_failed');
  await say('Hello.');
  assert.deepEqual(warnings, ['result_refused']);
  assert.equal(village.settled.at(-1)?.error?.code, 'result_refused');
  await process.thinking.end();
});

test('a run that the API ended without the engine is closed in the journal', async () => {
  const { say, process } = await setUp();
  await say('Post hello.');
  const { thinking } = process;
  const [open = ''] = await thinking.openRuns();
  const log = { info: () => {}, warn: () => assert.fail('no warning') };
  const asking = (code: Refusal) =>
    closeLeftRuns({ thinking, cycle: 1, log, village: { renewRun: async () => refused(code) } });
  await asking('claim_lapsed');
  assert.deepEqual(await thinking.openRuns(), [open], 'the run waits for its agent');
  await asking('run_settled');
  assert.deepEqual(await thinking.openRuns(), []);
  await thinking.end();
});
