/** `make logs`: follows the logs of the village. */
import { spawn } from 'node:child_process';
import { Failure } from '../failure.ts';
import type { Place } from '../kubectl.ts';

const COMPONENTS = ['api', 'operator', 'broker', 'postgres', 'redis'];
const TAIL_LINES = '100';
const MOST_PODS = '50';

export async function logs(place: Place, who: string | undefined): Promise<void> {
  const env = { ...process.env, ...(place.kubeconfig === undefined ? {} : { KUBECONFIG: place.kubeconfig }) };
  const follow = ['logs', '--follow', '--prefix', '--tail', TAIL_LINES, '--max-log-requests', MOST_PODS];
  const args = ['--namespace', place.namespace, ...follow, '--selector', selectorOf(who)];
  const code = await new Promise<number>((resolve, reject) => {
    spawn(place.kubectl, args, { env, stdio: 'inherit' })
      .on('error', reject)
      .on('close', (exit) => resolve(exit ?? 0));
  });
  if (code !== 0)
    throw new Failure(
      `kubectl found no logs of ${who ?? 'the village'}`,
      'make doctor shows whether the village is up; WHO is api, operator, broker, postgres, redis or the name of an agent',
    );
}

function selectorOf(who: string | undefined): string {
  if (who === undefined) return 'app.kubernetes.io/part-of=hamlet';
  return COMPONENTS.includes(who)
    ? `app.kubernetes.io/part-of=hamlet,app.kubernetes.io/component=${who}`
    : `hamlet.village/agent=${who}`;
}
