/** A village is restored to a second: after a kill of its Postgres, and on another machine where only the archive and the log are left; a damaged archive is refused. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresPrograms } from '@hamlet/dev';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { until as eventuallyBy } from '@hamlet/test/env/until';
import { gatherReference, keyOf, readKept, verifyLog, villageSource } from 'hamlet-verify';
import { firstAdmin } from '../../api/server/src/testing/play/people-play.ts';
import { clientOf, eventually, TOKENS } from '../../api/server/src/testing/test-village.ts';
import { largeFolder } from '../../local/village/large-folder.ts';
import { ROOT } from '../../local/village/paths.ts';
import { restore } from '../../local/village/backup/restore.ts';
import { startBackupVillage, type BackupVillage } from './backup-village.ts';

/** Rows of about 1 KiB beside the village's data. */
const ROWS = process.env['HAMLET_TEST_FULL'] === '1' ? 1_000_000 : 50_000;
const ROWS_AT_ONCE = 25_000;
/** A gigabyte is replayed, dumped and loaded. */
const RESTORE_MS = 1_200_000;
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const programs = await postgresPrograms();
const shared = await largeFolder('hamlet-test-archive', '/tmp');
await chmod(shared, 0o777);
atEnd(() => rm(shared, { recursive: true, force: true }));
const ARCHIVE = join(shared, 'archive');
const SCRIPTS = join(shared, 'scripts');
await cp(join(ROOT, 'charts/hamlet/files/archive'), SCRIPTS, { recursive: true });

const environmentOf = (name: string): Readonly<Record<string, string>> => ({
  PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  PGPASSWORD: 'hamlet',
  ARCHIVE_SCRIPTS: SCRIPTS,
  ARCHIVE_FOLDER: ARCHIVE,
  ARCHIVE_RECOVERY: join(shared, `recovery-${name}`),
  ARCHIVE_DAYS: '7',
  ARCHIVE_HOURS: '24',
  ARCHIVE_MIB: '8192',
  ARCHIVE_PAUSE: '1',
});
await mkdir(ARCHIVE);
await chmod(ARCHIVE, 0o777);

async function startVillage(name: string): Promise<BackupVillage> {
  const environment = environmentOf(name);
  const own = await startBackupVillage(environment);
  untilEnd(own.village);
  await own.setState({ containers: 'postgres archive' });
  await own.initialize();
  const { postgres } = own.village;
  const superuser = openSuperuser(postgres);
  const command = `env ARCHIVE_FOLDER=${ARCHIVE} bash ${SCRIPTS}/segment.sh %p %f`;
  for (const setting of [`archive_mode = 'on'`, `archive_timeout = '1s'`, `archive_command = '${command}'`])
    await superuser.run(`alter system set ${setting}`);
  await superuser.close();
  await postgres.stop();
  await postgres.start();
  const { hostname, port } = new URL(postgres.url());
  const archiver = spawn('bash', [join(SCRIPTS, 'keep.sh')], {
    ...UNPRIVILEGED,
    cwd: '/',
    stdio: 'ignore',
    env: { ...environment, PATH: `${own.clients}/bin:${environment['PATH']}`, PGHOST: hostname, PGPORT: port },
  });
  atEnd(async () => {
    const ended = once(archiver, 'exit');
    if (archiver.kill()) await ended;
  });
  return own;
}

type Api = Awaited<ReturnType<BackupVillage['start']>>;

const balanceOf = async ({ play }: Api): Promise<number> =>
  Number((await play.admin.getBalance({ agent_id: 'cleo' })).balance);
const reward = async ({ play }: Api, amount: string): Promise<void> =>
  void (await play.admin.rewardAgent({ agent_id: 'cleo', amount, reason: 'a test' }));

const accepts = async ({ play }: Api, token: string): Promise<boolean> =>
  (await clientOf(play.url, token).raw.getMe()).ok;

/** The first row of a statement in the village's database. */
async function ask(own: BackupVillage, statement: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { postgres } = own.village;
  const superuser = openSuperuser({ ...postgres, url: () => postgres.url('hamlet') });
  try {
    return (await superuser.run(statement))[0];
  } finally {
    await superuser.close();
  }
}

/** Waits for the end of this second, and returns that moment when it is over. */
async function momentNow(): Promise<string> {
  const next = Math.floor(Date.now() / 1_000) * 1_000 + 1_000;
  await sleep(next + 200 - Date.now());
  return new Date(next).toISOString().replace('.000Z', 'Z');
}

/** Restores the moment while the test plays the Deployment of the API. */
async function restoreTo(own: BackupVillage, until: string, running?: Api): Promise<Api> {
  await own.setState({ key: await readFile(join(own.folder, 'log/key.pem'), 'utf8') });
  const restoring = restore(own.place, { until }, { yes: true });
  let ended = false;
  const ends = restoring.finally(() => (ended = true));
  ends.catch(() => undefined);
  const reach = (wanted: number) =>
    eventuallyBy('the apis', async () => ended || (await own.stateOf()).replicas['hamlet-api'] === wanted, {
      capMs: RESTORE_MS,
    });
  await reach(0);
  await running?.stop();
  await reach(1);
  if (ended) await ends;
  const api = await own.start();
  await restoring;
  return api;
}

async function assertLogVerifies({ folder }: BackupVillage, { play }: Api): Promise<void> {
  const source = villageSource(play.url, TOKENS.admin);
  const outside = await readKept(join(folder, 'log'));
  const verdict = await verifyLog(source, await gatherReference(source, outside, keyOf(outside.key ?? '')));
  assert.ok(verdict.ok, JSON.stringify(verdict));
  const { records } = dataOf(await play.admin.raw.listAudit({ action: 'log.restore' }));
  assert.ok(
    records.some(({ actor_id: actor }) => actor === 'restore'),
    'the log says that it was restored',
  );
}

const first = await startVillage('first');
let moment = '';
/** An API key of a person. */
let key = '';
let then = 0;
/** After `moment`: the first restore replaces what happened between them. */
let later = '';

test('after a kill of Postgres, the village is restored to a second before a change, and its log continues', async () => {
  let api = await first.start();
  await ask(first, 'create table filler (n int, text text)');
  // A statement has ten seconds.
  for (let from = 0; from < ROWS; from += ROWS_AT_ONCE)
    await ask(
      first,
      `insert into filler select n, (select string_agg(md5(n::text || i::text), '') from generate_series(1, 31) i) from generate_series(${from + 1}, ${from + ROWS_AT_ONCE}) n`,
    );
  await reward(api, '3');
  const hasBase = 'select true as found from archive_state where base_at is not null and latest > base_at';
  await eventually('a base backup', () => ask(first, hasBase));
  await reward(api, '2');
  const grace = await firstAdmin(api.play.url);
  key = (await grace.client.createMyKey({ name: 'backup', scopes: ['read'], days: 1 })).token;
  then = await balanceOf(api);
  moment = await momentNow();
  // More entries than the village will have after its first restore.
  for (let each = 0; each < 20; each += 1) await reward(api, '2');
  await eventually('the rewards to be sealed', () =>
    ask(first, 'select true as sealed from log.head where xact >= (select max(xact) from ledger.transfer)'),
  );
  later = await momentNow();
  await first.village.postgres.stop('SIGKILL');
  await first.village.postgres.start();

  await assert.rejects(
    restore(first.place, { until: '2020-01-01T00:00:00Z' }, { yes: true }),
    /no base backup before 2020/,
  );
  await assert.rejects(restore(first.place, { until: '2999-01-01T00:00:00Z' }, { yes: true }), /is in the future/);
  const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  await first.setState({ key: other });
  await assert.rejects(
    restore(first.place, { until: moment }, { yes: true }),
    /was signed with a different key than the village has/,
  );
  const { archive } = dataOf(await api.play.admin.raw.getKeeping());
  assert.ok(archive?.earliest && archive.latest && archive.earliest < moment, JSON.stringify(archive));
  assert.equal(archive.problem, null);
  api = await restoreTo(first, moment, api);
  assert.equal(await balanceOf(api), then);
  assert.equal(await accepts(api, key), true);
  await reward(api, '7');
  await eventually('the new reward to be sealed', () =>
    ask(first, 'select true as sealed from log.head where xact >= (select max(xact) from ledger.transfer)'),
  );
  await assertLogVerifies(first, api);
  const lost = join(first.folder, 'log/lost');
  const [evidence = ''] = await readdir(lost);
  assert.deepEqual((await readdir(join(lost, evidence))).toSorted(), [
    'checkpoint',
    'checkpoints',
    'hashes',
    'key.pub',
  ]);
  await api.stop();
});

test('on another machine, the archive and the log restore the village, also to a moment that a restore replaced', async () => {
  await first.village.postgres.stop('SIGKILL');
  const second = await startVillage('second');
  await rm(join(second.folder, 'log'), { recursive: true });
  await cp(join(first.folder, 'log'), join(second.folder, 'log'), { recursive: true });
  const api = await restoreTo(second, later);
  assert.equal(await balanceOf(api), then + 40);
  assert.equal(await accepts(api, key), false, 'this village cannot know whether it was revoked');
  await reward(api, '1');
  await assertLogVerifies(second, api);
});

test('an archive with a damaged segment is an error, not an earlier moment', async () => {
  const hasMoment = (system: string): boolean =>
    readdirSync(join(ARCHIVE, system, 'base')).some((base) => Number(base) * 1_000 < Date.parse(moment));
  const system = readdirSync(ARCHIVE).find((name) => /^\d+$/.test(name) && hasMoment(name)) ?? '';
  const copy = join(shared, 'copy');
  await mkdir(copy);
  assert.equal(spawnSync('cp', ['-a', join(ARCHIVE, system), copy]).status, 0);
  const wal = join(copy, system, 'wal');
  const segments = (await readdir(wal)).filter((name) => /^[0-9A-F]{24}\.gz$/.test(name)).toSorted();
  const [damaged = '', tip = ''] = segments.slice(-2);
  const nowS = Math.floor(Date.now() / 1_000);
  const last = await readFile(join(wal, tip));
  // Gzip's time of the segment.
  last.writeUInt32LE(nowS + 3_600, 4);
  await writeFile(join(wal, tip), last);
  const quiet = new Date((nowS + 1_800) * 1_000).toISOString().replace('.000Z', 'Z');
  const environment = environmentOf('copy');
  const recover = (...args: readonly string[]) =>
    spawnSync('bash', [join(SCRIPTS, 'recover.sh'), ...args], {
      ...UNPRIVILEGED,
      cwd: '/',
      encoding: 'utf8',
      env: { ...environment, ARCHIVE_FOLDER: copy, PATH: `${first.clients}/bin:${environment['PATH']}` },
    });
  atEnd(() => recover('close'));
  const whole = recover('open', quiet);
  assert.equal(whole.status, 0, `nothing was committed until then: ${whole.stderr}`);
  await truncate(join(wal, damaged), 100);
  const { status, stderr } = recover('open', quiet);
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`the archive is damaged: Postgres cannot read ${join(wal, damaged)};`));
});
