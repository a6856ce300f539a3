import { ARTIFACTS_PAGE_MAX, RUN_SOURCES_MAX, type RunSource } from '@hamlet/contract';
import { pageKey } from '@hamlet/core';
import { readRunPages, readSessionDeliverables, readSessionPages, type OpenedPageRow } from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import { findShownRun } from '../runs/audience/run-audience.ts';
import { openSession } from '../sessions/transcript/session-access.ts';
import { artifactView } from './artifact-view.ts';
import type { Village } from '../village.ts';

const RECORDS_MAX = 1_000;

/**
 * Each page of a run once, by its newest record. Records that the broker witnessed take precedence over claims. Pure.
 */
export function sourcesOf(rows: readonly OpenedPageRow[]): RunSource[] {
  const sources = new Map<string, RunSource>();
  for (const { runId, callId, tool, url, title, at, witnessed } of rows) {
    const key = `${runId} ${pageKey(url)}`;
    const known = sources.get(key);
    if (known === undefined) sources.set(key, { run_id: runId, call_id: callId, tool, url, title, at, witnessed });
    else if (witnessed && !known.witnessed) sources.set(key, { ...known, witnessed });
  }
  return [...sources.values()].slice(0, RUN_SOURCES_MAX);
}

export function sourceHandlers({ db }: Village) {
  return {
    listRunSources: plain(async (request) => {
      const { run_id: runId } = request.params;
      const shown = await findShownRun(db, request, runId);
      if (!shown.ok) return shown;
      const rows = shown.data.veiled ? [] : await readRunPages(db, runId, RECORDS_MAX);
      return accepted({ sources: sourcesOf(rows) });
    }),
    getSessionResults: plain(async (request) => {
      const { session_id: sessionId } = request.params;
      const admitted = await openSession(db, request, sessionId);
      if (!admitted.ok) return admitted;
      const artifacts = await readSessionDeliverables(db, sessionId, ARTIFACTS_PAGE_MAX);
      const sources = sourcesOf(await readSessionPages(db, sessionId, RECORDS_MAX));
      return accepted({ artifacts: artifacts.map(artifactView), sources });
    }),
  } satisfies Partial<Handlers>;
}
