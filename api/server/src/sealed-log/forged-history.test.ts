/**
 * The village never signs a log that contradicts its earlier signatures, after any change by a superuser to rows,
 * tiles, note and folder without the key.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EMPTY_EDGE, growEdge, leafHash, partialTiles, rootOf } from '@hamlet/core';
import { inTransaction, LogBroken, openDatabase, readLogHead, recordAudit, sealLog, sha256 } from '@hamlet/store';
import type { Tree } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { CAP_MS, until } from '@hamlet/test/env/until';
import { untilEnd, testFolder } from '@hamlet/test/env/at-end';
import { openCheckpointFolder, keepInBoth, keepInMemory, type CheckpointStore } from './checkpoint-store.ts';
import { openLogSigner, type LogSigner } from './log-signer.ts';
import { sealAll } from './start-sealing.ts';

const ORIGIN = 'hamlet.village/forged';
/** Enough acts to reach the second tile. */
const FIRST_ACTS = 300;
const STATE = ['log.tile', 'log.head', 'log.checkpoint', 'public.audit'];

/** Every tree that the village's key has signed, in order. */
let signed: Tree[] = [];
/** The log as it was sealed: the hashes of its entries, and an older checkpoint with its position. */

const postgres = untilEnd(await migratedPostgres());
const superuser = untilEnd(openSuperuser(postgres));
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 2, onError: () => undefined }));
const folder = testFolder('forged');
const signer = watched(await signerOf(join(folder, 'live')));
const thief = await signerOf(join(folder, 'thief'));
await act(FIRST_ACTS);
const store = await freshStore();
await sealEverything();
const { size, note, last } = await readLogHead(db);
const older: {
  readonly size: number;
  readonly note: string;
  readonly xact: string;
  readonly kind: number;
  readonly id: string;
} = { size, note: note ?? '', ...last };
await act(10);
await sealEverything();
const hashes = await readFile(join(folder, 'live', 'hashes'));
for (const table of STATE)
  await superuser.run(
    `alter table ${table} disable trigger all; create table public.kept_${table.replace('.', '_')} as select * from ${table}`,
  );
await cp(join(folder, 'live'), join(folder, 'kept'), { recursive: true });

/** Seals all acts so far. A transaction in any database of the server delays newer acts. */
async function sealEverything(): Promise<void> {
  const [row] = await superuser.run('select count(*)::integer as entries from log.leaf');
  await until('all acts are sealed', async () => {
    await sealAll(db, signer, store);
    return (await readLogHead(db)).size === row?.['entries'];
  });
}

async function signerOf(at: string): Promise<LogSigner> {
  return (await openLogSigner({ origin: ORIGIN, keyFile: undefined, folder: at })) ?? assert.fail('no key');
}

/** The village's signer, which also lists the trees that it signed. */
function watched(of: LogSigner): LogSigner {
  return {
    ...of,
    sign: (tree) => {
      signed.push(tree);
      return of.sign(tree);
    },
  };
}

async function freshStore(): Promise<CheckpointStore> {
  return keepInBoth(await openCheckpointFolder(join(folder, 'live'), signer), keepInMemory(signer));
}

async function act(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await inTransaction(db, (tx) =>
      recordAudit(tx, {
        auditId: randomUUID(),
        actorRole: 'system',
        actorId: 'test',
        action: 'test.act',
        object: 'ada',
        detail: { index },
        requestId: 'r',
        traceparent: null,
      }),
    );
}

async function leavesOfRows(size: number): Promise<Buffer> {
  const rows = await superuser.run(`select leaf from log.leaf order by xact, kind, id limit ${size}`);
  return Buffer.concat(rows.map(({ leaf }) => leafHash(leaf as Buffer, sha256)));
}

/** Writes every tile of a log with these leaves; the positions of first entries stay as they are. */
async function writeTiles(leaves: Buffer): Promise<Tree> {
  const { edge, full } = growEdge(EMPTY_EDGE, leaves, sha256);
  for (const { level, number, hashes: bytes } of [...full, ...partialTiles(edge)])
    await superuser.run(
      `update log.tile set hashes = '\\x${Buffer.from(bytes).toString('hex')}' where level = ${level} and number = ${number}`,
    );
  return { size: edge.size, root: rootOf(edge, sha256) };
}

const DAMAGES = {
  rows: async () => {
    await superuser.run(
      `update audit set detail = '{"index": "forged"}' where (xact, audit_id) = (select xact, audit_id from audit order by xact desc, audit_id desc offset 3 limit 1)`,
    );
  },
  tiles: async () => {
    const forged = await leavesOfRows(FIRST_ACTS + 10);
    if (forged.equals(hashes)) forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1);
    await writeTiles(forged);
  },
  note: async () => {
    const { edge } = growEdge(EMPTY_EDGE, await leavesOfRows(FIRST_ACTS + 10), sha256);
    await setNote(thief.sign({ size: edge.size, root: rootOf(edge, sha256) }));
  },
  folder: async () => {
    await rm(join(folder, 'live', 'checkpoint'));
    await rm(join(folder, 'live', 'checkpoints'), { recursive: true });
    await writeFile(join(folder, 'live', 'hashes'), '');
  },
} as const;
type Damage = keyof typeof DAMAGES;
const ALL: readonly Damage[] = ['rows', 'tiles', 'note', 'folder'];

async function setNote(note: string): Promise<void> {
  await superuser.run(
    `update log.head set note = '${note}'; update log.checkpoint set note = '${note}' where size = (select size from log.head)`,
  );
}

/** Restores all rows, tiles, notes and files to their sealed state. */
async function restore(): Promise<void> {
  for (const table of STATE)
    await superuser.run(`truncate ${table}; insert into ${table} select * from public.kept_${table.replace('.', '_')}`);
  await rm(join(folder, 'live'), { recursive: true });
  await cp(join(folder, 'kept'), join(folder, 'live'), { recursive: true });
}

/** True if a tree begins with the sealed entries. The other entries are those of the present rows. */
async function continues({ size, root }: Tree): Promise<boolean> {
  const now = await leavesOfRows(size);
  const { edge } = growEdge(EMPTY_EDGE, Buffer.concat([hashes, now.subarray(hashes.length)]), sha256);
  return Buffer.from(rootOf(edge, sha256)).equals(root);
}

/** Makes the village seal a new act. Returns the trees that it signed; null if it reported a broken log. */
async function sealMore(store: CheckpointStore | null): Promise<readonly Tree[] | null> {
  await act(2);
  signed = [];
  try {
    const usual = store ?? (await freshStore());
    // Another transaction of Postgres, such as a vacuum, delays the sealing of newer acts.
    for (const last = Date.now() + CAP_MS; signed.length === 0 && Date.now() < last;) {
      await sealAll(db, signer, usual);
      await sleep(10);
    }
    return signed;
  } catch (error) {
    assert.ok(error instanceof LogBroken, String(error));
    return null;
  }
}

for (let mask = 0; mask < 1 << ALL.length; mask += 1) {
  const damages = ALL.filter((_, index) => (mask & (1 << index)) !== 0);
  for (const restarted of [false, true]) {
    const goesOn = !damages.includes('tiles') && !damages.includes('note');
    test(`${damages.join(', ') || 'nothing'} changed, ${restarted ? 'and the api restarted' : 'while the api runs'}: ${goesOn ? 'new signatures continue the log' : 'it signs nothing'}`, async () => {
      await restore();
      const store = await freshStore();
      await store.follow(db);
      for (const damage of damages) await DAMAGES[damage]();
      assert.equal((await sealMore(restarted ? null : store)) !== null, goesOn);
      assert.deepEqual(signed.length > 0, goesOn);
      for (const tree of signed) assert.ok(await continues(tree), 'a signed tree differs from the sealed entries');
    });
  }
}

/** Resets the log to an older signed checkpoint, and changes an act that was sealed after it. */
async function rollBack(): Promise<void> {
  await DAMAGES.rows();
  await superuser.run(`delete from log.checkpoint where size > ${older.size}`);
  const { edge } = growEdge(EMPTY_EDGE, hashes.subarray(0, older.size * 32), sha256);
  for (const { level, number, hashes: bytes } of partialTiles(edge))
    await superuser.run(
      `update log.tile set hashes = '\\x${Buffer.from(bytes).toString('hex')}' where level = ${level} and number = ${number}`,
    );
  await superuser.run(
    `update log.head set size = ${older.size}, note = '${older.note}', xact = ${older.xact}, kind = ${older.kind}, id = '${older.id}'`,
  );
}

for (const [how, restarted, emptied] of [
  ['while the api runs', false, false],
  ['while the api runs, and the folder emptied', false, true],
  ['and the api restarted', true, false],
] as const)
  test(`rows, tiles and note reset to an older signed checkpoint, ${how}: the village signs nothing`, async () => {
    await restore();
    const store = await freshStore();
    await store.follow(db);
    await rollBack();
    if (emptied) await DAMAGES.folder();
    assert.equal(await sealMore(restarted ? null : store), null);
    assert.deepEqual(signed, []);
  });

test('without a folder, the memory of the process suffices to refuse an older checkpoint', async () => {
  await restore();
  const memory = keepInMemory(signer);
  await memory.follow(db);
  await rollBack();
  assert.equal(await sealMore(memory), null);
  assert.deepEqual(signed, []);
});

test('without a folder and after a restart, tiles that do not match the note are refused', async () => {
  for (const damages of [['tiles'], ['rows', 'tiles'], ['note'], ['rows', 'tiles', 'note']] as const) {
    await restore();
    for (const damage of damages) await DAMAGES[damage]();
    assert.equal(await sealMore(keepInMemory(signer)), null, damages.join(', '));
    await assert.rejects(
      sealLog(db, { ...signer, known: () => null }),
      LogBroken,
      `${damages.join(', ')}, with nothing stored`,
    );
    assert.deepEqual(signed, []);
  }
});

test('a folder that names another key is refused', async () => {
  await restore();
  await writeFile(join(folder, 'live', 'key.pub'), `${thief.verifierKey}\n`);
  assert.equal(await sealMore(null), null);
  assert.deepEqual(signed, []);
});
