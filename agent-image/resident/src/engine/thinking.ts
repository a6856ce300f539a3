import { setTimeout as delay } from 'node:timers/promises';
import type { Budgets, GivenAnswer, KeptSummary, ModelPort, ProgramPort, RuntimeHost, Tool } from '@hamlet/engine';
import { RunFailure } from '@hamlet/engine';
import type { AgentConfig } from '@hamlet/contract';
import { ACP_RUNTIME } from '@hamlet/contract/presets';
import { runtimeFacts } from '@hamlet/core/mind';
import type { OwnMemory } from '../memory/own-memory.ts';
import type { RepositoryMemory } from '../memory/repository-memory.ts';
import type { Log } from '../process/json-log.ts';
import type { Skill } from '../skills/skill-folder.ts';
import type { SkillStore } from '../skills/skill-store.ts';
import { onceItSucceeds } from '../process/once-it-succeeds.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { RunLease } from '../village/village.ts';
import type { WorkVillage } from '../village/work-village.ts';
import type { EngineHost } from './engine-host.ts';
import { machineInWords, type Machine } from './machine.ts';
import { runToolsOf, type RunTools } from '../toolset/tool-rules.ts';
import { PROGRAM_WORK, workInWords } from './work-rules.ts';
import type { RunBook } from './run-book.ts';

/** The prefix that the engine adds to the code of a model's failure. */
const MODEL_FAILURE = /^model_/;
const FLUSH_MS = 5_000;

export interface ThinkingPorts extends RetryPorts {
  readonly journalPath: string;
  readonly work: WorkVillage;
  readonly book: RunBook;
  readonly model: () => Promise<ModelPort>;
  readonly tools: (mirrored: (run: string, signal: AbortSignal) => Promise<void>) => Promise<() => readonly Tool[]>;
  readonly ownMemory: OwnMemory;
  /** Applies the changes that people made to the memory; false if nothing may be recalled. */
  readonly catchUp: () => Promise<boolean>;
  /** Takes the summary of a conversation for the agent's memory. */
  readonly onSummary: (summary: KeptSummary) => void;
  readonly repositoryMemory: RepositoryMemory;
  readonly skills: SkillStore;
  readonly machine: () => Promise<Omit<Machine, 'tools'>>;
  readonly programs: ProgramPort | null;
  /** Takes the changes that a run's programs made to its memory file. */
  readonly keepMemory: (run: string, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** Parts of a run's prompt. */
export interface Workplace {
  readonly work: string;
  readonly machine: string;
}

interface HeldRun {
  readonly run: { readonly run_id: string };
  readonly lease: RunLease;
}

/** The engine of a process with its current runs. It is loaded when the first run needs it. */
export interface Thinking {
  readonly book: RunBook;
  readonly host: RuntimeHost;
  /** Opens the journal with the agent's engine. Rejects with `RunFailure` if the journal cannot be used. */
  readonly engineHost: () => Promise<EngineHost>;
  thinks(name: string): boolean;
  /** False if the runtime needs the journal but the journal cannot be used. The agent then takes no runs. */
  isReady(name: string): Promise<boolean>;
  /** How a run of a runtime works, and where, for its prompt. */
  workplaceOf(run: string, name: string, config: Pick<AgentConfig, 'repository' | 'secrets'>): Promise<Workplace>;
  /** The skills of a run, in the versions that its first attempt found. The run's tools use them afterwards. */
  skillsOf(held: HeldRun, config: AgentConfig, signal: AbortSignal): Promise<readonly Skill[]>;
  flush(run: string): Promise<void>;
  /** Usage of the run according to the journal; null for a runtime without one. */
  spentOf(run: string, name: string): Promise<Budgets | null>;
  /** Raises the limits of a run in progress; limits that did not grow stay. */
  raise(run: string, limits: Budgets): Promise<void>;
  /** Questions that the API did not show to people count as expired. */
  takeRefused(run: string): readonly GivenAnswer[];
  /** The gateway's text about the refusal with which a run failed; null if the code belongs to another failure. */
  refusalOf(run: string, code: string): string | null;
  /** Takes the changes that a run's programs made to the memory file of its repository. Needs the lease. */
  keepMemory(run: string): Promise<void>;
  /** The open runs of the journal; none before the first run has opened it. */
  openRuns(): Promise<readonly string[]>;
  /** Closes an open run of the journal that the API has ended. */
  abandon(run: string): Promise<void>;
  endPrograms(run: string): Promise<void>;
  close(run: string): void;
  /** Waits for work in progress, and closes the journal. */
  end(): Promise<void>;
}

export function createThinking(ports: ThinkingPorts): Thinking {
  const { log, book } = ports;
  let opening: Promise<EngineHost> | null = null;
  const open = (): Promise<EngineHost> => {
    opening ??= openHost(ports).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  const opened = async (): Promise<EngineHost | null> => (opening === null ? null : opening.catch(() => null));
  const model = onceItSucceeds(ports.model);
  const thinks = (name: string): boolean => runtimeFacts(name).isJournaled;
  return {
    book,
    engineHost: open,
    host: {
      engine: async () => (await open()).engine,
      engineWith: async (parts) => (await open()).engineWith(parts),
      programs: mirroredPrograms(ports.programs, open),
      mirrored: async (run, signal) => (await open()).mirror.flush(run, signal),
      model: {
        chat: async function* (request, signal) {
          yield* (await model()).chat(request, signal);
        },
      },
    },
    thinks,
    isReady: async (name) => {
      if (!thinks(name)) return true;
      try {
        await open();
        return true;
      } catch (error) {
        warnOfJournal(log, error);
        return false;
      }
    },
    workplaceOf: async (run, name, config) => {
      const [{ tools }, machine] = await Promise.all([open(), ports.machine()]);
      const own = name === ACP_RUNTIME ? null : runToolsOf(tools, book.find(run));
      return workplaceWith(own, machine, config);
    },
    skillsOf: (held, config, signal) => equip(ports, book, { held, config, signal }),
    flush: async (run) => flushWithin(await opened(), run),
    spentOf: async (run, name) => (thinks(name) ? ((await opened())?.engine.spentOf(run) ?? null) : null),
    raise: async (run, limits) => (await opened())?.raise(run, limits),
    takeRefused: (run) => expiredOf(book, run),
    refusalOf: (run, code) => book.find(run)?.refusals.get(code.replace(MODEL_FAILURE, '')) ?? null,
    keepMemory: (run) => ports.keepMemory(run, ports.stop),
    openRuns: async () => (await opened())?.engine.openRuns() ?? [],
    abandon: async (run) => (await opened())?.engine.abandon(run),
    endPrograms: (run) => endPrograms(ports, run),
    close: (run) => {
      book.close(run);
      void opened().then((host) => host?.mirror.close(run));
    },
    end: async () => (await opened())?.close(),
  };
}

function workplaceWith(
  own: RunTools | null,
  machine: Omit<Machine, 'tools'>,
  config: Parameters<Thinking['workplaceOf']>[2],
): Workplace {
  const work = own === null ? PROGRAM_WORK : workInWords(own);
  return { work, machine: machineInWords({ ...machine, tools: own?.shown ?? [] }, config) };
}

function warnOfJournal(log: Log, error: unknown): void {
  const code = error instanceof RunFailure ? error.code : 'journal_unusable';
  const message = error instanceof Error ? error.message : String(error);
  log.warn('capability', { code, message: `the agent takes no runs: ${message}` });
}

/** Fixes the skills of a run at the API. A skill that has changed since the first attempt is omitted. */
async function equip(
  ports: ThinkingPorts,
  book: RunBook,
  { held, config, signal }: Readonly<{ held: HeldRun; config: AgentConfig; signal: AbortSignal }>,
): Promise<readonly Skill[]> {
  if (config.skills.length === 0) return [];
  const found = await ports.skills.find(config);
  const ready = found.flatMap((each) => (each.ok ? [each.skill] : []));
  const wanted = ready.map(({ name, from, sha256 }) => ({ name, from, sha256 }));
  const { run, lease } = held;
  const answer = await retry(() => ports.work.pinSkills(run.run_id, lease, wanted), signal, ports);
  if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
  const versions = new Map(answer.value.map(({ name, sha256 }) => [name, sha256]));
  const skills = ready.filter(({ name, sha256 }) => versions.get(name) === sha256);
  const booked = book.find(run.run_id);
  if (booked !== undefined) booked.skills = new Map(skills.map((skill) => [skill.name, skill]));
  return skills;
}

function expiredOf(book: RunBook, run: string): readonly GivenAnswer[] {
  const refused = book.find(run)?.refused ?? new Set();
  const answers = [...refused].map((request) => ({ request, answer: 'expired' as const }));
  refused.clear();
  return answers;
}

async function endPrograms({ programs, log }: ThinkingPorts, run: string): Promise<void> {
  await programs?.end(run).catch((error: unknown) => {
    log.warn('programs_left', { run_id: run, why: error instanceof Error ? error.message : String(error) });
  });
}

/** The API has the journal with the intent before a program starts, so that the start is known even if the volume is lost. */
function mirroredPrograms(programs: ProgramPort | null, open: () => Promise<EngineHost>): ProgramPort | null {
  if (programs === null) return null;
  return {
    ...programs,
    run: async (program, ports) => {
      await (await open()).mirror.flush(program.owner, ports.signal);
      return programs.run(program, ports);
    },
  };
}

async function flushWithin(host: EngineHost | null, run: string): Promise<void> {
  if (host === null) return;
  const over = new AbortController();
  await Promise.race([
    host.mirror.flush(run, over.signal),
    delay(FLUSH_MS, undefined, { signal: over.signal }).catch(() => {}),
  ]);
  over.abort();
}

async function openHost(ports: ThinkingPorts): Promise<EngineHost> {
  const { openEngineHost } = await import('./engine-host.ts');
  return openEngineHost({ ...ports, model: await ports.model() });
}
