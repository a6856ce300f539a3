/** A person asks in the chat; the agent runs a command in its hands and answers; each record has the call once. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSession, listCalls, listMessages, listRunEvents, sendMessage } from '@hamlet/contract';
import type { WireServer } from '@hamlet/models/testing';
import { ownTier } from '../env/cluster/own-tier.ts';
import { startSteppedMind } from '../env/hands/stepped-mind.ts';
import { connectMind, disconnectMind, SMALL } from '../env/minds/village-mind.ts';
import { until } from '../env/until.ts';
import { applyAgent, dataOf, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const NAME = `wanda-${process.pid}`;
const TIER = `work-${process.pid}`;
const ASKED = 'Who are you on your machine?';
const COMMAND = 'echo "done by $(id -un)"';

let place: Village;
let wire: WireServer;

before(async () => {
  place = await village();
  wire = await startSteppedMind(SMALL, {
    [ASKED]: [
      { after: /^$/, says: 'I look.', calls: () => ['shell', { command: COMMAND }] },
      { after: /done by/, says: 'It says: ', ends: (result) => /done by \w+/.exec(result)?.[0] ?? result },
    ],
  });
  await connectMind(place, wire);
  const tier = ownTier(TIER, { models: ['small'], cpu: '100m', memory: '256Mi' });
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(tier));
  await applyAgent(place, NAME, { entitlement: { policy: 'Pinned', name: TIER }, model: { name: 'small' } });
  await untilReady(place, NAME);
});
after(async () => {
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'entitlement', TIER, '--ignore-not-found']);
  await disconnectMind(place);
  await wire?.close();
});

test('a message leads to a command in the hands, an answer in the chat, and one line in each record', async () => {
  const body = { title: 'Work' };
  const { session } = dataOf(await place.admin.call(createSession, { params: { agent_id: NAME }, body }));
  const params = { session_id: session.session_id };
  dataOf(await place.admin.call(sendMessage, { params, body: { text: ASKED } }));
  const answer = await until('the agent answers', async () => {
    const { messages } = dataOf(await place.admin.call(listMessages, { params, query: {} }));
    return messages.find(({ author, state }) => author.role === 'agent' && state === 'answered');
  });
  assert.equal(answer.text, 'It says: done by root');
  const runId = answer.run_id ?? '';
  const { events } = dataOf(await place.admin.call(listRunEvents, { params: { run_id: runId }, query: {} }));
  const settled = events.flatMap(({ event, detail }) => (event === 'call_settled' && 'tool' in detail ? [detail] : []));
  assert.deepEqual(
    settled.map(({ tool, outcome }) => [tool, outcome]),
    [['shell', 'ok']],
  );
  const { calls } = dataOf(await place.admin.call(listCalls, { query: { agent_id: NAME } }));
  const recorded = calls.map(({ tool, run_id: run, state, outcome }) => [tool, run, state, outcome?.kind]);
  assert.deepEqual(recorded, [['shell', runId, 'ended', 'ok']]);
});
