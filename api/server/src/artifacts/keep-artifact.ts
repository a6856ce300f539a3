import { createHash } from 'node:crypto';
import type { keepArtifact as keepRoute } from '@hamlet/contract';
import { findSameArtifact, hasRoomForArtifact, insertArtifact, inTransaction, lockEffect } from '@hamlet/store';
import type { KeptArtifact, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { callerOf, plain, type DataOf, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { lockWork } from '../permissions/ask-permission.ts';
import { artifactView } from './artifact-view.ts';
import { imageTypeOf } from './safe-headers.ts';
import type { Village } from '../village.ts';

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
