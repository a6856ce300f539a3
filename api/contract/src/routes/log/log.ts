import { z } from 'zod';
import { AiDollars } from '../../money.ts';
import { defineRoute } from '../../route.ts';
import { AgentId, AgentParams, SeqQuery } from '../scalars.ts';

/** The media type of a tile of the log. */
export const TILE_CONTENT_TYPE = 'application/octet-stream';

const Position = z.int().min(0).meta({ description: 'The number of the entry in the log, from 0' });
const Base64 = z.base64();
/** `x001/x234/067`, or `x001/x234/067.p/8` of a tile that is not full. */
const TilePath = z
  .string()
  .max(64)
  .regex(
    /^(x[0-9]{3}\/)*[0-9]{3}(\.p\/[1-9][0-9]{0,2})?$/,
    'write the number of the tile in groups of three digits, all but the last behind an x, and .p/WIDTH where it is not full',
  )
  .meta({ example: '000.p/8', description: 'Number of the tile as C2SP tlog-tiles has it; may contain slashes' });

const ofLog = { tag: 'log', method: 'GET', placement: 'versioned_and_bare', idempotency: 'read' } as const;
const ofEverybody = { ...ofLog, audiences: ['people', 'agents'], permission: 'world:read' } as const;

export const getLogCheckpoint = defineRoute({
  ...ofEverybody,
  name: 'getLogCheckpoint',
  summary:
    'The newest checkpoint of the sealed log: origin, size and root, signed (C2SP tlog-checkpoint). Keep it elsewhere',
  path: '/log/checkpoint',
  answer: { kind: 'text', contentType: 'text/plain' },
  reasons: ['not_sealed'],
});

/** The key that checkpoints are signed with, as a signed note's verifier key. */
export const getLogKey = defineRoute({
  ...ofEverybody,
  name: 'getLogKey',
  summary: 'The key that verifies checkpoints, `name+id+key` (C2SP signed-note). Keep it with the first checkpoint',
  path: '/log/key',
  answer: { kind: 'text', contentType: 'text/plain' },
  reasons: ['not_sealed'],
});

export const getLogEntries = defineRoute({
  ...ofLog,
  name: 'getLogEntries',
  summary:
    'Up to 256 entries of the sealed log as they are stored now, each behind its length (C2SP tlog-tiles, entry bundle)',
  path: '/log/tile/entries/{tile*}',
  audiences: ['people'],
  permission: 'audit:read',
  params: z.strictObject({ tile: TilePath }),
  answer: { kind: 'bytes', contentType: TILE_CONTENT_TYPE },
  reasons: ['no_such_tile'],
});

export const getLogTile = defineRoute({
  ...ofEverybody,
  name: 'getLogTile',
  summary: 'Up to 256 hashes of the sealed log (C2SP tlog-tiles)',
  path: '/log/tile/{level}/{tile*}',
  params: z.strictObject({ level: z.coerce.number().int().min(0).max(7), tile: TilePath }),
  answer: { kind: 'bytes', contentType: TILE_CONTENT_TYPE },
  reasons: ['no_such_tile'],
});

/** That an entry is in the log, to be checked without trust in the village: hash the leaf, climb by the hashes, compare with the signed root. */
const inclusion = {
  position: Position,
  leaf: Base64.meta({ description: 'The entry as it was sealed' }),
  hashes: z.array(Base64).meta({ description: 'RFC 9162 inclusion proof, from the leaf up' }),
  checkpoint: z.string().meta({ description: 'The signed checkpoint that the proof leads to' }),
};

export const InclusionProof = z.strictObject({
  record_id: z.uuid(),
  kind: z.enum(['act', 'ledger', 'turn']),
  ...inclusion,
});
export type InclusionProof = z.infer<typeof InclusionProof>;

export const getLogProof = defineRoute({
  ...ofLog,
  name: 'getLogProof',
  summary:
    'Proof that a ledger entry, an act or a turn is in the sealed log: of an agent its own entries; acts and turns to admins',
  path: '/log/proof/{record_id}',
  audiences: ['people', 'agents'],
  permission: 'log:prove',
  params: z.strictObject({ record_id: z.uuid() }),
  answer: { kind: 'json', schema: InclusionProof },
  reasons: ['no_such_record', 'not_sealed', 'log_differs'],
});

export const getLogConsistency = defineRoute({
  ...ofEverybody,
  name: 'getLogConsistency',
  summary: 'Proof that the log of a size is the beginning of the newest one (RFC 9162)',
  path: '/log/consistency',
  query: z.strictObject({ from: SeqQuery.meta({ description: 'The size of an earlier checkpoint' }) }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ from: Position, to: Position, hashes: z.array(Base64), checkpoint: z.string() }),
  },
  reasons: ['not_sealed'],
});

/** What an agent's account held after its newest sealed entry, with the proof of that entry. */
export const BalanceProof = z.strictObject({
  agent_id: AgentId,
  account: z.int().meta({ description: 'Number of the account in the leaf' }),
  version: z.int().min(1).meta({ description: 'Number of the entry in its account' }),
  balance: AiDollars.meta({ description: 'After that entry' }),
  ledger_entry_id: z.uuid(),
  ...inclusion,
});
export type BalanceProof = z.infer<typeof BalanceProof>;

export const getBalanceProof = defineRoute({
  ...ofLog,
  name: 'getBalanceProof',
  summary: "An agent's balance after its newest sealed entry, with the proof that this entry is in the log",
  path: '/economy/balance/{agent_id}/proof',
  audiences: ['people', 'agents'],
  permission: 'ledger:read',
  params: AgentParams,
  answer: { kind: 'json', schema: BalanceProof },
  reasons: ['not_own_agent', 'no_such_agent', 'not_sealed', 'log_differs'],
});
