import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Sha256 } from '../../values/artifact.ts';
import { working } from './runs.ts';

export const readRunFile = defineRoute('readRunFile GET /runs/{run_id}/files/{sha256}', {
  tag: working.tag,
  permission: working.permission,
  summary: 'Read a file that a person gave with the message of a run, until the run ends',
  params: z.strictObject({ run_id: z.uuid(), sha256: Sha256 }),
  query: z.strictObject({ cycle: z.coerce.number().int().min(0).describe('Run cycle of the agent') }),
  answer: json(z.strictObject({ content: z.string().describe('Base64') })),
  reasons: ['no_such_run', 'not_own_agent', 'stale_cycle', 'no_such_artifact'],
});
