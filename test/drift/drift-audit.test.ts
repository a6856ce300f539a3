/**
 * The drift audit of a whole operator, on a real API server and a real api: it names, counts and repairs differences
 * that the test writes into the database without a notification.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from '../env/cluster-test.ts';
import type { Agent, Schedule } from '@hamlet/contract/kinds';
import { EVENTS, type KubeObject } from '@hamlet/kube';
import { AGENTS, operatorMetrics, SCHEDULES, type Operator } from '@hamlet/operator';
import type { Db } from '@hamlet/store';
import type { TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { sql } from 'kysely';
import type { Play } from '../../api/server/src/testing/test-village.ts';
import { operatedVillage, type OperatedVillage } from '../schedules/operated-village.ts';

/** Rounds in quick succession; a difference is drift after two seconds. */
const AUDIT = { everyMs: 400, afterMs: 2_000 };

let village: OperatedVillage;
let kube: TestApiServer;
let namespace: string;
let db: Db;
let play: Play;
let operator: Operator;
const metrics = operatorMetrics();
const lines: string[] = [];

before(async () => {
  village = await operatedVillage({ ada: { power: 'Asleep' }, bob: { power: 'Asleep' } });
  ({ kube, namespace, play, db } = village);
  operator = await village.startOperator({ metrics, audit: AUDIT, log: (line) => void lines.push(line) });
  await until('both Agents have a status', async () =>
    (await Promise.all(['ada', 'bob'].map(condition))).every((text) => text === 'False NotQuarantined'),
  );
});
after(async () => {
  await operator.stop();
  await village.remove();
});

async function condition(name: string): Promise<string> {
  const { status } = await kube.client.get<Agent & KubeObject>(AGENTS, { namespace, name });
  const found = status?.conditions?.find(({ type }) => type === 'Quarantined');
  return `${found?.status} ${found?.reason}`;
}

async function value(metric: string, kind: string): Promise<number> {
  const read = await metrics.registry.getSingleMetric(metric)?.get();
  return read?.values.find(({ labels }) => labels['kind'] === kind)?.value ?? 0;
}

async function rounds(): Promise<number> {
  const read = await metrics.registry.getSingleMetric('hamlet_operator_drift_audits_total')?.get();
  return read?.values.find(({ labels }) => labels['result'] === 'complete')?.value ?? 0;
}

interface StoredEvent extends KubeObject {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

async function driftEvents(kind: string, name: string): Promise<readonly string[]> {
  const { items } = await kube.client.list<StoredEvent>(EVENTS, { namespace });
  return items.flatMap(({ reason, message, involvedObject }) =>
    reason === 'Drift' && involvedObject.kind === kind && involvedObject.name === name ? [message] : [],
  );
}

test('the audit reports no drift in an unchanged village', async () => {
  // If this process stalls, the start of the operator leaves differences that count as drift; three rounds repair them.
  const begun = await rounds();
  await until('three rounds', async () => (await rounds()) >= begun + 3);
  lines.length = 0;
  const before = await rounds();
  await until('ten rounds', async () => (await rounds()) >= before + 10);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('drift')),
    [],
  );
});

test('the audit reports, counts and applies a quarantine written without a notification', async () => {
  await sql`insert into standing_measure (agent_id, measure, reason, by_role, by_id) values ('ada', 'quarantine', 'planted', 'admin', 'key admin')`.execute(
    db,
  );
  await until('the condition says so', async () => (await condition('ada')) === 'True Quarantined');
  await until('the audit reports no drift', async () => (await value('hamlet_operator_drift', 'standing')) === 0);
  assert.ok((await value('hamlet_operator_drift_total', 'standing')) >= 1);
  assert.ok(
    lines.some((line) =>
      line.startsWith(
        'drift (standing) of Agent ada: standing: the database has quarantined, the operator has no measure, for ',
      ),
    ),
    lines.join('\n'),
  );
  const [event] = await until('the Event', async () => {
    const events = await driftEvents('Agent', 'ada');
    return events.length > 0 && events;
  });
  assert.match(event ?? '', /the database has /);
  assert.equal(await condition('bob'), 'False NotQuarantined');
});

test('the audit brings a run of a Schedule, written without a notification, into the status', async () => {
  const { uid } = (
    await play.admin.createSchedule({
      name: 'tick',
      agent_name: 'bob',
      prompt: 'Look round.',
      every: '24h',
      suspend: true,
    })
  ).schedule;
  const runId = randomUUID();
  await sql`insert into schedule_state (schedule_uid, schedule_name, history_limit, last_run_id, last_run_at) values (${uid}, 'tick', 10, ${runId}, now())`.execute(
    db,
  );
  await until(
    'the status names the run',
    async () =>
      (await kube.client.get<Schedule & KubeObject>(SCHEDULES, { namespace, name: 'tick' })).status?.lastRunID ===
      runId,
  );
  await until('the Event', async () => (await driftEvents('Schedule', 'tick')).length > 0);
  await until('the audit reports no drift', async () => (await value('hamlet_operator_drift', 'schedule')) === 0);
});

test('the audit reports an open life without an Agent once', async () => {
  const counted = await value('hamlet_operator_drift_total', 'life');
  // The API closes such a life within 30 s, also before the audit has seen it twice: then it opens again here.
  const open = () =>
    sql`insert into agent_life (uid, agent_id) values ('ghost-uid', 'ghost') on conflict (uid) do update set closed_at = null`.execute(
      db,
    );
  await until('it is named', async () => {
    await open();
    return lines.some((line) =>
      line.startsWith(
        'drift (life) of Agent ghost: life: the database has the open life ghost-uid, Kubernetes has no such Agent',
      ),
    );
  });
  const before = await rounds();
  await until('three more rounds', async () => {
    await open();
    return (await rounds()) >= before + 3;
  });
  assert.equal(await value('hamlet_operator_drift_total', 'life'), counted + 1);
});
