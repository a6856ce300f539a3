/**
 * A measure that another replica takes against an agent ends its current answer; the agent pays for the tokens so far.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_WIRE } from '@hamlet/models/testing';
import { readModelRequests } from '@hamlet/store';
import { dataOf } from '@hamlet/test/env/client';
import { agentToken, eventually, testVillage, withTokenPrice, type AgentId, Play } from '../testing/test-village.ts';
import { testWire, wireModels } from './testing/wire-models.ts';

const [village, wire] = await Promise.all([testVillage(), testWire()]);
await village.writeSample('good-entitlement-tier-0.yaml', withTokenPrice);
const models = wireModels(wire.url);
const one = new Play((await village.startReplica({}, { models })).peopleUrl);
const two = new Play((await village.startReplica({}, { models })).peopleUrl);
const db = village.openDb();
await one.everybody();

/** Asks for an endless answer, and reads its first words. */
async function openAnswer(agentId: AgentId): Promise<{ rest: () => Promise<string> }> {
  const whole = OPENAI_WIRE.stream({ text: ['First words of the answer.'] });
  wire.add({ answer: { ...whole, chunks: [...whole.chunks.slice(0, 2), 'hold'] } });
  const response = await fetch(`${one.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken(agentId)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Talk.' }], stream: true }),
  });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  async function until(enough: (text: string) => boolean): Promise<string> {
    let text = '';
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      text += piece.value;
      if (enough(text)) break;
    }
    return text;
  }
  assert.match(await until((text) => text.includes('First words')), /First words/);
  return { rest: () => until(() => false) };
}

const act = (agentId: AgentId) => ({ agent_id: agentId, reason: 'test' });
const BRAKES = [
  ['bob', 'quarantine', 'agent_quarantined', () => two.admin.raw.quarantineAgent(act('bob'))],
  ['cleo', 'freeze', 'agent_frozen', () => two.admin.raw.freezeAgent(act('cleo'))],
  ['dan', 'ban', 'agent_banned', () => two.admin.raw.banAgent(act('dan'))],
  ['eve', 'revocation of its token', 'token_revoked', () => two.admin.raw.revokeAgentToken(act('eve'))],
  ['fay', 'kill', 'agent_killed', () => two.admin.raw.killAgent(act('fay'))],
] as const;

for (const [agentId, what, code, brake] of BRAKES)
  test(`a ${what} ends the current answer, also at the provider, and the agent pays for the tokens so far`, async (t) => {
    await one.admin.rewardAgent({ agent_id: agentId, amount: '1', reason: 'money' });
    const answer = await openAnswer(agentId);
    const upstream = wire.requests.at(-1);
    dataOf(await brake());
    const braked = performance.now();
    const rest = await answer.rest();
    assert.match(rest, new RegExp(`"code":"${code}"`));
    assert.doesNotMatch(rest, /DONE/);
    await upstream?.gone;
    t.diagnostic(`ended, upstream too, ${Math.round(performance.now() - braked)} ms after the answer to the ${what}`);
    const [row] = await readModelRequests(db, agentId, 1);
    assert.ok(row !== undefined && row.promptTokens > 0 && row.completionTokens > 0);
    assert.equal(row.outcome, 'cancelled');
    const paid = await eventually('the charge', async () => {
      const { balance } = await one.agent(agentId);
      return balance === '1' ? null : Number(balance);
    });
    assert.equal(Math.round((1 - paid) * 1_000), row.promptTokens + row.completionTokens);
    wire.verify();
  });

test('a freeze of the village ends the current answer, also at the provider', async (t) => {
  await one.admin.rewardAgent({ agent_id: 'ada', amount: '1', reason: 'money' });
  const answer = await openAnswer('ada');
  await two.admin.freezeVillage({ reason: 'test' });
  const braked = performance.now();
  assert.match(await answer.rest(), /"code":"village_frozen"/);
  await wire.requests.at(-1)?.gone;
  t.diagnostic(`ended, upstream too, ${Math.round(performance.now() - braked)} ms after the answer to the freeze`);
  await two.admin.liftVillageFreeze();
});
