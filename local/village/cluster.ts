/** The local two-node cluster, which the program hamlet-cluster manages. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, tryRun, type RunOptions } from './command.ts';
import { CLUSTER_FOLDER, ROOT } from './paths.ts';

const BUILD = join(ROOT, 'local/cluster/build.sh');

interface Node {
  readonly name: string;
}

interface Status {
  readonly phase: string;
  readonly spec: { readonly state: string; readonly apiHost: string; readonly nodes: readonly Node[] };
  readonly components: readonly { readonly name: string; readonly node: string; readonly pid: number }[];
  readonly forwards: readonly { readonly listen: string; readonly to: string }[] | null;
}

/** Builds the cluster's programs into the cache, except those whose sources did not change. */
export async function buildPrograms(options: RunOptions): Promise<void> {
  await run('bash', [BUILD], {
    ...options,
    fix: 'install Go 1.26 or newer (https://go.dev/dl), and check that the Go module proxy answers',
  });
}

/** Path of one of the cluster's programs (hamlet-cluster, kubectl, helm, ctr …). Throws if they are not built. */
export async function program(name: string): Promise<string> {
  return join(await run('bash', [BUILD, '--print-bin'], { fix: 'run make up, or bash local/cluster/build.sh' }), name);
}

/** True if the programs are built from the current sources. */
export const areProgramsBuilt = async (): Promise<boolean> => (await tryRun('bash', [BUILD, '--print-bin'])).code === 0;

export async function hamletCluster(args: readonly string[], options: RunOptions = {}): Promise<string> {
  return run(await program('hamlet-cluster'), args, options);
}

/** Takes the cluster down with the programs that started it, which may be from another commit. */
export async function takeClusterDown(
  args: readonly string[],
  options: RunOptions,
  folder = CLUSTER_FOLDER,
): Promise<string> {
  const spec = join(folder, 'cluster.json');
  if (!existsSync(spec)) return 'no cluster was running';
  const { bin } = JSON.parse(readFileSync(spec, 'utf8')) as { bin: string };
  return run(join(bin, 'hamlet-cluster'), ['down', ...args], options);
}

export async function clusterStatus(): Promise<Status | undefined> {
  const { code, stdout } = await tryRun(await program('hamlet-cluster'), ['status', '--json']);
  return code === 0 ? (JSON.parse(stdout) as Status) : undefined;
}

export async function imagesOnAllNodes(): Promise<ReadonlySet<string>> {
  const status = await clusterStatus();
  if (status === undefined) return new Set();
  const ctr = await program('ctr');
  const lists = await Promise.all(
    status.spec.nodes.map(async ({ name }) => {
      const socket = join(status.spec.state, 'nodes', name, 'containerd.sock');
      return new Set((await run(ctr, ['-a', socket, '-n', 'k8s.io', 'image', 'ls', '-q'])).split('\n'));
    }),
  );
  const [first = new Set<string>(), ...others] = lists;
  return new Set([...first].filter((reference) => others.every((list) => list.has(reference))));
}
