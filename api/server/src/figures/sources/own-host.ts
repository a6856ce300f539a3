import { glob, readFile } from 'node:fs/promises';
import { hostReadingOf, type HostReading } from './host-reading.ts';

const SENSORS_MAX = 64;

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

async function sensorsOf(root: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const path of glob(`${root}/sys/class/thermal/thermal_zone*/temp`)) {
    if (texts.length < SENSORS_MAX) texts.push(await textOf(path));
  }
  return texts;
}

/**
 * The kernel's figures of the machine on which this process runs: a container sees the files of its node. Null if the kernel hides
 * them. `root` replaces `/` in tests.
 */
export async function readOwnHost(root = ''): Promise<HostReading | null> {
  const [meminfo, cpu, memory, io] = await Promise.all(
    ['meminfo', 'pressure/cpu', 'pressure/memory', 'pressure/io'].map((file) => textOf(`${root}/proc/${file}`)),
  );
  const pressure = { cpu: cpu ?? '', memory: memory ?? '', io: io ?? '' };
  return hostReadingOf({ at: new Date(), meminfo: meminfo ?? '', pressure, sensors: await sensorsOf(root) });
}
