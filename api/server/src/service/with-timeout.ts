/** Thrown if the work did not settle within its timeout; its peer may be unreachable. */
export class LateError extends Error {}

const STEPS = 4;

/**
 * Settles as `work` does, or rejects with a {@link LateError} after `limitMs`; the work itself continues. A pause of
 * this process counts as at most one step of the timeout, so that an answer that arrived during the pause is read
 * first.
 */
export async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let left = STEPS;
  const late = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) reject(new LateError(`no answer within ${limitMs} ms`));
    }, limitMs / STEPS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearInterval(timer);
  }
}
