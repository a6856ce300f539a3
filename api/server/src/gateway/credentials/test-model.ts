import type { TestModel } from '@hamlet/contract';
import {
  holdCredential,
  inTransaction,
  noteTriedProvider,
  readFreeze,
  recordCredentialTest,
  type Db,
} from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { forbiddenUrl } from '../connections/address-rule.ts';
import {
  connectionConfig,
  storedProvider,
  testedModels,
  withoutAbilities,
  withTested,
} from '../connections/connection.ts';
import { describedProvider } from '../connections/described-provider.ts';
import { openConnection, type ServedModel } from '../models/village-models.ts';
import { triedAddress } from './tried-address.ts';
import { foundBy, tryModel, type TriedModel } from '../configured/try-model.ts';
import { keepTest } from '../configured/provider-tests.ts';
import type { Village } from '../../village.ts';

type Found = ServedModel | { readonly missing: string } | null;

function servedBy(found: Found, missing: string): Outcome<ServedModel> {
  if (found === null) return refused('model_not_served', missing);
  return 'missing' in found ? refused('model_not_served', found.missing) : accepted(found);
}

function described(
  { kind, base_url, key, model, thoughts }: NonNullable<TestModel['connection']>,
  { gateway }: Village,
): Outcome<ServedModel> {
  const provider = describedProvider({ kind, base_url, models: [{ name: 'test', model, thoughts }] });
  const forbidden = forbiddenUrl(provider.base_url);
  if (forbidden !== null) return refused('address_refused', forbidden);
  const { connected, config } = gateway.credentials.models;
  const fields = { name: kind, provider, prices: null };
  const own = connectionConfig({ ...fields, hasKey: key !== undefined }, config);
  if (typeof own === 'string' || connected === undefined) return refused('model_not_served', String(own));
  const setup = { ...connected, key: () => key ?? null };
  const found = openConnection({ ...fields, agentId: null, createdAt: new Date(), config: own }, setup);
  if (found === null || 'missing' in found) return servedBy(found, 'The connection has no model: add one');
  return accepted({ ...found, connection: null });
}

function ofCredential(
  { name, agentId, model }: { readonly name: string; readonly agentId: string | null; readonly model?: string },
  { gateway }: Village,
): Outcome<ServedModel> {
  const { stored, models } = gateway.credentials;
  const connection = (agentId === null ? null : stored.connection(name, agentId)) ?? stored.connection(name, null);
  if (connection === null || models.connected === undefined)
    return refused('no_such_provider', `No provider ${name} is connected: connect it first`);
  const found = openConnection(withoutAbilities(connection), models.connected, model);
  return servedBy(found, `The provider ${name} has no model ${model ?? ''}: choose one of its models`.trim());
}

function modelOf(body: TestModel, village: Village): Outcome<ServedModel> {
  const { model = '', credential, connection, agent_id: agentId = null } = body;
  if (connection !== undefined) return described(connection, village);
  if (credential !== undefined)
    return ofCredential({ name: credential, agentId, ...(model === '' ? {} : { model }) }, village);
  const found = servedBy(
    village.gateway.catalog.find(model, agentId),
    `No route serves ${model}: add one, or choose another model`,
  );
  const by = found.ok ? found.data.connection : null;
  return by === null ? found : ofCredential({ ...by, model }, village);
}

/** Stores a test of a model in the configuration, unless a fallback answered for its provider. */
async function keepConfigured(
  { db, gateway }: Village,
  { provider, providerModel }: ServedModel,
  tried: TriedModel,
): Promise<void> {
  const model = gateway.tests
    .models()
    .find(({ served }) => served.provider === provider && served.providerModel === providerModel);
  if (model !== undefined && tried.provider === provider) await inTransaction(db, (tx) => keepTest(tx, model, tried));
}

async function keepConnected(
  db: Db,
  connection: NonNullable<ServedModel['connection']>,
  { model, tried }: { readonly model: string; readonly tried: TriedModel },
): Promise<void> {
  const found = foundBy(tried);
  await inTransaction(db, async (tx) => {
    const row = await holdCredential(tx, connection.name, connection.agentId);
    // The provider may have been reconnected meanwhile, with another address or key.
    if (row === null || row.createdAt.getTime() !== connection.createdAt.getTime()) return;
    const provider = storedProvider(row);
    const isKept = found !== null && provider !== null;
    const tested = isKept ? withTested(testedModels(row), { ...found, model }, provider) : null;
    await recordCredentialTest(tx, row, { ...tried, message: tried.message ?? tried.fix, tested });
  });
}

/** Remembers the test of a provider that is not connected, for the admin who connects it next. */
async function noteTried(
  db: Db,
  { kind, base_url, key, model, thoughts }: NonNullable<TestModel['connection']>,
  tried: TriedModel,
): Promise<void> {
  const provider = describedProvider({ kind, base_url, models: [{ name: 'test', model }] });
  const code = tried.ok ? null : (tried.code ?? 'failed');
  const abilities = foundBy(tried);
  await noteTriedProvider(db, triedAddress({ provider, key, model, thoughts }), { code, ms: tried.ms, abilities });
}

interface Tested {
  readonly served: ServedModel;
  readonly tried: TriedModel;
}

async function keep(village: Village, body: TestModel, { served, tried }: Tested): Promise<void> {
  const { connection, providerModel: model } = served;
  if (body.connection !== undefined) await noteTried(village.db, body.connection, tried);
  else if (connection === null) await keepConfigured(village, served, tried);
  else await keepConnected(village.db, connection, { model, tried });
}

export function testModel(village: Village): Handlers['testModel'] {
  const { db, source, gateway } = village;
  return plain(async (request) => {
    const { body } = request;
    const agentId = body.agent_id ?? null;
    if (agentId !== null && source.get(agentId) === null) return refused('no_such_agent');
    const found = modelOf(body, village);
    if (!found.ok) return found;
    // The brake sees a freeze slightly later than Postgres; no request may begin in between.
    if ((await readFreeze(db)) !== null) return refused('village_frozen');
    const tried = await tryModel(gateway, found.data);
    if (tried === 'frozen') return refused('village_frozen');
    const object = body.model ?? body.credential ?? found.data.providerModel;
    const detail = { agent_id: agentId, provider: tried.provider, ok: tried.ok, code: tried.code };
    await inTransaction(db, (tx) => recordAct(tx, request, { action: 'models.test', object, detail }));
    await keep(village, body, { served: found.data, tried });
    await gateway.credentials.stored.refresh();
    return accepted(tried);
  });
}
