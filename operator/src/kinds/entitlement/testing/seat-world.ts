import assert from 'node:assert/strict';
import { ObjectCache } from '@hamlet/kube';
import { FakeClock } from '@hamlet/kube/testing';
import type { NodeShortage } from '@hamlet/contract';
import type { Room } from '@hamlet/core/seats';
import { RESIDENT_SHARE } from '../../../objects/hands.ts';
import { fixedOf, sizeOf } from '../../../objects/tier-compute.ts';
import { BY_OWNER, POD_INDEXERS, VOLUME_INDEXERS } from '../../../objects/watched.ts';
import { FIXED_ANNOTATION } from '../../../objects/names.ts';
import type { CachedAgent, NodeView, TierView, VolumeClaimView, VolumeView } from '../../../objects/cached-objects.ts';
import type { PodView } from '../../../objects/pod-view.ts';
import { agentOf, podOf, TIER_0, TIER_1, TIER_2 } from '../../agent/testing/sample-state.ts';
import { foreignPodView, type ForeignPodView } from '../foreign-pod.ts';
import { SeatPlanner } from '../seat-planner.ts';
import type { SeatSources } from '../seat-sources.ts';

export const GI = 2 ** 30;
export const GPU = 'nvidia.com/gpu';

/** Caches like those of reflectors, a clock that the test moves, and a seat planner on both. */
export class World {
  readonly clock = new FakeClock();
  readonly notified: string[] = [];
  plans = 0;
  readonly agents = new ObjectCache<CachedAgent>();
  readonly pods = new ObjectCache<PodView>(POD_INDEXERS);
  readonly claims = new ObjectCache<VolumeClaimView>();
  readonly volumes = new ObjectCache<VolumeView>(VOLUME_INDEXERS);
  readonly nodes = new ObjectCache<NodeView>();
  readonly foreign = new ObjectCache<ForeignPodView>();
  readonly tierOfAgent = new Map<string, TierView>();
  readonly barred = new Set<string>();
  readonly shortages = new Map<string, NodeShortage>();
  tiers: readonly TierView[] = [TIER_0, TIER_1, TIER_2];
  readonly sources: SeatSources;
  readonly planner: SeatPlanner;
  #version = 10;

  constructor(nodes: readonly (Partial<NodeView> & { readonly name: string })[]) {
    const { agents, pods, claims, volumes, foreign } = this;
    for (const { name, ...parts } of nodes) this.node(name, parts);
    this.sources = {
      agents,
      pods,
      claims,
      volumes,
      nodes: this.nodes,
      foreign: [foreign],
      tiers: () => this.tiers,
      entitled: ({ metadata: { name } }) => ({
        tier: this.tierOfAgent.get(name) ?? TIER_0,
        barred: this.barred.has(name),
      }),
      shortageOf: (node) => this.shortages.get(node),
      reserve: { cpuMillis: 0, memoryBytes: 0, pods: 0, devices: {} },
    };
    this.planner = new SeatPlanner({
      sources: this.sources,
      clock: this.clock,
      onSeat: (key) => this.notified.push(key),
      onPlan: () => (this.plans += 1),
      onError: (error) => assert.fail(String(error)),
    });
  }

  version(): string {
    this.#version += 1;
    return String(this.#version);
  }

  node(name: string, parts: Partial<NodeView> = {}): void {
    this.nodes.see({
      metadata: { name, uid: name, resourceVersion: this.version() },
      ready: true,
      cordoned: false,
      taints: [],
      allocatable: roomFor(2),
      ...parts,
    });
  }

  agent(name: string, parts: Parameters<typeof agentOf>[0] = {}): string {
    const made = agentOf(parts);
    this.agents.see({
      ...made,
      metadata: {
        ...made.metadata,
        name,
        uid: `${name}-uid`,
        resourceVersion: this.version(),
        creationTimestamp: '2026-11-22T09:00:00Z',
      },
    });
    return `village/${name}`;
  }

  pod(name: string, tier: TierView, nodeName: string | null = 'a'): void {
    const { metadata, ...view } = podOf(`${name}-1`);
    const owner = { apiVersion: '', kind: 'Agent', name, uid: `${name}-uid`, controller: true };
    this.pods.see({
      ...view,
      metadata: {
        ...metadata,
        resourceVersion: this.version(),
        annotations: { [FIXED_ANNOTATION]: fixedOf(tier) },
        ownerReferences: [owner],
      },
      nodeName: nodeName ?? undefined,
      size: sizeOf(tier),
    });
    assert.equal(this.pods.by(BY_OWNER, `${name}-uid`).length, 1);
  }

  removePod(name: string): void {
    for (const pod of this.pods.by(BY_OWNER, `${name}-uid`).slice()) this.pods.forget(pod);
  }

  endPod(name: string): void {
    const [pod] = this.pods.by(BY_OWNER, `${name}-uid`);
    if (pod === undefined) assert.fail(`${name} has no pod`);
    this.pods.see({
      ...pod,
      metadata: { ...pod.metadata, resourceVersion: this.version(), deletionTimestamp: '2026-11-22T10:00:00Z' },
    });
  }

  other(
    name: string,
    requests: Readonly<Record<string, string>>,
    parts: { readonly labels?: Record<string, string>; readonly spec?: object; readonly status?: object } = {},
  ): void {
    const { labels = {}, spec = {}, status = {} } = parts;
    this.foreign.see(
      foreignPodView({
        metadata: { name, namespace: 'other', uid: name, resourceVersion: this.version(), labels },
        spec: { nodeName: 'a', containers: [{ resources: { requests } }], ...spec },
        status,
      }),
    );
  }
}

/** Room for this much tier compute, and for the residents of this many agents. */
export const roomFor = (agents: number, compute: Partial<Room> = {}): Room => {
  const { cpuMillis = 1_000, memoryBytes = GI, devices = {} } = compute;
  return {
    cpuMillis: cpuMillis + agents * RESIDENT_SHARE.cpuMillis,
    memoryBytes: memoryBytes + agents * RESIDENT_SHARE.memoryBytes,
    pods: 20,
    devices,
  };
};

/** The node `a` holds two agents of tier-0 (500m and 512Mi each, besides their residents). */
export const village = (): World => new World([{ name: 'a' }]);
