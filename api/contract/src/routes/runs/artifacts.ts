import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import {
  Artifact,
  ARTIFACT_MAX_BYTES,
  ArtifactName,
  DeliverableKind,
  MediaType,
  Sha256,
  RUN_SOURCES_MAX,
  RunSource,
} from '../../values/artifact.ts';
import { CallId } from '../../values/permission.ts';
import { NEXT_CURSOR, paging } from '../../values/scalars.ts';
import { working } from './runs.ts';

export const ARTIFACTS_PAGE_MAX = 100;

const reading = { tag: 'runs', permission: 'runs:read' } as const;
const Page = json(z.strictObject({ artifacts: z.array(Artifact), ...NEXT_CURSOR }));

export const keepArtifact = defineRoute('keepArtifact PUT /runs/{run_id}/calls/{call_id}/artifacts/{sha256}', {
  ...working,
  params: z.strictObject({ run_id: z.uuid(), call_id: CallId, sha256: Sha256 }),
  summary: 'Store bytes that a call made for people, for 30 days; the same bytes of the same call are stored once',
  query: z.strictObject({
    cycle: z.coerce.number().int().min(0).describe('Run cycle of the agent'),
    attempt: z.coerce.number().int().min(1).describe('Attempt number from the start of the run'),
    name: ArtifactName,
    media_type: MediaType,
    deliverable: DeliverableKind.optional(),
  }),
  rawBody: true,
  bodyMaxBytes: ARTIFACT_MAX_BYTES,
  body: z.instanceof(Uint8Array).refine((bytes) => bytes.length > 0, { message: 'send at least one byte' }),
  answer: json(
    z.strictObject({ artifact: Artifact, stored: z.boolean().describe('False if an earlier request stored it') }),
  ),
  reasons: [...working.reasons, 'no_such_call', 'artifact_hash_differs', 'artifacts_full'],
});

export const listRunArtifacts = defineRoute('listRunArtifacts GET /runs/{run_id}/artifacts', {
  ...reading,
  summary: 'Artifacts of a run and its workers, newest first; empty for a reader who may not see the texts of the run',
  query: z.strictObject(paging({ max: ARTIFACTS_PAGE_MAX })),
  answer: Page,
  reasons: ['no_such_run', 'cursor_invalid'],
});

export const listDeliverables = defineRoute('listDeliverables GET /deliverables', {
  ...reading,
  summary: 'Deliverables of all runs whose texts the reader may see, newest first',
  query: z.strictObject(paging({ max: ARTIFACTS_PAGE_MAX })),
  answer: Page,
  reasons: ['cursor_invalid'],
});

export const listAgentArtifacts = defineRoute('listAgentArtifacts GET /agents/{agent_id}/artifacts', {
  ...reading,
  summary: 'Artifacts of the runs of an agent whose texts the reader may see, newest first',
  query: z.strictObject({
    deliverables: z.enum(['true', 'false']).default('false').describe('True to list only deliverables'),
    ...paging({ max: ARTIFACTS_PAGE_MAX }),
  }),
  answer: Page,
  reasons: ['cursor_invalid'],
});

const Sources = z.array(RunSource).max(RUN_SOURCES_MAX);

export const listRunSources = defineRoute('listRunSources GET /runs/{run_id}/sources', {
  ...reading,
  summary:
    'Pages that a run and its workers opened, newest first, each once; empty for a reader who may not see the texts of the run',
  answer: json(z.strictObject({ sources: Sources })),
  reasons: ['no_such_run'],
});

export const getSessionResults = defineRoute('getSessionResults GET /sessions/{session_id}/results', {
  tag: 'sessions',
  permission: 'sessions:read',
  summary:
    'The newest deliverables and opened pages of a session, each with its run; those of a worker belong to the run that it works for',
  answer: json(z.strictObject({ artifacts: z.array(Artifact).max(ARTIFACTS_PAGE_MAX), sources: Sources })),
  reasons: ['no_such_session'],
});

export const getArtifactContent = defineRoute('getArtifactContent GET /artifacts/{artifact_id}/content', {
  ...reading,
  summary: 'Download an artifact: an attachment in a sandbox, for readers of the texts of its run',
  answer: { kind: 'bytes', contentType: 'application/octet-stream' },
  reasons: ['no_such_artifact'],
});

export const getArtifactImage = defineRoute('getArtifactImage GET /artifacts/{artifact_id}/image', {
  ...reading,
  summary: 'Show an artifact that is a PNG or JPEG, for readers of the texts of its run',
  answer: { kind: 'bytes', contentType: 'image/*' },
  reasons: ['no_such_artifact'],
});

export const forgetArtifact = defineRoute('forgetArtifact DELETE /artifacts/{artifact_id}', {
  tag: 'runs',
  permission: 'run:create',
  idempotency: 'natural',
  summary: 'Delete an artifact before its expiry, as the person who gave its run or as an admin',
  answer: json(z.strictObject({ forgotten: z.literal(true) })),
  reasons: ['no_such_artifact'],
});
