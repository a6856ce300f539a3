/** Settings of the commands, parsed once from the environment. */
import { Failure } from './failure.ts';
import { architecturesOf, type Architecture } from './images/architecture.ts';
import { TOOL_SETS, type ToolSet } from './images/recipe.ts';

const DEFAULT_PORT = 8080;

export interface Settings {
  /** `local`: Hamlet's own two-node cluster. `current`: the current context of kubectl. */
  readonly cluster: 'local' | 'current';
  readonly yes: boolean;
  readonly imageRegistry: string | undefined;
  /**
   * Architectures of the images. If undefined: with `current` those of the cluster's nodes, otherwise this machine's.
   */
  readonly architectures: readonly Architecture[] | undefined;
  readonly tools: ToolSet;
  readonly port: number;
  /** `on`: pods of the local cluster reach hosts outside of the machine. Undefined: as at the last start. */
  readonly outside: 'on' | 'off' | undefined;
  /** File with values of the chart, or `off`; undefined: as at the last start. */
  readonly values: string | undefined;
  readonly namespace: string;
  readonly wipe: boolean;
  /** True if `up` starts a new village. `up` then sets the data of an earlier village aside until `down WIPE=1`. */
  readonly fresh: boolean;
  readonly file: string | undefined;
  readonly until: string | undefined;
  readonly who: string | undefined;
  readonly model: Environment;
}

const MODEL_VARIABLES = ['MODEL', 'MODEL_NAME', 'MODEL_LARGE', 'MODEL_WIRE', 'MODEL_KEY', 'MODEL_KEY_FILE'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

export function readSettings(env: Environment): Settings {
  const given = (name: string): string | undefined => env[name] || undefined;
  return {
    cluster: clusterOf(env['CLUSTER'] ?? 'local'),
    yes: isOn(env['YES']),
    imageRegistry: env['IMAGE_REGISTRY']?.replace(/\/+$/, '') || undefined,
    architectures: env['ARCH'] ? architecturesOf(env['ARCH']) : undefined,
    tools: toolsOf(env['TOOLS'] ?? 'full'),
    port: portOf(env['PORT']),
    outside: outsideOf(env['OUTSIDE']),
    values: given('VALUES'),
    namespace: namespaceOf(env['NAMESPACE'] ?? 'hamlet'),
    wipe: isOn(env['WIPE']),
    fresh: isOn(env['FRESH']),
    file: given('FILE'),
    until: given('UNTIL'),
    who: given('WHO'),
    model: Object.fromEntries(MODEL_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  };
}

function clusterOf(text: string): Settings['cluster'] {
  if (text === 'local' || text === 'current') return text;
  throw new Failure(`CLUSTER=${text} is unknown`, 'set CLUSTER=current, or leave CLUSTER out for the local cluster');
}

function toolsOf(text: string): ToolSet {
  const found = TOOL_SETS.find((name) => name === text);
  if (found === undefined) throw new Failure(`TOOLS=${text} is unknown`, 'set TOOLS=full or TOOLS=slim');
  return found;
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Failure(`PORT=${text} is not a port`, 'set PORT to a number from 1 to 65535');
}

function outsideOf(text: string | undefined): Settings['outside'] {
  if (text === undefined || text === '') return undefined;
  if (text === 'on' || text === 'off') return text;
  throw new Failure(`OUTSIDE=${text} is unknown`, 'set OUTSIDE=on or OUTSIDE=off');
}

function namespaceOf(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new Failure(`NAMESPACE=${text} is not a namespace`, 'use lower-case letters, digits and -');
}

const isOn = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0';
