import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { repositoryName } from '@hamlet/core/git';
import { isThere, type HandsClient } from '../hands-client.ts';
import { textOf } from '../shown-output.ts';
import { CLONE_SCRIPT } from './clone-script.ts';
import { processIdOf, startProcess, untilEnded, type EnvironmentOf, type ProcessPlace } from '../start-process.ts';

export interface Repository {
  readonly url: string;
  readonly branch: string;
}

/** The work tree of a run. `note` is for the model at its first call; empty after that. */
export interface RunTree {
  /** Folder of the work tree; the workspace if the run has no repository, or if the clone failed. */
  readonly folder: string;
  readonly note: string;
}

export interface WorkTrees {
  /** The work tree of a run, which is cloned at its first use. Rejects with `HandsError` if the hands are lost. */
  of(hands: HandsClient, place: ProcessPlace, signal: AbortSignal): Promise<RunTree>;
}

export interface TreePorts {
  readonly workspace: string;
  readonly locks: string;
  readonly environmentOf: EnvironmentOf;
  readonly repositoryOf: (run: string) => Repository | null;
}

export const CLONE_MS = 900_000;
const MAX_REMEMBERED = 64;
const MAX_REASON_CHARS = 2_000;

/** The possible folders of a repository in the workspace; the second is used if the first belongs to another repository. Pure. */
export function foldersOf({ url }: Pick<Repository, 'url'>): readonly [string, string] {
  const name = repositoryName(url);
  return [name, `${name}-${hashOf(url)}`];
}

const hashOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 8);

export function createWorkTrees(ports: TreePorts): WorkTrees {
  const folders = new Map<string, string>();
  const noted = new Map<string, RunTree>();
  const noTree = { folder: ports.workspace, note: '' };
  return {
    of: async (hands, place, signal) => {
      const repository = ports.repositoryOf(place.run);
      if (repository === null) return noTree;
      const known = folders.get(repository.url);
      if (known !== undefined && (await isThere(hands, ports.workspace, known)))
        return { folder: posix.join(ports.workspace, known), note: '' };
      const failed = noted.get(place.run);
      if (failed !== undefined && known === undefined) return failed;
      const cloned = await clone(ports, { hands, place, repository, signal });
      const folder = cloned.folder === null ? ports.workspace : posix.join(ports.workspace, cloned.folder);
      if (cloned.folder !== null) remember(folders, repository.url, cloned.folder);
      else remember(noted, place.run, { folder, note: '' });
      return { folder, note: cloned.note };
    },
  };
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}

interface Cloning {
  readonly hands: HandsClient;
  readonly place: ProcessPlace;
  readonly repository: Repository;
  readonly signal: AbortSignal;
}

async function clone(
  { workspace, locks, environmentOf }: TreePorts,
  { hands, place, repository: { url, branch }, signal }: Cloning,
): Promise<{ readonly folder: string | null; readonly note: string }> {
  const id = `${processIdOf(place)}.clone`;
  const [name] = foldersOf({ url });
  const argv = ['bash', '-c', CLONE_SCRIPT, 'hamlet-clone', workspace, name, hashOf(url), url, branch, locks];
  const own = { id, owner: place.run, place, argv, cwd: '/', limits: { timeoutMs: CLONE_MS } };
  await startProcess(hands, own, environmentOf);
  const { exit, stdout, stderr } = await untilEnded(hands, id, signal);
  const lines = textOf(stdout).trim().split('\n');
  const folder = lines.pop() ?? '';
  if (exit.code === 0 && foldersOf({ url }).includes(folder))
    return {
      folder,
      note: [`Your repository ${url} is in ${posix.join(workspace, folder)}.`, ...lines].join(' ').trim(),
    };
  const why = textOf(stderr).trim().slice(-MAX_REASON_CHARS).toWellFormed() || 'git said nothing';
  return { folder: null, note: `Your repository ${url} could not be cloned: ${why}` };
}
