/** Nothing came in time: whoever was asked may be away without having said so. */
export class LateError extends Error {}

/** A wait is counted in so many steps. */
const STEPS = 4;

/**
 * What comes of work, or a {@link LateError} after so long; the work itself goes on. However long this process itself stands still, that counts as one
 * step of the wait at most: what came meanwhile is read before it is called late.
 */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let left = STEPS;
  const late = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) reject(new LateError(`nothing came within ${limitMs} ms`));
    }, limitMs / STEPS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearInterval(timer);
  }
}
