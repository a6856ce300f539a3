import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessagesBody } from '@hamlet/contract';
import { parseModelsConfig } from '@hamlet/models';
import type { Allowance } from '../limits/agent-limits.ts';
import { chatBodyOf } from './conversations/chat-body-of.ts';
import { configuredModels, openCatalog } from './models/village-models.ts';
import { planRequest, withinBudget, withinRun } from './plan-request.ts';

const parsed = parseModelsConfig({
  providers: { claude: { kind: 'anthropic', credential: 'c' }, other: { kind: 'openai', credential: 'c' } },
  routes: [
    { match: 'small', provider: 'claude', model: 'm' },
    { match: 'large', provider: 'other', model: 'm' },
  ],
});
assert.ok(parsed.ok);
const catalog = openCatalog(configuredModels(parsed.config, () => 'key'));
const allowance = { tier: 't', limits: { models: ['small', 'large'] } } as unknown as Allowance;

test("Anthropic's thinking and top_k go to its models; the receipt of another model notes that it has no thinking", () => {
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const planned = (model: string, more: object) => {
    const asked = { model, max_tokens: 4_000, messages: [{ role: 'user', content: 'Hi' }], top_k: 40, ...more };
    const outcome = planRequest(chatBodyOf(MessagesBody.parse(asked)), allowance, { agentId: 'bob', catalog });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return { notes: outcome.data.notes, extra: outcome.data.request.extra };
  };
  assert.deepEqual(planned('small', { thinking }), { notes: [], extra: { top_k: 40, thinking } });
  assert.deepEqual(planned('large', { thinking }), { notes: ['thinking_ignored'], extra: { top_k: 40, thinking } });
  assert.deepEqual(planned('large', { thinking: { type: 'disabled' } }).notes, []);
  assert.deepEqual(planned('large', {}), { notes: [], extra: { top_k: 40 } });
});

test("a program's answer is as long as its run's budget allows; a request without room for a word is refused", () => {
  const asked = { model: 'small', max_tokens: 4_000, messages: [{ role: 'user', content: 'Hi' }] };
  const planned = planRequest(chatBodyOf(MessagesBody.parse(asked)), allowance, { agentId: 'bob', catalog });
  assert.ok(planned.ok);
  const read = planned.data.tokens - 4_000;
  const within = (left: number) => {
    const outcome = withinBudget(planned.data, left);
    return outcome.ok
      ? [outcome.data.request.maxTokens, outcome.data.tokens, outcome.data.quotaTokens]
      : outcome.reason;
  };
  assert.deepEqual(within(1_000_000), [4_000, read + 4_000, planned.data.quotaTokens]);
  assert.deepEqual(within(read + 100), [100, read + 100, read + 100]);
  assert.equal(within(read), 'run_budget_spent');
  assert.equal(within(-1), 'run_budget_spent');
  const inRun = (free: number, unspentTokens: number, costMicros = 1) => {
    const outcome = withinRun(planned.data, { free: { tokens: free, costMicros }, unspentTokens });
    return outcome.ok ? outcome.data.request.maxTokens : [outcome.reason, outcome.retryAfterS];
  };
  assert.equal(inRun(read + 100, read + 5_000), 100, 'what other requests may use is not free');
  assert.deepEqual(inRun(read, read + 5_000), ['too_many_in_flight', 1], 'others may leave some of it');
  assert.deepEqual(inRun(read + 100, read + 100, 0), ['too_many_in_flight', 1], 'others may use the money');
  assert.deepEqual(inRun(0, read), ['run_budget_spent', undefined]);
});
