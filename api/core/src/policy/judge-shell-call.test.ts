import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERDICTS, type CallOccasion, type PolicyRule, type Verdict } from '@hamlet/contract';
import { drawBelow } from '../bytes/prng.ts';
import { judgeCall } from './judge-call.ts';
import { judgeShellCall, type ShellNeeds } from './judge-shell-call.ts';

const CLASSES = ['read', 'write_inside', 'write_outside', 'exec', 'network', 'install', 'publish', 'spend', 'speak'];
const NAMES = [...CLASSES, 'shell', 'read_file', 'post_to_board'];
const ALLOW_ALL: readonly PolicyRule[] = [{ tools: NAMES, verdict: 'allow' }];
const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

const policyOf = (rules: readonly PolicyRule[]) => ({
  rules: rules.map((rule) => ({ ...rule, from: 'village' as const })),
  mcp: {},
});
type Needs = ShellNeeds & { readonly brokerAsks?: boolean };
const judged = (rules: readonly PolicyRule[], needs: Needs, when: CallOccasion = 'run') =>
  judgeShellCall(policyOf(rules), { tool: 'shell', when }, needs);
const verdict = (rules: readonly PolicyRule[], needs: Partial<Needs>, when: CallOccasion = 'run'): Verdict =>
  judged(rules, { classes: [], unclear: [], ...needs }, when).verdict;

test('a command that publishes or is unclear always asks a person', () => {
  assert.equal(verdict(ALLOW_ALL, { classes: ['exec', 'network'] }), 'allow');
  assert.equal(verdict(ALLOW_ALL, { classes: ['network', 'publish'] }), 'ask');
  assert.equal(verdict(ALLOW_ALL, { classes: ['read'], unclear: ['it sets PATH'] }), 'ask');
  const { reason } = judged(ALLOW_ALL, { classes: [], unclear: ['x'.repeat(9_999)] });
  assert.ok(reason.length <= 480);
});

test('a rule for a class applies to a shell command that needs the class, and the reason names it', () => {
  const rules: readonly PolicyRule[] = [...ALLOW_ALL, { tools: ['install', 'network'], when: 'run', verdict: 'deny' }];
  assert.equal(verdict(rules, { classes: ['network'] }), 'deny');
  assert.equal(verdict(rules, { classes: ['network'] }, 'turn'), 'allow');
  assert.equal(verdict(rules, { classes: ['read'] }), 'allow');
  assert.match(judged(rules, { classes: ['network'], unclear: [] }).reason, /forbid network in a shell/);
  const why: PolicyRule = { tools: ['publish'], verdict: 'deny', reason: 'Nothing leaves' };
  assert.equal(judged([...ALLOW_ALL, why], { classes: ['publish'], unclear: [] }).reason, 'Nothing leaves');
});

test('further classes, doubts or rules never loosen a verdict: 3,000 random policies and commands', () => {
  let drawn = 0;
  const below = (bound: number): number => drawBelow(bound, 11, (drawn += 1));
  const some = (from: readonly string[]): string[] => from.filter(() => below(3) === 0);
  for (let round = 0; round < 3_000; round += 1) {
    const rules = Array.from({ length: below(5) }, (): PolicyRule => {
      const when = (['run', 'turn', undefined] as const)[below(3)];
      const tools = some(NAMES);
      const rule = { tools: tools.length === 0 ? ['shell'] : tools, verdict: VERDICTS[below(3)] ?? 'ask' };
      return when === undefined ? rule : { ...rule, when };
    });
    const needs = { classes: some(CLASSES), unclear: below(4) === 0 ? ['it is odd'] : [] };
    const found = STRICTNESS[verdict(rules, needs)];
    const bare = STRICTNESS[judgeCall(policyOf(rules), { tool: 'shell', when: 'run' }).verdict];
    assert.ok(found >= bare, 'as strict as the rules for the tool');
    if (needs.classes.includes('publish') || needs.unclear.length > 0) assert.ok(found >= STRICTNESS.ask);
    const elsewhere = STRICTNESS[verdict(rules, { ...needs, brokerAsks: true })];
    assert.ok(elsewhere <= found, 'a broker that asks never makes a call stricter');
    assert.equal(elsewhere === STRICTNESS.deny, found === STRICTNESS.deny, 'nor loosens a denial');
    if (!needs.classes.includes('publish')) assert.equal(elsewhere, found, 'it affects only publishing');
    const more = { classes: [...needs.classes, ...some(CLASSES)], unclear: needs.unclear };
    assert.ok(STRICTNESS[verdict(rules, more)] >= found, 'more classes');
    assert.ok(STRICTNESS[verdict(rules, { ...needs, unclear: ['also'] })] >= found, 'a doubt');
    const denying: PolicyRule = { tools: some(NAMES).concat('shell'), verdict: 'deny' };
    assert.ok(STRICTNESS[verdict([...rules, denying], needs)] >= found, 'a rule that denies');
    for (const name of needs.classes)
      assert.equal(verdict([...rules, { tools: [name], verdict: 'deny' }], needs), 'deny', name);
  }
});

test('if the broker asks about each write, a publishing command is not asked about here, but denials and other classes still apply', () => {
  const needs = { classes: ['network', 'publish'], unclear: [], brokerAsks: true };
  assert.equal(verdict(ALLOW_ALL, needs), 'allow');
  assert.equal(verdict(ALLOW_ALL, { ...needs, brokerAsks: false }), 'ask');
  assert.equal(verdict(ALLOW_ALL, { ...needs, unclear: ['it is odd'] }), 'ask');
  const rule = (name: string, found: Verdict): readonly PolicyRule[] => [
    ...ALLOW_ALL,
    { tools: [name], verdict: found },
  ];
  assert.equal(verdict(rule('publish', 'deny'), needs), 'deny');
  assert.equal(verdict(rule('publish', 'ask'), needs), 'allow', 'the broker has the same rule');
  for (const name of ['shell', 'network']) assert.equal(verdict(rule(name, 'ask'), needs), 'ask', name);
});
