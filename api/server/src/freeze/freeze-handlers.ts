import type { freezeVillage as freezeRoute, liftVillageFreeze as liftRoute, VillageFreeze } from '@hamlet/contract';
import {
  addInternalEvent,
  freezeVillage,
  liftVillageFreeze,
  readFreeze,
  readLastActivity,
  unhindered,
} from '@hamlet/store';
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

/**
 * Serves routes in transactions of a separate pool, so that they never wait for other requests, and ends the connections that
 * hold them up. One at a time: each takes two connections.
 */
function ownPool(db: Db) {
  let last: Promise<unknown> = Promise.resolve();
  return <R>(run: (request: R, tx: Tx) => Promise<Outcome<VillageFreeze>>) => {
    const serve = (request: R, key: WriteKey) => {
      const turn = last.then(() => runOnce(db, key, (tx) => unhindered(tx, db, () => run(request, tx))));
      last = turn.catch(() => undefined);
      return turn;
    };
    return { kind: 'own', run: serve } as const;
  };
}

export function freezeHandlers({ db, switchDb }: Village) {
  const inOwnPool = ownPool(switchDb);
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
    freezeVillage: inOwnPool(async (request: RequestOf<typeof freezeRoute>, tx) => {
      const { reason } = request.body;
      if (await freezeVillage(tx, { reason, actor: request.actor }))
        return conclude(tx, request, { action: 'village.freeze', reason });
      const stands = await shown(tx);
      // The freeze keeps its first reason; the audit also has the reasons of later requests to freeze.
      if (stands.reason !== reason)
        await recordAct(tx, request, { action: 'village.freeze', object: VILLAGE, detail: { reason } });
      return accepted(stands);
    }),
    liftVillageFreeze: inOwnPool(async (request: RequestOf<typeof liftRoute>, tx) => {
      const { reason = null } = request.query;
      if (!(await liftVillageFreeze(tx, { reason, actor: request.actor }))) return accepted(await shown(tx));
      return conclude(tx, request, { action: 'lift.village.freeze', reason });
    }),
  } satisfies Partial<Handlers>;
}
