/** Debian archives with one package, which a real dpkg can unpack. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Files = ReadonlyMap<string, Buffer | string>;

interface Package {
  readonly control: string;
  readonly deb: Buffer;
}

const CONTROL = 'Package: toy\nVersion: 1.0\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n';
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Builds the package `toy`, which has the file /usr/share/toy/answer. */
export function makeToyPackage(folder: string): Package {
  const root = join(folder, 'deb');
  mkdirSync(join(root, 'DEBIAN'), { recursive: true });
  mkdirSync(join(root, 'usr/share/toy'), { recursive: true });
  writeFileSync(join(root, 'usr/share/toy/answer'), '42\n');
  writeFileSync(join(root, 'DEBIAN/control'), CONTROL);
  const file = join(folder, 'toy_1.0_all.deb');
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', root, file]);
  return { control: CONTROL, deb: readFileSync(file) };
}

/** The entry of a package in an index, with the path of its file. */
function entryOf({ control, deb }: Package, path: string): string {
  const facts = `Filename: ${path}\nSize: ${deb.length}\nSHA256: ${sha256(deb)}\n`;
  return control.replace('Description', `${facts}Description`);
}

/** An archive without suites, below /debian. */
export function flatArchive(toy: Package): Files {
  const path = 'stable/toy_1.0_all.deb';
  return new Map<string, Buffer | string>([
    ['/debian/stable/Packages', Buffer.from(entryOf(toy, path))],
    [`/debian/${path}`, toy.deb],
  ]);
}

/**
 * The suites of a Debian release in the layout of a mirror, unsigned: the first has the package, the others are empty.
 */
export function mirrorOf(toy: Package, release: string, architecture: string): Files {
  const path = 'pool/main/t/toy/toy_1.0_all.deb';
  const files = new Map<string, Buffer | string>([[`/debian/${path}`, toy.deb]]);
  const suites = [
    [`/debian/dists/${release}`, entryOf(toy, path)],
    [`/debian/dists/${release}-updates`, ''],
    [`/debian-security/dists/${release}-security`, ''],
  ] as const;
  for (const [suite, index] of suites) {
    const list = `main/binary-${architecture}/Packages`;
    const sums = `SHA256:\n ${sha256(index)} ${index.length} ${list}\n`;
    const facts = `Origin: Debian\nSuite: ${suite.split('/').at(-1)}\nCodename: ${release}\nArchitectures: ${architecture}\nComponents: main\n`;
    files.set(`${suite}/Release`, Buffer.from(`${facts}${sums}`));
    files.set(`${suite}/${list}`, Buffer.from(index));
  }
  return files;
}
