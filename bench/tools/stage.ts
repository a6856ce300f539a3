import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@hamlet/dev';
import { CACHE } from '../../local/village/paths.ts';
import { forkServer, rssMbOf } from '../programs.ts';

const PEER = join(import.meta.dirname, '../peers/squid');
/** The user `nobody`: Squid does not run as root. */
const UNPRIVILEGED = 65_534;
const READY_TRIES = 200;

/** The upstream, directly and behind both proxies. */
export interface Stage {
  readonly upstreamPort: number;
  readonly brokerPort: number;
  readonly squidPort: number;
  rssMb(of: 'broker' | 'squid'): number;
  end(): Promise<void>;
}

const config = (folder: string, work: string, port: number): string => `
http_port 127.0.0.1:${String(port)}
acl upstream dstdomain upstream.bench
acl readers method GET
http_access allow upstream readers
http_access deny all
cache deny all
workers 1
hosts_file ${work}/hosts
access_log stdio:${work}/access.log
cache_log ${work}/cache.log
pid_filename ${work}/squid.pid
coredump_dir ${work}
mime_table ${folder}/usr/share/squid/mime.conf
error_directory ${folder}/usr/share/squid-langpack/en
icon_directory ${folder}/usr/share/squid/icons
cache_effective_user nobody
pinger_enable off
unlinkd_program ${folder}/usr/lib/squid/unlinkd
logfile_daemon ${folder}/usr/lib/squid/log_file_daemon
via off
forwarded_for delete
shutdown_lifetime 0 seconds
`;

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((done) => {
    socket.once('connect', () => done(true)).once('error', () => done(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

async function startSquid(
  ends: AsyncDisposableStack,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const folder = join(CACHE, 'bench/squid');
  mkdirSync(join(CACHE, 'bench'), { recursive: true });
  execFileSync('flock', [`${folder}.lock`, join(PEER, 'install.sh'), folder], { stdio: 'inherit' });
  const work = mkdtempSync('/tmp/hamlet-squid-');
  ends.defer(() => rmSync(work, { recursive: true, force: true }));
  const port = await freePort();
  writeFileSync(join(work, 'squid.conf'), config(folder, work, port));
  writeFileSync(join(work, 'hosts'), '127.0.0.1 upstream.bench\n');
  chownSync(work, UNPRIVILEGED, UNPRIVILEGED);
  const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const output = openSync(join(work, 'output'), 'a');
  const child = spawn(join(folder, 'usr/sbin/squid'), ['-N', '-f', join(work, 'squid.conf')], {
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, `usr/lib/${arch}-linux-gnu`) },
    stdio: ['ignore', output, output],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  ends.defer(() => void child.kill('SIGKILL'));
  for (let tries = 0; !(await accepts(port)); tries += 1) {
    if (child.exitCode !== null || tries === READY_TRIES)
      throw new Error(`Squid did not become ready:\n${readFileSync(join(work, 'output'), 'utf8').slice(-2000)}`);
    await sleep(50);
  }
  return { child, port };
}

export async function openStage(): Promise<Stage> {
  await using ends = new AsyncDisposableStack();
  const upstream = await forkServer(ends, join(import.meta.dirname, 'upstream.ts'));
  const broker = await forkServer(ends, join(import.meta.dirname, 'broker-process.ts'), [String(upstream.port)]);
  const squid = await startSquid(ends);
  const opened = ends.move();
  return {
    upstreamPort: upstream.port,
    brokerPort: broker.port,
    squidPort: squid.port,
    rssMb: (of) => rssMbOf(of === 'broker' ? broker.child : squid.child),
    end: () => opened.disposeAsync(),
  };
}
