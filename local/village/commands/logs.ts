/** `make logs`: follows what the village says. */
import { spawn } from 'node:child_process';
import { Failure } from '../failure.ts';
import type { Place } from '../kubectl.ts';

const COMPONENTS = ['api', 'operator', 'postgres', 'redis'];
const TAIL = 100;

/** Follows the logs of one component or agent, or of all of them, until interrupted. */
export async function logs(place: Place, who: string | undefined): Promise<void> {
  const env = { ...process.env, ...(place.kubeconfig === undefined ? {} : { KUBECONFIG: place.kubeconfig }) };
  const selector = selectorOf(who);
  const args = [
    '--namespace',
    place.namespace,
    'logs',
    '--follow',
    '--prefix',
    '--tail',
    String(TAIL),
    '--max-log-requests',
    '50',
    '--selector',
    selector,
  ];
  const code = await new Promise<number>((resolve, reject) => {
    spawn(place.kubectl, args, { env, stdio: 'inherit' })
      .on('error', reject)
      .on('close', (exit) => resolve(exit ?? 0));
  });
  if (code !== 0) throw new Failure(`no logs of ${who ?? 'the village'}`, 'make doctor says whether the village is up');
}

/** The label selector of a component, an agent, or everything of the village. */
export function selectorOf(who: string | undefined): string {
  if (who === undefined) return 'app.kubernetes.io/part-of=hamlet';
  return COMPONENTS.includes(who)
    ? `app.kubernetes.io/part-of=hamlet,app.kubernetes.io/component=${who}`
    : `hamlet.village/agent=${who}`;
}
