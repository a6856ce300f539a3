import type { freezeVillage as freezeRoute, liftVillageFreeze as liftRoute, VillageFreeze } from '@hamlet/contract';
import { addInternalEvent, freezeVillage, liftVillageFreeze, readFreeze, readLastActivity } from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import { recordAct, type Acting } from '../audit/record-act.ts';
import { plain, type Handlers, type RequestOf, type WriteKey } from '../http/handler.ts';
import { runOnce } from '../http/idempotent.ts';
import { accepted, type Outcome } from '../http/outcome.ts';
import { villageState } from './freeze-cache.ts';
import type { Village } from '../village.ts';

const VILLAGE = 'village';

async function shown(db: Db): Promise<VillageFreeze> {
  const [freeze, last] = [await readFreeze(db), await readLastActivity(db)];
  return {
    ...villageState(freeze),
    by: freeze === null ? null : { role: freeze.byRole, id: freeze.byId },
    last_transfer_at: last.transferAt?.toISOString() ?? null,
    last_model_request_at: last.modelRequestAt?.toISOString() ?? null,
    last_run_started_at: last.runStartedAt?.toISOString() ?? null,
  };
}

/** Serves a route in one transaction of a separate pool, so that it never waits for other requests. */
function inOwnPool<R>(db: Db, run: (request: R, tx: Tx) => Promise<Outcome<VillageFreeze>>) {
  return { kind: 'own', run: (request: R, key: WriteKey) => runOnce(db, key, (tx) => run(request, tx)) } as const;
}

export function freezeHandlers({ db, switchDb }: Village) {
  async function conclude(
    tx: Tx,
    acting: Acting,
    { action, reason }: { readonly action: string; readonly reason: string | null },
  ): Promise<Outcome<VillageFreeze>> {
    await recordAct(tx, acting, { action, object: VILLAGE, detail: { reason } });
    await addInternalEvent(tx, 'village', villageState(await readFreeze(tx)));
    return accepted(await shown(tx));
  }

  return {
    getVillageFreeze: plain(async () => accepted(await shown(db))),
    freezeVillage: inOwnPool(switchDb, async (request: RequestOf<typeof freezeRoute>, tx) => {
      const { reason } = request.body;
      if (!(await freezeVillage(tx, switchDb, { reason, actor: request.actor }))) return accepted(await shown(tx));
      return conclude(tx, request, { action: 'village.freeze', reason });
    }),
    liftVillageFreeze: inOwnPool(switchDb, async (request: RequestOf<typeof liftRoute>, tx) => {
      const { reason = null } = request.query;
      if (!(await liftVillageFreeze(tx, switchDb, { reason, actor: request.actor }))) return accepted(await shown(tx));
      return conclude(tx, request, { action: 'lift.village.freeze', reason });
    }),
  } satisfies Partial<Handlers>;
}
