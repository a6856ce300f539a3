import { PolicyTrial } from '@hamlet/contract';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { proposalOf, readProposal } from '../policy-file.ts';
import { trialLines } from './policy.ts';
import { testFolder } from '@hamlet/test/env/at-end';

const folder = testFolder('policy');
function fileWith(text: string): string {
  const path = join(folder, 'rules.yaml');
  writeFileSync(path, text);
  return path;
}

const NOW = Date.parse('2026-11-25T12:10:00Z');
const RUN = '01a20000-0000-7000-8000-000000000001';
const trialOf = (parts: object = {}): PolicyTrial =>
  PolicyTrial.parse({
    since: '2026-11-18T12:10:00Z',
    until: '2026-11-25T12:10:00Z',
    looked_at: 12,
    judged: 9,
    changed: 0,
    cut: null,
    not_judged: { older: 0, without_facts: 0, run_gone: 0, agent_gone: 0 },
    changes: [],
    by_class: [],
    by_agent: [],
    examples: [],
    took_ms: 4,
    ...parts,
  });

test('a file is an Agent, an Entitlement, values of the chart or a list of rules', () => {
  const rules = [{ tools: ['publish'], verdict: 'deny' }];
  assert.deepEqual(readProposal(fileWith('- tools: [publish]\n  verdict: deny\n')), { of: 'village', rules });
  assert.deepEqual(readProposal(fileWith('api:\n  toolRules:\n    - {tools: [publish], verdict: deny}\n')), {
    of: 'village',
    rules,
  });
  const agent = { kind: 'Agent', metadata: { name: 'ada' }, spec: { displayName: 'Ada', tools: { rules } } };
  assert.deepEqual(proposalOf(agent, 'f'), { of: 'agent', agent_id: 'ada', tools: { rules }, mcp_servers: [] });
  const limits = { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 };
  const tier = { kind: 'Entitlement', metadata: { name: 'tier-0' }, spec: { rank: 0, limits, tools: { rules } } };
  assert.deepEqual(proposalOf(tier, 'f'), { of: 'tier', name: 'tier-0', tools: { rules } });
});

test('an invalid file is refused with its error and the fix', () => {
  for (const [text, message] of [
    ['kind: Pod\n', /has the kind Pod: write an Agent, an Entitlement/],
    ['a: 1\n', /has no rules: write an Agent/],
    ['', /has no (document|rules)/],
    ['[]\n---\n[]\n', /several documents/],
    ['- tools: [publish]\n  verdict: maybe\n', /verdict/],
    ['- {tools: [publish], verdict: deny, if: x}\n', /if/],
    ['a: [\n', /rules\.yaml: /],
    [
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(20)}]\nc: &c [${'*b,'.repeat(20)}]\nd: [${'*c,'.repeat(20)}]\n`,
      /alias/,
    ],
    ['x'.repeat(300_000), /larger than 256 KiB/],
  ] as const)
    assert.throws(() => readProposal(fileWith(text)), message);
  assert.throws(() => readProposal(join(folder, 'missing')), /cannot be read/);
});

test('the report begins with the counts and ends with the calls that were not judged', () => {
  const rule = { tools: ['publish', 'send'], verdict: 'deny', reason: 'Nothing leaves', from: 'village' };
  const text = trialLines(
    trialOf({
      changed: 2,
      looked_at: 50_000,
      cut: 'calls',
      not_judged: { older: 700, without_facts: 3, run_gone: 2, agent_gone: 1 },
      changes: [{ from: 'ask', to: 'deny', calls: 2, answers: { allowed: 1, denied: 0, expired: 0 } }],
      by_class: [{ name: 'publish', from: 'ask', to: 'deny', calls: 2 }],
      by_agent: [{ name: 'ada', from: 'ask', to: 'deny', calls: 2 }],
      examples: [
        {
          run_id: RUN,
          call_id: '1.0',
          agent_id: 'ada',
          at: '2026-11-25T12:00:00Z',
          tool: 'shell',
          words: 'git push origin \u001b[31mmain',
          before: { verdict: 'ask', reason: 'The command publishes something', rule: null },
          after: { verdict: 'deny', reason: 'Nothing leaves', rule },
          answer: 'allowed',
        },
      ],
    }),
    NOW,
  ).join('\n');
  assert.match(text, /^the proposed rules change 2 of 9 calls of the last 7 days\n/);
  assert.match(text, /\nask → deny +2 +1 allowed\n/);
  assert.match(text, /\npublish +ask → deny +2\n/);
  assert.match(text, /ask → deny +ada +10m +shell: git push origin .*main +allowed +village: deny publish, send +01a2/);
  assert.match(text, /the newest 1 of 2/);
  assert.match(
    text,
    /Not judged:\n {2}700 calls are older than the newest 50000, and the trial reached its limit of calls\n {2}3 calls were made before .*\n {2}2 calls .*\n {2}1 calls/,
  );
  assert.ok(!text.includes('\u001b'));
});

test('rules that change nothing give a one-line report', () => {
  assert.deepEqual(trialLines(trialOf(), NOW), ['the proposed rules change none of 9 calls of the last 7 days']);
  assert.deepEqual(trialLines(trialOf({ judged: 0, looked_at: 0 }), NOW), ['no call of the last 7 days can be judged']);
});
