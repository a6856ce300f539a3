import type { adoptScript as adoptRoute, saveScript as saveRoute, Script } from '@hamlet/contract';
import { SCRIPT_SOURCE_MAX_BYTES, SCRIPTS_MAX, SharedScript } from '@hamlet/contract';
import { readJson } from '@hamlet/core';
import type { KeptArtifact, Tx } from '@hamlet/store';
import {
  findArtifact,
  findPost,
  findScriptRow,
  insertScript,
  isTainted,
  lockScripts,
  readArtifactContent,
  readTaintUnderWay,
  setViewer,
} from '@hamlet/store';
import type { AgentRecord } from '../agents/agent-source.ts';
import { recordAct } from '../audit/record-act.ts';
import { callerOf, inTx, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { redactSecrets } from '../permissions/redact-secrets.ts';
import { scriptView, versionOf } from './script-view.ts';
import type { Village } from '../village.ts';

type Request = Pick<RequestOf<typeof saveRoute>, 'actor' | 'requestId' | 'traceparent' | 'call'>;
type Saved = Outcome<{ script: Script; secrets: boolean }>;

/** Upper bound for a script as a deliverable: JSON may need six characters for each of the source. */
const SHARED_MAX_BYTES = 8 * SCRIPT_SOURCE_MAX_BYTES;

interface Saving {
  readonly record: Pick<AgentRecord, 'uid' | 'agentId'>;
  readonly given: SharedScript;
  readonly tainted: boolean;
  readonly adopted: { readonly from: string; readonly artifactId: string } | null;
}

async function store(tx: Tx, request: Request, { record, given, tainted, adopted }: Saving): Promise<Saved> {
  const made = { ...given, source: redactSecrets(given.source), description: redactSecrets(given.description) };
  const clean = SharedScript.safeParse(made);
  if (!clean.success)
    return refused('validation_failed', 'body.source: replacing its secrets makes it too long: remove them');
  const version = versionOf(clean.data);
  const { uid: agentUid, agentId } = record;
  await insertScript(tx, { ...clean.data, agentUid, agentId, version, tainted, adopted, call: request.call ?? null });
  const row = await findScriptRow(tx, { agentUid, name: given.name, version }, request.actor);
  if (row === null) throw new TypeError('a bug: a saved script was not found');
  const secrets = made.source !== given.source || made.description !== given.description;
  await recordAct(tx, callerOf(request), {
    action: adopted === null ? 'script.save' : 'script.adopt',
    object: agentId,
    detail: { name: given.name, version, language: given.language, tainted: row.tainted, secrets, ...adopted },
  });
  return accepted({ script: scriptView(row), secrets });
}

/** True if outside text has reached the run of the call or, for a call without a run, any run of the agent. */
async function savesTainted(tx: Tx, { call }: Request, agentId: string): Promise<boolean> {
  if (call !== undefined) return isTainted(tx, call.runId);
  return (await readTaintUnderWay(tx, agentId)).taint !== null;
}

export function saveScript({ source }: Village): Handlers['saveScript'] {
  return inTx(async (request: RequestOf<typeof saveRoute>, tx): Promise<Saved> => {
    const record = source.get(request.params.agent_id);
    if (record === null) return refused('no_such_agent');
    const names = await lockScripts(tx, record.uid);
    if (!names.has(request.body.name) && names.size >= SCRIPTS_MAX) return refused('too_many_scripts');
    const tainted = await savesTainted(tx, request, record.agentId);
    return store(tx, request, { record, given: request.body, tainted, adopted: null });
  });
}

async function sharedIn(tx: Tx, { actor, body }: RequestOf<typeof adoptRoute>): Promise<Outcome<KeptArtifact>> {
  await setViewer(tx, { role: 'agent', actor: actor.agentId });
  const post = await findPost(tx, body.post_id);
  if (post === null) return refused('no_such_post');
  const isNamed = post.deliverables.some(({ artifact_id: id }) => id === body.artifact_id);
  const artifact = isNamed ? await findArtifact(tx, body.artifact_id) : null;
  return artifact === null ? refused('no_such_artifact') : accepted(artifact);
}

async function readShared(tx: Tx, { artifactId, deliverable, bytes }: KeptArtifact): Promise<SharedScript | null> {
  if (deliverable !== 'script' || bytes > SHARED_MAX_BYTES) return null;
  const content = await readArtifactContent(tx, artifactId);
  return SharedScript.safeParse(readJson(content?.toString() ?? '')).data ?? null;
}

/** Another agent wrote it, so each run that uses it counts as tainted. */
export function adoptScript({ source }: Village): Handlers['adoptScript'] {
  return inTx(async (request: RequestOf<typeof adoptRoute>, tx): Promise<Saved> => {
    const record = source.get(request.params.agent_id);
    if (record === null) return refused('no_such_agent');
    const shared = await sharedIn(tx, request);
    if (!shared.ok) return shared;
    const script = await readShared(tx, shared.data);
    if (script === null) return refused('no_script');
    const name = request.body.name ?? script.name;
    const names = await lockScripts(tx, record.uid);
    if (names.has(name)) return refused('script_exists');
    if (names.size >= SCRIPTS_MAX) return refused('too_many_scripts');
    const adopted = { from: shared.data.agentId, artifactId: shared.data.artifactId };
    return store(tx, request, { record, given: { ...script, name }, tainted: true, adopted });
  });
}
