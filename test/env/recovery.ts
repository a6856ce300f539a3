import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../local/village/paths.ts';

const FILE = join(ROOT, 'bench/results/recovery.json');

/** The measured times, with their goals in milliseconds. No test asserts a goal. */
export const RECOVERY_GOALS_MS = {
  agentAppliedToInWorldMs: 10_000,
  podBackMs: 15_000,
  operatorBackMs: 15_000,
  apiBackMs: 15_000,
  postgresBackMs: 15_000,
  redisBackMs: 15_000,
  kubeletBackMs: null,
  // Standing: from the answer of the API until the pod ends, or the container has its new limit.
  rewardToMemoryMs: 1_000,
  penaltyToMemoryMs: 1_000,
  quarantineToPodEndMs: 1_000,
  freezeToPodEndMs: 1_000,
  banToPodEndMs: 1_000,
  killToPodGoneMs: 1_000,
  revocationToRefusalMs: 1_000,
  // From the answer of the API until the servers outside have lost the last connection of the pod.
  quarantineToTunnelEndMs: 2_000,
  freezeToTunnelEndMs: 2_000,
  banToTunnelEndMs: 2_000,
  killToTunnelEndMs: 2_000,
  revocationToTunnelEndMs: 2_000,
  villageFreezeToTunnelEndMs: 2_000,
  // From the last sign of the old leader to the first of the new one while the operator is rolled out.
  operatorHandOverMs: null,
  nodeLossSeenMs: null,
  movedFromLostNodeMs: null,
  // From a node's loss of power until the village works on the other node.
  powerCutMapMs: 60_000,
  powerCutScheduleMs: 60_000,
  powerCutRunWaitsMs: 60_000,
  corePowerCutMapMs: 60_000,
  corePowerCutBoardMs: 60_000,
  // From the loss of power until everything is back, including the test's own wait before it restarted the node.
  powerCutBackMs: null,
  corePowerCutBackMs: null,
} as const;
export type RecoveryMetric = keyof typeof RECOVERY_GOALS_MS;

interface Row {
  readonly metric: string;
  readonly ours: number;
}

/** Writes one measured time to bench/results/recovery.json and prints it. */
export function recordRecovery(metric: RecoveryMetric, milliseconds: number): void {
  const target = RECOVERY_GOALS_MS[metric];
  const row = { metric, unit: 'ms', better: 'lower', ours: Math.round(milliseconds), peers: {}, target };
  const earlier = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as { rows: Row[] }).rows : [];
  const results = {
    area: 'recovery',
    date: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    rows: [...earlier.filter((other) => other.metric !== metric), row],
  };
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`${metric}: ${row.ours} ms${target === null ? '' : ` (goal ${target})`}`);
}
