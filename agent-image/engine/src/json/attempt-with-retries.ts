import type { Schema } from './guide.ts';
import { repairAndValidate, type Repaired } from './repair-and-validate.ts';
import type { JsonErrorCode, Repair } from './repair.ts';

export const ATTEMPTS_MAX = 5;

/** The fate of one answer: taken as it was, repaired, asked for again, or given up. */
export type JsonAttempt = Readonly<{
  attempt: number;
  code: JsonErrorCode | null;
  strategy: 'none' | 'repair' | 'ask_again' | 'give_up';
  repair: Repair;
}>;

export type RetryPolicy = Readonly<{
  /** Maximum number of answers, 1 to 5. */
  attempts: number;
  onAttempt?: (attempt: JsonAttempt) => void;
}>;

/** One request to a model. `error`: what was wrong with the answer before, for the model; null at first. */
export type JsonCall = (ask: Readonly<{ attempt: number; error: string | null }>) => Promise<string>;

/** An answer that fits: repaired if that is certain, else asked for again with the exact error. Rejects if the call does. */
export async function attemptWithRetries<T>(
  call: JsonCall,
  schema: Schema<T>,
  { attempts, onAttempt }: RetryPolicy,
): Promise<Repaired<T> & Readonly<{ attempts: number }>> {
  const most = Math.min(ATTEMPTS_MAX, Math.max(1, Math.trunc(attempts)));
  for (let attempt = 1, error: string | null = null; ; attempt += 1) {
    const read = repairAndValidate(await call({ attempt, error }), schema);
    onAttempt?.(attemptOf(read, attempt, most));
    if (read.ok || attempt >= most) return { ...read, attempts: attempt };
    error = askAgain(read.code, read.error);
  }
}

function attemptOf(read: Repaired<unknown>, attempt: number, most: number): JsonAttempt {
  const { repair } = read;
  if (read.ok)
    return { attempt, code: repair.category, strategy: repair.category === null ? 'none' : 'repair', repair };
  return { attempt, code: read.code, strategy: attempt < most ? 'ask_again' : 'give_up', repair };
}

/** The request for a better answer. */
export const askAgain = (code: JsonErrorCode, error: string): string =>
  `Your answer could not be used (${code}): ${error}. Answer again with the corrected JSON and nothing else.`;
