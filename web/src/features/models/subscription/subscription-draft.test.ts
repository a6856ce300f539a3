import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialOf } from '../credential.fixture.ts';
import type { SubscriptionDraft } from './subscription-draft.ts';
import { emptySubscription, readFinish, readStart, subscriptionDraftOf } from './subscription-draft.ts';

const REDIRECT = 'http://localhost:1455/auth/callback';
const draft = (more: Partial<SubscriptionDraft> = {}): SubscriptionDraft => ({
  ...emptySubscription(['small', 'large']),
  models: [
    { name: 'small', model: 'gpt-5' },
    { name: 'large', model: ' ' },
  ],
  accepted: true,
  ...more,
});
const problems = (of: SubscriptionDraft): readonly string[] => {
  const read = readStart(of);
  return read.ok ? [] : Object.keys(read.problems);
};
const finished = (callback: string): string => {
  const read = readFinish(draft({ callback }), REDIRECT);
  return read.ok ? '' : read.problems;
};

test('a sign-in begins only with an accepted notice and at least one model', () => {
  const read = readStart(draft());
  assert.deepEqual(read, { ok: true, body: { name: 'subscription', notice_accepted: true } });
  assert.deepEqual(readStart(draft({ name: ' mine ', agent: 'ada' })), {
    ok: true,
    body: { name: 'mine', agent_id: 'ada', notice_accepted: true },
  });
  assert.deepEqual(problems(draft({ accepted: false })), ['accepted']);
  assert.deepEqual(problems(emptySubscription([])), ['models', 'accepted']);
  assert.deepEqual(problems(draft({ name: 'My own', context: 'many' })), ['name', 'context']);
});

test('a sign-in ends only with the whole address of the last page, and keeps the models of the first step', () => {
  const callback = `${REDIRECT}?code=one&state=two`;
  assert.deepEqual(readFinish(draft({ callback: ` ${callback}\n`, context: '200 000' }), REDIRECT), {
    ok: true,
    body: { callback, models: [{ name: 'small', model: 'gpt-5', context_tokens: 200_000 }] },
  });
  assert.match(finished(''), /begins with http:\/\/localhost:1455/);
  assert.match(finished('one'), /begins with/);
  assert.match(finished(`https://auth.example.org/authorize?redirect_uri=${REDIRECT}&state=two`), /begins with/);
  assert.match(finished(`${REDIRECT}?code=one`), /question mark/);
  assert.match(finished(`${REDIRECT}?state=two&code=${'x'.repeat(8_000)}`), /./);
  assert.equal(finished(`${REDIRECT}?error=access_denied&state=two`), '', "a refusal contains the provider's reason");
});

test('a new sign-in of a connected subscription keeps its models and needs the notice again', () => {
  const credential = credentialOf('personal', {
    kind: 'openai-subscription',
    base_url: 'https://chatgpt.example.org/codex',
    models: [{ name: 'small', model: 'gpt-5', context_tokens: 200_000, answer_tokens: 1024 }],
    max_in_flight: null,
  });
  const again = subscriptionDraftOf(credential);
  assert.ok(again !== null);
  assert.deepEqual(problems(again), ['accepted']);
  assert.deepEqual(
    [again.name, again.agent, again.models, again.context],
    ['personal', 'ada', [{ name: 'small', model: 'gpt-5' }], '200000'],
  );
  assert.equal(subscriptionDraftOf({ ...credential, provider: null }), null);
});
