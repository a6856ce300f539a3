import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEED_KINDS, NEEDS_MAX, type Need, type Run } from '@hamlet/contract';
import type { AgentRecord } from '../agents/agent-source.ts';
import { blockedNeed } from './blocked-need.ts';
import { budgetNeed, hourNeed } from './limit-needs.ts';
import { sharedNeeds } from './need-shares.ts';
import { needOf, PARKED_CODES, STOPPED_CODES } from './need-words.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const ADMIN = { isAdmin: true, id: 'admin' };
const MIA = { isAdmin: false, id: 'mia' };
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const spent = { steps: 10, tokens: 100, money: '0.1', timeMs: 1_000, since: null };
const limits = { steps: 100, tokens: 1_000, money: '1', timeMs: 100_000, idleCalls: 10 };
const aRun = (change: object, run: Partial<Run> = {}): Run =>
  ({
    run_id: 'r1',
    agent_id: 'ada',
    started_at: ago(60),
    created_at: ago(90),
    created_by: { role: 'member', id: 'mia' },
    budgets: { ...limits, spent: { ...spent, ...change } },
    ...run,
  }) as Run;

test('a run needs more from 80 % of its fullest limit on', () => {
  const lineOf = (run: Run) => budgetNeed(run, ADMIN, NOW)?.line;
  assert.equal(lineOf(aRun({ tokens: 799 })), undefined);
  assert.equal(lineOf(aRun({ tokens: 800 })), 'has used 80 % of the tokens of a task');
  assert.equal(lineOf(aRun({ tokens: 800, steps: 95 })), 'has used 95 % of the steps of a task');
  assert.equal(lineOf(aRun({ money: '1.7' })), 'has used 100 % of the money of a task');
  assert.equal(lineOf(aRun({ timeMs: 50_000, since: ago(40) })), 'has used 90 % of the time of a task');
  assert.equal(lineOf(aRun({}, { budgets: null })), undefined);
});

test('steps of a program are its own, and do not count', () => {
  const program = { mind: { runtime: 'acp' } } as Partial<Run>;
  assert.equal(budgetNeed(aRun({ steps: 99 }, program), ADMIN, NOW), null);
  assert.notEqual(budgetNeed(aRun({ steps: 99 }), ADMIN, NOW), null);
});

test('only an admin and the giver of a run may raise its limits', () => {
  const run = aRun({ steps: 90 });
  const raise = { route: 'raiseRun', label: 'Raise its limits' };
  assert.deepEqual(budgetNeed(run, ADMIN, NOW)?.remedy, raise);
  assert.deepEqual(budgetNeed(run, MIA, NOW)?.remedy, raise);
  assert.equal(budgetNeed(run, { ...MIA, id: 'zoe' }, NOW)?.remedy, null);
});

test('an agent needs tokens from 80 % of its hour on, and one without tokens does not', () => {
  const use = { agentId: 'ada', used: 80, limit: 100, beganAt: new Date(NOW) };
  assert.equal(hourNeed(use, ADMIN)?.line, 'has used 80 % of its tokens of this hour');
  assert.equal(hourNeed(use, ADMIN)?.link, '/?view=market');
  assert.equal(hourNeed(use, MIA)?.link, '/?agent=ada&tab=money');
  assert.equal(hourNeed({ ...use, used: 79 }, ADMIN), null);
  assert.equal(hourNeed({ ...use, used: 0, limit: 0 }, ADMIN), null);
});

const condition = (type: string, reason: string, seconds: number) => ({
  type,
  status: reason === type ? 'True' : 'False',
  reason,
  message: 'no node has room.',
  lastTransitionTime: ago(seconds),
});
const anAgent = (conditions: readonly object[], power = 'Awake', deleting = false): AgentRecord =>
  ({ agentId: 'ada', deleting, spec: { power }, status: { conditions } }) as unknown as AgentRecord;

test('an agent that should run and does not for two minutes is blocked, unless a person decided so', () => {
  const chain = [condition('Accepted', 'Accepted', 600), condition('Admitted', 'NoSeat', 120)];
  assert.deepEqual(blockedNeed(anAgent(chain), NOW), {
    kind: 'blocked',
    id: 'ada',
    agent_id: 'ada',
    since: ago(120),
    line: 'cannot run (NoSeat): no node has room.',
    link: '/?agent=ada&tab=now',
    remedy: null,
  });
  assert.equal(blockedNeed(anAgent(chain), NOW - 1_000), null, 'starts take a while');
  assert.equal(blockedNeed(anAgent(chain, 'Asleep'), NOW), null);
  assert.equal(blockedNeed(anAgent(chain, 'Awake', true), NOW), null);
  assert.equal(blockedNeed(anAgent([condition('Admitted', 'Quarantined', 600)]), NOW), null);
  assert.equal(blockedNeed(anAgent([condition('Ready', 'Ready', 600)]), NOW), null);
  assert.equal(blockedNeed(anAgent([]), NOW), null);
});

test('a long message of the cluster is cut', () => {
  const long = { ...condition('Admitted', 'NoSeat', 600), message: 'x'.repeat(512) };
  assert.equal(blockedNeed(anAgent([long]), NOW)?.line.length, 240);
});

test('every code of a need has words, and waits that end by themselves are left out', () => {
  const row = { id: 'r1', agentId: 'ada', since: new Date(NOW), inSession: false };
  for (const about of STOPPED_CODES)
    assert.notEqual(needOf({ ...row, kind: 'stopped', about }, ADMIN).line, 'stopped a task at a limit', about);
  for (const about of PARKED_CODES)
    assert.doesNotMatch(needOf({ ...row, kind: 'parked', about }, ADMIN).line, /does not answer$/, about);
  for (const code of ['overloaded', 'rate', 'network', 'village_frozen']) assert.ok(!PARKED_CODES.includes(code));
});

test('only a run outside of conversations that stopped at a limit can be continued with one click', () => {
  const row = { kind: 'stopped', id: 'r1', agentId: 'ada', since: new Date(NOW) } as const;
  const remedy = (about: string, inSession: boolean) => needOf({ ...row, about, inSession }, ADMIN).remedy?.route;
  assert.equal(remedy('budget_tokens', false), 'createRun');
  assert.equal(remedy('budget_tokens', true), undefined);
  assert.equal(remedy('disk_full', false), undefined);
});

test('hundreds of one kind leave every other kind its share, in the order of the list', () => {
  const of = (kind: Need['kind'], count: number): readonly Need[] =>
    Array.from({ length: count }, (_, n) => ({ kind, id: `${kind} ${n}` }) as Need);
  const many = [...of('permission', 2), ...of('blocked', 300), ...of('moderation', 9), ...of('credit', 1)];
  const shown = sharedNeeds(many, NEEDS_MAX);
  const count = (kind: Need['kind']): number => shown.filter((need) => need.kind === kind).length;
  assert.equal(shown.length, NEEDS_MAX);
  const share = Math.floor(NEEDS_MAX / NEED_KINDS.length);
  assert.ok(share >= 2);
  assert.deepEqual(
    [count('permission'), count('blocked'), count('moderation'), count('credit')],
    [2, NEEDS_MAX - 2 - share - 1, share, 1],
  );
  assert.deepEqual(
    shown,
    many.filter((need) => shown.includes(need)),
  );
  const all = NEED_KINDS.flatMap((kind) => of(kind, 60));
  assert.equal(new Set(sharedNeeds(all, NEEDS_MAX).map(({ kind }) => kind)).size, NEED_KINDS.length);
  assert.deepEqual(sharedNeeds(of('blocked', 3), NEEDS_MAX), of('blocked', 3));
});
