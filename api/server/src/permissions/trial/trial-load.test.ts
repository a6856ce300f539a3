/** Trials of 50,000 calls by the largest proposals: bounded in time and number, while other requests are served. */
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { POLICY_RULES_MAX, TRIAL_CALLS_MAX, VillageRules } from '@hamlet/contract';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { codeOf } from '@hamlet/test/env/client';
import { startPermits } from '../testing/permission-play.ts';

/** As many rules as a proposal may have; only the last one names a class of the calls. */
const LONGEST: VillageRules = VillageRules.parse([
  ...Array.from({ length: POLICY_RULES_MAX - 1 }, (_, rule) => ({
    tools: Array.from({ length: 64 }, (_each, at) => `mcp__server${rule}__a-tool-with-a-long-name-${at}`),
    verdict: 'ask',
  })),
  { tools: ['exec'], verdict: 'deny' },
]);

const { village, permits } = await startPermits();
const { url } = permits.play;
const { runId } = await permits.startRun('ada');
const superuser = openSuperuser(village.postgres);
const { uid } = await permits.play.agent('ada');
await superuser.run(`
    insert into judged_call (run_id, call_id, agent_id, agent_uid, tool, tool_class, classes, taint_source, taint_detail, words, verdict, policy_version, judged_at)
    select '${runId}', 'call-' || n, 'ada', '${uid}', 'shell', 'exec', (array['read', 'exec', 'network', 'install', 'publish'])[1 + n % 3 : 5],
      case when n % 3 = 0 then 'egress' end, case when n % 3 = 0 then 'host-' || n % 500 end, 'make test', 'allow', repeat('0', 64),
      now() - n * interval '10 seconds' from generate_series(1, ${TRIAL_CALLS_MAX + 1_000}) n`);
await superuser.close();

const attempt = (rules: VillageRules) => permits.play.admin.tryPolicy({ of: 'village', rules });

/** Describes the delays of the event loop while requests are served, and the number of requests. */
async function served(isOver: (requests: number) => boolean): Promise<readonly [delays: string, requests: number]> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let requests = 0;
  for (; !isOver(requests); requests += 1) assert.equal((await fetch(`${url}/livez`)).ok, true);
  delay.disable();
  const [max, p99] = [delay.max, delay.percentile(99)].map((ns) => `${(ns / 1e6).toFixed(1)} ms`);
  return [`event loop p99 ${p99}, max ${max}`, requests];
}

test('a trial of 50,000 calls lets other requests be served', async (t) => {
  const [before] = await served((requests) => requests === 200);
  let isOver = false;
  const meanwhile = served(() => isOver);
  const report = await attempt(LONGEST);
  isOver = true;
  const [during, requests] = await meanwhile;
  t.diagnostic(`${report.looked_at} calls in ${report.took_ms} ms: ${during}, ${requests} other requests`);
  t.diagnostic(`the same requests without a trial: ${before}`);
  assert.ok(report.cut === 'time' || report.looked_at === TRIAL_CALLS_MAX);
  assert.equal(report.looked_at + report.not_judged.older, TRIAL_CALLS_MAX + 1_000);
  assert.equal(report.changed, report.judged);
  assert.equal(report.examples.length, 100);
  assert.ok(requests > 0);
});

test('a second trial at the same time is refused', async () => {
  const codes = await Promise.all([codeOf(attempt(LONGEST)), codeOf(attempt(LONGEST))]);
  assert.deepEqual(codes.toSorted(), [null, 'trial_under_way'].toSorted());
});

test('a huge or hostile proposal is refused with a reason', async () => {
  const rule = { tools: ['exec'], verdict: 'deny' as const };
  const sent = async (body: unknown): Promise<string | null> => codeOf(permits.play.admin.tryPolicy(body as never));
  assert.equal(
    await sent({ of: 'village', rules: Array.from({ length: POLICY_RULES_MAX + 1 }, () => rule) }),
    'validation_failed',
  );
  assert.equal(await sent({ of: 'village', rules: [{ ...rule, reason: 'x'.repeat(300_000) }] }), 'body_too_large');
  assert.equal(await sent({ of: 'village', rules: [{ ...rule, tools: [`${'a'.repeat(63)}!`] }] }), 'validation_failed');
  assert.equal(await sent({ of: 'everything', rules: [] }), 'validation_failed');
  assert.equal(await sent({ of: 'village', rules: [{ ...rule, tools: ['exe'] }] }), 'policy_wrong');
  const nested = [
    '$('.repeat(900),
    '`'.repeat(1_990),
    '{a,'.repeat(600),
    '<<A\n'.repeat(450),
    '(('.repeat(900),
    'a|'.repeat(900),
  ];
  const examples = {
    match: Array.from({ length: 16 }, (_, at) => ({ tool: 'shell', command: `${nested[at % nested.length]}${at}` })),
  };
  const answer = await permits.play.admin.raw.tryPolicy({
    of: 'village',
    rules: VillageRules.parse([{ ...rule, tools: ['spend'], examples }]),
  });
  assert.equal(answer.ok ? 'ok' : answer.problem.code, 'policy_wrong');
  assert.ok(!answer.ok && answer.problem.detail.length <= 2_000);
});

test('a person may run a limited number of trials a minute', async () => {
  const wrong: VillageRules = [{ tools: ['exe'], verdict: 'deny' }];
  const codes: (string | null)[] = [];
  // A new minute may begin in between, so the limit may be reached twice.
  while (codes.length < 61 && !codes.includes('rate_limited')) codes.push(await codeOf(attempt(wrong)));
  assert.deepEqual([...new Set(codes)], ['policy_wrong', 'rate_limited']);
});
