/** The peer: the same walkers in a Colyseus room, broadcast to all viewers or filtered by StateView. Started by main.ts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Room, Server, type Client } from '@colyseus/core';
import { Encoder, StateView, schema, t } from '@colyseus/schema';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { createWorld, exactPositionAt } from '@hamlet/core';
import { benchMap } from '../bench-map.ts';
import { Camera } from '../camera.ts';
import { wallMs, type Flush, type FromServer, type ToServer } from '../ipc.ts';
import type { Setting } from '../setting.ts';
import { CpuMeter, everyTick } from '../ticking.ts';
import { Walkers, agentName, populate } from '../walkers.ts';

/**
 * Positions are sent in sixteenths of a tile: two 16-bit fields for each agent, the most compact form that the library
 * offers.
 */
const PARTS = 16;
/** The server updates the views twice a second. */
const FILTER_EVERY_TICKS = 5;

// The whole state of 1,000 agents does not fit the library's default of 8 KB.
Encoder.BUFFER_SIZE = 256 * 1024;

const setting = JSON.parse(process.argv[3] ?? '{}') as Setting;
const filtered = process.argv[2] === 'colyseus-view';

const Agent = schema({ x: t.uint16(), y: t.uint16() }, 'Agent');
const Shared = schema({ agents: t.map(Agent) }, 'Shared');
const Filtered = schema({ agents: t.map(Agent).view() }, 'Filtered');

interface Watcher {
  readonly client: Client;
  readonly camera: Camera;
  readonly pans: boolean;
  readonly inView: Set<number>;
}

const send = (message: FromServer): void => {
  process.send?.(message);
};

const world = createWorld(benchMap(setting.mapSide), setting.seed);
populate(world, setting.agents, setting.seed);
const walkers = new Walkers(world, setting);
const agents = Array.from({ length: setting.agents }, () => new Agent());

class Town extends Room {
  override maxClients = 10_000;
  override autoDispose = false;
  override patchRate = null as unknown as number;
  override state = filtered ? new Filtered() : new Shared();
  readonly watchers = new Map<string, Watcher>();

  override onCreate(): void {
    for (const [index, agent] of agents.entries()) this.state.agents.set(agentName(index), agent);
    towns.push(this);
  }

  override onJoin(client: Client, options: { index: number }): void {
    this.watchers.set(client.sessionId, {
      client,
      camera: new Camera(setting, options.index),
      pans: options.index < setting.panning,
      inView: new Set(),
    });
    if (filtered) client.view = new StateView();
  }

  override onLeave(client: Client): void {
    this.watchers.delete(client.sessionId);
  }

  place(tick: number): void {
    for (const [slot, agent] of agents.entries()) {
      const { x, y } = exactPositionAt(world, slot, tick);
      agent.x = x * PARTS;
      agent.y = y * PARTS;
    }
  }

  filter(): void {
    for (const watcher of this.watchers.values()) {
      if (watcher.pans) watcher.camera.slide(setting.panTilesPerSecond / 2);
      for (const [slot, agent] of agents.entries()) this.#show(watcher, slot, agent);
    }
  }

  #show({ client, camera, inView }: Watcher, slot: number, agent: InstanceType<typeof Agent>): void {
    const sees = isWithin(agent.x / PARTS - camera.x) && isWithin(agent.y / PARTS - camera.y);
    if (sees === inView.has(slot)) return;
    if (sees) {
      inView.add(slot);
      client.view?.add(agent);
    } else {
      inView.delete(slot);
      client.view?.remove(agent);
    }
  }
}

const isWithin = (tiles: number): boolean => tiles >= 0 && tiles < setting.viewSide;

/** The only room, after the first viewer has joined. */
const towns: Town[] = [];
const meter = new CpuMeter();
let flushes: Flush[] = [];

const server = createServer();
const colyseus = new Server({
  greet: false,
  gracefullyShutdown: false,
  transport: new WebSocketTransport({ server, pingInterval: 0 }),
});
colyseus.define('town', Town);
await colyseus.listen(0, '127.0.0.1');

process.on('message', (message: ToServer) => {
  if (message.type === 'measure') {
    meter.restart();
    flushes = [];
  } else
    send({ type: 'report', cpuCore: meter.cores(), rssMb: process.memoryUsage.rss() / 2 ** 20, flushes, notes: {} });
});
everyTick((tick) => {
  walkers.tick(tick);
  const [town] = towns;
  if (town === undefined) return;
  town.place(tick);
  if (filtered && tick % FILTER_EVERY_TICKS === 0) town.filter();
  flushes.push([tick, wallMs()]);
  town.broadcastPatch();
});
send({ type: 'ready', port: (server.address() as AddressInfo).port });
