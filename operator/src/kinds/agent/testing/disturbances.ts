/** Random disturbances of one agent in a model cluster, by people, nodes, the api and time. */
import type { ModelCluster, Random } from './model-cluster.ts';
import type { ResizeMood, SchedulerMood } from './model-kubelet.ts';

const TIER_NAMES = ['tier-0', 'tier-1', 'tier-2', undefined] as const;
const BARS = ['quarantined', 'frozen', 'banned', 'killed', 'token_revoked'] as const;
const RESIZES: readonly ResizeMood[] = ['applies', 'hangs', 'defers', 'refuses', 'forbidden', 'quota'];
const SCHEDULERS: readonly SchedulerMood[] = ['binds', 'holds', 'gates'];
const DISRUPTIONS = [
  undefined,
  'PreemptionByScheduler',
  'EvictionByEvictionAPI',
  'TerminationByKubelet',
  'DeletionByTaintManager',
] as const;

const oneOf = <T>(random: Random, values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];

type Disturbance = (cluster: ModelCluster, random: Random) => void;

const ALL: readonly Disturbance[] = [
  (cluster) => cluster.setSpec({ power: 'Asleep' }),
  (cluster) => cluster.setSpec({ power: 'Awake' }),
  (cluster) => cluster.setSpec({ power: 'Awake', rebootedAt: new Date(cluster.nowMs).toISOString() }),
  (cluster, random) => cluster.setSpec({ memory: { retain: random() < 0.5 ? 'Retain' : 'Delete' } }),
  (cluster, random) => cluster.setSpec({ placement: { onNodeLoss: random() < 0.5 ? 'Wait' : 'MoveWithoutVolume' } }),
  (cluster, random) => cluster.terminate(cluster.anyPod(random)?.metadata.uid ?? '', oneOf(random, DISRUPTIONS)),
  (cluster, random) => void (cluster.pods = cluster.pods.filter((pod) => pod !== cluster.anyPod(random))),
  (cluster, random) => cluster.fail(oneOf(random, DISRUPTIONS)),
  (cluster, random) =>
    void (cluster.standing = { ...cluster.standing, balance_tier: oneOf(random, TIER_NAMES) ?? null }),
  (cluster, random) =>
    void (cluster.standing = { ...cluster.standing, [oneOf(random, BARS) ?? 'frozen']: random() < 0.5 }),
  (cluster, random) =>
    void (cluster.seat =
      oneOf(random, [
        { granted: true },
        { granted: false },
        { granted: false, reason: 'NoSeat' },
        { granted: false, reason: 'Displaced' },
        { granted: true, reason: 'NoSeat' },
      ] as const) ?? cluster.seat),
  (cluster, random) => void (cluster.apiState = oneOf(random, ['Current', 'Last', 'None'] as const) ?? 'Current'),
  (cluster) => void (cluster.hasTiers = !cluster.hasTiers),
  (cluster) => void (cluster.apiAnswers = !cluster.apiAnswers),
  (cluster) => void (cluster.refusesPods = !cluster.refusesPods),
  (cluster, random) => cluster.loseNode(oneOf(random, ['sparky1', 'sparky2', undefined])),
  (cluster, random) => void (cluster.resizes = oneOf(random, RESIZES) ?? 'applies'),
  (cluster, random) => void (cluster.scheduler = oneOf(random, SCHEDULERS) ?? 'binds'),
  (cluster, random) => void (cluster.claim = random() < 0.1 ? undefined : cluster.claim),
  (cluster) => cluster.restart(),
  (cluster, random) => cluster.pass(random() * 15_000),
  (cluster, random) => cluster.pass(random() * 60_000),
];

export function disturb(cluster: ModelCluster, random: Random): void {
  oneOf(random, ALL)?.(cluster, random);
}
