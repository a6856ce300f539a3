/**
 * `hamlet-verify` finds every change by a superuser to the database, using the checkpoints that were stored outside,
 * and names its position.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import {
  findAgentAccount,
  inTransaction,
  openAgentAccount,
  openDatabase,
  postBatch,
  postTransfer,
  readLogHead,
  recordAudit,
  sealLog,
  villageAccount,
} from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { gatherReference, keyOf, readKept, verifyLog, villageSource } from 'hamlet-verify';
import { untilEnd, testFolder } from '@hamlet/test/env/at-end';
import { eventually, TOKENS, testVillage } from '../testing/test-village.ts';
import { openLogSigner } from './log-signer.ts';

const VERIFY = resolve(import.meta.dirname, '../../../../cli/verify/src/main.ts');
const TAMPERED = [
  'ledger.transfer',
  'ledger.entry',
  'ledger.circumstance',
  'public.audit',
  'public.turn',
  'log.tile',
  'log.head',
  'log.checkpoint',
];

interface Verdict {
  readonly ok: boolean;
  readonly position?: number;
  readonly until?: number;
  readonly what?: string;
  readonly entries?: number;
}

const village = await testVillage();
const { peopleUrl: url, metricsUrl } = await village.startReplica();
const db = untilEnd(
  openDatabase({
    url: village.environment['HAMLET_POSTGRES_URL'] ?? '',
    poolSize: 4,
    onError: () => undefined,
  }),
);
await fill();
const superuser = untilEnd(openSuperuser(village.postgres));
const folder = village.environment['HAMLET_LOG_DIR'] ?? '';
const { size } = await eventually('all to be sealed and kept', async () => {
  const [{ count } = { count: 0 }] = await superuser.run('select count(*) from log.leaf');
  const head = await readLogHead(db);
  return (
    head.size === Number(count) &&
    (await readFile(join(folder, 'checkpoint'), 'utf8').catch(() => '')) === head.note &&
    head
  );
});
/** The copy outside of the village, from before any change. */
const kept = testFolder('kept');
await cp(folder, kept, { recursive: true });
for (const table of TAMPERED) await superuser.run(`alter table ${table} disable trigger all`);

/** Fills three tiles with acts and money in alternation. */
async function fill(): Promise<void> {
  await inTransaction(db, (tx) => openAgentAccount(tx, 'ada'));
  const agent = (await findAgentAccount(db, 'ada'))?.accountId ?? 0;
  const treasury = await villageAccount(db, 'treasury');
  const request = (key: string, about = {}): Parameters<typeof postTransfer>[1] => ({
    payer: treasury,
    payee: agent,
    amount: 1_000n,
    key,
    reason: 'reward',
    source: 'drill',
    note: key,
    actor: { role: 'system', id: 'drill' },
    about,
  });
  for (let round = 0; round < 60; round += 1) {
    await inTransaction(db, async (tx) => {
      const auditId = randomUUID();
      await recordAudit(tx, {
        auditId,
        actorRole: 'system',
        actorId: 'drill',
        action: 'drill.act',
        object: 'ada',
        detail: { round },
        requestId: auditId,
        traceparent: null,
      });
      await postTransfer(tx, request(`round ${round}`, { podUid: `pod-${round}` }));
    });
    if (round % 6 === 0)
      await inTransaction(db, (tx) =>
        postBatch(
          tx,
          Array.from({ length: 50 }, (_, item) => request(`round ${round} item ${item}`)),
        ),
      );
  }
}

async function command(...args: string[]): Promise<Verdict> {
  const { stdout, code } = await new Promise<{ stdout: string; code: number | string | null | undefined }>((done) => {
    execFile(
      process.execPath,
      [VERIFY, '--json', ...args],
      { env: { ...process.env, HAMLET_TOKEN: TOKENS.admin } },
      (error, out) => done({ stdout: out, code: error === null ? 0 : error.code }),
    );
  });
  assert.ok(code === 0 || code === 1, `ended with code ${code}`);
  const verdict = JSON.parse(stdout) as Verdict;
  assert.equal(verdict.ok, code === 0);
  return verdict;
}

/** Runs the same verification in this process. */
async function live(): Promise<Verdict> {
  const [source, outside] = [villageSource(url, TOKENS.admin), await readKept(kept)];
  return verifyLog(source, await gatherReference(source, outside, keyOf(outside.key ?? '')));
}

interface Entry {
  readonly position: number;
  readonly id: string;
}

async function entryOf(kind: 'ledger' | 'act', nth: number): Promise<Entry> {
  const rows = await superuser.run(`
    select position, id from (select row_number() over (order by xact, kind, id) - 1 as position, kind, id from log.leaf) l where kind = ${kind === 'ledger' ? 1 : 2} order by position offset ${nth} limit 1`);
  const [row] = rows;
  return { position: Number(row?.['position']), id: String(row?.['id']) };
}

const KEYS = {
  audit: 'audit_id',
  'ledger.circumstance': 'id',
  'ledger.entry': 'transfer_id',
  'ledger.transfer': 'transfer_id',
} as const;
type Table = keyof typeof KEYS;

/** A statement that changes rows of a table. */
interface Damage {
  readonly table: Table;
  readonly where: string;
  readonly statement: string;
}

/** Changes rows of a table, runs `look`, and restores the rows. */
async function whileTampered<T>({ table, where, statement }: Damage, look: () => Promise<T>): Promise<T> {
  const [key, stash] = [KEYS[table], `public.stash_${table.replace('.', '_')}`];
  await superuser.run(`create table ${stash} as select * from ${table} where ${where}`);
  await superuser.run(statement);
  try {
    return await look();
  } finally {
    await superuser.run(`delete from ${table} where ${key} in (select ${key} from ${stash}) or (${where})`);
    await superuser.run(`insert into ${table} select * from ${stash}`);
    await superuser.run(`drop table ${stash}`);
  }
}

const rowOf = (table: Table, { id }: Pick<Entry, 'id'>): string => `${KEYS[table]} = '${id}'`;
const deleted = (table: Table, where: string): Damage => ({
  table,
  where,
  statement: `delete from ${table} where ${where}`,
});

/** Changes one row, and expects its entry to differ. */
function changed(table: Table, entry: Entry, set: string): Finding {
  const where = rowOf(table, entry);
  const statement = `update ${table} set ${set} where ${where}`;
  return { what: `${table} set ${set}`, position: entry.position, says: DIFFERS, table, where, statement };
}

interface Finding extends Damage {
  readonly what: string;
  readonly position: number;
  readonly says: RegExp;
}

const DIFFERS = /differs from the sealed one/;
const FORGED = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

async function findings(): Promise<readonly Finding[]> {
  const [money, first, gone] = [await entryOf('ledger', 321), await entryOf('ledger', 0), await entryOf('ledger', 30)];
  const acts = await Promise.all([0, 10, 11, 25, 30, 40, 55].map((nth) => entryOf('act', nth)));
  const [oldest, one, other, copied, lost, act, late] = acts as [Entry, Entry, Entry, Entry, Entry, Entry, Entry];
  const [row] = await superuser.run(`select xact from audit where ${rowOf('audit', late)}`);
  const swapped = `audit_id in ('${one.id}', '${other.id}')`;
  return [
    changed('ledger.transfer', money, 'amount = amount + 1'),
    changed('ledger.transfer', money, "actor_id = 'somebody'"),
    changed('ledger.entry', money, 'balance_after = balance_after + (amount > 0)::integer'),
    changed('ledger.entry', money, 'amount = amount + (amount > 0)::integer'),
    changed('ledger.transfer', first, `about = about || '{"pod_uid": "pod-x"}'`),
    changed('ledger.transfer', first, 'about = null'),
    changed('audit', act, `detail = '{"round": 41}'`),
    {
      ...changed('ledger.circumstance', money, ''),
      what: 'an added circumstance',
      statement: `insert into ledger.circumstance (id, pod_uid) values ('${money.id}', 'pod-x')`,
    },
    {
      what: 'a deleted transfer',
      position: gone.position,
      says: /missing/,
      ...deleted('ledger.transfer', rowOf('ledger.transfer', gone)),
    },
    {
      what: 'a deleted entry',
      position: gone.position,
      says: DIFFERS,
      ...deleted('ledger.entry', rowOf('ledger.entry', gone)),
    },
    { what: 'a deleted act', position: lost.position, says: /missing/, ...deleted('audit', rowOf('audit', lost)) },
    {
      what: 'an inserted act in the past',
      position: copied.position + 1,
      says: new RegExp(`inserted: act ${FORGED}`),
      table: 'audit',
      where: rowOf('audit', { id: FORGED }),
      statement: `insert into audit select '${FORGED}', at, actor_role, 'forger', action, object, detail, request_id, traceparent, xact from audit where ${rowOf('audit', copied)}`,
    },
    {
      what: 'two acts that change places',
      position: one.position,
      says: /./,
      table: 'audit',
      where: swapped,
      statement: `update audit a set xact = b.xact from audit b where a.${swapped} and b.${swapped} and a.audit_id <> b.audit_id`,
    },
    {
      what: 'missing last acts',
      position: late.position,
      says: /./,
      ...deleted('audit', `xact >= ${String(row?.['xact'])}`),
    },
    {
      what: 'missing acts',
      position: oldest.position,
      says: /./,
      table: 'audit',
      where: 'true',
      statement: 'truncate audit',
    },
  ];
}

test('without a change, every entry matches its seal', async () => {
  assert.ok(size > 600);
  const verdict = await live();
  assert.deepEqual([verdict.ok, verdict.entries], [true, size], verdict.what ?? '');
  assert.deepEqual(await command('--url', url, '--kept', kept), verdict);
});

for (const { what, position, says, ...damage } of await findings())
  test(`verification finds ${what}`, async () => {
    const verdict = await whileTampered(damage, live);
    assert.deepEqual([verdict.ok, verdict.position], [false, position], damage.statement);
    assert.match(verdict.what ?? '', says);
  });

test('verification finds that the newest rows of every kind are missing', async () => {
  const [row] = await superuser.run(
    'select c.xact, (select count(*) from log.leaf l where l.xact < c.xact) from (select xact from audit order by xact desc offset 3 limit 1) c',
  );
  const where = `xact >= ${String(row?.['xact'])}`;
  const verdict = await whileTampered(deleted('audit', where), () =>
    whileTampered(deleted('ledger.transfer', where), live),
  );
  assert.deepEqual([verdict.ok, verdict.position], [false, Number(row?.['count'])]);
  assert.match(verdict.what ?? '', /entries are missing/);
});

test('an export is verified without the village, and a change in it is found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-export-'));
  try {
    await new Promise<void>((done, fail) => {
      execFile(
        process.execPath,
        [VERIFY, '--url', url, '--save', folder],
        { env: { ...process.env, HAMLET_TOKEN: TOKENS.admin } },
        (error) => (error === null ? done() : fail(error)),
      );
    });
    assert.deepEqual((await command('--export', folder, '--kept', kept)).entries, size);
    const file = join(folder, 'tile/entries/001');
    const bytes = await readFile(file);
    const at = bytes.length - 20;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(file, bytes);
    const verdict = await command('--export', folder, '--kept', kept);
    assert.deepEqual([verdict.ok, verdict.position], [false, 511]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a log that is rewritten with the village's own key contradicts stored checkpoints; the village refuses to continue it", async () => {
  const { position, id } = await entryOf('ledger', 200);
  await superuser.run(`update ledger.transfer set note = 'forged' where transfer_id = '${id}'`);
  await superuser.run('truncate log.tile, log.checkpoint');
  await superuser.run(
    "update log.head set size = 0, note = null, xact = 0, kind = 0, id = '00000000-0000-0000-0000-000000000000'",
  );
  const signer = await openLogSigner({
    origin: 'hamlet.village/hamlet',
    keyFile: join(kept, 'key.pem'),
    folder: undefined,
  });
  assert.ok(signer !== null);
  await eventually(
    'the log to be written again',
    async () =>
      (await sealLog(db, { ...signer, known: () => null }).catch(() => null)) !== null ||
      (await readLogHead(db)).size >= size,
  );
  const alone = await command('--url', url);
  assert.ok(alone.ok, `on its own it is valid: ${alone.what}`);
  const verdict = await live();
  assert.deepEqual([verdict.ok, verdict.position], [false, position]);
  const only = await command('--url', url, '--kept', join(kept, 'checkpoint'), '--key', join(kept, 'key.pub'));
  assert.equal(only.ok, false, 'one checkpoint suffices to detect it');
  assert.deepEqual([only.position, only.until], [0, size], 'and it shows up to which entry the log is valid');
  await eventually('the village to report it', async () =>
    /^hamlet_log_broken 1$/m.test(await (await fetch(`${metricsUrl}/metrics`)).text()),
  );
});
