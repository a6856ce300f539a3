/** Runs functions that return promises, at most `limit` at one time. */
export async function run(jobs, limit) {
  const results = [];
  let running = 0;
  let next = 0;
  return new Promise((resolve) => {
    const start = async () => {
      if (next === jobs.length && running === 0) return resolve(results);
      if (running >= limit) return setTimeout(start, 1);
      const job = jobs[next++];
      if (job === undefined) return;
      start();
      running++;
      results.push(await job());
      running--;
      start();
    };
    start();
  });
}
