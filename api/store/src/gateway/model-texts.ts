import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Row } from '../connection/tables.generated.ts';

type ModelTextRow = Omit<Row<'model_text'>, 'salt'>;

interface NewModelText extends Pick<ModelTextRow, 'requestId' | 'agentId' | 'runId' | 'prompt' | 'answer'> {
  readonly salt: Buffer;
  readonly days: number;
}

export async function keepModelText(tx: Tx, text: NewModelText): Promise<void> {
  const { requestId, agentId, runId, prompt, answer, salt, days } = text;
  await sql`
    insert into model_text (request_id, agent_id, run_id, expires_at, salt, prompt, answer)
    values (${requestId}, ${agentId}, ${runId}, now() + ${days} * interval '1 day', ${salt}, ${prompt}, ${answer})
    on conflict do nothing
  `.execute(tx);
}

/** Null if the text was never stored, or was deleted. */
export async function readModelText(db: Db, requestId: string): Promise<ModelTextRow | null> {
  const { rows } = await sql<ModelTextRow>`
    select request_id as "requestId", agent_id as "agentId", run_id as "runId", kept_at as "keptAt", expires_at as "expiresAt", prompt, answer
    from model_text where request_id = ${requestId} and expires_at > now()
  `.execute(db);
  return rows[0] ?? null;
}

export async function forgetModelText(tx: Tx, requestId: string): Promise<boolean> {
  const { rows } = await sql`delete from model_text where request_id = ${requestId} returning 1`.execute(tx);
  return rows.length > 0;
}

export async function forgetModelTextsOf(tx: Tx, agentId: string): Promise<number> {
  const { numAffectedRows } = await sql`delete from model_text where agent_id = ${agentId}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

export async function deleteExpiredModelTexts(db: Db, atMost: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from model_text
    where request_id in (select request_id from model_text where expires_at <= now() order by expires_at limit ${atMost})
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
