import { z } from 'zod';
import { AiDollars } from '../../values/money.ts';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, SeqQuery, NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';

export const TILE_CONTENT_TYPE = 'application/octet-stream';

const Position = z.int().min(0).describe('Number of the entry in the log, from 0');
const Base64 = z.base64();
/** `x001/x234/067`, or `x001/x234/067.p/8` for a partial tile. */
const TilePath = z
  .string()
  .max(64)
  .regex(
    /^(x[0-9]{3}\/)*[0-9]{3}(\.p\/[1-9][0-9]{0,2})?$/,
    'write the number of the tile in groups of three digits, all but the last prefixed by x, with .p/WIDTH for a partial tile',
  )
  .meta({ example: '000.p/8', description: 'Number of the tile in the form of C2SP tlog-tiles; may contain slashes' });

const ofEverybody = { tag: 'log', permission: 'world:read' } as const;

export const getLogCheckpoint = defineRoute('getLogCheckpoint GET /log/checkpoint', {
  ...ofEverybody,
  summary:
    'The newest checkpoint of the sealed log: origin, size and root, signed (C2SP tlog-checkpoint). Keep it elsewhere',
  answer: { kind: 'text', contentType: 'text/plain' },
  reasons: ['not_sealed'],
});

export const getLogKey = defineRoute('getLogKey GET /log/key', {
  ...ofEverybody,
  summary: 'The key that verifies checkpoints, `name+id+key` (C2SP signed-note). Keep it with the first checkpoint',
  answer: { kind: 'text', contentType: 'text/plain' },
  reasons: ['not_sealed'],
});

export const getLogEntries = defineRoute('getLogEntries GET /log/tile/entries/{tile*}', {
  tag: 'log',
  summary: 'Up to 256 entries of the sealed log as stored now, each after its length (C2SP tlog-tiles, entry bundle)',
  audiences: ['people'],
  permission: 'audit:read',
  params: z.strictObject({ tile: TilePath }),
  answer: { kind: 'bytes', contentType: TILE_CONTENT_TYPE },
  reasons: ['no_such_tile'],
});

export const getLogTile = defineRoute('getLogTile GET /log/tile/{level}/{tile*}', {
  ...ofEverybody,
  summary: 'Up to 256 hashes of the sealed log (C2SP tlog-tiles)',
  params: z.strictObject({ level: z.coerce.number().int().min(0).max(7), tile: TilePath }),
  answer: { kind: 'bytes', contentType: TILE_CONTENT_TYPE },
  reasons: ['no_such_tile'],
});

/** Lets a reader verify without trusting the village: hash the leaf with `hashes` and compare the result with the root. */
const inclusion = {
  position: Position,
  leaf: Base64.describe('Entry as it was sealed'),
  hashes: z.array(Base64).describe('RFC 9162 inclusion proof, from the leaf up'),
  checkpoint: z.string().describe('Signed checkpoint that the proof leads to'),
};

export const InclusionProof = z.strictObject({
  record_id: z.uuid(),
  kind: z.enum(['act', 'ledger', 'turn']),
  ...inclusion,
});
export type InclusionProof = z.infer<typeof InclusionProof>;

export const getLogProof = defineRoute('getLogProof GET /log/proof/{record_id}', {
  tag: 'log',
  summary:
    'Proof that a ledger entry, an act or a turn is in the sealed log. Agents get proofs of their own entries; only admins get those of acts and turns',
  permission: 'log:prove',
  answer: json(InclusionProof),
  reasons: ['no_such_record', 'not_sealed', 'log_differs'],
});

export const getLogConsistency = defineRoute('getLogConsistency GET /log/consistency', {
  ...ofEverybody,
  summary: 'Proof that the log of a given earlier size is a prefix of the newest log (RFC 9162)',
  query: z.strictObject({ from: SeqQuery.describe('Size of an earlier checkpoint') }),
  answer: json(z.strictObject({ from: Position, to: Position, hashes: z.array(Base64), checkpoint: z.string() })),
  reasons: ['not_sealed'],
});

export const BalanceProof = z.strictObject({
  agent_id: AgentId,
  account: z.int().describe('Number of the account in the leaf'),
  version: z.int().min(1).describe('Number of the entry in its account'),
  balance: AiDollars.describe('Balance after that entry'),
  ledger_entry_id: z.uuid(),
  ...inclusion,
});

export const getBalanceProof = defineRoute('getBalanceProof GET /economy/balance/{agent_id}/proof', {
  tag: 'log',
  summary: 'Balance of an agent after its newest sealed entry, with the proof that this entry is in the log',
  permission: 'ledger:read',
  answer: json(BalanceProof),
  reasons: ['not_own_agent', 'no_such_agent', 'not_sealed', 'log_differs'],
});

export const AUDIT_TEXT_MAX_CHARS = 200;

export const RecordKind = z.enum(['act', 'ledger']);
export type RecordKind = z.infer<typeof RecordKind>;

/** Kept permanently; each becomes an entry of the sealed log. */
export const AuditRecord = z.strictObject({
  record_id: z.uuid(),
  kind: RecordKind,
  at: Time,
  actor_role: z.string(),
  actor_id: z.string(),
  action: z.string().describe('`area.verb`; for money `ledger.` and the reason of the entry'),
  object: z.string().describe('Object of the act: an agent, a post, an account'),
  detail: z.unknown().describe('Facts that are recorded nowhere else'),
  request_id: z.string().nullable(),
  traceparent: z.string().nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

const Words = z.string().trim().min(1).max(AUDIT_TEXT_MAX_CHARS);

export const listAudit = defineRoute('listAudit GET /audit', {
  summary: 'Acts and movements of money, newest first; by actor, action, object, words and time',
  tag: 'log',
  audiences: ['people'],
  permission: 'audit:read',
  query: z.strictObject({
    kind: RecordKind.optional(),
    actor: Words.optional().describe('Id of the actor'),
    action: Words.optional().describe('Action or its area: `board` finds `board.post`'),
    except: Words.optional().describe(
      'Actions or areas to leave out, separated by commas: `turn,models.call` leaves out the frequent acts of agents',
    ),
    object: Words.optional(),
    q: Words.optional().describe('Words that the record contains, all of them, in any order'),
    since: Time.optional().describe('Earliest moment, inclusive'),
    until: Time.optional().describe('Latest moment, exclusive'),
    ...paging({ cursorChars: 512 }),
  }),
  answer: json(z.strictObject({ records: z.array(AuditRecord), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const EgressRecord = z.strictObject({
  id: z.uuid(),
  agent_id: AgentId,
  uid: z.string(),
  cycle: z.int().min(0),
  run_id: z.uuid().nullable(),
  call_id: z.string().nullable(),
  run_witnessed: z
    .boolean()
    .describe('True if the API verified that this run of the agent was under way; otherwise only the pod claims it'),
  call_witnessed: z.boolean().describe('True if the API had started the call; otherwise only the pod claims it'),
  form: z.string(),
  host: z.string(),
  port: z.int(),
  method: z.string().nullable(),
  path: z.string().nullable(),
  refused: z.string().nullable().describe('Code of the refusal; null if the broker permitted it'),
  begun_at: Time,
  ended_at: Time.nullable(),
  address: z.string().nullable(),
  status: z.int().nullable(),
  sent_bytes: z.int().nullable(),
  received_bytes: z.int().nullable(),
  cut_off: z.string().nullable().describe('Code of the reason why it ended early'),
});
export type EgressRecord = z.infer<typeof EgressRecord>;

export const listEgress = defineRoute('listEgress GET /egress', {
  summary: 'Attempts of agents to reach the outside, allowed and refused, newest first',
  tag: 'log',
  audiences: ['people'],
  permission: 'audit:read',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    run_id: z.uuid().optional(),
    host: z.string().min(1).max(253).optional(),
    refused: z.enum(['true', 'false']).optional(),
    ...paging({ cursorChars: 1024 }),
  }),
  answer: json(z.strictObject({ attempts: z.array(EgressRecord), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
