import { type OpenedPage, POST_SOURCES_MAX, type PostDeliverable } from '@hamlet/contract';
import { citedPages, webLinks } from '@hamlet/core';
import { readOwnDeliverables, readRunPages, type Tx } from '@hamlet/store';
import type { PerformedCall } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';

const RECORDS_MAX = 1_000;

/**
 * The deliverables that a post publishes, in the order of their ids. A run may publish only deliverables of itself, its
 * workers or other runs of its session. Otherwise it could leak files of another conversation.
 */
export async function namedDeliverables(
  tx: Tx,
  call: PerformedCall | undefined,
  ids: readonly string[],
): Promise<Outcome<readonly PostDeliverable[]>> {
  if (ids.length === 0) return accepted([]);
  if (call === undefined)
    return refused('no_such_artifact', 'A post can name deliverables only during a call of the run that made them');
  const rows = new Map((await readOwnDeliverables(tx, call.runId, ids)).map((row) => [row.artifactId, row]));
  const found = [...new Set(ids)].map((id) => rows.get(id));
  if (found.some((row) => row === undefined))
    return refused('no_such_artifact', 'Name only existing deliverables of this run or its conversation');
  return accepted(
    found
      .filter((row) => row !== undefined)
      .map(({ artifactId, name, bytes, deliverable, expiresAt }) => ({
        artifact_id: artifactId,
        name,
        bytes,
        deliverable,
        expires_at: expiresAt.toISOString(),
      })),
  );
}

export async function sourcesOfText(
  tx: Tx,
  call: PerformedCall | undefined,
  text: string,
): Promise<readonly OpenedPage[] | null> {
  if (call === undefined) return null;
  if (webLinks(text).length === 0) return [];
  const cited = citedPages(text, await readRunPages(tx, call.runId, RECORDS_MAX)).slice(0, POST_SOURCES_MAX);
  return cited.map(({ url, title, at }) => ({ url, title, at }));
}
