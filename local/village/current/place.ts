/** The cluster of the kubectl context in force. */
import { buildPrograms, areProgramsBuilt, program } from '../cluster.ts';
import { tryRun } from '../command.ts';
import { Failure } from '../failure.ts';
import type { Place } from '../kubectl.ts';

/** Name of the context that kubectl uses now; fails with what to do if there is none. */
export async function currentContext(): Promise<string> {
  const { code, stdout } = await tryRun('kubectl', ['config', 'current-context']);
  if (code !== 0)
    throw new Failure('kubectl has no current context', 'kubectl config use-context NAME, or set KUBECONFIG');
  return stdout.trim();
}

/** The machine's kubectl and its context, with the machine's helm or else ours. */
export async function currentPlace(namespace: string): Promise<Place> {
  return { kubectl: 'kubectl', helm: await anyHelm(), kubeconfig: undefined, namespace };
}

async function anyHelm(): Promise<string> {
  const found = await tryRun('helm', ['version', '--short']).catch(() => undefined);
  if (found?.code === 0) return 'helm';
  if (!(await areProgramsBuilt())) await buildPrograms({});
  return program('helm');
}
