/** The place of a village (cluster and namespace), and kubectl and helm for it. */
import { areProgramsBuilt, buildPrograms, hamletCluster, program } from './cluster.ts';
import { run, tryRun, type RunOptions, type RunResult } from './command.ts';
import { Failure } from './failure.ts';

export interface Place {
  readonly kubectl: string;
  readonly helm: string;
  /** Undefined means the current context of kubectl. */
  readonly kubeconfig: string | undefined;
  readonly namespace: string;
}

export async function localPlace(namespace: string): Promise<Place> {
  return {
    kubectl: await program('kubectl'),
    helm: await program('helm'),
    kubeconfig: await hamletCluster(['kubeconfig']),
    namespace,
  };
}

/** The village in the current context of the machine's kubectl; helm is the machine's, or else Hamlet's own. */
export async function currentPlace(namespace: string): Promise<Place> {
  return { kubectl: 'kubectl', helm: await anyHelm(), kubeconfig: undefined, namespace };
}

export async function currentContext(): Promise<string> {
  const { code, stdout } = await tryRun('kubectl', ['config', 'current-context']);
  if (code !== 0)
    throw new Failure('kubectl has no current context', 'kubectl config use-context NAME, or set KUBECONFIG');
  return stdout.trim();
}

async function anyHelm(): Promise<string> {
  const found = await tryRun('helm', ['version', '--short']).catch(() => undefined);
  if (found?.code === 0) return 'helm';
  if (!(await areProgramsBuilt())) await buildPrograms({});
  return program('helm');
}

function on(place: Place, args: readonly string[], options: RunOptions): [readonly string[], RunOptions] {
  const env = place.kubeconfig === undefined ? {} : { KUBECONFIG: place.kubeconfig };
  return [['--namespace', place.namespace, ...args], { ...options, env: { ...env, ...options.env } }];
}

export async function kubectl(place: Place, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return run(place.kubectl, ...on(place, args, options));
}

export async function tryKubectl(place: Place, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return tryRun(place.kubectl, ...on(place, args, options));
}

export async function helm(place: Place, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return run(place.helm, ...on(place, args, options));
}

export async function secretValue(place: Place, secret: string, key: string): Promise<string> {
  // In a jsonpath, a dot within a name is escaped.
  const path = `jsonpath={.data.${key.replaceAll('.', '\\.')}}`;
  const encoded = await kubectl(place, ['get', 'secret', secret, '-o', path]);
  return Buffer.from(encoded, 'base64').toString('utf8');
}
