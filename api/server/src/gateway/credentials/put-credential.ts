import { FoundAbilities, type ConnectedProvider, type PutModelCredential } from '@hamlet/contract';
import {
  CREDENTIALS_MAX,
  findTriedProvider,
  holdCredential,
  inTransaction,
  putCredential,
  recordCredentialTest,
} from '@hamlet/store';
import type { CredentialRow, Db, NewCredential, SealedText, Tx } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { forbiddenUrl } from '../connections/address-rule.ts';
import {
  fingerprintOf,
  ownerOf,
  storedProvider,
  testedModels,
  thoughtsOf,
  withTested,
} from '../connections/connection.ts';
import { describedProvider } from '../connections/described-provider.ts';
import type { CredentialParts } from './credential-handlers.ts';
import { credentialView, isConfiguredName, NO_USERS } from './credential-view.ts';
import { causeOf } from '../refusal-of-model.ts';
import { sealText } from './envelope.ts';
import { triedAddress } from './tried-address.ts';
import type { Village } from '../../village.ts';

type Described = Pick<NewCredential, 'provider' | 'prices'>;

function describedOf(body: PutModelCredential, before: CredentialRow | null): Described | null {
  const { kind, models, base_url, max_in_flight } = body;
  if (kind === undefined || models === undefined) return null;
  return { provider: describedProvider({ kind, models, base_url, max_in_flight }), prices: before?.prices ?? null };
}

/** A key alone keeps the connected provider; for one agent, it copies the village's provider. */
async function inheritedBy(
  tx: Tx,
  { name, agent_id: agentId = null }: PutModelCredential,
  own: CredentialRow | null,
): Promise<Described> {
  const from = own ?? (agentId === null ? null : await holdCredential(tx, name, null));
  return { provider: from?.provider ?? null, prices: from?.prices ?? null };
}

function refusalOfProvider({ name, kind, base_url: url }: PutModelCredential, { models }: CredentialParts) {
  if (kind === undefined) return null;
  if (isConfiguredName(name, models.config))
    return refused('provider_configured', `The configuration already uses the name ${name}: choose another name`);
  const forbidden = url === undefined ? null : forbiddenUrl(url);
  return forbidden === null ? null : refused('address_refused', forbidden);
}

/** The address of a test of this model before the connection. */
function addressOf(provider: ConnectedProvider, { key }: PutModelCredential, model: string): Uint8Array {
  return triedAddress({ provider, key, model, thoughts: thoughtsOf(provider, model) });
}

/** Refuses a provider whose newest test failed, unless the admin accepts that. A key alone connects nothing. */
async function refusalOfTest(db: Db, body: PutModelCredential): Promise<Refused | null> {
  const { kind, models, base_url, accept_failed_test: isAccepted } = body;
  if (kind === undefined || models === undefined || isAccepted === true) return null;
  const provider = describedProvider({ kind, base_url, models });
  for (const { name, model } of provider.models) {
    const code = (await findTriedProvider(db, addressOf(provider, body, model)))?.code ?? null;
    if (code !== null)
      return refused(
        'provider_test_failed',
        `${causeOf(code, body.name)}. The test of ${name} failed: test it again, or send accept_failed_test`,
      );
  }
  return null;
}

/** Keeps what the tests before the connection found, so that the admin need not test it again. */
async function withTests(tx: Tx, row: CredentialRow, body: PutModelCredential): Promise<CredentialRow> {
  const provider = storedProvider(row);
  if (provider === null) return row;
  for (const { model } of provider.models) {
    const tried = await findTriedProvider(tx, addressOf(provider, body, model));
    if (tried === null || tried.code !== null || tried.ms === null) continue;
    const before = testedModels((await holdCredential(tx, row.name, row.agentId)) ?? row);
    const found = FoundAbilities.safeParse(tried.abilities);
    const tested = found.success ? withTested(before, { ...found.data, model }, provider) : null;
    await recordCredentialTest(tx, row, { at: tried.at, ok: true, ms: tried.ms, code: null, message: null, tested });
  }
  return (await holdCredential(tx, row.name, row.agentId)) ?? row;
}

function sealed(
  { name, agent_id: agentId = null, key }: PutModelCredential,
  provider: unknown,
  { villageKeys }: CredentialParts,
): Outcome<SealedText | null> {
  if (key === undefined) return accepted(null);
  const villageKey = villageKeys.current();
  if (villageKey === null) return refused('credentials_off');
  return accepted(sealText(key, ownerOf({ name, agentId, provider }), villageKey));
}

/** Stores a key, or connects a provider with its key. The key can be used only for the address of the provider. */
export function putModelCredential({ db, source, gateway }: Village): Handlers['putModelCredential'] {
  const { credentials } = gateway;
  return plain(async (request) => {
    const { body } = request;
    const { name, key, agent_id: agentId = null } = body;
    if (agentId !== null && source.get(agentId) === null) return refused('no_such_agent');
    const refusal = refusalOfProvider(body, credentials);
    if (refusal !== null) return refusal;
    const failed = await refusalOfTest(db, body);
    if (failed !== null) return failed;
    const stored = await inTransaction(db, async (tx): Promise<Outcome<CredentialRow>> => {
      const before = await holdCredential(tx, name, agentId);
      const described = describedOf(body, before) ?? (await inheritedBy(tx, body, before));
      const envelope = sealed(body, described.provider, credentials);
      if (!envelope.ok) return envelope;
      const fingerprint = key === undefined ? null : fingerprintOf(key);
      const next = { name, agentId, ...described, envelope: envelope.data, fingerprint, createdBy: request.actor.id };
      const row = await putCredential(tx, next);
      if (row === null)
        return refused('too_many_credentials', `A village stores at most ${CREDENTIALS_MAX} credentials: remove one`);
      const detail = { agent_id: agentId, key_id: envelope.data?.keyId ?? null, fingerprint, provider: row.provider };
      await recordAct(tx, request, { action: 'models.credential_put', object: name, detail });
      return accepted(body.kind === undefined ? row : await withTests(tx, row, body));
    });
    if (!stored.ok) return stored;
    await credentials.stored.refresh();
    return accepted({ credential: credentialView(stored.data, NO_USERS) });
  });
}
