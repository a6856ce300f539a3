/** Artifacts over HTTP: stored once, within an exact quota, readable only by readers of the run's texts, and served safely. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ARTIFACT_MAX_BYTES, ARTIFACTS_MAX_BYTES, keepArtifact, type CallInput } from '@hamlet/contract';
import { deleteExpiredArtifacts, inTransaction, openDatabase, taintRun } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { PermissionPlay, type Working } from '../permissions/testing/permission-play.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { type AgentId, startPlay } from '../testing/test-village.ts';

const { play, village } = await startPlay();
const permits = new PermissionPlay(play.url);
const grace = await firstAdmin(play.url);
const mia = await invite(grace, play.url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, play.url, { name: 'Noah', role: 'member' });
const superuser = untilEnd(openSuperuser(village.postgres));
// This connection has the role of the API, so that grants apply.
const asApi = untilEnd(
  openDatabase({ url: village.environment['HAMLET_POSTGRES_URL'] ?? '', poolSize: 1, onError: () => {} }),
);

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('and more')]);

/** A run of Mia with one call that has begun. */
async function startCall(agentId: AgentId): Promise<Working> {
  const working = await permits.startRun(agentId, mia.client);
  assert.equal(await permits.begun(working, { tool: 'read_file', args: { path: 'a' } }), 'begun');
  return working;
}

type Sent = Partial<CallInput<typeof keepArtifact>['query']> & { readonly callId?: string; readonly sha256?: string };

function keep({ agentId, runId, cycle, attempt }: Working, content: Buffer, { callId = '1.0', ...sent }: Sent = {}) {
  const { sha256 = createHash('sha256').update(content).digest('hex'), ...more } = sent;
  return play.as(agentId).call(keepArtifact, {
    params: { run_id: runId, call_id: callId, sha256 },
    query: { cycle, attempt, name: 'notes.txt', media_type: 'text/plain', ...more },
    body: new Uint8Array(content),
  });
}

const listed = async (client: TestClient, { runId }: Working) =>
  (await client.listRunArtifacts({ run_id: runId })).artifacts;

test("the bytes of a call are stored once; only the run's person and admins read them", async () => {
  const working = await startCall('ada');
  const content = randomBytes(ARTIFACT_MAX_BYTES);
  const first = dataOf(await keep(working, content, { name: 'Bericht "ä".csv', deliverable: 'file' }));
  const again = dataOf(await keep(working, content, { name: 'other.csv' }));
  assert.deepEqual([first.stored, again.stored, again.artifact], [true, false, first.artifact]);
  const { artifact_id } = first.artifact;
  const params = { artifact_id };
  for (const { client } of [mia, grace]) {
    assert.deepEqual(pluck(await listed(client, working), 'artifact_id'), [artifact_id]);
    assert.ok(content.equals(await client.getArtifactContent(params)));
  }
  assert.deepEqual(await listed(noah.client, working), []);
  await refuses(noah.client.getArtifactContent(params), 'no_such_artifact');
  const ofAgent = async (client: TestClient, deliverables: 'true' | 'false') =>
    (await client.listAgentArtifacts({ agent_id: 'ada', deliverables })).artifacts;
  assert.equal((await ofAgent(mia.client, 'true')).length, 1);
  assert.equal((await ofAgent(noah.client, 'false')).length, 0);
  const delivered = async (client: TestClient) => pluck((await client.listDeliverables({})).artifacts, 'artifact_id');
  assert.deepEqual([await delivered(mia.client), await delivered(noah.client)], [[artifact_id], []]);
  const { records } = await grace.client.listAudit({ action: 'artifact.keep', object: 'ada' });
  assert.match(JSON.stringify(records), new RegExp(artifact_id));
  assert.doesNotMatch(JSON.stringify(records), /Bericht/);
});

test('a deliverable is a version of its name in its run; another name begins with 1, and other outputs are without a version', async () => {
  const working = await startCall('ada');
  const kept = async (content: string, sent: Sent) => dataOf(await keep(working, Buffer.from(content), sent)).artifact;
  const [file, name] = ['file' as const, 'monthly.py'];
  const made = [
    await kept('one', { name, deliverable: file }),
    await kept('two', { name, deliverable: file }),
    await kept('three', { name: 'other.py', deliverable: file }),
    await kept('four', { name }),
  ];
  assert.deepEqual(pluck(made, 'version'), [1, 2, 1, null]);
  assert.deepEqual(pluck(await listed(mia.client, working), 'version'), [null, 1, 2, 1]);
  assert.equal((await kept('two', { name, deliverable: file })).version, 2, 'the same bytes are the same version');
});

test('artifacts are served as opaque attachments in a sandbox, and as images only if their bytes are images', async () => {
  const working = await startCall('bob');
  const page = dataOf(
    await keep(working, Buffer.from('<script>alert(1)</script>'), { media_type: 'text/html', name: 'x";\u00e4.html' }),
  ).artifact;
  const image = dataOf(await keep(working, PNG, { media_type: 'image/svg+xml', name: 'shot.png' })).artifact;
  assert.deepEqual([page.image, image.image], [false, true]);
  const content = await mia.client.raw.getArtifactContent({ artifact_id: page.artifact_id });
  const header = (name: string) => content.response.headers.get(name);
  assert.equal(header('content-type'), 'application/octet-stream');
  assert.equal(header('content-security-policy'), "sandbox; default-src 'none'");
  assert.equal(header('x-content-type-options'), 'nosniff');
  assert.equal(header('content-disposition'), `attachment; filename="x_;_.html"; filename*=UTF-8''x%22%3B%C3%A4.html`);
  const shown = await mia.client.raw.getArtifactImage({ artifact_id: image.artifact_id });
  assert.equal(shown.response.headers.get('content-type'), 'image/png');
  assert.equal(shown.response.headers.get('content-security-policy'), "sandbox; default-src 'none'");
  assert.ok(PNG.equals(dataOf(shown)));
  const asImage = mia.client.raw.getArtifactImage({ artifact_id: page.artifact_id });
  await refuses(asImage, 'no_such_artifact');
});

test('the API refuses bytes of a call that did not begin, a wrong hash, too many bytes and deceptive names', async () => {
  const working = await startCall('cleo');
  await refuses(keep(working, PNG, { callId: '9.9' }), 'no_such_call');
  await refuses(keep(working, PNG, { sha256: '0'.repeat(64) }), 'artifact_hash_differs');
  await refuses(keep(working, Buffer.alloc(ARTIFACT_MAX_BYTES + 1)), 'body_too_large');
  await refuses(keep(working, Buffer.alloc(0)), 'validation_failed');
  for (const name of ['../x', 'a\\b', 'a\nb', 'exe.\u202Egpj', '..', ' a', ''])
    await refuses(keep(working, PNG, { name }), 'validation_failed', JSON.stringify(name));
  await refuses(keep(working, PNG, { media_type: 'text/html; charset=utf-8' }), 'validation_failed');
  await refuses(keep({ ...working, agentId: 'dan' }, PNG), 'not_own_agent');
  await permits.end(working);
  await refuses(keep(working, PNG), 'run_settled');
});

test('an agent never exceeds its quota, even with concurrent requests; deletion and expiry free space', async () => {
  const working = await startCall('dan');
  const { artifact } = dataOf(await keep(working, PNG));
  const free = 3 * PNG.length;
  // Fills the quota with 39 rows of 5 MiB and one of the remaining bytes.
  const sizes = [...Array<number>(39).fill(ARTIFACT_MAX_BYTES), ARTIFACT_MAX_BYTES - PNG.length - free];
  assert.equal(
    sizes.reduce((sum, size) => sum + size, PNG.length + free),
    ARTIFACTS_MAX_BYTES,
  );
  for (const [index, size] of sizes.entries())
    await superuser.run(`insert into artifact (run_id, call_id, agent_id, name, media_type, bytes, sha256, expires_at)
      values ('${working.runId}', '1.0', 'dan', 'old', 'text/plain', ${size}, sha256('${index}'::bytea), now() + interval '1 day')`);
  const made = Array.from({ length: 8 }, () => randomBytes(PNG.length));
  const answers = await Promise.all(made.map((content) => keep(working, content)));
  const codes = answers.map((answer) => (answer.ok ? 'stored' : answer.problem.code)).toSorted();
  assert.deepEqual(codes, [...Array<string>(5).fill('artifacts_full'), ...Array<string>(3).fill('stored')]);

  const forget = (client: TestClient) => client.forgetArtifact({ artifact_id: artifact.artifact_id });
  await refuses(forget(noah.client), 'no_such_artifact');
  await forget(mia.client);
  await refuses(forget(mia.client), 'no_such_artifact');
  assert.equal(dataOf(await keep(working, randomBytes(PNG.length))).stored, true);
  await refuses(keep(working, randomBytes(PNG.length)), 'artifacts_full');

  const outlast = `update artifact set kept_at = now() - interval '31 days', expires_at = now() where name = 'old'`;
  await superuser.run('alter table artifact disable trigger never_changes');
  await superuser.run(outlast);
  await superuser.run('alter table artifact enable always trigger never_changes');
  await deleteExpiredArtifacts(asApi, 100);
  const [left] = await superuser.run('select count(*)::integer as left from artifact where agent_id = $$dan$$');
  assert.equal(left?.['left'], 4);
  assert.equal(dataOf(await keep(working, randomBytes(PNG.length))).stored, true);

  await permits.end(working);
  await superuser.run(`delete from run where run_id = '${working.runId}'`);
  const [bytes] = await superuser.run(
    'select count(*)::integer as left from artifact_content join artifact using (artifact_id) where agent_id = $$dan$$',
  );
  assert.equal(bytes?.['left'], 0, 'deleting a run deletes its artifacts');
});

test('an artifact records the first outside text that had reached its run, text of strangers before its repository; an artifact from before has none', async () => {
  const working = await startCall('eve');
  const before = dataOf(await keep(working, Buffer.from('before'))).artifact;
  const marks = [
    { source: 'egress', detail: 'one.example.org' },
    { source: 'tool', detail: 'web_fetch' },
  ] as const;
  const supply = { source: 'supply', detail: 'git.example.org' } as const;
  for (const mark of [supply, ...marks])
    await inTransaction(asApi, (tx) => taintRun(tx, { runId: working.runId, ...mark }));
  const after = dataOf(await keep(working, Buffer.from('after'), { deliverable: 'file' })).artifact;
  assert.deepEqual([before.taint, after.taint], [null, marks[0]]);
  assert.deepEqual(pluck(await listed(mia.client, working), 'taint'), [marks[0], null]);
  const again = dataOf(await keep(working, Buffer.from('before'))).artifact;
  assert.equal(again.taint, null, 'the same bytes of the call are those from before');
});
