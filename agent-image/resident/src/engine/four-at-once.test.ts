/** Two sessions, a run of a person and a run of a Schedule at once: nothing of one is in another's prompt, and each journal reaches the API. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Run } from '@hamlet/contract';
import { createEngineRuntime, type ModelEnd, type ModelPort, type ModelRequest } from '@hamlet/engine';
import { forgetfulMemory } from '../memory/memory-store.ts';
import { createNotes } from '../memory/notes.ts';
import { createAsyncEvent } from '../runs/async-event.ts';
import { takeRun } from '../runs/take-run.ts';
import { createTurnGate } from '../runs/turn-gate.ts';
import { poolOf } from '../testing/a-runtime.ts';
import { aConfig } from '../testing/a-village.ts';
import { ok, scriptedVillage } from '../testing/scripted-village.ts';
import { villageTools } from '../tools/village-tools.ts';
import type { JournalBatch, WorkVillage } from '../village/work-village.ts';
import { createBodyLock } from './body-lock.ts';
import { createThinking } from './thinking.ts';

const folder = mkdtempSync(join(tmpdir(), 'hamlet-four-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SECRETS = ['walnut', 'marble', 'saffron', 'copper'] as const;
const idOf = (kind: number, index: number): string => `00000000-0000-4000-8000-0000000${kind}000${index}`;

/** The first two belong to sessions, the third to a person, the last to a Schedule. */
function aRun(index: number, round: number): Run {
  const time = '2026-01-01T00:00:00Z';
  const schedule = { name: 'daily', uid: 'uid-daily', slot: time };
  return {
    run_id: idOf(round + 1, index),
    agent_id: 'ada',
    kind: index < 2 ? 'message' : index === 2 ? 'prompt' : 'schedule',
    state: 'running',
    prompt: round === 0 ? `Remember the word ${SECRETS[index]}.` : 'Which word was it?',
    created_at: time,
    created_by: { role: 'member', id: `person-${index}` },
    schedule: index === 3 ? schedule : null,
    attempt: 1,
    cycle: 1,
    started_at: time,
    ended_at: null,
    summary: null,
    error: null,
    cancel_requested_at: null,
    session_id: index < 2 ? idOf(9, index) : null,
    runtime: 'engine',
    usage: { steps: 0, tokens: 0, cost: '0', witnessed: false },
    budgets: null,
    unsettled: [],
  };
}

const MODEL = { provider: 'test', name: 'small', scripted: false, reason: '' };
const USAGE = { prompt: 10, completion: 5, total: 15 };
const answer = (content: string, toolCalls: Extract<ModelEnd, { type: 'answer' }>['toolCalls'] = []): ModelEnd => ({
  type: 'answer',
  content,
  toolCalls,
  usage: USAGE,
  moneyMicros: 1,
});

/** Keeps the message in the memory, and then answers. */
function aModel(requests: ModelRequest[]): ModelPort {
  return {
    chat: async function* (request) {
      requests.push(request);
      await new Promise((resolve) => setImmediate(resolve));
      const last = request.messages.at(-1);
      const word = /^Remember the word (\w+)/.exec(last?.content ?? '')?.[1];
      if (last?.role === 'tool' || word === undefined) return yield answer('Done.');
      const input = JSON.stringify({ text: `The word to remember is ${word}.` });
      yield answer('', [{ id: 'call-1', name: 'remember', arguments: input }]);
    },
  };
}

function aWork(batches: Map<string, JournalBatch[]>): WorkVillage {
  const unused = async () => assert.fail('unused');
  return {
    posts: unused,
    thread: unused,
    schedules: unused,
    performCall: unused,
    askPermission: unused,
    waitRun: unused,
    publishWords: unused,
    mirrored: async () => ok({ entries: [], payloads: [] }),
    mirror: async (run, _lease, batch) => {
      batches.set(run, [...(batches.get(run) ?? []), batch]);
      return ok({ stored_through: batch.entries.at(-1)?.seq ?? 0 });
    },
  };
}

function setUp() {
  const requests: ModelRequest[] = [];
  const batches = new Map<string, JournalBatch[]>();
  const village = scriptedVillage();
  village.config = async () =>
    ok(aConfig({ runtime: { name: 'engine', named: true, config: {} }, repository: null, model: MODEL }));
  const work = aWork(batches);
  const notes = createNotes(forgetfulMemory({ entities: [] }));
  const stop = new AbortController().signal;
  const [arrival, body] = [createAsyncEvent(), createBodyLock()];
  const kit = { rest: async () => {}, random: () => 0, agentId: 'ada', village, work, notes, body, arrival, stop };
  const log = { info: () => {}, warn: () => {} };
  const thinking = createThinking({
    ...kit,
    log,
    programs: null,
    journalPath: join(folder, 'journal.sqlite'),
    model: async () => aModel(requests),
    tools: async (book, mirrored) => villageTools({ ...kit, book, mirrored }),
  });
  const take = async (run: Run) => {
    const runtime = createEngineRuntime();
    await runtime.initialize(
      { sessionId: '', repoPath: '', memoryPath: '', agentId: 'ada', displayName: 'Ada', persona: '', settings: {} },
      thinking.host,
    );
    village.runs.push(run);
    return takeRun(
      {
        ...kit,
        cycle: 1,
        thinking,
        runtimes: poolOf(runtime, 'engine'),
        turnGate: createTurnGate(),
        stepsMax: () => null,
        workspacePath: folder,
        memoryPath: folder,
        onEnded: () => {},
      },
      run,
      stop,
    );
  };
  return { requests, batches, village, thinking, take };
}

test('four conversations at once share neither prompt nor memory', async () => {
  const { requests, batches, village, thinking, take } = setUp();
  for (const round of [0, 1]) {
    const runs = SECRETS.map((_, index) => aRun(index, round));
    assert.deepEqual(await Promise.all(runs.map(take)), ['ended', 'ended', 'ended', 'ended']);
  }
  assert.equal(village.settled.length, 8);
  assert.ok(village.settled.every(({ state, answer: text }) => state === 'done' && text === 'Done.'));
  for (const [index, secret] of SECRETS.entries()) {
    const own = new Set([idOf(1, index), idOf(2, index)]);
    for (const request of requests) {
      const isOwn = own.has(request.at?.run ?? '');
      assert.equal(JSON.stringify(request).includes(secret), isOwn, `${secret} in ${request.at?.run}`);
    }
    const entries = batches.get(idOf(1, index))?.flatMap((batch) => batch.entries) ?? [];
    assert.deepEqual([entries[0]?.event['type'], entries.at(-1)?.event['type']], ['run_opened', 'run_closed']);
  }
  const [stable] = requests.map(({ system }) => system.stable);
  assert.ok(
    requests.every(({ system }) => system.stable === stable),
    'the half that a provider caches is one',
  );
  await thinking.end();
});
