import { readCredentials } from '@hamlet/store';
import type { CredentialRow, Db } from '@hamlet/store';
import { repeat } from '../../service/single-flight.ts';
import type { Log } from '../../service/log.ts';
import { openText } from './envelope.ts';
import type { VillageKeys } from './village-keys.ts';

/** Delay until a credential that another replica stored or removed counts here. */
const POLL_MS = 2_000;

/** The credentials of the database, sealed in memory and opened at each use. */
export interface StoredCredentials {
  /** The agent's own key, else the village's; null if there is neither or it does not open. */
  key(name: string, agentId: string | null): string | null;
  /** Reads the database at once. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export interface StoredCredentialPorts {
  readonly db: Db;
  readonly keys: VillageKeys;
  readonly log: Log;
}

export async function startStoredCredentials({ db, keys, log }: StoredCredentialPorts): Promise<StoredCredentials> {
  const idOf = (name: string, agentId: string | null): string => JSON.stringify([name, agentId]);
  let rows: ReadonlyMap<string, CredentialRow> = new Map();

  async function refresh(): Promise<void> {
    rows = new Map((await readCredentials(db)).map((row) => [idOf(row.name, row.agentId), row]));
  }

  function opened(row: CredentialRow): string | null {
    const { name, agentId, keyId } = row;
    try {
      const key = keys.find(keyId);
      if (key !== null) return openText(row, row, key);
      log('error', 'a credential is sealed by a key that the Secret lacks', { name, agent_id: agentId, key_id: keyId });
    } catch (error) {
      log('error', 'a credential does not open', { name, agent_id: agentId, key_id: keyId, error });
    }
    return null;
  }

  await refresh();
  const end = repeat(POLL_MS, refresh, (error) =>
    log('warn', 'the credentials of models could not be read', { error }),
  );
  return {
    refresh,
    key: (name, agentId) => {
      const row = rows.get(idOf(name, agentId)) ?? rows.get(idOf(name, null));
      return row === undefined ? null : opened(row);
    },
    stop: end,
  };
}
