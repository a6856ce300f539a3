import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, Entitlement } from '@hamlet/contract/kinds';
import { planText } from './commands/plan.ts';
import { quote, type Cluster, type Wanted } from './quote.ts';

const NOW = Date.parse('2026-11-22T10:00:30Z');
const limits = { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 };
const head = (kind: string, name: string): object => ({
  apiVersion: 'hamlet.village/v1alpha1',
  kind,
  metadata: { name },
});

const tier = (name: string, spec: object, seats?: { readonly total: number; readonly free: number }): Entitlement =>
  Entitlement.parse({
    ...head('Entitlement', name),
    spec: { rank: 0, limits, ...spec },
    ...(seats === undefined ? {} : { status: { seats } }),
  });

const CLUSTER: Cluster = {
  tiers: [
    tier('tier-0', { price: { perHour: '0.25', perThousandTokens: '0.02' } }, { total: 3, free: 1 }),
    tier('tier-1', { rank: 1, minBalance: '10', price: { perHour: '1' } }, { total: 1, free: 0 }),
  ],
  agents: [Agent.parse({ ...head('Agent', 'bob'), spec: {}, status: { tier: 'tier-0' } })],
};

const wanted = (kind: string, name: string, spec: object): Wanted => ({
  kind,
  name,
  present: undefined,
  answer: { ok: true, object: { metadata: { labels: { team: 'carriers' } }, spec } },
});

const changed = (object: Wanted, present: object): Wanted => ({ ...object, present: { spec: present } });

test("each agent has the price of its tier, and takes one of the tier's seats", () => {
  const { objects, cost_per_day: cost } = quote(
    [
      wanted('Agent', 'ada', {}),
      wanted('Agent', 'cleo', {}),
      wanted('Agent', 'dan', { entitlement: { policy: 'Pinned', name: 'tier-1' } }),
    ],
    CLUSTER,
    NOW,
  );
  assert.deepEqual(
    objects.map(({ tier: name, cost_per_day: day, seats }) => [name, day, seats?.free_before, seats?.free_after]),
    [
      ['tier-0', '6', 1, 0],
      ['tier-0', '6', 0, 0],
      ['tier-1', '24', 0, 0],
    ],
  );
  assert.deepEqual(
    objects.map(({ problems }) => problems.length),
    [0, 1, 1],
  );
  assert.match(objects[1]?.problems[0] ?? '', /no seat of tier-0 is free \(3 in all\)/);
  assert.deepEqual(objects[0]?.makes, ['volume ada-home of 1Gi', 'a pod with 500m cpu and 512Mi']);
  assert.equal(cost, '36');
});

test('an agent whose program needs more memory than its tier has is a problem that names a tier with enough', () => {
  const runtime = { name: 'acp', config: { preset: 'opencode' } };
  const studio = wanted('Entitlement', 'studio', {
    rank: 2,
    limits,
    minBalance: '100',
    compute: { resources: { memory: '2Gi' } },
  });
  const problemsOf = (...objects: readonly Wanted[]): string =>
    quote(objects, CLUSTER, NOW)
      .objects.flatMap(({ problems }) => problems)
      .join('\n');
  const short = problemsOf(wanted('Agent', 'ada', { runtime }), studio);
  assert.match(
    short,
    /^OpenCode needs about 1Gi of memory, and the tier tier-0 has 512Mi: name the tier studio, which has 2Gi/,
  );
  assert.match(problemsOf(wanted('Agent', 'ada', { runtime })), /: create an Entitlement with 1Gi of memory/);
  const entitlement = { policy: 'Pinned', name: 'studio' };
  assert.equal(problemsOf(studio, wanted('Agent', 'ada', { runtime, entitlement })), '');
  assert.equal(problemsOf(wanted('Agent', 'ada', { runtime, hands: { enabled: false } })), '');
});

test('sleep frees the seat and costs nothing; an unchanged object stays', () => {
  const present = Agent.shape.spec.parse({});
  const { objects } = quote(
    [
      changed(wanted('Agent', 'bob', { ...present, power: 'Asleep' }), present),
      wanted('Agent', 'ada', {}),
      changed(wanted('Agent', 'eve', present), present),
    ],
    CLUSTER,
    NOW,
  );
  assert.deepEqual(
    objects.map(({ action, cost_per_day: day, seats }) => [action, day, seats?.free_before, seats?.free_after]),
    [
      ['change', '0', 1, 2],
      ['create', '6', 2, 1],
      ['unchanged', '6', 1, 1],
    ],
  );
});

test('a tier in the same file counts, and a missing tier is reported', () => {
  const named = { entitlement: { policy: 'Pinned', name: 'tier-9' } };
  assert.match(
    quote([wanted('Agent', 'ada', named)], CLUSTER, NOW).objects[0]?.problems[0] ?? '',
    /"tier-9", and there is no such Entitlement/,
  );
  const { objects } = quote(
    [wanted('Agent', 'ada', named), wanted('Entitlement', 'tier-9', { rank: 9, limits, price: { perHour: '0.5' } })],
    CLUSTER,
    NOW,
  );
  assert.deepEqual(
    objects.map(({ cost_per_day: day, problems }) => [day, problems]),
    [
      ['12', []],
      ['12', []],
    ],
  );
});

test('schedules: the next firings, their number in a day, and their agents', () => {
  const every = wanted('Schedule', 'tick', { agentName: 'bob', prompt: 'x', every: '1h' });
  const team = wanted('Schedule', 'team', {
    selector: { matchLabels: { team: 'carriers' } },
    prompt: 'x',
    dailyAt: '09:00',
    timeZone: 'Europe/Zurich',
  });
  const [first, second, , missing, never] = quote(
    [
      every,
      team,
      wanted('Agent', 'ada', {}),
      wanted('Schedule', 'nobody', { agentName: 'zoe', prompt: 'x', every: '1h' }),
      wanted('Schedule', 'never', { agentName: 'bob', prompt: 'x', cron: '0 22-2 * * *', timeZone: 'UTC' }),
    ],
    CLUSTER,
    NOW,
  ).objects;
  assert.deepEqual(
    [first?.tells, first?.firings_per_day, first?.next_firings?.[0]],
    [['bob'], 24, '2026-11-22T11:00:00Z'],
  );
  assert.deepEqual(
    [second?.tells, second?.firings_per_day, second?.next_firings?.[0]],
    [['ada'], 1, '2026-11-23T08:00:00Z'],
  );
  assert.match(missing?.problems[0] ?? '', /there is no Agent "zoe"/);
  assert.match(never?.problems[0] ?? '', /"22-2" runs backwards/);
});

test('a refused object is counted, with the message of the API server', () => {
  const refused: Wanted = {
    kind: 'Agent',
    name: 'bad',
    present: undefined,
    answer: { ok: false, problem: 'write Awake or Asleep' },
  };
  const report = quote([refused, wanted('Agent', 'ada', {})], CLUSTER, NOW);
  assert.equal(report.refused, 1);
  assert.equal(
    planText(report),
    [
      '✗ Agent bad would be refused',
      '    ! write Awake or Asleep',
      '+ Agent ada would be created',
      '    makes volume ada-home of 1Gi',
      '    makes a pod with 500m cpu and 512Mi',
      '    6 aiDollars a day awake (tier-0), and 0.02 for each thousand tokens',
      '    seats of tier-0: 1 of 3 free now, 0 after it',
      '',
      '1 to create, 0 to change, 0 unchanged, 1 refused; the agents cost 6 aiDollars a day while awake. Nothing was changed.',
    ].join('\n'),
  );
});
