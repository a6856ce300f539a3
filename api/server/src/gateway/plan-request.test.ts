import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessagesBody } from '@hamlet/contract';
import { parseModelsConfig } from '@hamlet/models';
import type { Allowance } from '../limits/agent-limits.ts';
import { chatBodyOf } from './conversations/chat-body-of.ts';
import { configuredModels, openCatalog } from './models/village-models.ts';
import { planRequest } from './plan-request.ts';

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
