import { inTransaction, readCredentials, rotateCredential } from '@hamlet/store';
import type { CredentialRow, Db, SealedText } from '@hamlet/store';
import { actingAs, recordAct } from '../../audit/record-act.ts';
import { ownerOf } from '../connections/connection.ts';
import { reseal, type VillageKey } from './envelope.ts';
import type { VillageKeys } from './village-keys.ts';

interface Rotation {
  readonly rotated: number;
  readonly current: number;
  /** Names of credentials that cannot be opened, because their key is missing or wrong. */
  readonly failed: readonly string[];
}

type SealedRow = CredentialRow & { readonly envelope: SealedText };

function isSealed(row: CredentialRow): row is SealedRow {
  return row.envelope !== null;
}

function labelOf({ name, agentId }: CredentialRow): string {
  return agentId === null ? name : `${name} of ${agentId}`;
}

async function rotateOne(
  { db, keys }: { readonly db: Db; readonly keys: VillageKeys },
  row: SealedRow,
  to: VillageKey,
): Promise<boolean> {
  const before = row.envelope.keyId;
  const from = keys.find(before);
  if (from === null) return false;
  try {
    const envelope = reseal(row.envelope, ownerOf(row), { from, to });
    return await inTransaction(db, async (tx) => {
      if (!(await rotateCredential(tx, row, envelope))) return true;
      const detail = { agent_id: row.agentId, key_id: to.id, before };
      await recordAct(tx, actingAs('system', 'api'), { action: 'models.credential_rotate', object: row.name, detail });
      return true;
    });
  } catch {
    return false;
  }
}

/**
 * Seals the data keys of all credentials with the current key of the village. Can run beside the API, and repeatedly.
 */
export async function rotateCredentials(ports: { readonly db: Db; readonly keys: VillageKeys }): Promise<Rotation> {
  const to = ports.keys.current();
  if (to === null) throw new Error('the village has no key to seal credentials: set HAMLET_CREDENTIAL_KEYS_DIR');
  const rows = (await readCredentials(ports.db)).filter(isSealed);
  const stale = rows.filter(({ envelope }) => envelope.keyId !== to.id);
  const failed: string[] = [];
  for (const row of stale) if (!(await rotateOne(ports, row, to))) failed.push(labelOf(row));
  return { rotated: stale.length - failed.length, current: rows.length - stale.length, failed };
}
