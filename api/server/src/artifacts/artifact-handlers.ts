import type { KeptArtifact, Db, Tx } from '@hamlet/store';
import {
  deleteArtifact,
  findArtifact,
  inTransaction,
  readShownArtifacts,
  readArtifactContent,
  readRunArtifacts,
  findSameArtifact,
  hasRoomForArtifact,
  insertArtifact,
  lockEffect,
} from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { plain, callerOf, type Caller, type Handlers, type DataOf, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { findShownRun, type ShownRun } from '../runs/audience/run-audience.ts';
import { artifactView } from './artifact-view.ts';
import { attachmentHeaders, imageHeaders, imageTypeOf } from './safe-headers.ts';
import type { Village } from '../village.ts';
import { createHash } from 'node:crypto';
import type { keepArtifact as keepRoute } from '@hamlet/contract';
import { lockWork } from '../permissions/ask-permission.ts';

type Request = RequestOf<typeof keepRoute>;
type Answer = Outcome<DataOf<typeof keepRoute>>;

/** Stores bytes that a call made for people. The API knows that the call has begun; equal bytes of a call are stored once. */
export function keepArtifact({ db }: Village): Handlers['keepArtifact'] {
  return plain(async (request): Promise<Answer> => {
    const sha256 = createHash('sha256').update(request.body).digest();
    if (sha256.toHex() !== request.params.sha256) return refused('artifact_hash_differs');
    return inTransaction(db, (tx) => keepOnce(tx, request, sha256));
  });
}

async function keepOnce(tx: Tx, request: Request, sha256: Buffer): Promise<Answer> {
  const { actor, params, query } = request;
  const held = await lockWork(tx, { actor, params, body: query });
  if (!held.ok) return held;
  const { run_id: runId, call_id: callId } = params;
  if ((await lockEffect(tx, runId, callId)) === null) return refused('no_such_call');
  const known = await findSameArtifact(tx, { runId, callId, sha256 });
  if (known !== null) return accepted({ artifact: artifactView(known), stored: false });
  const kept = await keep(tx, request, sha256);
  return kept.ok ? accepted({ artifact: artifactView(kept.data), stored: true }) : kept;
}

async function keep(tx: Tx, request: Request, sha256: Buffer): Promise<Outcome<KeptArtifact>> {
  const { run_id: runId, call_id: callId } = request.params;
  const { name, media_type: mediaType, deliverable = null } = request.query;
  const content = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength);
  const { agentId } = request.actor;
  if (!(await hasRoomForArtifact(tx, { agentId, bytes: content.length }))) return refused('artifacts_full');
  const imageType = imageTypeOf(content);
  const made = { runId, callId, agentId, name, mediaType, imageType, sha256, deliverable, content };
  const row = await insertArtifact(tx, made);
  const acting = { ...callerOf(request), call: { runId, callId } };
  const detail = { artifact_id: row.artifactId, bytes: row.bytes, deliverable };
  await recordAct(tx, acting, { action: 'artifact.keep', object: agentId, detail });
  return accepted(row);
}

const cursor = pageCursor(z.uuid());

const pageView = ({ artifacts, next }: Awaited<ReturnType<typeof readRunArtifacts>>) => ({
  artifacts: artifacts.map(artifactView),
  next,
});

function listRunArtifacts({ db }: Village): Handlers['listRunArtifacts'] {
  return plain(async (request) => {
    const { run_id: runId } = request.params;
    const shown = await findShownRun(db, request, runId);
    if (!shown.ok) return shown;
    if (shown.data.veiled) return accepted({ artifacts: [], next_cursor: null });
    return paged(cursor, { ...request.query, runId, list: 'artifacts of a run' }, async (page) =>
      pageView(await readRunArtifacts(db, runId, page)),
    );
  });
}

function listAgentArtifacts({ db }: Village): Handlers['listAgentArtifacts'] {
  return plain(async ({ actor, params, query }) => {
    const { agent_id: agentId } = params;
    const deliverables = query.deliverables === 'true';
    const filter = { agentId, deliverables, reader: { role: actor.role, id: actor.id } };
    return paged(cursor, { ...query, agentId, list: 'artifacts of an agent' }, async (page) =>
      pageView(await readShownArtifacts(db, filter, page)),
    );
  });
}

function listDeliverables({ db }: Village): Handlers['listDeliverables'] {
  return plain(async ({ actor, query }) => {
    const filter = { agentId: null, deliverables: true, reader: { role: actor.role, id: actor.id } };
    return paged(cursor, { ...query, list: 'deliverables' }, async (page) =>
      pageView(await readShownArtifacts(db, filter, page)),
    );
  });
}

interface ShownArtifact {
  readonly artifact: KeptArtifact;
  readonly run: ShownRun;
}

async function findShown(db: Db, caller: Caller, artifactId: string): Promise<Outcome<ShownArtifact>> {
  const artifact = await findArtifact(db, artifactId);
  if (artifact === null) return refused('no_such_artifact');
  const run = await findShownRun(db, caller, artifact.runId);
  return run.ok && !run.data.veiled ? accepted({ artifact, run: run.data }) : refused('no_such_artifact');
}

function getArtifactContent({ db }: Village): Handlers['getArtifactContent'] {
  return plain(async (request) => {
    const found = await findShown(db, request, request.params.artifact_id);
    if (!found.ok) return found;
    const { artifactId, name } = found.data.artifact;
    const content = await readArtifactContent(db, artifactId);
    return content === null ? refused('no_such_artifact') : { ...accepted(content), headers: attachmentHeaders(name) };
  });
}

function getArtifactImage({ db }: Village): Handlers['getArtifactImage'] {
  return plain(async (request) => {
    const found = await findShown(db, request, request.params.artifact_id);
    if (!found.ok) return found;
    const { artifactId, imageType } = found.data.artifact;
    const content = imageType === null ? null : await readArtifactContent(db, artifactId);
    if (content === null || imageType === null) return refused('no_such_artifact');
    return { ...accepted(content), headers: imageHeaders(imageType) };
  });
}

function forgetArtifact({ db }: Village): Handlers['forgetArtifact'] {
  return plain(async (request) => {
    const { actor } = request;
    const found = await findShown(db, request, request.params.artifact_id);
    if (!found.ok) return found;
    const { artifact, run } = found.data;
    const { createdByRole, createdById } = run.row;
    if (actor.role !== 'admin' && !(createdByRole === actor.role && createdById === actor.id))
      return refused('forbidden', 'Only the person who gave the run and admins delete its artifacts: ask them');
    return inTransaction(db, async (tx): Promise<Outcome<{ forgotten: true }>> => {
      if (!(await deleteArtifact(tx, artifact.artifactId))) return refused('no_such_artifact');
      const { artifactId, runId, bytes, agentId } = artifact;
      const detail = { artifact_id: artifactId, run_id: runId, bytes };
      await recordAct(tx, request, { action: 'artifact.forget', object: agentId, detail });
      return accepted({ forgotten: true });
    });
  });
}

export function artifactHandlers(village: Village) {
  return {
    keepArtifact: keepArtifact(village),
    listRunArtifacts: listRunArtifacts(village),
    listDeliverables: listDeliverables(village),
    listAgentArtifacts: listAgentArtifacts(village),
    getArtifactContent: getArtifactContent(village),
    getArtifactImage: getArtifactImage(village),
    forgetArtifact: forgetArtifact(village),
  } satisfies Partial<Handlers>;
}
