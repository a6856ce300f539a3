/** The data that a local village leaves between `make down` and `make up`; moved aside while a test runs a village. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { tryRun } from '../command.ts';
import { Failure } from '../failure.ts';
import { CLUSTER_FOLDER } from '../paths.ts';

const asideOf = (folder: string): string => `${folder}.aside`;

/** True if a stopped village has left its data in the folder. */
export const isKept = (folder = CLUSTER_FOLDER): boolean => existsSync(folder) && readdirSync(folder).length > 0;

/** True if the village's processes may have ended without `make down`, by a loss of power or a kill. */
export const isCutOff = (folder = CLUSTER_FOLDER): boolean => existsSync(join(folder, 'supervisor.json'));

/**
 * Moves a stopped village's data aside for another village, unless data was moved aside before. Returns a message.
 * @throws Failure if the village was not taken down
 */
export function setAside(folder = CLUSTER_FOLDER): string {
  if (!isKept(folder)) return 'no data is kept';
  if (isCutOff(folder))
    throw new Failure(
      `the village in ${folder} is running, or ended without make down`,
      'make down, which keeps its data; then try again',
    );
  if (existsSync(asideOf(folder)))
    return `${asideOf(folder)} already has the data of the earlier village; the data in ${folder} belongs to an interrupted test`;
  renameSync(folder, asideOf(folder));
  return `the data of the earlier village was moved to ${asideOf(folder)}`;
}

/** Moves the data back, unless another village's data is in its place. Returns a message. */
export function putBack(folder = CLUSTER_FOLDER): string {
  if (!existsSync(asideOf(folder))) return 'no data was set aside';
  if (isKept(folder))
    return `${asideOf(folder)} stays, because another village is in ${folder}: make down WIPE=1 removes that one`;
  renameSync(asideOf(folder), folder);
  return 'the data of the earlier village is back: make up continues with it';
}

/** The data that `down WIPE=1` will remove, in words. */
export async function describeData(folder = CLUSTER_FOLDER): Promise<string> {
  if (!isKept(folder)) return 'no data is kept';
  const { stdout } = await tryRun('du', ['-sh', folder]);
  const volumes = join(folder, 'volumes');
  const count = existsSync(volumes)
    ? readdirSync(volumes).reduce((sum, node) => sum + foldersIn(join(volumes, node)), 0)
    : 0;
  const size = stdout.split(/\s/)[0] ?? 'unknown size';
  return `${folder} (${size}): the database with world, ledger and board, ${count} volumes, the agents, their schedules and tiers, and the nodes' images`;
}

/** A sized volume has a file beside its folder. */
const foldersIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length;
