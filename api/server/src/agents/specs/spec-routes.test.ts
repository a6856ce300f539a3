/** Agents are created, read and changed over HTTP on a real API server, on two replicas. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION, type Problem, type WrittenAgent } from '@hamlet/contract';
import type { KubeObject } from '@hamlet/kube';
import { readAudit, type Db } from '@hamlet/store';
import { refuses } from '@hamlet/test/env/client';
import { startClusterVillage, type ClusterVillage } from '../../testing/cluster-village.ts';
import { clientOf, eventually, TOKENS } from '../../testing/test-village.ts';
import type { RunningServer } from '../../start/start-server.ts';
import { AGENTS } from '../kubernetes-watch.ts';

let cluster: ClusterVillage;
let kube: ClusterVillage['kube'];
let namespace = '';
let replicas: RunningServer[] = [];
let db: Db;

before(async () => {
  cluster = await startClusterVillage();
  const { village, environment } = cluster;
  ({ kube, namespace } = cluster);
  replicas = [await village.startReplica(environment), await village.startReplica(environment)];
  db = village.openDb();
});
after(() => cluster.remove());

type Stored = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };
const stored = (name: string): Promise<Stored> => kube.client.get<Stored>(AGENTS, { namespace, name });
const admin = (replica = 0): ReturnType<typeof clientOf> => clientOf(replicas[replica]?.peopleUrl ?? '', TOKENS.admin);
const on = (agentId: string): { agent_id: string } => ({ agent_id: agentId });

async function applyAs(fieldManager: string, name: string, spec: object): Promise<Stored> {
  const object = { apiVersion: API_VERSION, kind: 'Agent', metadata: { name, namespace }, spec };
  return kube.client.apply<Stored>(AGENTS, object, { fieldManager });
}

async function send(
  at: `POST ${string}` | `PATCH ${string}`,
  body: object,
  key: string = crypto.randomUUID(),
): Promise<{ readonly status: number; readonly body: Partial<WrittenAgent> & Partial<Problem> }> {
  const [method = '', path = ''] = at.split(' ');
  const response = await fetch(`${replicas[0]?.peopleUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKENS.admin}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Partial<WrittenAgent> & Partial<Problem> };
}

const linesOf = async (name: string): Promise<readonly string[]> =>
  (await readAudit(db, name, 100)).map((row) => `${row.action} by ${row.actorRole} ${row.actorId}`).toReversed();

async function auditedFields(name: string): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await readAudit(db, name, 1);
  const { fields = {} } = (row?.detail ?? {}) as { readonly fields?: Readonly<Record<string, unknown>> };
  return fields;
}

const sizeIn = (spec: Readonly<Record<string, unknown>> = {}): unknown =>
  (spec['memory'] as { readonly size?: unknown } | undefined)?.size;

test('an agent is created with only the fields that a person wrote, and read at once, with one audit row', async () => {
  const spec = { displayName: 'Mia', persona: { identity: 'Mia reads.' }, model: { name: 'small' } };
  const made = await admin().createAgent({ agent_id: 'mia', spec, labels: { team: 'readers' } });
  assert.deepEqual([made.agent_id, made.dry_run, made.labels], ['mia', false, { team: 'readers' }]);
  const object = await stored('mia');
  assert.equal(made.resource_version, `${object.metadata.uid}.${object.metadata.generation}`);
  assert.deepEqual(object.metadata.labels, { team: 'readers' });
  assert.deepEqual(
    made.fields.filter(({ writable }) => !writable),
    [],
  );
  assert.ok(made.fields.some(({ path, manager }) => path === 'persona.identity' && manager === 'hamlet-api'));
  assert.equal(object.spec['power'], undefined);
  const read = await admin().getAgentSpec(on('mia'));
  assert.deepEqual(read.spec['persona'], { identity: 'Mia reads.' });
  assert.equal(sizeIn(read.spec), '1Gi', 'defaults of the cluster are shown');
  assert.deepEqual(
    read.goes_with.map(({ kind, fate }) => `${kind} ${fate}`),
    ['volume chosen'],
  );
  await eventually('mia in the world', async () => (await admin(1).raw.getAgent(on('mia'))).ok);
  const fields = await auditedFields('mia');
  assert.deepEqual([fields['displayName'], fields['model.name']], ['Mia', 'small']);
  assert.deepEqual(await linesOf('mia'), ['agent.create by admin key admin']);
});

test('a second agent of the name is refused; the same request with its key is answered again', async () => {
  const body = { agent_id: 'twin', spec: {} };
  const first = await send('POST /agents', body, 'twin-key');
  assert.equal(first.status, 201);
  assert.deepEqual((await send('POST /agents', body, 'twin-key')).body, first.body);
  const other = await send('POST /agents', body);
  assert.deepEqual([other.status, other.body.code], [409, 'agent_exists']);
});

test('each invalid field has a line: of the schema, and of the cluster alone', async () => {
  const spec = { model: { name: '' }, power: 'Asleep', colour: 'red', memory: { size: 'plenty' } };
  const refused = await send('POST /agents', { agent_id: 'wrong', spec });
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_agent']);
  assert.deepEqual(refused.body.errors?.map(({ path }) => path).toSorted(), [
    'spec.colour',
    'spec.memory.size',
    'spec.model.name',
    'spec.power',
  ]);
  const made = await admin().createAgent({ agent_id: 'sized', spec: {} });
  const grown = await send('PATCH /agents/sized', {
    resource_version: made.resource_version,
    spec: { memory: { size: '2Gi' } },
    dry_run: true,
  });
  assert.deepEqual([grown.status, grown.body.code], [422, 'invalid_agent']);
  assert.equal(grown.body.errors?.[0]?.path, 'spec.memory.size');
  assert.match(grown.body.errors?.[0]?.message ?? '', /the size of a volume cannot change/);
  await refuses(admin().getAgentSpec(on('wrong')), 'no_such_agent');
});

test('labels of the village and invalid names of agents are refused', async () => {
  for (const labels of [{ 'hamlet.village/role': 'agent' }, { 'app.kubernetes.io/name': 'x' }])
    assert.equal(
      (await send('POST /agents', { agent_id: 'labelled', spec: {}, labels })).body.code,
      'validation_failed',
    );
  for (const id of ['A', '1a', 'a'.repeat(41), 'a_b', '../x'])
    assert.equal((await send('POST /agents', { agent_id: id, spec: {} })).body.code, 'validation_failed');
});

test('a dry run answers as the write would, and leaves no agent, no change and no audit row', async () => {
  const spec = { displayName: 'Dry' };
  const tried = await send('POST /agents', { agent_id: 'dry', spec, dry_run: true }, 'dry-key');
  assert.deepEqual([tried.status, tried.body.dry_run], [201, true]);
  assert.equal(sizeIn(tried.body.spec), '1Gi');
  await refuses(admin().getAgentSpec(on('dry')), 'no_such_agent');
  const made = await send('POST /agents', { agent_id: 'dry', spec }, 'dry-key');
  assert.deepEqual([made.status, made.body.dry_run], [201, false]);
  const change = { resource_version: made.body.resource_version, spec: { displayName: 'Wet' } };
  const tested = await send('PATCH /agents/dry', { ...change, dry_run: true });
  assert.equal(tested.body.spec?.['displayName'], 'Wet');
  assert.equal((await stored('dry')).spec['displayName'], 'Dry');
  assert.deepEqual(await linesOf('dry'), ['agent.create by admin key admin']);
});

test('a merge patch changes, removes and keeps fields; an equal one changes nothing', async () => {
  const spec = { persona: { identity: 'Eve', personality: 'Calm' }, skills: [{ name: 'write-a-patch' }] };
  const made = await admin().createAgent({ agent_id: 'eve', spec });
  const patch = { persona: { personality: null, instructions: 'Read.' }, skills: [], loop: { every: '1m' } };
  const changed = await admin().updateAgent({ ...on('eve'), resource_version: made.resource_version, spec: patch });
  assert.deepEqual(changed.spec['persona'], { identity: 'Eve', instructions: 'Read.' });
  assert.deepEqual(changed.spec['skills'], []);
  const same = await admin().updateAgent({ ...on('eve'), resource_version: changed.resource_version, spec: patch });
  assert.equal(same.resource_version, changed.resource_version);
  assert.deepEqual(await linesOf('eve'), ['agent.create by admin key admin', 'agent.change by admin key admin']);
  assert.deepEqual(Object.keys(await auditedFields('eve')).toSorted(), [
    'loop.every',
    'persona.instructions',
    'persona.personality',
    'skills',
  ]);
});

test('the second of two admins with the same version reads again; a change of status is not a change', async () => {
  const made = await admin().createAgent({ agent_id: 'both', spec: {} });
  await kube.client.mergePatch(AGENTS, { status: { cycle: 1 } }, { namespace, name: 'both', subresource: 'status' });
  const change = (replica: number, displayName: string) =>
    admin(replica).raw.updateAgent({ ...on('both'), resource_version: made.resource_version, spec: { displayName } });
  const answers = await Promise.all([change(0, 'One'), change(1, 'Two')]);
  assert.equal(answers.filter(({ ok }) => ok).length, 1);
  const again = await admin().getAgentSpec(on('both'));
  await refuses(
    admin().updateAgent({ ...on('both'), resource_version: made.resource_version, spec: { displayName: 'Three' } }),
    'agent_changed',
  );
  await admin().updateAgent({
    ...on('both'),
    resource_version: again.resource_version,
    spec: { displayName: 'Three' },
  });
  assert.equal((await stored('both')).spec['displayName'], 'Three');
});

test('a field of Argo CD is named and left alone; a free field is written; a take-over is a choice', async () => {
  await applyAs('argocd-controller', 'gitops', { displayName: 'Git', model: { name: 'small' } });
  await eventually('gitops', async () => (await admin().raw.getAgent(on('gitops'))).ok);
  const read = await admin().getAgentSpec(on('gitops'));
  assert.deepEqual(
    read.fields.map(({ path, manager, writable }) => [path, manager, writable]),
    [
      ['displayName', 'argocd-controller', false],
      ['model.name', 'argocd-controller', false],
    ],
  );
  assert.match(read.goes_with[0]?.line ?? '', /^argocd-controller manages this agent too/);
  const both = { resource_version: read.resource_version, spec: { model: null, wake: 'Never' } };
  const refused = await send('PATCH /agents/gitops', both);
  assert.deepEqual([refused.status, refused.body.code], [409, 'field_owned_elsewhere']);
  assert.match(refused.body.detail ?? '', /spec\.model\.name is managed by "argocd-controller"/);
  assert.equal((await stored('gitops')).spec['wake'], 'OnMessage', 'nothing of the request is written');
  const { resource_version: version } = await admin().updateAgent({
    ...on('gitops'),
    resource_version: read.resource_version,
    spec: { wake: 'Never' },
  });
  const taken = await send('PATCH /agents/gitops?on_conflict=take_over', { ...both, resource_version: version });
  assert.equal(taken.status, 200);
  assert.equal((await stored('gitops')).spec['model'], undefined);
});

test('a pin of the tier, a suspension and a workflow, which other routes write, stay writable and stay as they are', async () => {
  const made = await admin().createAgent({ agent_id: 'lives', spec: { entitlement: { policy: 'ByBalance' } } });
  await eventually('lives', async () => (await admin().raw.getAgent(on('lives'))).ok);
  await admin().suspendAgent(on('lives'));
  await refuses(
    admin().updateAgent({ ...on('lives'), resource_version: made.resource_version, spec: { wake: 'Never' } }),
    'agent_changed',
  );
  const read = await admin().getAgentSpec(on('lives'));
  assert.equal(read.spec['power'], undefined);
  await admin().updateAgent({ ...on('lives'), resource_version: read.resource_version, spec: { wake: 'Never' } });
  assert.equal((await stored('lives')).spec['power'], 'Asleep');
  await admin().awakenAgent(on('lives'));
  assert.equal((await stored('lives')).spec['wake'], 'Never');
});

test('each character makes an agent that the cluster accepts', async () => {
  const { characters } = await admin().listCharacters();
  assert.equal(characters.length, 6);
  for (const { id, spec } of characters) await admin().createAgent({ agent_id: id, spec });
  await eventually('all of them', async () => (await admin().raw.getAgent(on('night-watch'))).ok);
});

test('a deletion names the agent again, says what it affects, and writes first whether the volume stays', async () => {
  await admin().createAgent({ agent_id: 'leaver', spec: {} });
  await eventually('leaver', async () => (await admin().raw.getAgent(on('leaver'))).ok);
  await kube.client.mergePatch(AGENTS, { metadata: { finalizers: ['test/hold'] } }, { namespace, name: 'leaver' });
  await admin().createSchedule({ name: 'leaver-daily', agent_name: 'leaver', prompt: 'Look.', every: '1h' });
  const { session } = await clientOf(replicas[0]?.peopleUrl ?? '', TOKENS.member).createSession(on('leaver'));
  assert.ok(session.session_id);
  await refuses(admin().deleteAgent({ ...on('leaver'), confirm: 'leave', volume: 'keep' }), 'not_confirmed');
  const gone = await admin().deleteAgent({ ...on('leaver'), confirm: 'leaver', volume: 'keep' });
  assert.deepEqual(
    gone.goes_with.map(({ kind, fate, count, names }) => [kind, fate, count, ...names]),
    [
      ['volume', 'chosen', 1, 'leaver-home'],
      ['conversations', 'stays', 1],
      ['schedules', 'stays', 1, 'leaver-daily'],
    ],
  );
  const ending = await stored('leaver');
  assert.notEqual(ending.metadata.deletionTimestamp, undefined);
  assert.equal((ending.spec['memory'] as { readonly retain: string }).retain, 'Retain');
  const again = await admin().deleteAgent({ ...on('leaver'), confirm: 'leaver', volume: 'keep' });
  assert.equal(again.deleted, true);
  await kube.client.mergePatch(AGENTS, { metadata: { finalizers: null } }, { namespace, name: 'leaver' });
  await eventually('its end', async () => !(await admin().raw.getAgent(on('leaver'))).ok);
  await refuses(admin().deleteAgent({ ...on('leaver'), confirm: 'leaver', volume: 'keep' }), 'no_such_agent');
  const lines = (await linesOf('leaver')).filter((line) => line.startsWith('agent.'));
  assert.deepEqual(lines, ['agent.create by admin key admin', 'agent.delete by admin key admin']);
});

test('a volume that GitOps governs is not given up, and a field of another manager stops no deletion that leaves it', async () => {
  await applyAs('argocd-controller', 'kept', { memory: { retain: 'Retain' } });
  await eventually('kept', async () => (await admin().raw.getAgent(on('kept'))).ok);
  const wish = { ...on('kept'), confirm: 'kept' } as const;
  await refuses(admin().deleteAgent({ ...wish, volume: 'delete' }), 'field_owned_elsewhere');
  assert.equal((await stored('kept')).metadata.deletionTimestamp, undefined);
  assert.equal((await admin().deleteAgent({ ...wish, volume: 'keep' })).deleted, true);
});

test('only admins read and write specs; without a cluster the API says that it cannot', async () => {
  const member = clientOf(replicas[0]?.peopleUrl ?? '', TOKENS.member);
  await refuses(member.getAgentSpec(on('mia')), 'forbidden');
  await refuses(member.createAgent({ agent_id: 'max', spec: {} }), 'forbidden');
  const samples = await cluster.village.startReplica({});
  const without = clientOf(samples.peopleUrl, TOKENS.admin);
  await refuses(without.createAgent({ agent_id: 'max', spec: {} }), 'cluster_needed');
  await refuses(without.getAgentSpec(on('ada')), 'cluster_needed');
  await refuses(without.deleteAgent({ ...on('ada'), confirm: 'ada', volume: 'keep' }), 'cluster_needed');
  await refuses(without.updateAgent({ ...on('ada'), resource_version: 'x', spec: {} }), 'cluster_needed');
});
