import { DrillReport, type Drill } from '@hamlet/contract';
import { readAudit, type Db } from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';

/** The object of the acts that record drills. No object of Kubernetes can have this name. */
const BRAKES = 'brakes of the village';
const Detail = z.object({ report: DrillReport });

async function newestDrill(db: Db): Promise<{ readonly drill: Drill | null }> {
  const [row] = await readAudit(db, BRAKES, 1);
  if (row === undefined) return { drill: null };
  const by = { role: row.actorRole, id: row.actorId };
  return { drill: { ...Detail.parse(row.detail).report, at: row.at.toISOString(), by } };
}

/** A drill is an act of the audit: sealed, with its author. People see the newest. */
export function drillHandlers({ db }: { readonly db: Db }) {
  return {
    recordDrill: inTx(async (request, tx) => {
      const detail = { report: request.body };
      await recordAct(tx, request, { action: 'village.drill', object: BRAKES, detail });
      return accepted(await newestDrill(tx));
    }),
    getLastDrill: plain(async () => accepted(await newestDrill(db))),
  } satisfies Partial<Handlers>;
}
