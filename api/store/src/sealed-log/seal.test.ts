/** Committed rows are sealed once, in the order of their transactions, even with late commits and several sealers. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EMPTY_EDGE, growEdge, leafHash, rootOf, TILE_WIDTH } from '@hamlet/core';
import { Seeded } from '@hamlet/test/env/seeded';
import { until } from '@hamlet/test/env/until';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { postBatch } from '../ledger/post-batch.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { sqlStateOf, testLedger } from '../ledger/testing/test-ledger.ts';
import { recordAudit } from '../writes/audit.ts';
import { findLogRecord, readEntriesOfTile } from './leaves.ts';
import { type LogSigning, sealLog, sha256, type SignCheckpoint } from './seal.ts';
import { LogBroken, readLogEdge, readLogHead } from './tiles.ts';

const sign: SignCheckpoint = ({ size, root }) => `${size} ${root.toBase64()}`;
const signing: LogSigning = {
  sign,
  open: (note) => {
    const [size = '', root = ''] = note.split(' ');
    return { size: Number(size), root: Uint8Array.fromBase64(root) };
  },
  known: () => null,
};
const ledger = await testLedger(12);

async function act(db: Db, object: string): Promise<string> {
  const auditId = randomUUID();
  await recordAudit(db, {
    auditId,
    actorRole: 'system',
    actorId: 'test',
    action: 'test.act',
    object,
    detail: { object },
    requestId: auditId,
    traceparent: null,
  });
  return auditId;
}

async function sealAll(): Promise<void> {
  while ((await sealLog(ledger.db, signing)) !== null);
}

/**
 * Seals until all rows are in the log. Transactions of Postgres itself, such as an automatic analyze, may delay this.
 */
async function sealWhole(): Promise<void> {
  await until('all to be sealed', async () => {
    await sealAll();
    return (await readLogHead(ledger.db)).size === (await fromRows()).size;
  });
}

/** The expected log, computed from the rows. */
async function fromRows(): Promise<{ readonly size: number; readonly note: string; readonly ids: readonly string[] }> {
  const { rows } = await sql<{
    id: string;
    leaf: Buffer;
  }>`select id, leaf from log.leaf order by xact, kind, id`.execute(ledger.owner);
  const { edge } = growEdge(EMPTY_EDGE, Buffer.concat(rows.map(({ leaf }) => leafHash(leaf, sha256))), sha256);
  return {
    size: edge.size,
    note: sign({ size: edge.size, root: rootOf(edge, sha256) }),
    ids: rows.map(({ id }) => id),
  };
}

async function placeInLog(id: string): Promise<number> {
  return (await fromRows()).ids.indexOf(id);
}

test('an empty log has no checkpoint, and the first act leads to one', async () => {
  assert.equal(await sealLog(ledger.db, signing), null);
  const first = await act(ledger.db, 'first');
  await sealWhole();
  const { size, note } = await readLogHead(ledger.db);
  assert.deepEqual({ size, note }, { size: 1, note: (await fromRows()).note });
  assert.equal((await findLogRecord(ledger.db, first))?.tile, 0);
  assert.equal(await sealLog(ledger.db, signing), null, 'nothing new');
});

test('sealing waits for an earlier transaction that commits late', async () => {
  const [began, held] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const slow = ledger.within(async (tx) => {
    began.resolve(await act(tx, 'began first'));
    await held.promise;
  });
  const first = await began.promise;
  const second = await act(ledger.db, 'committed first');
  await sealAll();
  assert.equal((await findLogRecord(ledger.db, second))?.tile, null, 'not before the other has ended');
  held.resolve();
  await slow;
  await sealWhole();
  assert.equal((await findLogRecord(ledger.db, second))?.tile, 0);
  assert.equal(await placeInLog(first), (await placeInLog(second)) - 1);
  assert.equal((await readLogHead(ledger.db)).note, (await fromRows()).note);
});

test('a rolled back transaction is not in the log and does not delay it', async () => {
  const gone = ledger.within(async (tx) => {
    await act(tx, 'never');
    throw new Error('undone');
  });
  await assert.rejects(gone, /undone/);
  await act(ledger.db, 'after it');
  await sealWhole();
  const { size, note } = await readLogHead(ledger.db);
  const rows = await fromRows();
  assert.deepEqual([size, note], [rows.size, rows.note]);
});

test('each act and transfer of concurrent clients is in the log once, with three concurrent sealers', async () => {
  const random = new Seeded(20_261_122);
  const agents = await Promise.all(['sue', 'tom', 'una'].map((name) => ledger.account(name, 1_000_000n)));
  const waits = Array.from({ length: 600 }, () => random.next() * 12);
  let writing = true;
  const sealers = Array.from({ length: 3 }, async () => {
    while (writing) {
      await sealLog(ledger.db, signing);
      await sleep(3);
    }
  });
  const jobs = waits.entries();
  const writers = Array.from({ length: 6 }, async () => {
    for (const [index, wait] of jobs) {
      const agent = agents[index % 3] ?? 0;
      await ledger.within(async (tx) => {
        if (index % 3 === 0) await act(tx, `storm ${index}`);
        else if (index % 7 === 0)
          await postBatch(
            tx,
            Array.from({ length: 9 }, (_, item) =>
              ledger.request([agent, ledger.treasury], 1n, `storm ${index} ${item}`),
            ),
          );
        else
          await postTransfer(tx, {
            ...ledger.request([ledger.treasury, agent], 2n, `storm ${index}`),
            about: { podUid: `pod-${index}` },
          });
        if (index % 5 === 0) await sleep(wait);
      });
    }
  });
  await Promise.all(writers);
  writing = false;
  await Promise.all(sealers);
  await sealWhole();
  const rows = await fromRows();
  const head = await readLogHead(ledger.db);
  assert.ok(rows.size > 2 * TILE_WIDTH);
  assert.equal(head.size, rows.size);
  assert.equal(head.note, rows.note, 'the root over the rows in their order');
  assert.deepEqual(
    rootOf(await readLogEdge(ledger.db, head.size), sha256).toBase64(),
    head.note?.split(' ')[1],
    'the tiles lead to it',
  );
  const entries = await Promise.all([0, 1, 2].map((tile) => readEntriesOfTile(ledger.db, tile)));
  assert.deepEqual(
    entries.map((each) => each?.length),
    [256, 256, Math.min(256, rows.size - 512)],
  );
});

test('tiles and checkpoints can only grow, even for the owner', async () => {
  for (const db of [ledger.db, ledger.owner]) {
    assert.equal(
      await sqlStateOf(
        db,
        'update log.tile set hashes = set_byte(hashes, 0, (get_byte(hashes, 0) + 1) % 256) where number = 0',
      ),
      '42501',
    );
    assert.equal(await sqlStateOf(db, 'update log.head set size = size - 1'), '42501');
    for (const table of ['tile', 'head', 'checkpoint'])
      assert.equal(await sqlStateOf(db, `delete from log.${table}`), '42501', table);
  }
  for (const statement of ["update log.checkpoint set note = 'x'", 'truncate log.tile', 'truncate log.checkpoint'])
    assert.equal(await sqlStateOf(ledger.owner, statement), '42501', statement);
  assert.equal(await sqlStateOf(ledger.db, 'insert into log.head default values'), '42501');
});

test('if transaction numbers restart below the sealed ones, nothing is sealed', async () => {
  await sql`update log.head set xact = 9000000000000`.execute(ledger.owner);
  await act(ledger.db, 'after a restore');
  await assert.rejects(sealLog(ledger.db, signing), LogBroken);
});
