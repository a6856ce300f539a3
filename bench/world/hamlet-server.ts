/**
 * The product under load: an API replica as in a village (writer, commits, HTTP, sockets, Redis, reconciler of
 * residents) in which all agents walk. Started by main.ts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { dirname } from 'node:path';
import { DRAW_BEHIND_TICKS, createWorld } from '@hamlet/core';
import { createLog, readConfig, startServer } from '@hamlet/server';
import { openDatabase, readVillage } from '@hamlet/store';
import { benchMap } from './bench-map.ts';
import { wallMs, type Flush, type FromServer, type ToServer } from './ipc.ts';
import { benchAgents, seedVillage } from './product-village.ts';
import type { Setting } from './setting.ts';
import { CpuMeter, everyTick } from './ticking.ts';
import { truthOf } from './truth.ts';
import { Deciders } from './walkers.ts';

/** High, because all viewers of one machine share an address. */
const SOCKETS_PER_ADDRESS = '5000';
const RATE_LIMIT = '100000000';

const send = (message: FromServer): void => {
  process.send?.(message);
};

/** A CPU profile of the process from `start` on. */
class Profile {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.start');
  }

  write(file: string): void {
    this.#session.post('Profiler.stop', (error, result) => {
      if (error !== null) return;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(result.profile));
    });
  }
}

async function main(): Promise<void> {
  const setting = JSON.parse(process.argv[2] ?? '{}') as Setting;
  if (setting.stores === null) throw new Error('the product needs Postgres and Redis');
  const { postgresUrl, redisUrl } = setting.stores;
  const map = benchMap(setting.mapSide);
  const db = openDatabase({ url: postgresUrl, poolSize: 1, onError: (error) => console.error(error) });
  await seedVillage(db, createWorld(map, (await readVillage(db)).seed), setting);
  await db.destroy();
  const config = readConfig({
    HAMLET_POSTGRES_URL: postgresUrl,
    HAMLET_REDIS_URL: redisUrl,
    HAMLET_PEOPLE_LISTEN: '127.0.0.1:0',
    HAMLET_METRICS_LISTEN: '127.0.0.1:0',
    HAMLET_AGENT_SOURCE: 'samples',
    HAMLET_SAMPLES_DIR: '.',
    HAMLET_RATE_LIMIT: RATE_LIMIT,
    HAMLET_SOCKETS_PER_ADDRESS: SOCKETS_PER_ADDRESS,
    HAMLET_LOG_LEVEL: 'warn',
    ...(setting.webDir !== null && { HAMLET_WEB_DIR: setting.webDir }),
  });
  const server = await startServer(
    config,
    createLog((line) => process.stderr.write(line), 'warn'),
    { map, agents: { source: benchAgents(setting.agents) } },
  );
  const { reader, fanout, state, onUpdate } = server.world;
  const deciders = new Deciders(reader.commands, setting);
  const meter = new CpuMeter();
  let flushes: Flush[] = [];
  let isTruthWanted = false;
  const profile = new Profile();
  onUpdate((tick) => {
    flushes.push([tick, wallMs()]);
    if (!isTruthWanted) return;
    isTruthWanted = false;
    send({
      type: 'truth',
      tick,
      now: truthOf(state, setting.agents, tick),
      before: truthOf(state, setting.agents, tick - DRAW_BEHIND_TICKS),
    });
  });
  process.on('message', (message: ToServer) => {
    if (message.type === 'measure') {
      if (setting.profileTo !== null) profile.start();
      meter.restart();
      flushes = [];
    } else if (message.type === 'truth') isTruthWanted = true;
    else {
      if (setting.profileTo !== null) profile.write(setting.profileTo);
      const { bytes, frames } = fanout.stats();
      const notes = { bytes, frames, seq: state.seq, refused: deciders.refused, skipped: deciders.skipped };
      send({ type: 'report', cpuCore: meter.cores(), rssMb: process.memoryUsage.rss() / 2 ** 20, flushes, notes });
    }
  });
  await deciders.begin();
  everyTick((tick) => deciders.tick(tick));
  send({ type: 'ready', port: Number(new URL(server.peopleUrl).port) });
}

await main();
