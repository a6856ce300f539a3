/**
 * The broker process: the only way out of the pods of agents. It has no database and asks the API about agents. With
 * --authority it only writes the folder of the village's authority.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drain, listenAt, ServiceServer, shutdownSignal } from '@hamlet/kube/service';
import { z } from 'zod';
import { Broker } from './broker.ts';
import { Environment, usage } from './config.ts';
import { systemNetwork } from './connect/reach.ts';
import { HttpVillage } from './http-village/http-village.ts';
import { metricsText } from './metrics.ts';
import { Authority } from './tls/authority.ts';

const CLOSE_MS = 2_000;
/** Milliseconds between a signal and the end of connections, in which the Service and the pods stop using this broker. */
const LAST_MS = 3_000;

const log = (line: string): void => {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
};

function authorityIn({ HAMLET_CA_DIR: folder }: Environment): Authority {
  const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(folder, name), 'utf8'));
  return new Authority({ certificate, key }, Date.now);
}

async function startBroker(environment: Environment, village: HttpVillage, authority: Authority): Promise<Broker> {
  const { HAMLET_ROOTS_FILE: rootsFile } = environment;
  const broker = new Broker({
    village,
    authority,
    network: systemNetwork,
    now: Date.now,
    newId: randomUUID,
    ...(rootsFile === undefined ? {} : { roots: readFileSync(rootsFile, 'utf8') }),
  });
  const { host, port } = listenAt(environment.HAMLET_LISTEN);
  await new Promise<void>((resolve, reject) => {
    broker.server.once('error', reject).listen(port, host, resolve);
  });
  return broker;
}

async function run(environment: Environment): Promise<number> {
  const village = new HttpVillage({
    baseUrl: environment.HAMLET_API_URL,
    // The kubelet replaces the file before the token expires.
    token: async () => (await readFile(environment.HAMLET_TOKEN_FILE, 'utf8')).trim(),
    onError: (error) => log(`stream of brakes: ${error instanceof Error ? error.message : String(error)}`),
  });
  const authority = authorityIn(environment);
  const broker = await startBroker(environment, village, authority);
  let isEnding = false;
  const service = new ServiceServer({
    ...listenAt(environment.HAMLET_METRICS_LISTEN),
    live: [],
    ready: [
      { name: 'running', problem: () => (isEnding ? 'ending' : undefined) },
      { name: 'api', problem: () => village.problem },
    ],
    metrics: async () =>
      metricsText({
        openConnections: broker.open,
        followsBrakes: village.problem === undefined,
        authorityEnds: authority.ends,
        attempts: village.kept,
        residentBytes: process.memoryUsage.rss(),
      }),
  });
  await service.listen();
  village.start();
  log('working');
  await shutdownSignal();
  isEnding = true;
  log('ending');
  const steps = [
    { name: 'last requests', withinMs: LAST_MS + CLOSE_MS, run: () => new Promise((end) => setTimeout(end, LAST_MS)) },
    { name: 'connections', withinMs: CLOSE_MS, run: async () => broker.close() },
    { name: 'stream', withinMs: CLOSE_MS, run: () => village.stop() },
    { name: 'server', withinMs: CLOSE_MS, run: () => service.close() },
  ];
  await drain(steps, (error) => log(String(error)));
  return 0;
}

async function main(): Promise<number> {
  if (process.argv.includes('--authority')) {
    const { runAuthority } = await import('./authority/run-authority.ts');
    return runAuthority(process.argv, process.env);
  }
  if (process.argv.includes('--help')) {
    process.stdout.write(usage());
    return 0;
  }
  const environment = Environment.safeParse(process.env);
  if (environment.success) return run(environment.data);
  process.stderr.write(`${z.prettifyError(environment.error)}\n${usage()}`);
  return 2;
}

process.exit(await main());
