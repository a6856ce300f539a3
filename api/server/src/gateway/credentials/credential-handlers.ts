import type { ModelCredential } from '@hamlet/contract';
import type { ModelsConfig } from '@hamlet/models';
import { CREDENTIALS_MAX, deleteCredential, inTransaction, putCredential, readCredentials } from '@hamlet/store';
import type { CredentialRow, Db } from '@hamlet/store';
import type { AgentSource } from '../../agents/agent-source.ts';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import type { GatewayPorts } from '../admit-request.ts';
import { sealText } from './envelope.ts';
import type { StoredCredentials } from './stored-credentials.ts';
import { tryModel } from './try-model.ts';
import type { VillageKeys } from './village-keys.ts';

/** The parts of the gateway that manage credentials. */
export interface CredentialParts {
  readonly stored: StoredCredentials;
  readonly villageKeys: VillageKeys;
  readonly config: ModelsConfig;
  /** The village's key of that name, stored or in its Secret. */
  readonly hasKey: (name: string) => boolean;
}

export interface CredentialPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get'>;
  readonly gateway: Pick<GatewayPorts, 'catalog' | 'monotonicMs' | 'brakes'> & {
    readonly credentials: CredentialParts;
  };
}

function viewOf({
  name,
  agentId,
  keyId,
  createdAt,
  createdBy,
}: Omit<CredentialRow, 'sealed' | 'sealedDataKey'>): ModelCredential {
  return { name, agent_id: agentId, key_id: keyId, created_at: createdAt.toISOString(), created_by: createdBy };
}

/** The credentials that a configuration names, with their providers. Pure. */
function neededCredentials({ providers }: Pick<ModelsConfig, 'providers'>): ReadonlyMap<string, readonly string[]> {
  const needed = new Map<string, string[]>();
  for (const [provider, settings] of Object.entries(providers)) {
    const name = 'credential' in settings ? settings.credential : undefined;
    if (name !== undefined) needed.set(name, [...(needed.get(name) ?? []), provider]);
  }
  return needed;
}

function putModelCredential({ db, source, gateway }: CredentialPorts): Handlers['putModelCredential'] {
  const { stored, villageKeys } = gateway.credentials;
  return plain(async (request) => {
    const { name, key: text, agent_id: agentId = null } = request.body;
    if (agentId !== null && source.get(agentId) === null)
      return refused('no_such_agent', `There is no agent ${agentId}`);
    const villageKey = villageKeys.current();
    if (villageKey === null) return refused('credentials_off');
    const row = { name, agentId, ...sealText(text, { name, agentId }, villageKey), createdBy: request.actor.id };
    const done = await inTransaction(db, async (tx) => {
      if (!(await putCredential(tx, row))) return false;
      const detail = { agent_id: agentId, key_id: villageKey.id };
      await recordAct(tx, request, { action: 'models.credential_put', object: name, detail });
      return true;
    });
    if (!done) return refused('too_many_credentials', `A village stores at most ${CREDENTIALS_MAX} credentials`);
    await stored.refresh();
    return accepted({ credential: viewOf({ ...row, createdAt: request.now }) });
  });
}

function listModelCredentials({ db, gateway }: CredentialPorts): Handlers['listModelCredentials'] {
  const { villageKeys, config, hasKey } = gateway.credentials;
  return plain(async () =>
    accepted({
      enabled: villageKeys.current() !== null,
      credentials: (await readCredentials(db)).map(viewOf),
      needed: [...neededCredentials(config)].map(([name, providers]) => ({
        name,
        providers: [...providers],
        available: hasKey(name),
      })),
    }),
  );
}

function deleteModelCredential({ db, gateway }: CredentialPorts): Handlers['deleteModelCredential'] {
  const { stored } = gateway.credentials;
  return plain(async (request) => {
    const { name } = request.params;
    const agentId = request.query.agent_id ?? null;
    const removed = await inTransaction(db, async (tx) => {
      if (!(await deleteCredential(tx, name, agentId))) return false;
      await recordAct(tx, request, { action: 'models.credential_delete', object: name, detail: { agent_id: agentId } });
      return true;
    });
    await stored.refresh();
    return accepted({ removed });
  });
}

function testModel({ db, source, gateway }: CredentialPorts): Handlers['testModel'] {
  return plain(async (request) => {
    const { model, agent_id: agentId = null } = request.body;
    if (agentId !== null && source.get(agentId) === null)
      return refused('no_such_agent', `There is no agent ${agentId}`);
    const found = gateway.catalog.find(model, agentId);
    if (found === null || 'missing' in found)
      return refused('model_not_served', found === null ? `No route serves ${model}` : found.missing);
    const tried = await tryModel(gateway, found);
    if (tried === 'frozen') return refused('village_frozen');
    const detail = { agent_id: agentId, provider: tried.provider, ok: tried.ok, code: tried.code };
    await inTransaction(db, (tx) => recordAct(tx, request, { action: 'models.test', object: model, detail }));
    return accepted(tried);
  });
}

/** Handlers of the credentials of models, for admins. */
export function credentialHandlers(ports: CredentialPorts) {
  return {
    putModelCredential: putModelCredential(ports),
    listModelCredentials: listModelCredentials(ports),
    deleteModelCredential: deleteModelCredential(ports),
    testModel: testModel(ports),
  } satisfies Partial<Handlers>;
}
