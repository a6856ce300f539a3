/** The rules of the configuration: their schema, their examples, and the policy that agents get from them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSpec, EntitlementSpec } from '@hamlet/contract';
import { judgeCall } from '@hamlet/core';
import { readConfig } from '../start/config.ts';
import { agentPolicy } from './agent-policy.ts';
import { checkCommandExamples } from './rules/check-commands.ts';
import { createReadCommand } from './shell/read-command.ts';

const REQUIRED = {
  HAMLET_POSTGRES_URL: 'postgres://app@localhost/hamlet',
  HAMLET_REDIS_URL: 'redis://localhost',
};
const rulesOf = (text?: string) =>
  readConfig({ ...REQUIRED, ...(text === undefined ? {} : { HAMLET_TOOL_RULES: text }) }).rules.rules;
const RULES = rulesOf();

test('without configuration everything is allowed, but a run needs permission to spend', () => {
  const policyOf = agentPolicy(
    () => RULES,
    { get: () => null, entitlement: () => null },
    () => null,
  );
  const verdicts = (['run', 'turn'] as const).map((when) =>
    ['say', 'post_to_board', 'buy'].map((tool) => judgeCall(policyOf('ada'), { tool, when }).verdict),
  );
  assert.deepEqual(verdicts, [
    ['allow', 'allow', 'ask'],
    ['allow', 'allow', 'allow'],
  ]);
  assert.equal(policyOf('ada'), policyOf('bob'), 'one object for all agents without rules of their own');
});

test('the API refuses to start with rules that are invalid, name no tool, or have failing examples', () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['[', /HAMLET_TOOL_RULES: write JSON/],
    ['[]', /HAMLET_TOOL_RULES/],
    ['[{"tools":["read"],"verdict":"maybe"}]', /verdict/],
    ['[{"tools":["read"],"verdict":"allow","amount":"5"}]', /amount/],
    [
      '[{"tools":["reed"],"verdict":"allow"}]',
      /rule 1: reed is neither a tool nor a class of tools: did you mean read\?/,
    ],
    [
      '[{"tools":["spend"],"when":"run","verdict":"ask","misses":[{"tool":"buy"}]}]',
      /rule 1 must not match buy in a run and does/,
    ],
  ];
  for (const [text, message] of wrong) assert.throws(() => rulesOf(text), message, text);
  assert.equal(
    rulesOf(
      '[{"tools":["spend"],"when":"run","verdict":"ask","matches":[{"tool":"bid"}],"misses":[{"tool":"bid","when":"turn"}]}]',
    ).length,
    1,
  );
});

test('examples name calls and shell commands; a wrong one is refused with its place and text', async () => {
  const read = createReadCommand();
  const push = { tool: 'shell', command: 'true && git push origin main' };
  const rules = (examples: object, tools = ['publish']) =>
    rulesOf(
      JSON.stringify([
        { tools: ['read'], verdict: 'allow' },
        { tools, verdict: 'deny', examples },
      ]),
    );
  await checkCommandExamples(
    rules({ match: [push, { tool: 'post_to_board' }], not: [{ tool: 'shell', command: 'ls' }] }),
    read,
  );
  await assert.rejects(
    checkCommandExamples(rules({ match: [push] }, ['spend']), read),
    /rule 2 must match shell with the command "true && git push origin main" in a run and does not/,
  );
  await assert.rejects(
    checkCommandExamples(rules({ not: [push] }), read),
    /rule 2 must not match shell with the command/,
  );
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ match: [{ tool: 'buy' }] }, /rule 2 must match buy in a run and does not/],
    [{ not: [{ tool: 'post_to_board' }] }, /rule 2 must not match post_to_board in a run and does/],
    [{ not: [{ tool: 'post_on_board' }] }, /rule 2: an example has the unknown tool post_on_board/],
    [{ match: [{ tool: 'say', command: 'ls' }] }, /only the tool shell takes a command/],
  ];
  for (const [examples, message] of wrong) assert.throws(() => rules(examples), message, String(message));
  assert.equal(rules({ match: [{ tool: 'mcp__files__read' }] }, ['mcp__files']).length, 2);
});

test('the strictest verdict of village, tier and Agent counts; a tier never loosens it, and each change is a new version', () => {
  const spec = (rules: readonly object[]) =>
    EntitlementSpec.parse({
      rank: 1,
      limits: { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 },
      tools: { rules },
    });
  const tiers = new Map([
    ['asks', spec([{ tools: ['publish'], when: 'run', verdict: 'ask', reason: 'Newcomers ask' }])],
    ['loosens', spec([{ tools: ['spend'], verdict: 'allow' }])],
  ]);
  const agents = new Map([
    ['ada', { tier: 'asks', tools: { rules: [{ tools: ['publish'], verdict: 'allow' as const }] } }],
    ['bob', { tier: 'asks', tools: { rules: [{ tools: ['publish'], verdict: 'deny' as const }] } }],
    ['cleo', { tier: 'loosens', tools: undefined }],
    ['dora', { tier: 'gone', tools: undefined }],
  ]);
  const source: Parameters<typeof agentPolicy>[1] = {
    get: (agentId) => {
      const agent = agents.get(agentId);
      if (agent === undefined) return null;
      const record = { agentId, uid: agentId, createdAt: '', deleting: false, status: { tier: agent.tier } };
      return { ...record, spec: AgentSpec.parse({ displayName: agentId, ...(agent.tools && { tools: agent.tools }) }) };
    },
    entitlement: (name) => tiers.get(name) ?? null,
  };
  const policyOf = agentPolicy(
    () => RULES,
    source,
    () => null,
  );
  const judged = ['ada', 'bob', 'cleo', 'dora'].map((agentId) =>
    ['post_to_board', 'buy'].map((tool) => judgeCall(policyOf(agentId), { tool, when: 'run' })),
  );
  assert.deepEqual(
    judged.map((calls) => calls.map(({ verdict }) => verdict)),
    [
      ['ask', 'ask'],
      ['deny', 'ask'],
      ['allow', 'ask'],
      ['allow', 'ask'],
    ],
  );
  assert.equal(judged[0]?.[0]?.reason, 'Newcomers ask');
  assert.ok(policyOf('ada').rules.some(({ from, tools }) => from === 'tier' && tools[0] === 'publish'));
  const before = policyOf('ada').version;
  tiers.set('asks', spec([{ tools: ['publish'], when: 'run', verdict: 'deny' }]));
  assert.equal(judgeCall(policyOf('ada'), { tool: 'post_to_board', when: 'run' }).verdict, 'deny');
  assert.notEqual(policyOf('ada').version, before);
});

test('a tier or Agent rule with a failing example never allows a call, and the API reports it', async () => {
  const command = 'git push origin main';
  const rule = (verdict: string, tools: readonly string[]): object => ({
    tools,
    verdict,
    examples: { match: [{ tool: 'shell', command }] },
  });
  const agentSpec = AgentSpec.parse({
    displayName: 'ada',
    tools: { rules: [rule('allow', ['publish']), rule('allow', ['spend']), rule('deny', ['spend'])] },
  });
  const record = { agentId: 'ada', uid: 'ada', createdAt: '', deleting: false, status: {}, spec: agentSpec };
  let isOpen = false;
  const read = createReadCommand();
  const { classes } = await read(command);
  const policyOf = agentPolicy(
    () => RULES,
    { get: () => record, entitlement: () => null },
    (text) => {
      assert.equal(text, command);
      return isOpen ? classes : null;
    },
  );
  const ownRules = () =>
    policyOf('ada').rules.flatMap(({ from, tools, verdict }) => (from === 'agent' ? [`${verdict} ${tools}`] : []));
  assert.deepEqual(ownRules(), ['deny spend'], 'until its examples are read, a rule never allows');
  isOpen = true;
  assert.deepEqual(ownRules(), ['allow publish', 'deny spend']);
  assert.equal(policyOf('ada'), policyOf('ada'));
});
