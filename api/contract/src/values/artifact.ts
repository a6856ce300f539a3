import { z } from 'zod';
import { CallId } from './permission.ts';
import { AgentId, Time } from './scalars.ts';
import { TaintMark } from './taint.ts';

export const OPENED_PAGES_MAX = 50;
export const OPENED_URL_MAX_CHARS = 2_048;
export const OPENED_TITLE_MAX_CHARS = 300;

/** A page that a call opened, as the agent claims it. */
export const OpenedPage = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(OPENED_URL_MAX_CHARS),
  title: z.string().max(OPENED_TITLE_MAX_CHARS).describe('Empty if the page has none'),
  at: z.iso.datetime({ offset: true }).max(40).describe('RFC 3339'),
});
export type OpenedPage = z.infer<typeof OpenedPage>;

export const RUN_SOURCES_MAX = 200;

export const RunSource = OpenedPage.extend({
  run_id: z.uuid().describe('Run that the page belongs to; pages of a worker belong to the run that it works for'),
  call_id: CallId,
  tool: z.string(),
  witnessed: z.boolean().describe('True if the broker let this call reach the host; false if only the agent claims it'),
});
export type RunSource = z.infer<typeof RunSource>;

export const ARTIFACT_MAX_BYTES = 5 * 1024 * 1024;
export const ARTIFACTS_MAX_BYTES = 200 * 1024 * 1024;
export const ARTIFACTS_MAX = 2_000;
export const ARTIFACT_DAYS = 30;
export const ARTIFACT_NAME_MAX_CHARS = 200;

/** Path separators, control characters, and characters that reverse or hide parts of a name. */
const HIDING = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A file name without folders and hiding characters. */
export const ArtifactName = z
  .string()
  .min(1)
  .max(ARTIFACT_NAME_MAX_CHARS)
  .refine(
    (name) => name.isWellFormed() && !HIDING.test(name) && name.trim() === name && name !== '.' && name !== '..',
    { message: 'write the name of a file without folders and without invisible characters, for example report.csv' },
  );

export const MediaType = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/, {
    message: 'write a media type in lower case and without parameters, for example text/csv',
  });

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'write 64 hexadecimal digits in lower case');

/** `file`: a file of the workspace. `patch`: a unified diff. `table`: JSON as `DeliveredTable` says. `script`: JSON as `SharedScript` says. */
export const DeliverableKind = z.enum(['file', 'patch', 'table', 'script']);
export type DeliverableKind = z.infer<typeof DeliverableKind>;

/** Bytes that a call of a run made for people: a deliverable, a screenshot, or another output. */
export const Artifact = z.strictObject({
  artifact_id: z.uuid(),
  run_id: z.uuid(),
  call_id: CallId,
  agent_id: AgentId,
  name: ArtifactName,
  media_type: MediaType.describe('As the agent claims it'),
  bytes: z.int().min(1).max(ARTIFACT_MAX_BYTES),
  sha256: Sha256,
  deliverable: DeliverableKind.nullable().describe('Null if it is not a deliverable'),
  version: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Number of this deliverable among those of its name in its run or session; null if it is none'),
  image: z.boolean().describe('True if the bytes are those of a PNG or JPEG, which the route of images serves'),
  taint: TaintMark.pick({ source: true, detail: true })
    .nullable()
    .default(null)
    .describe('First text from outside that had reached the run when it was stored; null if there was none'),
  kept_at: Time,
  expires_at: Time,
});
export type Artifact = z.infer<typeof Artifact>;

export const TABLE_COLUMNS_MAX = 20;
export const TABLE_ROWS_MAX = 500;
export const TABLE_SOURCES_MAX = 10;
const CELL_MAX_CHARS = 2_000;
export const TABLE_MEDIA_TYPE = 'application/json';

const Cell = z.string().max(CELL_MAX_CHARS);

/** A web address without credentials. */
export const SourceUrl = z
  .url({ protocol: /^https?$/ })
  .max(OPENED_URL_MAX_CHARS)
  .refine(
    (url) => !URL.canParse(url) || new URL(url).username === '',
    'write an address without user name and password',
  );

export const TableRow = z.strictObject({
  cells: z.array(Cell).min(1).max(TABLE_COLUMNS_MAX).describe('One for each column'),
  sources: z.array(SourceUrl).max(TABLE_SOURCES_MAX).default([]).describe('Addresses that show what the row says'),
});

/** A table that an agent delivered; each row names its sources. Every row has a cell for each column. */
export const DeliveredTable = z
  .strictObject({
    columns: z.array(Cell.min(1)).min(1).max(TABLE_COLUMNS_MAX),
    rows: z.array(TableRow).min(1).max(TABLE_ROWS_MAX),
  })
  .refine(({ columns, rows }) => rows.every(({ cells }) => cells.length === columns.length), {
    message: 'give each row one cell for each column',
  });
export type DeliveredTable = z.infer<typeof DeliveredTable>;
