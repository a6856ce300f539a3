import { CAPABILITIES_MAX } from '@hamlet/contract/resident';
import type { AgentConfig, Capability, ResidentReport } from '@hamlet/contract';
import type { Machine } from '../engine/machine.ts';
import type { AsyncEvent } from '../process/async-event.ts';
import type { Log } from '../process/json-log.ts';
import { checkFolders, type Obtained } from '../runtime/runtime-pool.ts';
import type { Found } from '../skills/skill-folder.ts';
import { foundView, type SkillStore } from '../skills/skill-store.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { Village } from '../village/village.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { brokerCapability, has, lacks, machineCapabilities, modelCapability, runtimeCapability } from './capability.ts';
import type { ServerStates } from './server-states.ts';

/** Pause between two reads of the configuration, and between two checks while something is broken. */
const PAUSE_MS = 120_000;
/** Pauses between two checks while nothing is broken and the mind is the same. */
const WHOLE_PAUSES = 15;

export interface WatchPorts extends RetryPorts {
  readonly cycle: number;
  readonly village: Pick<Village, 'config' | 'models'>;
  readonly work: Pick<WorkVillage, 'reportCapabilities'>;
  readonly skills: SkillStore;
  readonly machine: () => Promise<Pick<Machine, 'hands'>>;
  readonly servers: ServerStates;
  readonly openServers: (config: AgentConfig) => Promise<unknown>;
  readonly runtime: (config: AgentConfig) => Promise<Obtained>;
  /** Ends a pause, so that people read the name of a new mind at once. */
  readonly runtimeChanged: AsyncEvent;
  readonly broker: URL | null;
  readonly hasProxy: boolean;
  readonly folders: Readonly<Record<'workspace' | 'memory', string>>;
  readonly log: Pick<Log, 'warn'>;
  readonly stop: AbortSignal;
}

/** Checks and reports everything that the Agent was promised, now and at intervals. Never rejects, and nothing awaits it. */
export async function watchCapabilities(ports: WatchPorts, config: AgentConfig, pauseMs = PAUSE_MS): Promise<void> {
  const { stop } = ports;
  let present: AgentConfig | null = config;
  for (let round = 0; present !== null && !stop.aborted; round += 1) {
    const mind = await mindIn(ports, present);
    const isWhole = await checkAndReport(ports, present, round === 0);
    present = await untilDue(ports, { config: present, mind, pauses: isWhole ? WHOLE_PAUSES : 1, pauseMs });
  }
}

/** The mind of a configuration as text, to notice when another mind or more about it is known. */
const mindIn = async ({ runtime }: WatchPorts, config: AgentConfig): Promise<string> =>
  JSON.stringify((await runtime(config)).mind);

type Due = Readonly<{ config: AgentConfig; mind: string; pauses: number; pauseMs: number }>;

/** Waits for `pauses`, or until the mind changes. Returns the configuration after it; null if the cycle is over. */
async function untilDue(ports: WatchPorts, { config, mind, pauses, pauseMs }: Due): Promise<AgentConfig | null> {
  const { stop, village } = ports;
  let present = config;
  for (let pause = 0; pause < pauses && !stop.aborted; pause += 1) {
    await ports.runtimeChanged.wait(pauseMs, stop);
    const again = await village.config();
    if (again.kind === 'stale') return null;
    if (again.kind === 'ok') present = again.value;
    if ((await mindIn(ports, present)) !== mind) break;
  }
  return present;
}

async function checkAndReport(ports: WatchPorts, config: AgentConfig, isFirst: boolean): Promise<boolean> {
  const { stop, log, work } = ports;
  try {
    const report = await checkCapabilities(ports, config);
    if (isFirst) warnOf(report, log);
    const answer = await retry(() => work.reportCapabilities(report), stop, ports);
    if (answer.kind === 'refused') log.warn('capabilities_not_reported', { code: answer.code, why: answer.detail });
    return report.capabilities.every(({ ok }) => ok);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (!stop.aborted) log.warn('capabilities_not_checked', { why });
    return false;
  }
}

export async function checkCapabilities(ports: WatchPorts, config: AgentConfig): Promise<ResidentReport> {
  if (config.mcp_servers.length > 0) await ports.openServers(config);
  const [runtime, model, machine, egress, skills] = await Promise.all([
    ports.runtime(config),
    modelCapability(ports.village, config),
    ports.machine(),
    brokerCapability(ports.broker, ports.hasProxy),
    ports.skills.find(config),
  ]);
  const capabilities = [
    runtimeCapability(runtime),
    ...model,
    ...folderCapabilities(ports.folders),
    ...machineCapabilities(machine.hands, config),
    ...egress,
    ...ports.servers.capabilities(config.mcp_servers),
    ...skills.map(skillCapability),
  ];
  return { cycle: ports.cycle, capabilities: capabilities.slice(0, CAPABILITIES_MAX), skills: skills.map(foundView) };
}

function folderCapabilities(folders: WatchPorts['folders']): readonly Capability[] {
  return (['workspace', 'memory'] as const).map((kind) => {
    const [warning] = checkFolders({ [kind]: folders[kind] });
    return warning === undefined
      ? has(kind, `${folders[kind]} is writable`)
      : lacks(kind, warning.message, 'check the volume of the agent and its node, then reboot the agent');
  });
}

function skillCapability(found: Found): Capability {
  if (found.ok) return has(['skill', found.skill.name], `version ${found.skill.sha256.slice(0, 12)}`);
  const { name, problem } = found.broken;
  return lacks(['skill', name], problem, 'correct it as the finding says; the next run uses the corrected skill');
}

const LOGGED: ReadonlySet<string> = new Set(['runtime', 'workspace', 'memory', 'mcp']);

function warnOf({ capabilities }: ResidentReport, log: Pick<Log, 'warn'>): void {
  for (const { kind, name, ok, why, fix } of capabilities)
    if (!ok && !LOGGED.has(kind))
      log.warn('capability', { code: `${kind}_broken`, message: `${name}: ${why}; ${fix}` });
}
