/** kubectl against one cluster and namespace. */
import { run, tryRun, type RunOptions, type RunResult } from './command.ts';

/** Where a village is: which kubectl, which cluster (undefined: the current context), which namespace. */
export interface Place {
  readonly kubectl: string;
  readonly helm: string;
  readonly kubeconfig: string | undefined;
  readonly namespace: string;
}

/** Environment and flags that make kubectl and helm work on a place. */
function on(place: Place, args: readonly string[], options: RunOptions): [readonly string[], RunOptions] {
  const env = place.kubeconfig === undefined ? {} : { KUBECONFIG: place.kubeconfig };
  return [['--namespace', place.namespace, ...args], { ...options, env: { ...env, ...options.env } }];
}

/** Runs kubectl; returns what it prints; throws when it fails. */
export async function kubectl(place: Place, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return run(place.kubectl, ...on(place, args, options));
}

/** Runs kubectl to its end, whatever its exit code. */
export async function tryKubectl(place: Place, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return tryRun(place.kubectl, ...on(place, args, options));
}

/** Runs helm; returns what it prints; throws when it fails. */
export async function helm(place: Place, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return run(place.helm, ...on(place, args, options));
}

/** The value of a Secret's key, decoded. */
export async function secretValue(place: Place, secret: string, key: string): Promise<string> {
  // A dot of a name is not one of the path.
  const encoded = await kubectl(place, [
    'get',
    'secret',
    secret,
    '-o',
    `jsonpath={.data.${key.replaceAll('.', '\\.')}}`,
  ]);
  return Buffer.from(encoded, 'base64').toString('utf8');
}
