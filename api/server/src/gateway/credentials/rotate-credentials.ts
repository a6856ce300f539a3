import { inTransaction, readCredentials, rotateCredential } from '@hamlet/store';
import type { CredentialRow, Db } from '@hamlet/store';
import { actingAs, recordAct } from '../../audit/record-act.ts';
import { reseal } from './envelope.ts';
import type { VillageKey } from './envelope.ts';
import type { VillageKeys } from './village-keys.ts';

export interface Rotation {
  /** Credentials that are now sealed by the current key. */
  readonly rotated: number;
  /** Credentials that were so already. */
  readonly current: number;
  /** Names of credentials that do not open, because their key is missing or is another one. */
  readonly failed: readonly string[];
}

function labelOf({ name, agentId }: CredentialRow): string {
  return agentId === null ? name : `${name} of ${agentId}`;
}

async function rotateOne(
  { db, keys }: { readonly db: Db; readonly keys: VillageKeys },
  row: CredentialRow,
  to: VillageKey,
): Promise<boolean> {
  const from = keys.find(row.keyId);
  if (from === null) return false;
  try {
    const envelope = reseal(row, row, { from, to });
    return await inTransaction(db, async (tx) => {
      if (!(await rotateCredential(tx, row, envelope))) return true;
      const detail = { agent_id: row.agentId, key_id: to.id, before: row.keyId };
      await recordAct(tx, actingAs('system', 'api'), { action: 'models.credential_rotate', object: row.name, detail });
      return true;
    });
  } catch {
    return false;
  }
}

/** Seals the data keys of all credentials with the current key of the village. May run beside the API, and again. */
export async function rotateCredentials(ports: { readonly db: Db; readonly keys: VillageKeys }): Promise<Rotation> {
  const to = ports.keys.current();
  if (to === null) throw new Error('the village has no key for credentials: set HAMLET_CREDENTIAL_KEYS_DIR');
  const rows = await readCredentials(ports.db);
  const stale = rows.filter(({ keyId }) => keyId !== to.id);
  const failed: string[] = [];
  for (const row of stale) if (!(await rotateOne(ports, row, to))) failed.push(labelOf(row));
  return { rotated: stale.length - failed.length, current: rows.length - stale.length, failed };
}
