import { formatAiDollars } from '@hamlet/contract';
import { HASH_BYTES, readTilePath, writeEntryBundle } from '@hamlet/core';
import {
  findAgentAccount,
  findLogRecord,
  newestSealedEntry,
  readEntriesOfTile,
  readLogHead,
  readLogTiles,
} from '@hamlet/store';
import type { Db, LogRecord } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import { proveConsistency, proveInclusion } from './log-proofs.ts';
import type { Village } from '../village.ts';

const NO_SUCH_TILE =
  'The log does not have this tile, or the tile has fewer rows: read the checkpoint for the size of the log';

/** Only admins may prove acts and turns. An agent may prove only its own transfers. */
async function mayProve(db: Db, actor: Actor, record: LogRecord): Promise<Refused | null> {
  if (actor.role === 'admin') return null;
  if (record.kind !== 'ledger') return refused('forbidden');
  if (actor.role !== 'agent') return null;
  const account = await findAgentAccount(db, actor.agentId);
  return account !== null && record.accounts.includes(account.accountId) ? null : refused('not_own_agent');
}

function getBalanceProof({ db, source }: Village): Handlers['getBalanceProof'] {
  return plain(async ({ params: { agent_id } }) => {
    const account = await findAgentAccount(db, agent_id);
    if (account === null) return source.get(agent_id) === null ? refused('no_such_agent') : refused('not_sealed');
    const head = await readLogHead(db);
    const entry = await newestSealedEntry(db, account.accountId);
    const record = entry === null ? null : await findLogRecord(db, entry.transferId);
    if (entry === null || record === null) return refused('not_sealed');
    const proof = await proveInclusion(db, head, record);
    if (!proof.ok) return proof;
    const { transferId, version, balanceAfter } = entry;
    return accepted({
      agent_id,
      account: account.accountId,
      version,
      balance: formatAiDollars(balanceAfter),
      ledger_entry_id: transferId,
      ...proof.data,
    });
  });
}

export function logHandlers(village: Village) {
  const { db, sealing } = village;
  return {
    getLogCheckpoint: plain(async () => {
      const { note } = await readLogHead(db);
      return note === null ? refused('not_sealed') : accepted(note);
    }),
    getLogKey: plain(async () =>
      sealing.verifierKey === null ? refused('not_sealed') : accepted(`${sealing.verifierKey}\n`),
    ),
    getLogTile: plain(async ({ params: { level, tile } }) => {
      const address = readTilePath(tile);
      if (address === null) return refused('no_such_tile', NO_SUCH_TILE);
      const hashes = (await readLogTiles(db, [{ level, number: address.number }])).get(`${level}/${address.number}`);
      if (hashes === undefined || hashes.length < address.width * HASH_BYTES)
        return refused('no_such_tile', NO_SUCH_TILE);
      return accepted(hashes.subarray(0, address.width * HASH_BYTES));
    }),
    getLogEntries: plain(async ({ params: { tile } }) => {
      const address = readTilePath(tile);
      const entries = address === null ? null : await readEntriesOfTile(db, address.number);
      if (address === null || entries === null) return refused('no_such_tile', NO_SUCH_TILE);
      // A full tile is served with all its rows, so that a verifier also finds surplus rows.
      return accepted(writeEntryBundle(address.width === 256 ? entries : entries.slice(0, address.width)));
    }),
    getLogProof: plain(async ({ params: { record_id }, actor }) => {
      const head = await readLogHead(db);
      const record = await findLogRecord(db, record_id);
      if (record === null) return refused('no_such_record');
      const denied = await mayProve(db, actor, record);
      if (denied !== null) return denied;
      const proof = await proveInclusion(db, head, record);
      return proof.ok ? accepted({ record_id, kind: record.kind, ...proof.data }) : proof;
    }),
    getLogConsistency: plain(async ({ query }) => proveConsistency(db, await readLogHead(db), query.from)),
    getBalanceProof: getBalanceProof(village),
  } satisfies Partial<Handlers>;
}
