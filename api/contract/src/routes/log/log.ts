import { z } from 'zod';
import { AiDollars } from '../../values/money.ts';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, SeqQuery } from '../../values/scalars.ts';

export const TILE_CONTENT_TYPE = 'application/octet-stream';

const Position = z.int().min(0).describe('Number of the entry in the log, from 0');
const Base64 = z.base64();
/** `x001/x234/067`, or `x001/x234/067.p/8` for a tile that is not full. */
const TilePath = z
  .string()
  .max(64)
  .regex(
    /^(x[0-9]{3}\/)*[0-9]{3}(\.p\/[1-9][0-9]{0,2})?$/,
    'write the number of the tile in groups of three digits, all but the last behind an x, and .p/WIDTH where it is not full',
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

/** Needs no trust in the village: a reader hashes the leaf with `hashes` and compares the result with the root. */
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
    'Proof that a ledger entry, an act or a turn is in the sealed log; agents for their own entries, acts and turns only for admins',
  permission: 'log:prove',
  answer: json(InclusionProof),
  reasons: ['no_such_record', 'not_sealed', 'log_differs'],
});

export const getLogConsistency = defineRoute('getLogConsistency GET /log/consistency', {
  ...ofEverybody,
  summary: 'Proof that an earlier log of a given size is the beginning of the newest one (RFC 9162)',
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
  summary: 'Balance of an agent after its newest sealed entry, with the proof that the log has this entry',
  permission: 'ledger:read',
  answer: json(BalanceProof),
  reasons: ['not_own_agent', 'no_such_agent', 'not_sealed', 'log_differs'],
});
