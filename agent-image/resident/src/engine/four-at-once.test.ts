/**
 * Two sessions, a person's run and a Schedule's run at once, over OpenAI's wire as the gateway speaks it: no request contains
 * words of another run, and each journal reaches the API.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import type { Run } from '@hamlet/contract';
import { createEngineRuntime } from '@hamlet/engine';
import { openMemory } from '@hamlet/engine/memory';
import type { WireAnswer, WireRequest, WireServer } from '@hamlet/models/testing';
import { OPENAI_WIRE, startWireServer } from '@hamlet/models/testing';
import { z } from 'zod';
import { createRepositoryMemory } from '../memory/repository-memory.ts';
import { createOwnMemory } from '../memory/own-memory.ts';
import { createAsyncEvent } from '../process/async-event.ts';
import { LateChildRuns } from '../runs/child-runs.ts';
import { createRunMemory } from '../runs/run-memory.ts';
import { takeRun } from '../runs/take-run.ts';
import { createTurnGate } from '../runs/turn-gate.ts';
import { poolOf } from '../testing/a-runtime.ts';
import { aConfig, aRun } from '../testing/a-village.ts';
import { ok, scriptedVillage } from '../testing/scripted-village.ts';
import { villageTools } from '../tools/village-tools.ts';
import { fixedToken } from '../village/agent-token.ts';
import type { JournalBatch, WorkVillage } from '../village/work-village.ts';
import { createBodyLock } from './body-lock.ts';
import { createModelPort } from './model-port.ts';
import { createRunBook } from './run-book.ts';
import { createThinking } from './thinking.ts';

const folder = testFolder('four');

const SECRETS = ['walnut', 'marble', 'saffron', 'copper'] as const;
const idOf = (kind: number, index: number): string => `00000000-0000-4000-8000-0000000${kind}000${index}`;

/** The first two belong to sessions, the third to a person, the last to a Schedule. */
const runOf = (index: number, round: number): Run =>
  aRun(round === 0 ? `Remember the word ${SECRETS[index]}.` : 'Which word was it?', {
    run_id: idOf(round + 1, index),
    kind: index < 2 ? 'message' : index === 2 ? 'prompt' : 'schedule',
    created_by: { role: 'member', id: `person-${index}` },
    schedule: index === 3 ? { name: 'daily', uid: 'uid-daily', slot: '2026-01-01T00:00:00Z' } : null,
    session_id: index < 2 ? idOf(9, index) : null,
    runtime: 'engine',
  });

const MODEL = { provider: 'test', name: 'small', scripted: false, reason: '', context_tokens: 16_384 };
const Body = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })),
  metadata: z.object({ run_id: z.string(), ask: z.string(), lease: z.literal('1') }),
});
const bodyOf = ({ body }: WireRequest): z.infer<typeof Body> => Body.parse(body);

/** Resolves when as many runs have arrived as there are secrets; later runs meet again. */
function aMeeting(): (run: string) => Promise<void> {
  let runs = new Set<string>();
  let met = Promise.withResolvers<void>();
  return (run) => {
    const { promise, resolve } = met;
    if (runs.add(run).size === SECRETS.length) {
      resolve();
      runs = new Set();
      met = Promise.withResolvers();
    }
    return promise;
  };
}

/** Stores the message in the memory, and then answers with the id of the run. */
function answerTo({ messages, metadata }: z.infer<typeof Body>): WireAnswer {
  const last = messages.at(-1);
  const word = /^Remember the word (\w+)/.exec(last?.content ?? '')?.[1];
  if (last?.role === 'tool' || word === undefined)
    return OPENAI_WIRE.stream({ text: ['Done in ', `${metadata.run_id}.`] });
  const input = JSON.stringify({ text: `The word to remember is ${word}.` });
  const pieces = [input.slice(0, 9), input.slice(9)];
  return OPENAI_WIRE.stream({ calls: [{ id: 'call-1', name: 'remember', pieces }] });
}

/** A provider that begins the first answers of four runs together. */
function startProvider(): Promise<WireServer> {
  const meet = aMeeting();
  return startWireServer([], {
    otherwise: (request) => {
      const asked = bodyOf(request);
      const { chunks, ...head } = answerTo(asked);
      if (asked.messages.at(-1)?.role === 'tool') return { ...head, chunks };
      return { ...head, chunks: [{ until: meet(asked.metadata.run_id) }, ...chunks] };
    },
  });
}

function aWork(batches: Map<string, JournalBatch[]>): WorkVillage {
  return {
    noteMemories: async () => ok({ tainted: [], forgotten: [] }),
    mirrored: async () => ok({ entries: [], payloads: [], next: 0 }),
    mirror: async (run, _lease, batch) => {
      batches.set(run, [...(batches.get(run) ?? []), batch]);
      return ok({ stored_through: batch.entries.at(-1)?.seq ?? 0 });
    },
  } satisfies Partial<WorkVillage> as unknown as WorkVillage;
}

async function setUp() {
  const wire = await startProvider();
  const stable = new Set<string>();
  const windows = new Set<number | null>();
  const batches = new Map<string, JournalBatch[]>();
  const village = scriptedVillage();
  village.config = async () =>
    ok(aConfig({ runtime: { name: 'engine', named: true, config: {} }, repository: null, model: MODEL }));
  const work = aWork(batches);
  const store = openMemory({ dir: join(folder, 'memory') });
  after(() => store.close());
  const ownMemory = createOwnMemory(store);
  const stop = new AbortController().signal;
  const [arrival, body] = [createAsyncEvent(), createBodyLock()];
  const shared = { rest: async () => {}, random: () => 0, agentId: 'ada', stop };
  const book = createRunBook();
  const repositoryMemory = createRepositoryMemory({ ...shared, work, book });
  const parts = { village, work, ownMemory, repositoryMemory, body, arrival, childRuns: new LateChildRuns() };
  const kit = { ...shared, ...parts };
  const log = { info: () => {}, warn: () => {} };
  const thinking = createThinking({
    book,
    machine: async () => ({ hands: null, workspace: '/workspace', home: '/root', hasWayOut: false }),
    ...kit,
    skills: { find: async () => [] },
    log,
    programs: null,
    catchUp: async () => true,
    onSummary: () => {},
    keepMemory: async () => {},
    journalPath: join(folder, 'journal.sqlite'),
    model: async () => {
      const leaseOf = (run: string): number | null => book.find(run)?.lease.attempt ?? null;
      const model = createModelPort({ url: wire.url, tokens: fixedToken('token'), leaseOf });
      return {
        chat: (request, signal) => {
          stable.add(request.system.stable);
          windows.add(book.contextTokensOf(request.model));
          return model.chat(request, signal);
        },
      };
    },
    tools: async (mirrored) => {
      const tools = villageTools({ ...kit, book, mirrored });
      return () => tools;
    },
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
        log,
        thinking,
        runtimes: poolOf(runtime, 'engine'),
        turnGate: createTurnGate(),
        stepsMax: () => null,
        workTreeOf: async () => ({ repo: null, branch: null }),
        memoryPathOf: () => folder,
        memory: createRunMemory({ ...shared, ownMemory, catchUp: async () => true, work, book, log }),
        onEnded: () => {},
      },
      run,
      stop,
    );
  };
  return { wire, stable, windows, batches, village, thinking, take };
}

test('four concurrent conversations share neither prompt nor memory', async () => {
  const { wire, stable, windows, batches, village, thinking, take } = await setUp();
  after(() => wire.close());
  for (const round of [0, 1]) {
    const runs = SECRETS.map((_, index) => runOf(index, round));
    assert.deepEqual(await Promise.all(runs.map(take)), ['ended', 'ended', 'ended', 'ended']);
  }
  wire.verify();
  assert.equal(wire.requests.length, 3 * SECRETS.length, 'two requests in the first round, one in the second');
  assert.equal(village.settled.length, 8);
  assert.ok(village.settled.every(({ state, answer }) => state === 'done' && answer?.startsWith('Done in ') === true));
  for (const [index, secret] of SECRETS.entries()) {
    const own = [idOf(1, index), idOf(2, index)];
    for (const request of wire.requests) {
      const run = bodyOf(request).metadata.run_id;
      const isOwn = own.includes(run);
      const words = JSON.stringify(request.body);
      assert.equal(words.includes(secret), isOwn, `${secret} in ${run}`);
      assert.equal(
        own.some((id) => words.includes(id)),
        isOwn,
        `an answer of ${own.join(' or ')} in ${run}`,
      );
    }
    const entries = batches.get(idOf(1, index))?.flatMap((batch) => batch.entries) ?? [];
    assert.deepEqual([entries[0]?.event['type'], entries.at(-1)?.event['type']], ['run_opened', 'run_closed']);
  }
  const [first = '', ...others] = stable;
  assert.deepEqual([first === '', others], [false, []], 'all runs share the cacheable half');
  for (const request of wire.requests) {
    const [system] = bodyOf(request).messages;
    assert.ok(system?.role === 'system' && system.content?.startsWith(first) === true);
  }
  assert.deepEqual([...windows], [MODEL.context_tokens], 'the engine knows the window of the model');
  await thinking.end();
});
