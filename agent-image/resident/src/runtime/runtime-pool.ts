import { accessSync, constants, statSync } from 'node:fs';
import type { AgentConfig, Mind } from '@hamlet/contract';
import { mindOfRuntime, mindWord, namedMind } from '@hamlet/core/mind';
import {
  createRuntime,
  RunFailure,
  type AgentRuntime,
  type RuntimeHost,
  type RuntimeProgram,
  type RuntimeRegistry,
} from '@hamlet/engine';
import { type AsyncEvent, createAsyncEvent } from '../process/async-event.ts';

/** An instance ends this long after its last use. Its conversation stays. */
const IDLE_MS = 3_600_000;
/** Maximum number of instances; the least recently used one that is idle ends. */
const INSTANCES_MAX = 32;

/** A missing capability without which the resident can still work. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

export function checkFolders(folders: Readonly<Record<string, string>>): readonly Warning[] {
  return Object.entries(folders).flatMap(([name, path]) => {
    const fault = faultOf(path);
    return fault === null
      ? []
      : [{ code: 'not_writable' as const, message: `the ${name} folder ${path} cannot be used: ${fault}` }];
  });
}

function faultOf(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory() ? null : 'it is not a folder';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function modelOf({ model }: Pick<AgentConfig, 'model'>): string | null {
  return model === null || model.scripted ? null : model.name;
}

/** The runtime that the Agent names; by default `engine` with a model and `scripted` without. */
export function runtimeNameOf(config: Pick<AgentConfig, 'runtime' | 'model'>): string {
  if (config.runtime.named) return config.runtime.name;
  return modelOf(config) === null ? 'scripted' : 'engine';
}

type Made =
  | { readonly ok: true; readonly name: string; readonly runtime: AgentRuntime }
  | { readonly ok: false; readonly name: string; readonly warning: Warning };

/** `mind`: the runtime with its program, once the instance of any conversation has started it; each read gives the present one. */
export type Obtained = Made & { readonly mind: Mind };

export interface PoolPorts {
  readonly registry: RuntimeRegistry;
  readonly host: RuntimeHost;
  readonly workspacePath: string;
  readonly memoryPath: string;
  /** An hour by default. */
  readonly idleMs?: number;
}

export interface RuntimePool {
  /** The instance of a conversation, created and initialized at the first call. */
  obtain(config: AgentConfig, sessionId: string): Promise<Obtained>;
  /** Set when a configuration names a runtime for the first time after others, as after the first model of a village. */
  readonly runtimeChanged: AsyncEvent;
  terminate(): Promise<void>;
}

interface Instance {
  /** Runtime and configuration: instances of one mind have the same. */
  readonly of: string;
  readonly obtained: Promise<Made>;
  /** The program of the instance, once the instance knows it. */
  readonly program: () => RuntimeProgram | null;
  readonly end: () => Promise<void>;
  /** Called when a use begins and when it ends. */
  used: () => void;
  uses: number;
  timer: NodeJS.Timeout;
}

export function createRuntimePool(ports: PoolPorts): RuntimePool {
  const instances = new Map<string, Instance>();
  const runtimeChanged = createAsyncEvent();
  const names = new Set<string>();
  const endOf = async (key: string): Promise<void> => {
    const instance = instances.get(key);
    instances.delete(key);
    if (instance === undefined) return;
    clearTimeout(instance.timer);
    await instance.end().catch(() => {});
  };
  const rest = (key: string, instance: Instance): void => {
    clearTimeout(instance.timer);
    if (instance.uses > 0 || instances.get(key) !== instance) return;
    instance.timer = setTimeout(() => void endOf(key), ports.idleMs ?? IDLE_MS).unref();
  };
  const touch = async (key: string, instance: Instance, config: AgentConfig): Promise<Obtained> => {
    instances.delete(key);
    instances.set(key, instance);
    rest(key, instance);
    const made = await instance.obtained;
    return {
      ...made,
      get mind() {
        const same = [...instances.values(), instance].filter((each) => each.of === instance.of);
        return mindOf(made.name, config, knownIn(same));
      },
    };
  };
  return {
    runtimeChanged,
    obtain: async (config, sessionId) => {
      const name = runtimeNameOf(config);
      if (names.size > 0 && !names.has(name)) runtimeChanged.set();
      names.add(name);
      const key = JSON.stringify([name, sessionId, config.runtime.config, config.persona]);
      const known = instances.get(key);
      if (known !== undefined) return touch(key, known, config);
      const [oldest] = [...instances].find(([, { uses }]) => uses === 0) ?? [];
      if (instances.size >= INSTANCES_MAX && oldest !== undefined) await endOf(oldest);
      const made = create(ports, { name, config, sessionId });
      made.used = () => rest(key, made);
      return touch(key, made, config);
    },
    terminate: async () => {
      await Promise.all([...instances.keys()].map(endOf));
    },
  };
}

/** The program that the instances know, with a version if one of them has it. */
function knownIn(instances: readonly Instance[]): RuntimeProgram | null {
  const programs = instances.flatMap((instance) => instance.program() ?? []);
  return programs.find(({ version }) => version !== null) ?? programs[0] ?? null;
}

function mindOf(name: string, { runtime }: AgentConfig, program: RuntimeProgram | null): Mind {
  const config = Object.fromEntries(
    Object.entries(runtime.config).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
  const named = namedMind({ name, config }) ?? mindOfRuntime(name);
  if (program === null) return named;
  const { version, installed } = program;
  return { ...named, program: mindWord(program.name) ?? named.program, version: mindWord(version), installed };
}

type Wanted = Readonly<{ name: string; config: AgentConfig; sessionId: string }>;

function create({ registry, ...ports }: PoolPorts, { name, config, sessionId }: Wanted): Instance {
  const of = JSON.stringify([name, config.runtime.config]);
  const unused = { of, used: () => {}, uses: 0, timer: setTimeout(() => {}, 0) };
  const created = createRuntime(registry, name);
  if (!created.ok) {
    const { code, message } = created.error;
    return {
      ...unused,
      program: () => null,
      obtained: Promise.resolve({ ok: false, name, warning: { code, message } }),
      end: async () => {},
    };
  }
  const { runtime } = created;
  const obtained = initialize(runtime, ports, { name, config, sessionId }).then((made): Made =>
    made.ok ? { ...made, runtime: counted(runtime, instance) } : made,
  );
  const program = (): RuntimeProgram | null => runtime.program?.() ?? null;
  const instance: Instance = { ...unused, program, obtained, end: () => runtime.terminate() };
  return instance;
}

/** Counts the runs in progress, because a run may last longer than `idleMs`. */
const counted = (runtime: AgentRuntime, instance: Instance): AgentRuntime => ({
  initialize: (config, host) => runtime.initialize(config, host),
  execute: async (input, context) => {
    instance.uses += 1;
    instance.used();
    try {
      return await runtime.execute(input, context);
    } finally {
      instance.uses -= 1;
      instance.used();
    }
  },
  terminate: () => runtime.terminate(),
});

async function initialize(
  runtime: AgentRuntime,
  { host, workspacePath, memoryPath }: Omit<PoolPorts, 'registry'>,
  { name, config, sessionId }: Wanted,
): Promise<Made> {
  const settings = {
    sessionId,
    repoPath: workspacePath,
    memoryPath,
    agentId: config.agent_id,
    displayName: config.display_name,
    persona: Object.values(config.persona).join('\n').trim(),
    settings: config.runtime.config,
  };
  try {
    await runtime.initialize(settings, host);
    return { ok: true, name, runtime };
  } catch (error) {
    const message = `the runtime ${name} does not start: ${error instanceof Error ? error.message : String(error)}`;
    const code = error instanceof RunFailure ? error.code : 'runtime_failed';
    return { ok: false, name, warning: { code, message } };
  }
}
