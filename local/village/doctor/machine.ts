/** Checks of the machine: kernel, rights, room, and the programs that the village cannot install itself. */
import { existsSync, mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';
import { tryRun } from '../command.ts';
import { Failure } from '../failure.ts';
import { CACHE } from '../paths.ts';

const GIB = 2 ** 30;
const LEAST_CORES = 2;
const LEAST_MEMORY_GIB = 8;
/** Memory that the kernel may keep for itself, so that a machine reports less than it has. */
const KERNEL_SHARE_GIB = 1;
/** A first build needs room for the Go caches, the images and the copies on two nodes. */
const LEAST_DISK_GIB = 15;
const LEAST_GO = [1, 26] as const;
/** The machine's Node only runs npm; everything else runs on Node 26, which npm installs. */
const LEAST_NODE = 18;
const LEAST_DEBIAN = 12;
const LEAST_UBUNTU = '24.04';
const USE_DISTRIBUTION = `use Debian ${LEAST_DEBIAN} or newer, or Ubuntu ${LEAST_UBUNTU} or newer`;

export interface Finding {
  readonly ok: boolean;
  readonly found: string;
  readonly fix?: string;
}

export interface Check {
  readonly name: string;
  readonly look: () => Promise<Finding> | Finding;
}

export const right = (found: string): Finding => ({ ok: true, found });

export const wrong = (found: string, fix: string): Finding => ({ ok: false, found, fix });

/** Requirements of the machine in one sentence; README.md has the same sentence. */
export const REQUIREMENTS = `Debian ${LEAST_DEBIAN} or newer (or Ubuntu ${LEAST_UBUNTU} or newer), root, Node.js ${LEAST_NODE} or newer with npm, Go ${LEAST_GO.join('.')} or newer, ${LEAST_CORES} cores, ${LEAST_MEMORY_GIB} GiB of memory and ${LEAST_DISK_GIB} GiB of free disk`;

export const MACHINE_CHECKS: readonly Check[] = [
  { name: 'Linux, root', look: rootOnLinux },
  { name: 'Debian packages (apt-get)', look: distribution },
  { name: 'Node.js', look: node },
  { name: 'Go', look: go },
  { name: 'cpu and memory', look: memory },
  { name: 'disk for the cache', look: disk },
  {
    name: 'user namespaces',
    look: () => kernelFile('/proc/self/ns/user', 'a kernel with user namespaces (CONFIG_USER_NS)'),
  },
  {
    name: 'network namespaces',
    look: () => kernelFile('/proc/self/ns/net', 'a kernel with network namespaces (CONFIG_NET_NS)'),
  },
  { name: 'overlay file system', look: overlay },
  { name: 'cgroups', look: cgroups },
];

/** Runs the required checks. Throws a Failure that lists every failed one. */
export async function checkMachine(): Promise<string> {
  const findings = await Promise.all(MACHINE_CHECKS.map(async (check) => ({ check, finding: await check.look() })));
  const bad = findings.filter(({ finding }) => !finding.ok);
  if (bad.length > 0) {
    const lines = bad.map(({ check, finding }) => `${check.name}: ${finding.found}`);
    throw new Failure(
      `this machine cannot run the village yet: ${lines.join('; ')}`,
      bad.map(({ finding }) => finding.fix).join('; '),
    );
  }
  return `${cpus().length} cores, ${(totalmem() / GIB).toFixed(0)} GiB`;
}

function rootOnLinux(): Finding {
  if (process.platform !== 'linux')
    return wrong(process.platform, 'use a Linux machine or a virtual machine with Linux');
  return process.getuid?.() === 0
    ? right('root')
    : wrong('not root', 'run as root: the local nodes are namespaces, mounts and cgroups');
}

/**
 * Checks that a distribution is new enough, by its /etc/os-release. A distribution that is unknown or has no version
 * passes. Pure.
 */
export function distributionCheck(osRelease: string): Finding {
  const field = (key: string): string | undefined => new RegExp(`^${key}="?([^"\\n]*)`, 'm').exec(osRelease)?.[1];
  const found = field('PRETTY_NAME') ?? 'unknown';
  const least = { debian: LEAST_DEBIAN, ubuntu: Number(LEAST_UBUNTU) }[field('ID') ?? ''];
  return least !== undefined && Number(field('VERSION_ID')) < least ? wrong(found, USE_DISTRIBUTION) : right(found);
}

function distribution(): Finding {
  const osRelease = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const finding = distributionCheck(osRelease);
  return !finding.ok || existsSync('/usr/bin/apt-get')
    ? finding
    : wrong(`${finding.found} without apt-get`, USE_DISTRIBUTION);
}

async function node(): Promise<Finding> {
  const fix = `apt-get install nodejs npm: version ${LEAST_NODE} or newer`;
  const found = await tryRun('node', ['--version']).catch(() => undefined);
  if (found === undefined) return wrong('not installed', fix);
  const version = found.stdout.trim();
  return Number(/^v(\d+)/.exec(version)?.[1]) >= LEAST_NODE ? right(version) : wrong(version, fix);
}

async function go(): Promise<Finding> {
  const fix = `install Go ${LEAST_GO.join('.')} or newer from https://go.dev/dl and put its bin folder in PATH`;
  const found = await tryRun('go', ['env', 'GOVERSION']).catch(() => undefined);
  if (found === undefined) return wrong('not installed', fix);
  const version = /^go(\d+)\.(\d+)/.exec(found.stdout.trim());
  const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
  const isNew = major > LEAST_GO[0] || (major === LEAST_GO[0] && minor >= LEAST_GO[1]);
  return isNew ? right(found.stdout.trim()) : wrong(found.stdout.trim(), fix);
}

function memory(): Finding {
  const text = `${cpus().length} cores, ${(totalmem() / GIB).toFixed(1)} GiB (${(freemem() / GIB).toFixed(1)} free)`;
  const isEnough = cpus().length >= LEAST_CORES && totalmem() >= (LEAST_MEMORY_GIB - KERNEL_SHARE_GIB) * GIB;
  return isEnough
    ? right(text)
    : wrong(
        text,
        `use a machine of ${LEAST_CORES} cores and ${LEAST_MEMORY_GIB} GiB: the village, two nodes and the build of their programs need them`,
      );
}

function disk(): Finding {
  mkdirSync(CACHE, { recursive: true });
  const { bavail, bsize } = statfsSync(CACHE);
  const free = bavail * bsize;
  const text = `${(free / GIB).toFixed(0)} GiB free at ${CACHE}`;
  return free >= LEAST_DISK_GIB * GIB
    ? right(text)
    : wrong(text, `make ${LEAST_DISK_GIB} GiB free, or set HAMLET_CACHE to a larger disk`);
}

function kernelFile(path: string, need: string): Finding {
  return existsSync(path) ? right('yes') : wrong('no', `boot ${need}`);
}

function overlay(): Finding {
  const known = readFileSync('/proc/filesystems', 'utf8').includes('overlay') || existsSync('/sys/module/overlay');
  return known ? right('yes') : wrong('no', 'modprobe overlay');
}

function cgroups(): Finding {
  const isV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  if (isV2) return right('v2');
  return existsSync('/sys/fs/cgroup/memory')
    ? right('v1')
    : wrong('none mounted at /sys/fs/cgroup', 'mount cgroups; every current Debian does so at boot');
}
