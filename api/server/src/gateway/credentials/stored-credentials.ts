import { MODEL_CREDENTIALS_CHANNEL, readCredentials, type CredentialRow } from '@hamlet/store';
import type { Log } from '../../service/log.ts';
import type { Services } from '../../service/services.ts';
import { coalesce, repeat } from '../../service/single-flight.ts';
import { connectionOf, ownerOf, type Connection, type Shared } from '../connections/connection.ts';
import { openText } from './envelope.ts';
import type { VillageKeys } from './village-keys.ts';

/** Postgres notifies of each change; this interval limits the delay if a notification is lost. */
const POLL_MS = 10_000;

interface StoredCredentialPorts extends Pick<Services, 'db' | 'notifications'> {
  readonly keys: VillageKeys;
  readonly shared: Shared;
  readonly log: Log;
}

const idOf = (name: string, agentId: string | null): string => JSON.stringify([name, agentId]);

interface Held {
  readonly rows: ReadonlyMap<string, CredentialRow>;
  readonly connections: ReadonlyMap<string, Connection>;
  readonly byName: ReadonlyMap<string, readonly Connection[]>;
  readonly byOwner: ReadonlyMap<string | null, readonly Connection[]>;
}

function heldOf(all: readonly CredentialRow[], { shared, log }: Pick<StoredCredentialPorts, 'shared' | 'log'>): Held {
  const connections = all.flatMap((row) => {
    const connection = connectionOf(row, shared);
    if (typeof connection !== 'string') return connection === null ? [] : [connection];
    log('error', 'a connected provider cannot be read', { name: row.name, agent_id: row.agentId, error: connection });
    return [];
  });
  return {
    rows: new Map(all.map((row) => [idOf(row.name, row.agentId), row])),
    connections: new Map(connections.map((each) => [idOf(each.name, each.agentId), each])),
    byName: Map.groupBy(connections, ({ name }) => name),
    byOwner: Map.groupBy(connections, ({ agentId }) => agentId),
  };
}

function connectionsFor({ byOwner }: Held, agentId: string | null): readonly Connection[] {
  const ofVillage = byOwner.get(null) ?? [];
  const own = agentId === null ? [] : (byOwner.get(agentId) ?? []);
  if (own.length === 0) return ofVillage;
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...ofVillage.filter(({ name }) => !names.has(name))];
}

export async function startStoredCredentials(ports: StoredCredentialPorts) {
  const { db, keys, log, notifications } = ports;
  let held: Held = heldOf([], ports);

  function opened(row: CredentialRow | undefined): string | null {
    if (row === undefined || row.envelope === null) return null;
    const { name, agentId, envelope } = row;
    const about = { name, agent_id: agentId, key_id: envelope.keyId };
    try {
      const key = keys.find(envelope.keyId);
      if (key !== null) return openText(envelope, ownerOf(row), key);
      log('error', 'a credential is sealed by a key that the Secret lacks', about);
    } catch (error) {
      log('error', 'a credential cannot be opened', { ...about, error });
    }
    return null;
  }

  function plainRow(name: string, agentId: string | null): CredentialRow | undefined {
    const row = held.rows.get(idOf(name, agentId));
    return row?.provider === null ? row : undefined;
  }

  const refresh = coalesce(async () => {
    held = heldOf(await readCredentials(db), ports);
  });
  const failed = (error: unknown): void => log('warn', 'the credentials of models could not be read', { error });

  await refresh();
  notifications.on(MODEL_CREDENTIALS_CHANNEL, () => void refresh().catch(failed));
  const stop = repeat(POLL_MS, refresh, failed);
  return {
    refresh,
    /** The agent's own key, else the village's; null if there is neither or it cannot be opened. Excludes keys of connections. */
    key: (name: string, agentId: string | null) => opened(plainRow(name, agentId) ?? plainRow(name, null)),
    /** The connected providers for an agent, its own first, or for the village if `agentId` is null. */
    connections: (agentId: string | null) => connectionsFor(held, agentId),
    connection: (name: string, agentId: string | null) => held.connections.get(idOf(name, agentId)) ?? null,
    /** The first connected provider of that name: the village's before those of agents. */
    named: (name: string) => held.byName.get(name)?.[0] ?? null,
    /** The secret of a connection; null if it has none or it cannot be opened. */
    connectionKey: ({ name, agentId }: Pick<Connection, 'name' | 'agentId'>) =>
      opened(held.rows.get(idOf(name, agentId))),
    stop,
  };
}

export type StoredCredentials = Awaited<ReturnType<typeof startStoredCredentials>>;
