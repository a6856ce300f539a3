import type { Run, Worker, WorkerArtifact, WorkerEnvelope } from '@hamlet/contract';
import { isSettled, shorten, workerError } from '@hamlet/core';
import { readArtifacts, readDenials, readWorkers, type ArtifactRow, type DenialRow, type RunRow } from '@hamlet/store';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { shownRuns } from '../audience/run-audience.ts';
import { runView } from '../run-view.ts';
import type { Village } from '../../village.ts';
import { outcomeInWords } from '../outcome-words.ts';

export function workerHandlers({ db }: Village) {
  return {
    listWorkers: plain(async ({ params, query, actor }) => {
      const { agent_id: agentId } = params;
      if (actor.role === 'agent' && actor.agentId !== agentId)
        return refused('not_own_agent', `This token belongs to ${actor.agentId}: use a token of the run's agent`);
      const rows = await readWorkers(db, {
        agentId,
        activeOnly: query.active === 'true',
        runId: query.run_id,
        parentRunId: query.parent_run_id,
        personId: actor.role === 'member' ? actor.id : undefined,
      });
      const own = actor.role === 'agent' ? rows.filter(({ agentUid }) => agentUid === actor.uid) : rows;
      const shown = actor.role === 'agent' ? own.map(runView) : await shownRuns(db, actor, own);
      const ended = own.filter(({ state }) => isSettled(state)).map(({ runId }) => runId);
      const made = { artifacts: await readArtifacts(db, ended), denials: await readDenials(db, ended) };
      return accepted({ workers: own.map((row, at) => workerOf(row, shown[at] ?? runView(row), made)) });
    }),
  } satisfies Partial<Handlers>;
}

interface Made {
  readonly artifacts: readonly ArtifactRow[];
  readonly denials: readonly DenialRow[];
}

/** A worker as its reader sees it. A veiled worker has no texts, role, artifacts or denials. Pure. */
function workerOf(row: RunRow, run: Run, made: Made): Worker {
  const shown = run.veiled === true && run.worker !== undefined ? { ...run, worker: { ...run.worker, role: '' } } : run;
  return { run: shown, envelope: isSettled(row.state) ? envelopeOf(shown, made) : null };
}

function envelopeOf(run: Run, { artifacts, denials }: Made): WorkerEnvelope {
  const ofRun = <T extends { readonly runId: string }>(rows: readonly T[]): readonly T[] =>
    run.veiled === true ? [] : rows.filter(({ runId }) => runId === run.run_id);
  return {
    summary: run.summary ?? '',
    artifacts: ofRun(artifacts).map(({ kind, at }): WorkerArtifact => ({ kind, at, witnessed: kind === 'link' })),
    errors: [...errorsOf(run), ...ofRun(denials).map(denialError)].map(workerError),
  };
}

const DENIAL_MAX_CHARS = 500;

const denialError = ({ callId, tool, text }: DenialRow) => ({
  code: 'call_denied',
  message: `The call ${callId} of ${tool} was denied: ${shorten(outcomeInWords(text ?? ''), DENIAL_MAX_CHARS)}`,
});

function errorsOf({ state, error, unsettled }: Run): readonly { readonly code: string; readonly message: string }[] {
  const ended = error ?? (state === 'cancelled' ? { code: 'cancelled', message: 'The worker was cancelled.' } : null);
  const open =
    unsettled.length === 0
      ? []
      : [{ code: 'unsettled', message: `The end of these calls is unknown: ${unsettled.join(', ')}` }];
  return [...(ended === null ? [] : [ended]), ...open];
}
