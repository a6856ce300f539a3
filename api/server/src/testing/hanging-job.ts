/** usage: hanging-job.ts REDIS_URL NAMESPACE: takes the job `hourly`, prints that, and never ends the job */
import { Registry } from 'prom-client';
import { queuedJob, startJobs } from '../service/jobs.ts';
import { openRedisLink } from '../service/redis-link.ts';

const [redisUrl = '', namespace = ''] = process.argv.slice(2);
const log = (): void => undefined;
startJobs({
  redisUrl,
  namespace,
  link: openRedisLink(redisUrl, log),
  registry: new Registry(),
  log,
  leads: () => true,
  timing: { deriveEveryMs: 1_000, lockMs: 1_000 },
  jobs: [
    queuedJob({
      name: 'hourly',
      everyMs: 3_600_000,
      run: () => {
        process.stdout.write('begun\n');
        return new Promise(() => undefined);
      },
    }),
  ],
});
