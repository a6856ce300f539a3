/** Routes of residents: token exchange, configuration, wakes and the end of a cycle. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ProblemError, type AgentTokenAnswer } from '@hamlet/contract';
import { codeOf, type TestClient, dataOf, follow, refuses } from '@hamlet/test/env/client';
import { agentToken, clientOf, eventually, TOKENS, type AgentId, startPlay } from '../testing/test-village.ts';

const { play } = await startPlay();

async function exchange(agentId: AgentId): Promise<{ answer: AgentTokenAnswer; client: TestClient }> {
  const answer = await play.as(agentId).exchangeAgentToken();
  return { answer, client: clientOf(play.url, answer.access_token) };
}

const watchWakes = (client: TestClient, agentId: string, after?: number) =>
  follow((signal) => client.openWakes({ agent_id: agentId, ...(after === undefined ? {} : { after }) }, { signal }));

async function connected(agentId: string, online: boolean): Promise<void> {
  await eventually(
    `${agentId} ${online ? 'connected' : 'disconnected'}`,
    async () => (await play.agent(agentId)).status.online === online,
  );
}

test('a resident exchanges its projected token for one that is bound to agent, life and cycle', async () => {
  const { answer, client } = await exchange('ada');
  const ada = await play.agent('ada');
  assert.equal(answer.agent_id, 'ada');
  assert.equal(answer.uid, ada.uid);
  assert.equal(answer.cycle, ada.cycle);
  const lifeMs = Date.parse(answer.expires_at) - Date.now();
  assert.ok(lifeMs > 240_000 && lifeMs <= 300_000, `expires in ${lifeMs} ms`);
  const config = await client.getAgentConfig({ agent_id: 'ada' });
  assert.equal(config.loop_every_ms, 30_000);
  assert.equal(config.home, ada.home);
  assert.equal(config.tier, 'tier-1');
  assert.equal(config.seed, (await client.getAgentConfig({ agent_id: 'ada' })).seed);
});

test('an agent with an open wake stream is present, and the stream delivers its wakes', async () => {
  const stream = watchWakes((await exchange('ada')).client, 'ada');
  await connected('ada', true);
  const ada = await play.agent('ada');
  assert.deepEqual(ada.why, { ready: true, reason: 'Ready', message: 'The agent is in the world and connected.' });
  const { to } = dataOf(await play.move('ada', { dx: 1, dy: 0 }));
  const arrived = await eventually('the arrival', () =>
    stream.events.find((event) => event.event === 'wake' && event.data.kind === 'arrived'),
  );
  assert.ok(arrived.event === 'wake');
  assert.equal(arrived.id, String(arrived.data.seq));
  assert.deepEqual({ x: arrived.data.detail['x'], y: arrived.data.detail['y'] }, to);
  stream.stop();
  await connected('ada', false);
  assert.notEqual((await play.agent('ada')).status.last_seen, null);
});

test('a resident that reconnects gets the wakes that it missed', async () => {
  const { client } = await exchange('bob');
  const first = watchWakes(client, 'bob');
  await connected('bob', true);
  dataOf(await play.move('bob', { dx: 1, dy: 0 }));
  const seen = await eventually('an arrival', () => first.events.find((event) => event.event === 'wake'));
  first.stop();
  await connected('bob', false);
  dataOf(await play.move('bob', { dx: -1, dy: 0 }));
  const from = seen.event === 'wake' ? seen.data.seq : 0;
  await eventually('bob standing', async () => (await play.agent('bob')).moving_to === null);
  const second = watchWakes(client, 'bob', from);
  const missed = await eventually('the missed arrival', () =>
    second.events.find((event) => event.event === 'wake' && event.data.kind === 'arrived'),
  );
  assert.ok(missed.event === 'wake' && missed.data.seq > from);
  second.stop();
});

test('a newer stream of the same cycle ends the older one without an event', async () => {
  const { client } = await exchange('cleo');
  const older = watchWakes(client, 'cleo');
  await connected('cleo', true);
  const newer = watchWakes(client, 'cleo');
  await older.ended;
  assert.deepEqual(older.events, []);
  await connected('cleo', true);
  newer.stop();
});

test('a new cycle ends the stream with its number; writes and streams of the old cycle are refused', async () => {
  const { client, answer } = await exchange('dan');
  const stream = watchWakes(client, 'dan');
  await connected('dan', true);
  await play.admin.rebootAgent({ agent_id: 'dan' });
  await stream.ended;
  const last = stream.events.at(-1);
  assert.deepEqual(last?.event === 'cycle' ? last.data : null, { cycle: answer.cycle + 1 });
  const me = { agent_id: 'dan' };
  const turn = {
    turn_id: randomUUID(),
    cycle: answer.cycle,
    trigger: 'tick' as const,
    perceived: {},
    decided: { why: '' },
    acted: {},
    reflected: {},
  };
  await refuses(client.moveAgent({ ...me, dx: 1, dy: 0 }), 'stale_cycle');
  await refuses(client.actAsAgent({ ...me, kind: 'emote', emote: 'wave' }), 'stale_cycle');
  await refuses(client.recordTurn({ ...me, ...turn }), 'stale_cycle');
  await refuses(client.getAgentConfig(me), 'stale_cycle');
  await assert.rejects(
    watchWakes(client, 'dan').ended,
    (error) => error instanceof ProblemError && error.problem.code === 'stale_cycle',
  );
  const { client: next } = await exchange('dan');
  await refuses(next.recordTurn({ ...me, ...turn }), 'stale_cycle', 'a turn of an older cycle under a newer token');
});

test('tokens of a closed life are invalid at once', async () => {
  const { client, answer } = await exchange('fay');
  const operator = clientOf(play.url, TOKENS.operator);
  await operator.closeAgent({ agent_id: 'fay', uid: answer.uid });
  await refuses(client.getAgentConfig({ agent_id: 'fay' }), 'token_invalid');
  await refuses(clientOf(play.url, agentToken('fay')).exchangeAgentToken(), 'token_not_from_pod');
  assert.equal(
    (await play.world()).agents.some((agent) => agent.agent_id === 'fay'),
    false,
  );
  await operator.closeAgent({ agent_id: 'fay', uid: answer.uid });
  assert.equal(await codeOf(play.admin.awakenAgent({ agent_id: 'fay' })), null);
});
