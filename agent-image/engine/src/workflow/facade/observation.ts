import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEvent } from '../../journal/event.ts';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import type { Manifests } from '../manifest/manifests.ts';
import { builtInPlugin, type PluginStates } from '../plugins/built-in-plugins.ts';
import { createPluginManager, type PluginManager } from '../plugins/plugin-manager.ts';
import { PluginError, type Plugin } from '../plugins/plugin.ts';
import { errorHookSink } from '../plugins/task-hooks.ts';
import type { SinkProblem } from '../telemetry/bus.ts';
import type { TelemetryEvent } from '../telemetry/event.ts';
import { openTelemetry, type Telemetry } from '../telemetry/open-telemetry.ts';
import type { ProjectionSources, TelemetryNotice } from '../telemetry/project.ts';
import { EngineError } from './engine-error.ts';
import { keysOf } from './models/open-model.ts';

const VERSION = '0.1.0';
/** Milliseconds for sinks to take what was published, when the engine closes. */
const CLOSE_MS = 5_000;

/** Makes the plugin that a manifest names in `uses`, with the id and the config that it gives. */
export type PluginFactory = (id: string, config: Readonly<Record<string, unknown>>) => Plugin;

type Setting = Readonly<{
  manifests: Manifests;
  data: string;
  env: Readonly<Record<string, string | undefined>>;
  factories: Readonly<Record<string, PluginFactory>>;
  textOf: ProjectionSources['textOf'];
}>;

/** The outside view of an engine: telemetry events, and the hooks of plugins. Neither can hurt a task. */
export class Observation {
  readonly plugins: PluginManager;
  readonly #telemetry: Telemetry;

  constructor(setting: Setting) {
    this.plugins = createPluginManager({
      clock: SYSTEM_CLOCK,
      report: (problem) => this.notice({ type: 'problem', ...problem }),
    });
    for (const plugin of pluginsOf(setting)) this.plugins.register(plugin);
    this.#telemetry = telemetryOf(setting, this.plugins);
  }

  notice(notice: TelemetryNotice): void {
    this.#telemetry.notify(notice);
  }

  /** Learns what the journal has about a task, before the task continues. */
  catchUp(events: readonly JournalEvent[]): void {
    this.#telemetry.catchUp(events);
  }

  /** Calls the listener with later events; the result ends that. */
  subscribe(listener: (event: TelemetryEvent) => void): () => void {
    return this.#telemetry.add({ name: 'listener', write: (events) => events.forEach(listener) });
  }

  close(): Promise<void> {
    return this.#telemetry.close(CLOSE_MS);
  }
}

/** Node prints a warning on the standard error; a program may listen to it. */
function warn({ sink, kind, events, error }: SinkProblem): void {
  const why = kind === 'dropped' ? 'it is too slow' : error instanceof Error ? error.message : 'it failed again';
  process.emitWarning(`The telemetry sink ${sink} lost ${events} events: ${why}`, 'TelemetryWarning');
}

function telemetryOf({ manifests, data, env, textOf }: Setting, plugins: PluginManager): Telemetry {
  const { models, tools, telemetry } = manifests;
  const risky = new Set(tools.filter(({ risk }) => risk === 'high').map(({ id }) => id));
  const opened = openTelemetry({
    sinks: telemetry.sinks,
    others: [errorHookSink(plugins)],
    redaction: { paths: telemetry.redact, secrets: keysOf(models, env) },
    folder: data,
    stdout: process.stdout,
    version: VERSION,
    clock: SYSTEM_CLOCK,
    random: Math.random,
    providerOf: (model) => models.find(({ id }) => id === model)?.provider ?? 'unknown',
    sources: { textOf, costOf: plugins.costOf, isSensitive: (tool) => risky.has(tool) },
    report: warn,
  });
  if (opened.ok) return opened.telemetry;
  throw new EngineError('config_error', `plugins.yaml: ${opened.problems.join('; ')}`);
}

/** The plugins of the manifest, in its order. */
function pluginsOf({ manifests, factories, data }: Setting): readonly Plugin[] {
  return manifests.plugins.map(({ id, uses, config }) => {
    try {
      const made = factories[uses]?.(id, config) ?? builtInPlugin({ id, uses, config }, statesIn(data));
      if (made !== null) return made;
    } catch (error) {
      if (error instanceof PluginError) throw new EngineError('config_error', error.message, { cause: error });
      throw error;
    }
    const message = `plugins.yaml uses ${uses}, which is neither built in nor given to fromConfigDir as a plugin. Correct the name, or give it.`;
    throw new EngineError('config_error', message);
  });
}

/** Each plugin that learns has a file. One that cannot be read counts as missing, because a plugin can learn again. */
const statesIn = (data: string): PluginStates => ({
  load: (id) => {
    try {
      return JSON.parse(readFileSync(stateFile(data, id), 'utf8'));
    } catch {
      return null;
    }
  },
  save: (id, state) => {
    mkdirSync(join(data, 'plugins'), { recursive: true });
    writeFileSync(stateFile(data, id), JSON.stringify(state));
  },
});

const stateFile = (data: string, id: string): string => join(data, 'plugins', `${id}.json`);
