/** What a local village keeps between `make down` and `make up`, and where it waits while tests use a village of their own. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { tryRun } from '../command.ts';
import { Failure } from '../failure.ts';

/** Where the local cluster keeps all of it. */
export const CLUSTER_FOLDER = '/var/lib/hamlet-cluster';

/** The folder beside a cluster's folder in which the data of another village waits. */
const asideOf = (folder: string): string => `${folder}.aside`;

/** Whether a village that is down has left its data in a folder. */
export function isKept(folder = CLUSTER_FOLDER): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/**
 * Moves what a village has kept out of the way of another one. What waits there already stays. Returns what it did.
 * @throws Failure where a village has not been taken down
 */
export function setAside(folder = CLUSTER_FOLDER): string {
  if (!isKept(folder)) return 'nothing is kept here';
  if (existsSync(join(folder, 'supervisor.json')))
    throw new Failure(
      `a village in ${folder} was not taken down`,
      'make down, which keeps its data; then run this again',
    );
  if (existsSync(asideOf(folder)))
    return `${asideOf(folder)} waits already; what is in ${folder} is of an interrupted test`;
  renameSync(folder, asideOf(folder));
  return `the data of the village that is kept here waits in ${asideOf(folder)}`;
}

/** Moves what was set aside back, where no other village is in its place. Returns what it did. */
export function putBack(folder = CLUSTER_FOLDER): string {
  if (!existsSync(asideOf(folder))) return 'nothing';
  if (isKept(folder))
    return `${asideOf(folder)} stays, since another village is in ${folder}: make down WIPE=1 removes that one`;
  renameSync(asideOf(folder), folder);
  return 'the data of the village that was kept here is back: make up goes on with it';
}

/** What `down WIPE=1` is about to remove, in words. */
export async function whatGoes(folder = CLUSTER_FOLDER): Promise<string> {
  if (!isKept(folder)) return 'nothing is kept here';
  const { stdout } = await tryRun('du', ['-sh', folder]);
  const volumes = join(folder, 'volumes');
  const count = existsSync(volumes)
    ? readdirSync(volumes).reduce((sum, node) => sum + readdirSync(join(volumes, node)).length, 0)
    : 0;
  return `${folder} (${stdout.split(/\s/)[0] ?? 'unknown size'}): the database with world, books and board, ${count} volumes, the agents, their schedules and tiers, and the nodes' images`;
}
