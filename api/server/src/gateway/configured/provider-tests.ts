import { storableText } from '@hamlet/contract';
import { inTransaction, noteProviderTest, readFreeze, readProviderTests, type Db, type Tx } from '@hamlet/store';
import { actingAs, recordAct } from '../../audit/record-act.ts';
import { queuedJob, type Job } from '../../service/jobs.ts';
import type { GatewayPorts } from '../admit-request.ts';
import { foundBy, tryModel, type TriedModel } from './try-model.ts';
import { openCatalog, type VillageModels } from '../models/village-models.ts';
import { isAnswer, modelsToTest, nextToTest, testOf, type ModelToTest } from './models-to-test.ts';

const EVERY_MS = 20_000;
/** More attempts without an answer no longer change the pause. */
const UNANSWERED_MAX = 100;

interface Ports extends Pick<GatewayPorts, 'brakes' | 'monotonicMs'> {
  readonly db: Db;
  readonly models: VillageModels;
}

/** Tests of the models of providers in the configuration. */
export interface ProviderTests {
  /** The models of the present routes. */
  models(): readonly ModelToTest[];
  /** Tests each model until it has answered once, and again after a change of its address, key, name or setting for thoughts. */
  readonly job: Job;
}

const ACTING = actingAs('system', 'provider-tests');

/** Stores a test of a model in the configuration. */
export async function keepTest(tx: Tx, model: ModelToTest, tried: TriedModel): Promise<void> {
  const { served, address } = model;
  const before = testOf(model, await readProviderTests(tx));
  const message = tried.message ?? tried.fix;
  await noteProviderTest(tx, {
    provider: served.provider,
    model: served.providerModel,
    address: Buffer.from(address),
    ms: tried.ms,
    code: tried.code,
    message: message === null ? null : storableText(message),
    unanswered: isAnswer(tried.code) ? 0 : Math.min((before?.unanswered ?? 0) + 1, UNANSWERED_MAX),
    // A server that is off keeps the abilities that it had.
    abilities: foundBy(tried) ?? before?.abilities ?? null,
  });
}

export function createProviderTests({ db, models, brakes, monotonicMs }: Ports): ProviderTests {
  const { config } = models;
  // A fallback would answer for the provider, and a connected one is tested when an admin connects it.
  const routes = config.routes.map((route) => ({ ...route, fallbacks: [] }));
  const own = { ...models, config: { ...config, routes }, connected: undefined };
  const catalog = openCatalog(own);
  const known = (): readonly ModelToTest[] => modelsToTest(own, catalog);

  /** One model at a time, so that a village with many models asks little at once. */
  async function testNext(): Promise<void> {
    const next = nextToTest(known(), await readProviderTests(db), models.ports.nowMs());
    if (next === null || (await readFreeze(db)) !== null) return;
    const tried = await tryModel({ catalog, brakes, monotonicMs }, next.served);
    if (tried === 'frozen') return;
    const { name: object, provider } = next.served;
    await inTransaction(db, async (tx) => {
      await keepTest(tx, next, tried);
      const detail = { agent_id: null, provider, ok: tried.ok, code: tried.code };
      if (isAnswer(tried.code)) await recordAct(tx, ACTING, { action: 'models.test', object, detail });
    });
  }

  return { models: known, job: queuedJob({ name: 'provider-tests', everyMs: EVERY_MS, run: testNext }) };
}
