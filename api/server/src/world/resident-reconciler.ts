import { aliveSlots, AWAKE, has, ONLINE, slotOf, type WorldState } from '@hamlet/core';
import { closeLife, openLife, openLives, rememberHome, type Life } from '@hamlet/store';
import type { WorldCommands } from './world-request.ts';
import type { AgentRecord, AgentSource } from '../agents/agent-source.ts';
import type { PresenceCache } from '../agents/presence-cache.ts';
import { planResidents, type PlacedResident, type WantedResident } from './plan-residents.ts';
import type { Services } from '../service/services.ts';

const EVERY_MS = 1_000;
/** Seconds between full checks without a known change; they repair changes that another process made to the lives. */
const RESYNC_EVERY = 30;
const TIER_MAX = 255;
const AT_ONCE = 10;

interface ReconcilerPorts extends Pick<Services, 'db' | 'log'> {
  readonly source: AgentSource;
  readonly presence: PresenceCache;
  readonly commands: WorldCommands;
  /** Includes the effect of the reconciler's own commands once the replica has caught up. */
  readonly world: WorldState;
  readonly caughtUp: () => Promise<void>;
  /** True if this replica writes the world; no other replica reconciles. */
  readonly active: () => boolean;
}

/** Reconciles the agents in the world with their resources and presence: at each change, each second while they differ, and every 30 s. */
export function startResidentReconciler(ports: ReconcilerPorts) {
  let wanted = Promise.withResolvers<void>();
  let stopped = false;
  let [isDue, seconds] = [true, 0];
  const nudge = (): void => {
    isDue = true;
    wanted.resolve();
  };
  const timer = setInterval(() => {
    seconds += 1;
    isDue ||= seconds % RESYNC_EVERY === 0;
    if (isDue) wanted.resolve();
  }, EVERY_MS);
  ports.source.onChange(nudge);
  ports.presence.onChange(nudge);
  const loop = (async () => {
    while (!stopped) {
      await wanted.promise;
      wanted = Promise.withResolvers();
      if (stopped || !ports.active() || !ports.source.ready) continue;
      isDue = false;
      const isSettled = await reconcileOnce(ports).catch((error: unknown) => {
        ports.log('warn', 'the agents in the world were not reconciled; the API retries', { error });
        return false;
      });
      isDue ||= !isSettled;
    }
  })();
  return {
    nudge,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      nudge();
      await loop;
    },
  };
}

/** Works on ten items at a time: a thousand agents that are applied at once need a hundred commits, not a thousand. */
async function inChunks<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE)
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
}

async function reconcileOnce(ports: ReconcilerPorts): Promise<boolean> {
  const records = ports.source.list();
  const before = new Map((await openLives(ports.db)).map((life) => [life.agentId, life]));
  const wanted: WantedResident[] = [];
  await inChunks(records, async (record) => {
    const known = before.get(record.agentId);
    const life = known?.uid === record.uid ? known : await openLife(ports.db, record.uid, record.agentId);
    if (life !== null) wanted.push(wantedOf(ports, record, life));
  });
  await ports.caughtUp();
  // Events follow in the order of submission; one commit may hold many commands.
  const plan = planResidents(wanted, placedIn(ports.world, before));
  await inChunks(plan, async (command) => {
    await ports.commands.submit({ command, durability: 'written_through', key: null });
  });
  await ports.caughtUp();
  await noteHomes(ports, wanted);
  // An agent's life ends with its custom resource, even if its finalizer did not run.
  const present = new Set(records.map((record) => record.uid));
  const ended = [...before.values()].filter((life) => !present.has(life.uid));
  for (const life of ended) await closeLife(ports.db, life.uid, life.agentId);
  return plan.length === 0 && ended.length === 0;
}

function wantedOf(ports: ReconcilerPorts, record: AgentRecord, life: Life): WantedResident {
  const { agentId, uid, spec, status } = record;
  const presence = ports.presence.get(agentId);
  const rank = status.tier === undefined ? 0 : (ports.source.entitlement(status.tier)?.rank ?? 0);
  return {
    agentId,
    uid,
    displayName: spec.displayName ?? agentId,
    home: spec.home ?? life.home,
    tier: Math.min(TIER_MAX, rank),
    awake: spec.power === 'Awake',
    online: presence?.connected === true && presence.uid === uid,
  };
}

function homeIn(world: WorldState, slot: number): string {
  return world.map.landmarks[world.agents.home[slot] ?? 0]?.landmark_id ?? '';
}

function placedIn(world: WorldState, lives: ReadonlyMap<string, Life>): readonly PlacedResident[] {
  const { agents } = world;
  return aliveSlots(world).map((slot) => {
    const agentId = agents.ids[slot] ?? '';
    return {
      agentId,
      uid: lives.get(agentId)?.uid ?? null,
      displayName: agents.names[slot] ?? '',
      home: homeIn(world, slot),
      tier: agents.tier[slot] ?? 0,
      awake: has(agents, slot, AWAKE),
      online: has(agents, slot, ONLINE),
    };
  });
}

async function noteHomes({ db, world }: ReconcilerPorts, wanted: readonly WantedResident[]): Promise<void> {
  for (const { agentId, uid, home } of wanted) {
    const slot = slotOf(world, agentId);
    if (slot >= 0 && homeIn(world, slot) !== home) await rememberHome(db, uid, homeIn(world, slot));
  }
}
