/** Our server under load: the world, its decisions, group commit into Postgres, and the fan-out over websockets. Started by main.ts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GROUP_COMMITTED_EVENTS } from '@hamlet/contract';
import type { WorldEvent } from '@hamlet/contract';
import { DRAW_BEHIND_TICKS, createWorld, encodeEvents, exactPositionAt, restoreWorld, snapshotWorld } from '@hamlet/core';
import type { WorldState } from '@hamlet/core';
import { Fanout } from '@hamlet/server/fanout';
import { appendBatch, openDatabase, takeLease } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { WebSocketServer } from 'ws';
import { benchMap } from './bench-map.ts';
import { wallMs } from './ipc.ts';
import type { Flush, FromServer, ToServer } from './ipc.ts';
import type { Setting } from './setting.ts';
import { CpuMeter, everyTick } from './ticking.ts';
import { Walkers, populate } from './walkers.ts';

const LEASE_MS = 3_600_000;

const send = (message: FromServer): void => {
  process.send?.(message);
};

/** Commits batches one after another; what comes meanwhile goes with the next, as the writer does. */
class GroupCommit {
  readonly #db: Db;
  readonly #epoch: number;
  readonly #committed: (events: readonly WorldEvent[]) => void;
  #waiting: WorldEvent[] = [];
  #busy = false;
  commits = 0;

  constructor(db: Db, epoch: number, committed: (events: readonly WorldEvent[]) => void) {
    this.#db = db;
    this.#epoch = epoch;
    this.#committed = committed;
  }

  add(events: readonly WorldEvent[]): void {
    for (const event of events) this.#waiting.push(event);
    if (!this.#busy && this.#waiting.length > 0) void this.#commit();
  }

  async #commit(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await appendBatch(this.#db, { epoch: this.#epoch, ...split(batch), answers: [], audits: [] });
      this.commits += 1;
      this.#committed(batch);
    }
    this.#busy = false;
  }
}

function split(batch: readonly WorldEvent[]): { events: readonly WorldEvent[]; moves: Parameters<typeof appendBatch>[1]['moves'] } {
  const grouped: readonly string[] = GROUP_COMMITTED_EVENTS;
  const moves = batch.filter((event) => grouped.includes(event.kind));
  const [first, last] = [moves[0], moves.at(-1)];
  const events = batch.filter((event) => !grouped.includes(event.kind));
  if (first === undefined || last === undefined) return { events, moves: null };
  const packed = encodeEvents(moves);
  return { events, moves: { seqFrom: first.seq, seqTo: last.seq, tickFrom: first.tick, tickTo: last.tick, count: moves.length, packed } };
}

async function openStore(url: string, committed: (events: readonly WorldEvent[]) => void): Promise<GroupCommit> {
  const db = openDatabase({ url, poolSize: 2, onError: (error) => console.error(error) });
  const epoch = await takeLease(db, 'bench', LEASE_MS);
  if (epoch === null) throw new Error('somebody else holds the world lease of the benchmark database');
  return new GroupCommit(db, epoch, committed);
}

function listen(fanout: Fanout): Promise<number> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) => {
    const port = {
      send: (message: Uint8Array | string) => socket.send(message),
      get bufferedAmount() {
        return socket.bufferedAmount;
      },
      close: (code: number, reason: string) => socket.close(code, reason),
    };
    const viewer = fanout.attach(port, { format: 'binary' });
    socket.on('message', (data: Buffer) => viewer.receive(data.toString('utf8')));
    socket.on('close', () => viewer.detach());
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function quarters(world: WorldState, agents: number, tick: number): number[] {
  const flat: number[] = [];
  for (let slot = 0; slot < agents; slot += 1) {
    const { x, y } = exactPositionAt(world, slot, tick);
    flat.push(x * 4, y * 4);
  }
  return flat;
}

/** Where everybody really is, sampled when asked, for the viewers to be held to. */
class TruthSampler {
  readonly #world: WorldState;
  readonly #replica: WorldState;
  readonly #agents: number;
  readonly #history: number[][] = [];
  #wanted = false;

  constructor(world: WorldState, replica: WorldState, agents: number) {
    this.#world = world;
    this.#replica = replica;
    this.#agents = agents;
  }

  want(): void {
    this.#wanted = true;
  }

  /** Sends one sample at an update: what the update knows of now, and what the writer held true at the tick that is drawn now. */
  sample(tick: number, flushed: boolean): void {
    if (!this.#wanted) return;
    this.#history.push(quarters(this.#world, this.#agents, tick));
    const before = this.#history.at(-1 - DRAW_BEHIND_TICKS);
    if (!flushed || before === undefined) return;
    send({ type: 'truth', tick, now: quarters(this.#replica, this.#agents, tick), before });
    this.#history.length = 0;
    this.#wanted = false;
  }
}

async function main(): Promise<void> {
  const setting = JSON.parse(process.argv[2] ?? '{}') as Setting;
  const map = benchMap(setting.mapSide);
  const world = createWorld(map, setting.seed);
  // The fan-out of a replica sees committed events only, so it has a world of its own, as in the api.
  const born = populate(world, setting.agents, setting.seed);
  const replica = restoreWorld(map, snapshotWorld(world));
  const fanout = new Fanout({ world: replica, epoch: 1 });
  const apply = (events: readonly WorldEvent[]): void => {
    for (const event of events) fanout.commit(event);
  };
  const store = setting.postgresUrl === null ? null : await openStore(setting.postgresUrl, apply);
  const walkers = new Walkers(world, setting);
  const truth = new TruthSampler(world, replica, setting.agents);
  const meter = new CpuMeter();
  let flushes: Flush[] = [];
  process.on('message', (message: ToServer) => {
    if (message.type === 'measure') {
      meter.restart();
      flushes = [];
    } else if (message.type === 'truth') truth.want();
    else {
      const { bytes, frames } = fanout.stats();
      const notes = { commits: store?.commits ?? 0, bytes, frames, seq: world.seq, born: born.length };
      send({ type: 'report', cpuCore: meter.cores(), rssMb: process.memoryUsage.rss() / 2 ** 20, flushes, notes });
    }
  });
  const port = await listen(fanout);
  everyTick((tick) => {
    const events = walkers.tick(tick);
    if (store === null) apply(events);
    else store.add(events);
    const [before, startMs] = [fanout.stats().updates, wallMs()];
    fanout.tick(tick);
    const flushed = fanout.stats().updates > before;
    if (flushed) flushes.push([tick, startMs]);
    truth.sample(tick, flushed);
  });
  send({ type: 'ready', port });
}

await main();
