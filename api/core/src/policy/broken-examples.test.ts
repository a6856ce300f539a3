import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { AgentSpec, TOOL_CLASSES, VERDICTS, VILLAGE_TOOL_NAMES, type Verdict } from '@hamlet/contract';
import { Seeded } from '@hamlet/test/env/seeded';
import { pluck } from '@hamlet/test/env/pluck';
import { judge, type ShellNeeds } from './judge-shell-call.ts';
import { resolvePolicy, type NarrowingRule } from './resolve-policy.ts';
import { checkExamples, rulesInForce, type CommandClasses } from './rule-examples.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
/** A fake parser: the command is the list of its classes. */
const classesOf: CommandClasses = (command) => command.split(' ');

const STRICTNESS = (verdict: Verdict): number => VERDICTS.indexOf(verdict);
const NAMES = [...TOOL_CLASSES, ...VILLAGE_TOOL_NAMES, 'mcp__files', 'mcp__files__read'];

interface Dice {
  readonly pick: <T>(from: readonly T[]) => T;
  readonly some: <T>(from: readonly T[], most: number) => T[];
}

function diceOf(random: Seeded): Dice {
  const pick = <T>(from: readonly T[]): T => random.one(from) as T;
  const some = <T>(from: readonly T[], most: number): T[] =>
    Array.from({ length: 1 + Math.floor(random.next() * most) }, () => pick(from));
  return { pick, some };
}

function anExample({ pick, some }: Dice) {
  const when = pick(['run', 'turn'] as const);
  return pick([true, false])
    ? { tool: 'shell', when, command: some(TOOL_CLASSES, 3).join(' ') }
    : { tool: pick([...VILLAGE_TOOL_NAMES, 'mcp__files__read']), when };
}

function aRule(dice: Dice): NarrowingRule {
  const { pick, some } = dice;
  const examples = () => Array.from({ length: pick([0, 1, 2]) }, () => anExample(dice));
  return { tools: some(NAMES, 4), verdict: pick(VERDICTS), examples: { match: examples(), not: examples() } };
}

test('a failed or unchecked example never makes the rules more permissive', () => {
  const seed = Number(process.env['SEED'] ?? 95);
  const dice = diceOf(new Seeded(seed));
  const { pick, some } = dice;
  let broken = 0;
  for (let turn = 0; turn < 3_000; turn += 1) {
    const village = [
      { tools: some(NAMES, 8), verdict: pick(VERDICTS) },
      { tools: [...TOOL_CLASSES], verdict: 'allow' as const },
    ];
    const tier = Array.from({ length: pick([0, 1, 2]) }, () => aRule(dice));
    const rules = Array.from({ length: pick([1, 2, 3]) }, () => aRule(dice));
    broken += checkExamples([...tier, ...rules], classesOf).broken.size;
    const mcp = { files: pick([null, 'read', 'publish'] as const) };
    const without = (list: readonly NarrowingRule[]): NarrowingRule[] =>
      list.map(({ tools, verdict }) => ({ tools, verdict }));
    const asWritten = resolvePolicy({ village, tier: without(tier), agent: { rules: without(rules) }, mcp }, sha256);
    const checked = resolvePolicy({ village, tier, agent: { rules }, mcp, classesOf }, sha256);
    const waiting = resolvePolicy({ village, tier, agent: { rules }, mcp }, sha256);
    for (const tool of [...VILLAGE_TOOL_NAMES, 'mcp__files__read']) {
      const needs: ShellNeeds | null = tool === 'shell' ? { classes: some(TOOL_CLASSES, 3), unclear: [] } : null;
      const call = { tool, when: pick(['run', 'turn'] as const), needs };
      const least = STRICTNESS(judge(asWritten, call).verdict);
      for (const policy of [checked, waiting])
        assert.ok(STRICTNESS(judge(policy, call).verdict) >= least, `seed ${seed}, turn ${turn}: ${tool}`);
    }
  }
  assert.ok(broken > 1_000, 'many rules of this test have failed examples');
});

test('a failed example removes an allow rule, but not an ask or deny rule', () => {
  const examples = { match: [{ tool: 'buy', when: 'run' as const }] };
  const rules = VERDICTS.map((verdict): NarrowingRule => ({ tools: ['publish'], verdict, examples }));
  assert.deepEqual(pluck(rulesInForce(rules, classesOf), 'verdict'), ['ask', 'deny']);
  assert.equal(
    rulesInForce(
      rules.map((rule) => ({ ...rule, tools: ['spend'] })),
      classesOf,
    ).length,
    3,
  );
});

test('the result lists each failed example with the fix, and the rules that wait for the parser', () => {
  const push = { tool: 'shell', when: 'run' as const, command: 'publish network' };
  const rules: readonly NarrowingRule[] = [
    { tools: ['publish'], verdict: 'deny', examples: { match: [push], not: [{ tool: 'buy', when: 'run' }] } },
    { tools: ['spend'], verdict: 'ask', examples: { match: [push], not: [{ tool: 'buy', when: 'turn' }] } },
    { tools: ['say'], verdict: 'ask', examples: { match: [{ ...push, tool: 'say' }] } },
  ];
  assert.deepEqual(checkExamples(rules, classesOf), {
    examples: 5,
    errors: [
      'rule 2 must match shell with the command "publish network" in a run and does not: correct the rule or its example',
      'rule 2 must not match buy in a turn and does: correct the rule or its example',
      'rule 3 has an example of say with a command: write tool: shell, or leave command out',
    ],
    isPending: false,
    broken: new Set([1, 2]),
  });
  const waiting = checkExamples(rules, () => null);
  assert.deepEqual([waiting.isPending, [...waiting.broken], waiting.errors.length], [true, [0, 1, 2], 2]);
});

test('the spec limits the number of examples, and their default circumstance is run', () => {
  const spec = (examples: object) =>
    AgentSpec.safeParse({ displayName: 'Ada', tools: { rules: [{ tools: ['say'], verdict: 'deny', examples }] } });
  const parsed = spec({ match: [{ tool: 'say' }] });
  assert.deepEqual(parsed.data?.tools?.rules?.[0]?.examples, { match: [{ tool: 'say', when: 'run' }] });
  for (const examples of [
    { match: Array.from({ length: 9 }, () => ({ tool: 'say' })) },
    { not: [{ tool: 'shell', command: 'x'.repeat(1_001) }] },
    { not: [{ tool: 'shell', command: '' }] },
    { match: [{ tool: 'Say' }] },
    { matches: [] },
  ])
    assert.equal(spec(examples).success, false);
});
