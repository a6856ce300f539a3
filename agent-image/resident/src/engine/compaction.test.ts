/** A conversation that outgrows its model, over OpenAI's wire as the gateway speaks it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEngine, defineTool, modelCompaction, openSqliteJournal, SYSTEM_CLOCK } from '@hamlet/engine';
import { OPENAI_WIRE, startWireServer, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { z } from 'zod';
import { fixedToken } from '../village/agent-token.ts';
import { createModelPort } from './model-port.ts';

const MAX_CHARS = 6_000;
const CALLS = 8;
const Body = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })) });

const TOO_LONG: WireAnswer = {
  status: 400,
  chunks: [
    JSON.stringify({
      error: { code: 'context_length_exceeded', type: 'invalid_request_error', message: 'too many tokens' },
    }),
  ],
};

/** Looks around until it has seen enough, with a small context window. */
function answer(seen: readonly string[], { body }: WireRequest): WireAnswer {
  const { messages } = Body.parse(body);
  const chars = messages.reduce((sum, { content }) => sum + (content ?? '').length, 0);
  if (chars > MAX_CHARS) return TOO_LONG;
  if (messages[0]?.content?.startsWith('Summarize') === true)
    return OPENAI_WIRE.stream({ text: ['Looked ', 'around.'] });
  if (seen.length >= CALLS) return OPENAI_WIRE.stream({ text: ['All ', 'seen.'] });
  const input = JSON.stringify({ place: seen.length });
  return OPENAI_WIRE.stream({ text: [], calls: [{ id: `call-${seen.length}`, name: 'look', pieces: [input] }] });
}

test('a server that refuses a long context receives a shorter one, and the run ends with its answer', async () => {
  const seen: string[] = [];
  const wire = await startWireServer([], { otherwise: (request) => answer(seen, request) });
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-compaction-'));
  const journal = openSqliteJournal(join(folder, 'journal.sqlite'));
  const model = createModelPort({ url: wire.url, tokens: fixedToken('token'), leaseOf: () => 1 });
  const look = defineTool({
    name: 'look',
    description: 'Looks around.',
    input: z.strictObject({ place: z.number() }),
    effect: 'read',
    timeoutMs: 5_000,
    execute: async ({ place }) => {
      seen.push(`${place}`);
      return { kind: 'ok', text: 'y'.repeat(1_000) };
    },
  });
  const engine = createEngine({
    journal,
    model,
    tools: [look],
    policy: { judge: () => ({ verdict: 'allow', reason: '' }) },
    approvals: { ask: async () => {} },
    memory: { recall: async () => [] },
    clock: SYSTEM_CLOCK,
    ids: { next: () => 'r1' },
    compaction: modelCompaction(model),
    notify: () => {},
  });
  const begun = await engine.start({
    conversation: 'c1',
    input: 'Look everywhere.',
    prompt: { stable: 'You are Ada.', situation: '' },
    model: 'small',
    budgets: { steps: 50, tokens: 1_000_000, moneyMicros: 1_000_000, timeMs: 600_000, idleCalls: 10 },
    stage: { id: 'main', plan: '' },
  });
  assert.deepEqual(begun.ok && (await begun.outcome), { kind: 'done', text: 'All seen.' });
  assert.equal(seen.length, CALLS);
  const found = journal.eventsOf('r1');
  assert.ok(found.ok && found.events.some(({ type }) => type === 'turns_compacted'));
  journal.close();
  rmSync(folder, { recursive: true, force: true });
  await wire.close();
});
