/** The images for another architecture: their contents, and their programs under an emulator of the processor. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '@hamlet/test/env/until';
import { pluck } from '../env/pluck.ts';
import { startApiProcess } from '../../api/server/src/testing/api-process.ts';
import { residentProcesses } from '../../api/server/src/testing/resident-process.ts';
import { Play, startTestVillage } from '../../api/server/src/testing/test-village.ts';
import { ARCHITECTURES, hostArchitecture, NAMES } from '../../local/village/images/architecture.ts';
import { referenceOf } from '../../local/village/images/build.ts';
import { buildWeb } from '../../local/village/images/web.ts';
import { buildah } from '../../local/village/images/buildah.ts';
import { buildImagesFor } from '../../local/village/images/foreign/build.ts';
import { ownedPaths } from '../../local/village/images/foreign/configure.ts';
import { walkTree } from '../../local/village/images/foreign/tree.ts';
import type { ImageName } from '../../local/village/images/recipe.ts';
import { stateFile } from '../../local/village/paths.ts';

const MAGIC = 0x7f_45_4c_46;
const MACHINE_AT = 18;
const CLASS_64 = 2;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;
const DT_RPATH = 15n;
const DT_RUNPATH = 29n;
const DYNAMIC_ENTRY_BYTES = 16;

interface Elf {
  /** `e_machine`: 62 is x86-64, 183 is AArch64. */
  readonly machine: number;
  /** The dynamic linker; undefined for libraries and static programs. */
  readonly interpreter: string | undefined;
  readonly needed: readonly string[];
  /** Folders that the linker searches first, with `$ORIGIN` unresolved. */
  readonly searchPath: readonly string[];
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: bigint;
  readonly bytes: number;
}

/** Reads a linked 64-bit ELF file; undefined for any other file. */
function readElf(file: string): Elf | undefined {
  const bytes = readFileSync(file);
  if (bytes.length < 64 || bytes.readUInt32BE(0) !== MAGIC || bytes[4] !== CLASS_64) return undefined;
  const segments = segmentsOf(bytes);
  const interpreter = segments.find(({ type }) => type === PT_INTERP);
  return {
    machine: bytes.readUInt16LE(MACHINE_AT),
    interpreter: interpreter === undefined ? undefined : textAt(bytes, interpreter.offset),
    ...dynamicOf(bytes, segments),
  };
}

function segmentsOf(bytes: Buffer): readonly Segment[] {
  const at = Number(bytes.readBigUInt64LE(32));
  const [size, count] = [bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const header = at + index * size;
    return {
      type: bytes.readUInt32LE(header),
      offset: Number(bytes.readBigUInt64LE(header + 8)),
      address: bytes.readBigUInt64LE(header + 16),
      bytes: Number(bytes.readBigUInt64LE(header + 32)),
    };
  });
}

function dynamicOf(bytes: Buffer, segments: readonly Segment[]): Pick<Elf, 'needed' | 'searchPath'> {
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  // A file of debug symbols has segment headers but not their bytes.
  if (dynamic === undefined || dynamic.offset + dynamic.bytes > bytes.length) return { needed: [], searchPath: [] };
  const entries = Array.from({ length: dynamic.bytes / DYNAMIC_ENTRY_BYTES }, (_, index) => {
    const at = dynamic.offset + index * DYNAMIC_ENTRY_BYTES;
    return { tag: bytes.readBigInt64LE(at), value: bytes.readBigUInt64LE(at + 8) };
  });
  const strings = entries.find(({ tag }) => tag === DT_STRTAB);
  const home = segments.find(
    ({ type, address, bytes: length }) =>
      type === PT_LOAD && strings !== undefined && strings.value >= address && strings.value < address + BigInt(length),
  );
  if (strings === undefined || home === undefined) return { needed: [], searchPath: [] };
  const base = home.offset + Number(strings.value - home.address);
  const textsOf = (wanted: readonly bigint[]): string[] =>
    entries.filter(({ tag }) => wanted.includes(tag)).map(({ value }) => textAt(bytes, base + Number(value)));
  return {
    needed: textsOf([DT_NEEDED]),
    searchPath: textsOf([DT_RPATH, DT_RUNPATH]).flatMap((path) => path.split(':')),
  };
}

const textAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, bytes.indexOf(0, at));

const execute = promisify(execFile);
const OTHER = ARCHITECTURES.find((architecture) => architecture !== hostArchitecture()) ?? 'arm64';
/** Emulated programs start many times slower. */
const EMULATED_CAP_MS = 600_000;
const EMULATOR = { arm64: 'qemu-aarch64-static', amd64: 'qemu-x86_64-static' }[OTHER];
/** Procedural languages and a test harness of Postgres, whose interpreters no image contains. */
const WITHOUT_THEIR_LIBRARIES =
  /\/(bool_plperl|hstore_plperl|hstore_plpython3|jsonb_plperl|jsonb_plpython3|ltree_plpython3|plperl|plpython3|pltcl)\.so$|\/pgxs\//;

interface Mounted {
  readonly container: string;
  readonly root: string;
  readonly config: { readonly architecture: string };
}

const images = new Map<ImageName, Mounted>();

before(async () => {
  const context = { doing: () => undefined, log: stateFile('log', 'test-foreign-images.log') };
  await buildWeb(context);
  for (const image of await buildImagesFor(OTHER, context)) {
    const container = await buildah(['from', '--pull-never', '--arch', OTHER, referenceOf(image)]);
    const { OCIv1 } = JSON.parse(await buildah(['inspect', '--type', 'image', referenceOf(image)])) as {
      OCIv1: Mounted['config'];
    };
    images.set(image.name, { container, root: await buildah(['mount', container]), config: OCIv1 });
  }
});

after(async () => {
  for (const { container } of images.values()) await buildah(['rm', container]);
});

function rootOf(name: ImageName): string {
  const image = images.get(name);
  if (image === undefined) throw new Error(`no image ${name}`);
  return image.root;
}

/** The command that runs a program of an image, with the image's libraries. */
function emulated(name: ImageName, program: string, ...args: string[]): [string, ...string[]] {
  const root = rootOf(name);
  return [EMULATOR, '-L', root, join(root, program), ...args];
}

async function said(command: readonly [string, ...string[]]): Promise<string> {
  const [file, ...args] = command;
  return (await execute(file, args, { env: { PATH: process.env['PATH'] } })).stdout;
}

/** Follows links within a root; undefined when they lead nowhere. */
function resolveIn(root: string, path: string): string | undefined {
  let now = '';
  let steps = 0;
  const rest = path.split('/').filter((part) => part !== '');
  while (rest.length > 0) {
    now = posix.join('/', now, rest.shift() ?? '');
    const stats = lstatSync(join(root, now), { throwIfNoEntry: false });
    if (stats === undefined || (steps += 1) > 200) return undefined;
    if (!stats.isSymbolicLink()) continue;
    const target = readlinkSync(join(root, now));
    rest.unshift(
      ...(target.startsWith('/') ? target : posix.join(dirname(now), target)).split('/').filter((part) => part !== ''),
    );
    now = '';
  }
  return now;
}

function missingLibraries(root: string, path: string, elf: Elf): readonly string[] {
  const { triplet } = NAMES[OTHER];
  const own = elf.searchPath.map((folder) => folder.replaceAll(/\$\{?ORIGIN\}?/g, dirname(path)));
  const folders = [...own, `/usr/lib/${triplet}`, '/usr/lib', '/lib', dirname(path)];
  const isThere = (library: string): boolean =>
    (library.startsWith('/') ? [library] : folders.map((folder) => join(folder, library))).some(
      (file) => resolveIn(root, file) !== undefined,
    );
  return [...elf.needed, ...(elf.interpreter === undefined ? [] : [elf.interpreter])].filter(
    (library) => !isThere(library),
  );
}

test(`every program and library of every image is for ${OTHER}, and has all its libraries`, () => {
  for (const [name, { root, config }] of images) {
    assert.equal(config.architecture, OTHER, name);
    const wrong: string[] = [];
    let count = 0;
    for (const { path, stats } of walkTree(root)) {
      const elf = stats.isFile() ? readElf(join(root, path)) : undefined;
      if (elf === undefined) continue;
      count += 1;
      if (elf.machine !== NAMES[OTHER].elfMachine) wrong.push(`${path}: machine ${elf.machine}`);
      if (!WITHOUT_THEIR_LIBRARIES.test(path))
        wrong.push(...missingLibraries(root, path, elf).map((library) => `${path} lacks ${library}`));
    }
    assert.deepEqual(wrong, [], name);
    assert.ok(count > 100, `${name} holds ${count} programs and libraries`);
  }
});

/** Targets that an image lacks: those of the kernel, and documentation that slim images omit. */
const ELSEWHERE = /^\/(dev|proc|sys|usr\/share\/doc)\//;

function leadsElsewhere(root: string, path: string): boolean {
  return ELSEWHERE.test(posix.resolve(dirname(path), readlinkSync(join(root, path))));
}

test('links outside of packages have targets, and dpkg knows every package for the architecture', async () => {
  for (const [name, { root }] of images) {
    const owned = ownedPaths(root);
    const loose = [...walkTree(root)].filter(
      ({ path, stats }) =>
        stats.isSymbolicLink() &&
        !owned.has(path) &&
        !/^\/(dev|proc|sys|app)\/|\/man\/|\.gz$/.test(path) &&
        resolveIn(root, path) === undefined &&
        !leadsElsewhere(root, path),
    );
    assert.deepEqual(pluck(loose, 'path'), [], name);
    const listed = await said([
      'dpkg-query',
      `--admindir=${join(root, 'var/lib/dpkg')}`,
      '-W',
      '-f',
      '${Architecture} ${db:Status-Status} ${Package}\n',
    ]);
    const odd = listed
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith(`${OTHER} installed `) && !line.startsWith('all installed '));
    assert.deepEqual(odd, [], name);
    assert.match(listed, / installed libc6\n/, name);
  }
});

test('accounts, certificates and alternatives are as maintainer scripts would set them', async () => {
  for (const [name, { root }] of images) {
    for (const file of ['/etc/passwd', '/etc/ssl/certs/ca-certificates.crt', '/usr/bin/awk', '/bin/sh'])
      assert.ok(resolveIn(root, file) !== undefined, `${name} has ${file}`);
  }
  assert.ok(resolveIn(rootOf('agent'), '/usr/bin/cc') !== undefined, 'an agent can compile');
  assert.match(await said(emulated('agent', 'usr/bin/gcc', '--version')), /^gcc/);
});

test('the programs of Postgres and Redis print their versions', async () => {
  assert.match(
    await said(emulated('postgres', 'usr/local/pgsql/bin/postgres', '--version')),
    /^postgres \(PostgreSQL\) 18/,
  );
  for (const program of ['psql', 'pg_dump', 'pg_restore'])
    assert.match(await said(emulated('postgres', `usr/local/pgclient/bin/${program}`, '--version')), / 18\./);
  assert.match(await said(emulated('redis', 'usr/bin/redis-server', '--version')), /^Redis server/);
});

test('the image has the same version of Node as this test run', async () => {
  for (const name of ['api', 'operator', 'agent'] as const)
    assert.equal((await said(emulated(name, 'usr/local/bin/node', '--version'))).trim(), process.version, name);
});

test('the operator prints its usage', async () => {
  assert.match(
    await said(
      emulated('operator', 'usr/local/bin/node', join(rootOf('operator'), 'app/operator/src/main.ts'), '--help'),
    ),
    /HAMLET_/,
  );
});

test('the api serves, and a resident takes a turn in its village', async (t) => {
  const village = await startTestVillage();
  t.after(() => village.remove());
  const api = await startApiProcess(
    village,
    {},
    emulated('api', 'usr/local/bin/node', join(rootOf('api'), 'app/api/server/src/main.ts')),
  );
  t.after(() => api.stop('SIGTERM'));
  assert.equal((await fetch(`${api.url}/livez`)).status, 200);
  const play = new Play(api.url);
  await play.everybody();
  const residents = residentProcesses(
    () => play,
    emulated(
      'agent',
      'usr/local/bin/node',
      '--no-opt',
      '--no-maglev',
      join(rootOf('agent'), 'app/agent-image/resident/src/main.ts'),
    ),
  );
  t.after(() => residents.remove());
  residents.launch('ada');
  const turns = await until(
    'a turn of ada',
    async () => {
      const { turns: found } = await play.admin.listTurns({ agent_id: 'ada', limit: 10 });
      return found.length > 0 ? found : undefined;
    },
    { capMs: EMULATED_CAP_MS },
  );
  assert.ok(turns.every(({ agent_id }) => agent_id === 'ada'));
  assert.ok(existsSync(join(rootOf('api'), 'app/web/dist/index.html')), 'the api has the pages that it serves');
});
