/**
 * A village whose agent reaches two servers through a broker in a separate process, and programs that write to them.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { callbackify } from 'node:util';
import { Authority, createAuthority, type AuthorityFiles } from '@hamlet/broker';
import { type Permission } from '@hamlet/contract';
import { routeTo } from '../../api/server/src/egress/testing/route-to.ts';
import { PermissionPlay, type Working } from '../../api/server/src/permissions/testing/permission-play.ts';
import { eventually, startTestVillage, TOKENS } from '../../api/server/src/testing/test-village.ts';
import { gitServer } from '../../api/broker/src/testing/package-servers.ts';
import { listenOnLoopback } from '../env/net/loopback.ts';
import type { Setting } from './broker-process.ts';

const PROCESS = resolve(import.meta.dirname, 'broker-process.ts');
const SPEC = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ada }
spec:
  entitlement: { policy: Pinned, name: tier-1 }
  egress:
    allow:
      - { host: api.home, methods: [GET, POST, PUT, DELETE] }
      - { host: open.home, methods: [GET, POST], writes: Allow }
      - { host: git.home, methods: [GET, POST] }
      - { host: agent.home, methods: [POST], writes: Allow }
  a2a: { enabled: true, callbackHosts: [hooks.home, inside.home] }
`;

export interface Ran {
  readonly code: number;
  readonly out: string;
}

export interface BrokerProcess {
  readonly port: number;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** A server with TLS on loopback, and its port. */
async function listenTls(files: AuthorityFiles, listener: Parameters<typeof createServer>[1]) {
  const authority = new Authority(files, Date.now);
  const server = createServer({ SNICallback: callbackify((name: string) => authority.context(name)) }, listener);
  return { server, port: await listenOnLoopback(server) };
}

/** Notes each request, unless the host has a server of its own. */
const answering =
  (arrived: string[], served: ReadonlyMap<string, RequestListener>): RequestListener =>
  (request, response) => {
    const own = served.get(request.headers.host ?? '');
    if (own !== undefined) return own(request, response);
    void request.toArray().then((parts) => {
      const { method, headers, url } = request;
      arrived.push(`${method ?? ''} ${headers.host ?? ''}${url ?? ''} ${Buffer.concat(parts).toString()}`.trim());
      response.end('done');
    });
  };

async function repositoryIn(folder: string): Promise<string> {
  const bare = join(folder, 'served/acme/app.git');
  await mkdir(join(folder, 'served/acme'), { recursive: true });
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
  execFileSync('git', ['-C', bare, 'config', 'http.receivepack', 'true']);
  const seed = join(folder, 'seed');
  execFileSync('git', ['init', '-q', '-b', 'main', seed]);
  const own = ['-C', seed, '-c', 'user.name=Seed', '-c', 'user.email=seed@hamlet'];
  execFileSync('git', [...own, 'commit', '-q', '--allow-empty', '-m', 'first']);
  execFileSync('git', ['-C', seed, 'push', '-q', bare, 'main']);
  return bare;
}

async function startBroker(setting: Setting, file: string): Promise<BrokerProcess> {
  await writeFile(file, JSON.stringify(setting));
  const child = spawn(process.execPath, [PROCESS, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('port ')) continue;
    const stop = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    };
    return { port: Number(line.slice('port '.length)), process: child, stop };
  }
  throw new Error('the broker ended before it served');
}

export type GuardedVillage = Awaited<ReturnType<typeof startGuardedVillage>>;

export async function startGuardedVillage() {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-writes-'));
  const village = await startTestVillage();
  await village.writeSample('good-agent-ada.yaml', SPEC);
  const [outside, own] = await Promise.all([
    createAuthority('servers', Date.now()),
    createAuthority('own', Date.now()),
  ]);
  const bare = await repositoryIn(folder);
  const arrived: string[] = [];
  const served = new Map<string, RequestListener>();
  const api = await listenTls(outside, answering(arrived, served));
  const outwardRoute = routeTo(api.port, outside.certificate);
  const { peopleUrl } = await village.startReplica({}, { outwardRoute });
  const permits = new PermissionPlay(peopleUrl);
  await permits.play.everybody();
  const git = await listenTls(outside, gitServer(join(folder, 'served')));
  const authorityFile = join(folder, 'own.crt');
  await writeFile(authorityFile, own.certificate);
  const names = { 'api.home': api.port, 'open.home': api.port, 'agent.home': api.port, 'git.home': git.port };
  const usual: Setting = {
    apiUrl: peopleUrl,
    token: TOKENS.broker,
    authority: own,
    roots: outside.certificate,
    names,
    dieWhenPermitted: false,
  };
  const pending = async ({ runId }: Working): Promise<readonly Permission[]> => {
    return (await permits.play.admin.listPermissions({ run_id: runId, state: 'pending' })).permissions;
  };
  return {
    village,
    permits,
    /** Requests that arrived at api.home and open.home: method, host, path and body. */
    arrived,
    /** Servers of hosts in place of the usual one, by host. */
    served,
    folder,
    /** The certificate that programs in the pod trust. */
    authorityFile,
    /** The pending permissions for writes of a run. */
    pending,
    startBroker: (more: Partial<Setting> = {}) => startBroker({ ...usual, ...more }, join(folder, 'broker.json')),
    proxyOf: async (broker: BrokerProcess, { agentId, runId }: Working, callId = 'call-1') => {
      const { access_token: token } = await permits.play.as(agentId).exchangeAgentToken();
      return `http://${encodeURIComponent(`${runId}/${callId}`)}:${token}@127.0.0.1:${String(broker.port)}`;
    },
    /** Waits for the only pending permission. */
    asked: (working: Working) => eventually('a question to a person', async () => (await pending(working))[0]),
    onServer: (...args: string[]) => execFileSync('git', ['-C', bare, ...args], { encoding: 'utf8' }).trim(),
    remove: async () => {
      for (const { server } of [api, git]) {
        server.close();
        server.closeAllConnections();
      }
      await village.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A program with its arguments, and the folder in which it runs. */
export interface Program {
  readonly program: readonly [string, ...string[]];
  readonly cwd?: string;
}

/** A running program. `killAll` kills it with all processes that it started. */
export interface Running {
  /** The output so far. */
  readonly out: () => string;
  readonly ended: Promise<Ran>;
  killAll(): void;
}

/** Runs a program as in a pod: with the proxy and the CA of the village, and no other settings of this machine. */
export function runProgram(
  { folder, authorityFile }: Pick<GuardedVillage, 'folder' | 'authorityFile'>,
  proxy: string,
  { program: [program, ...args], cwd = folder }: Program,
): Running {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSL_CAINFO: authorityFile,
    SSL_CERT_FILE: authorityFile,
    http_proxy: proxy,
    https_proxy: proxy,
  };
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += String(chunk)));
  const ended = once(child, 'close').then(([code]) => ({ code: Number(code ?? -1), out }));
  const killAll = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  return { out: () => out, ended, killAll };
}
