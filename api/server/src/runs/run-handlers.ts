import { RUNS_WAITING_MAX, type createRun as createRunRoute, type Run, type RunOffer } from '@hamlet/contract';
import {
  countWaiting,
  findOffer,
  findRun,
  inSavepoint,
  insertRuns,
  readBars,
  readRunEvents,
  readRuns,
} from '@hamlet/store';
import type { RunFilter, RunRow, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { Actor } from '../http/actor.ts';
import { inTx, plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { z } from 'zod';
import { findShownRun, isRunOfReader, shownRuns, shownRunView } from './audience/run-audience.ts';
import { applyToRun } from './apply-to-run.ts';
import { barsRuns } from './work-limits.ts';
import { resumeAfter } from './run-streams.ts';
import { runEventView, runView } from './run-view.ts';
import { veiledEvent } from './audience/veil.ts';
import { offerView, seesReason } from '../money/offers/run-offers.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.uuid());

function mayCancel(actor: Actor, run: RunRow): Refused | null {
  const own = run.createdByRole === actor.role && run.createdById === actor.id;
  return actor.role === 'admin' || own ? null : refused('forbidden', 'Members may cancel only runs that they created');
}

type Created = { readonly run: Run; readonly offer: RunOffer | null };
type Creating = RequestOf<typeof createRunRoute>;

function createRun(village: Village): Handlers['createRun'] {
  return inTx(async (request, tx): Promise<Outcome<Created>> => {
    const { agent_id: agentId } = request.params;
    const record = village.source.get(agentId);
    if (record === null || record.deleting) return refused('no_such_agent', `There is no agent ${agentId}`);
    const bar = (await readBars(tx, [agentId])).get(agentId);
    if (barsRuns(bar)) return refused('agent_barred', `A measure of an admin bars ${agentId}: ${bar?.measure}`);
    const waiting = (await countWaiting(tx, [agentId])).get(agentId) ?? 0;
    if (waiting >= RUNS_WAITING_MAX)
      return refused('run_queue_full', `${waiting} runs already wait for ${agentId}: cancel one`);
    // A run whose offer is refused is not created.
    return inSavepoint(tx, () => createWithOffer(tx, request, { uid: record.uid, placeOffer: village.placeOffer }));
  });
}

async function createWithOffer(
  tx: Tx,
  request: Creating,
  { uid, placeOffer }: Pick<Village, 'placeOffer'> & { readonly uid: string },
): Promise<Outcome<Created>> {
  const { actor, body, params } = request;
  const by = { createdByRole: actor.role, createdById: actor.id };
  const asked = {
    agentId: params.agent_id,
    agentUid: uid,
    kind: 'prompt',
    prompt: body.prompt,
    safeMode: body.safe_mode,
    schedule: null,
  } as const;
  const [run] = await insertRuns(tx, [{ ...asked, ...by }]);
  if (run === undefined) throw new Error('the database returned no run');
  await recordAct(tx, request, {
    action: 'run.create',
    object: params.agent_id,
    detail: { run_id: run.runId, ...(body.safe_mode && { safe_mode: body.safe_mode }) },
  });
  if (body.offer === undefined) return accepted({ run: runView(run), offer: null });
  const { amount, expires_in_hours: expiresInHours } = body.offer;
  const placed = await placeOffer(tx, run, { ...request, amount, expiresInHours });
  return placed.ok ? accepted({ run: runView(run), offer: placed.data }) : placed;
}

function cancelRun(): Handlers['cancelRun'] {
  return inTx(async (request, tx) => {
    const { params, body, actor } = request;
    const asked = await findRun(tx, params.run_id);
    if (asked === null || !(await isRunOfReader(tx, actor, asked))) return refused('no_such_run');
    const detail = {
      by: { role: actor.role, id: actor.id },
      ...(body.reason === undefined ? {} : { reason: body.reason }),
    };
    const outcome = await applyToRun(tx, params.run_id, {
      command: { kind: 'cancel' },
      words: { detail },
      permit: (run) => mayCancel(actor, run),
    });
    if (!outcome.ok) return outcome;
    if (outcome.data.changed)
      await recordAct(tx, request, {
        action: 'run.cancel',
        object: params.run_id,
        detail: { reason: body.reason ?? null },
      });
    const [run = runView(outcome.data.run)] = await shownRuns(tx, actor, [outcome.data.run]);
    return accepted({ run });
  });
}

export function runHandlers(village: Village) {
  const { db } = village;
  return {
    createRun: createRun(village),
    listRuns: plain(async ({ query, actor }) => {
      const personId = actor.role === 'admin' ? undefined : actor.id;
      const filter: RunFilter = { agentId: query.agent_id, schedule: query.schedule, state: query.state, personId };
      return paged(cursor, { ...query, personId, list: 'runs' }, async (page) => {
        const { runs, next } = await readRuns(db, filter, page);
        return { runs: [...(await shownRuns(db, actor, runs))], next };
      });
    }),
    getRun: plain(async (request) => {
      const found = await findShownRun(db, request, request.params.run_id);
      if (!found.ok) return found;
      const offer = await findOffer(db, request.params.run_id);
      const shown = offer === null ? null : offerView(offer, seesReason(request.actor, offer));
      return accepted({ run: shownRunView(found.data), offer: shown });
    }),
    listRunEvents: plain(async (request) => {
      const { params, query } = request;
      const found = await findShownRun(db, request, params.run_id);
      if (!found.ok) return found;
      const events = await readRunEvents(db, params.run_id, query);
      const shown = events.map((event) => runEventView(params.run_id, event));
      return accepted({ events: found.data.veiled ? shown.map(veiledEvent) : shown });
    }),
    streamRun: {
      kind: 'stream',
      open: async (request, sink) => {
        const { params, query, headers, actor } = request;
        const found = await findShownRun(db, request, params.run_id);
        if (!found.ok) return found;
        const { row, veiled } = found.data;
        const wanted = { runId: row.runId, after: resumeAfter(headers, query.after), actor, veiled };
        return village.runStreams.open(wanted, sink);
      },
    },
    cancelRun: cancelRun(),
  } satisfies Partial<Handlers>;
}
