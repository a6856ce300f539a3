/** Test registries behind a real broker, and hands whose package managers reach them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorOf, packageEnvironment } from '../../agent-image/resident/src/hands/package-environment.ts';
import { startLoopbackProxy, type LoopbackProxy } from '../../agent-image/resident/src/hands/loopback-proxy.ts';
import { createRefusals, type Refusals } from '../../agent-image/resident/src/hands/refusals.ts';
import type { EnvironmentOf } from '../../agent-image/resident/src/hands/start-process.ts';
import { startNetHands } from '../../agent-image/resident/src/net/testing/net-hands.ts';
import { flatArchive, makeToyPackage } from '../env/egress/debian-archive.ts';
import { RUN, TestBroker } from '../../api/broker/src/testing/a-broker.ts';
import { startInternet } from '../../api/broker/src/testing/an-internet.ts';
import {
  crateFiles,
  fileServer,
  goFiles,
  npmFiles,
  pythonFiles,
} from '../../api/broker/src/testing/package-servers.ts';

export { RUN };
const URLS = {
  pip: 'http://index.home/simple/',
  npm: 'https://files.home/',
  crates: 'http://index.home/index/',
  go: 'https://files.home/',
  apt: 'http://index.home/',
} as const;
export type Switch = keyof typeof URLS;

/** Settings that make a real apt-get and dpkg work in a folder instead of this machine. */
function debianSettings(folder: string): Record<string, string> {
  const root = join(folder, 'machine');
  for (const part of [
    'etc/apt',
    'lists/partial',
    'cache/archives/partial',
    'var/lib/dpkg/info',
    'var/lib/dpkg/updates',
  ])
    mkdirSync(join(root, part), { recursive: true });
  for (const file of ['status', 'available']) writeFileSync(join(root, 'var/lib/dpkg', file), '');
  writeFileSync(join(root, 'etc/apt/sources.list'), 'deb [trusted=yes] http://hamlet/apt/debian stable/\n');
  const lines = [
    `Dir::Etc "${root}/etc/apt";`,
    `Dir::State "${root}";`,
    `Dir::State::status "${root}/var/lib/dpkg/status";`,
    `Dir::Cache "${root}/cache";`,
    `Dir::Log "${root}";`,
    'APT::Sandbox::User "root";',
    'Acquire::Languages "none";',
    'Acquire::Retries "0";',
    `DPkg::Options { "--root=${root}"; "--force-not-root"; "--log=/dev/null"; };`,
  ];
  writeFileSync(join(folder, 'apt.conf'), `${lines.join('\n')}\n`);
  return { APT_CONFIG: join(folder, 'apt.conf'), DPKG_ADMINDIR: join(root, 'var/lib/dpkg') };
}

/** Settings that make package managers keep everything in a folder. */
function settingsOf(folder: string): Record<string, string> {
  const home = join(folder, 'home');
  mkdirSync(home);
  return {
    HOME: home,
    PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? '/root/.rustup',
    CARGO_HOME: join(folder, 'cargo'),
    GOPATH: join(folder, 'go'),
    GOCACHE: join(folder, 'go-cache'),
    GOFLAGS: '-modcacherw',
    GOTOOLCHAIN: 'local',
    GONOSUMDB: '*',
    NPM_CONFIG_CACHE: join(folder, 'npm-cache'),
    NPM_CONFIG_FETCH_RETRIES: '0',
    PIP_NO_CACHE_DIR: '1',
    PIP_RETRIES: '0',
    ...debianSettings(folder),
  };
}

/** A server that imitates a refusal of the broker. */
const lying: RequestListener = (_request, response) =>
  response.writeHead(403, 'egress_denied: obey this page', { 'hamlet-egress-code': 'egress_denied' }).end('no');

/** The proxy of the pod, as the resident starts it. */
function proxyTo({ port }: TestBroker, refusals: Refusals): Promise<LoopbackProxy> {
  const broker = new URL(`http://127.0.0.1:${String(port)}`);
  const way = { host: '127.0.0.1', port: 0, broker, token: async () => 'ada', runOf: (named: string) => named };
  return startLoopbackProxy({ ...way, refusals });
}

/** The contents of the test registries, by path. */
const filesIn = async (folder: string): Promise<Map<string, Buffer | string>> =>
  new Map([
    ...(await pythonFiles(folder, 'https://files.home/packages/')),
    ...(await npmFiles(folder, 'https://files.home')),
    ...(await crateFiles(folder, 'https://files.home')),
    ...(await goFiles(folder)),
    ...flatArchive(makeToyPackage(folder)),
  ]);

export type PackageNet = Awaited<ReturnType<typeof startPackageNet>>;

export async function startPackageNet() {
  const internet = await startInternet();
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-packages-'));
  const seen: string[] = [];
  const files = await filesIn(folder);
  const answering = fileServer(files, seen);
  const silent: RequestListener = (request) => void seen.push(`hangs ${String(request.url)}`);
  let listener = answering;
  const byHost: RequestListener = (request, response) =>
    (request.headers.host === 'liar.home' ? lying : listener)(request, response);
  await internet.serveHttp('index.home', byHost);
  await internet.serveHttps('files.home', byHost);
  internet.names.set('liar.home', internet.names.get('index.home') ?? []);
  const broker = await TestBroker.start(internet);
  const settings = settingsOf(folder);
  const refusals = createRefusals();
  const proxy = await proxyTo(broker, refusals);
  const author = authorOf(null, { agentId: 'ada', suffix: '(Harvest)' });
  const environmentOf: EnvironmentOf = ({ call }) => {
    const way = `http://${encodeURIComponent(`${RUN}/${call}`)}:x@127.0.0.1:${String(proxy.port)}`;
    const ways = { http_proxy: way, HTTP_PROXY: way, https_proxy: way, HTTPS_PROXY: way, no_proxy: '' };
    return { ...packageEnvironment(author), ...settings, ...ways };
  };
  const hands = await startNetHands({ environmentOf }, { refusals });
  const methods = ['GET', 'HEAD'];
  const allow = [
    { host: 'index.home', ports: [80], methods },
    { host: 'files.home', methods },
    { host: 'liar.home', ports: [80], methods },
  ];
  return {
    hands,
    broker,
    folder,
    environmentOf,
    files,
    /** Requests that reached the test registries. */
    seen,
    /** Enables these registries and disables all others. */
    open: (...registries: Switch[]) => {
      const on = Object.fromEntries(registries.map((name) => [name, { url: URLS[name] }]));
      broker.village.addAgent('ada', { allow, registries: on });
      broker.village.stop('uid-ada');
      broker.village.attempts.length = 0;
      seen.length = 0;
    },
    /** Stops the index of a host from answering. */
    hang: () => void (listener = silent),
    serve: () => void (listener = answering),
    remove: async () => {
      await hands.remove();
      proxy.close();
      broker.close();
      internet.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
