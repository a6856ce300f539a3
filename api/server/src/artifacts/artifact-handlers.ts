import type { KeptArtifact, Db } from '@hamlet/store';
import {
  deleteArtifact,
  findArtifact,
  inTransaction,
  readAgentArtifacts,
  readArtifactContent,
  readRunArtifacts,
} from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { plain, type Caller, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { findShownRun, type ShownRun } from '../runs/audience/run-audience.ts';
import { artifactView } from './artifact-view.ts';
import { keepArtifact } from './keep-artifact.ts';
import { attachmentHeaders, imageHeaders } from './safe-headers.ts';
import type { Village } from '../village.ts';

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
      pageView(await readAgentArtifacts(db, filter, page)),
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
    listAgentArtifacts: listAgentArtifacts(village),
    getArtifactContent: getArtifactContent(village),
    getArtifactImage: getArtifactImage(village),
    forgetArtifact: forgetArtifact(village),
  } satisfies Partial<Handlers>;
}
