/** What a person may set for a command, read from the environment once. */
import { Failure } from './failure.ts';
import { architecturesOf, type Architecture } from './images/architecture.ts';

/** The people's port of the local village, unless PORT says otherwise. */
const DEFAULT_PORT = 8080;

export interface Settings {
  /** `local`: a two-node cluster of our own. `current`: the kubectl context in force. */
  readonly cluster: 'local' | 'current';
  /** Answers yes before it is asked. */
  readonly yes: boolean;
  /** Where images are pushed for a cluster that is not ours: host/path. */
  readonly imageRegistry: string | undefined;
  /** Which architectures images are built for; undefined: this machine's, or those of the cluster's nodes. */
  readonly architectures: readonly Architecture[] | undefined;
  readonly port: number;
  readonly namespace: string;
  /** Whether `down` removes the village's data too. */
  readonly wipe: boolean;
  /** Whether `up` starts from nothing and sets aside what a village here has kept, until `down WIPE=1` puts it back. */
  readonly fresh: boolean;
  /** The file of a backup, to write or to restore. */
  readonly file: string | undefined;
  /** Whose logs: a component or an agent. */
  readonly who: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings; a value that makes no sense is refused with what to write instead. */
export function readSettings(env: Environment): Settings {
  return {
    cluster: clusterOf(env['CLUSTER'] ?? 'local'),
    yes: isOn(env['YES']),
    imageRegistry: env['IMAGE_REGISTRY']?.replace(/\/+$/, '') || undefined,
    architectures: env['ARCH'] ? architecturesOf(env['ARCH']) : undefined,
    port: portOf(env['PORT']),
    namespace: namespaceOf(env['NAMESPACE'] ?? 'hamlet'),
    wipe: isOn(env['WIPE']),
    fresh: isOn(env['FRESH']),
    file: env['FILE'] || undefined,
    who: env['WHO'] || undefined,
  };
}

function clusterOf(text: string): Settings['cluster'] {
  if (text === 'local' || text === 'current') return text;
  throw new Failure(`CLUSTER=${text} is unknown`, 'write CLUSTER=current, or leave it out for the local cluster');
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Failure(`PORT=${text} is no port`, 'write a number from 1 to 65535');
}

function namespaceOf(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new Failure(`NAMESPACE=${text} is no namespace`, 'write lower case letters, digits and -');
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
