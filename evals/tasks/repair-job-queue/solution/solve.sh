#!/bin/bash
set -e
cd /app
cat > queue.mjs <<'END'
/** Runs functions that return promises, at most `limit` at one time. */
export async function run(jobs, limit) {
  const results = Array.from(jobs, () => undefined);
  let next = 0;
  const work = async () => {
    while (next < jobs.length) {
      const at = next++;
      try {
        results[at] = await jobs[at]();
      } catch (error) {
        results[at] = { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, jobs.length) }, work));
  return results;
}
END
