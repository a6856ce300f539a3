/** The file tools on a real file system: what they do, and that no path, link or race leads out of the root. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { testFolder } from '@hamlet/test/env/at-end';
import { aWorkspace, useBuiltIn } from '../testing/a-workspace.ts';
import { openWorkspace } from '../workspace.ts';
import { contentOf, replaceFile } from './file-content.ts';
import { inFolder } from './open-folder.ts';
import { ToolFault } from './tool-fault.ts';

const SECRET = 'the secret of another folder';
const outside = testFolder('outside');
writeFileSync(join(outside, 'secret'), SECRET);
const workspace = await aWorkspace();
const at = (name: string): string => join(workspace.root, name);
const use = useBuiltIn(workspace);
const sha256 = /^[0-9a-f]{64}$/;

test('a file is written with its folders, read, listed, and written again in its mode', async () => {
  const created = await use.json('filesystem.write_file', { path: 'src/a.txt', content: 'one\n' });
  assert.deepEqual(
    { ...created, mutations: [{ ...created.mutations[0], sha256_after: '' }] },
    {
      path: 'src/a.txt',
      mutations: [
        {
          path: 'src/a.txt',
          change: 'created',
          bytes_before: null,
          bytes_after: 4,
          sha256_before: null,
          sha256_after: '',
        },
      ],
    },
  );
  chmodSync(at('src/a.txt'), 0o750);
  const [changed] = (await use.json('filesystem.write_file', { path: './src//a.txt', content: 'zwölf' })).mutations;
  assert.equal(changed.change, 'changed');
  assert.deepEqual([changed.bytes_before, changed.bytes_after], [4, 6]);
  assert.match(changed.sha256_before, sha256);
  assert.equal(statSync(at('src/a.txt')).mode & 0o777, 0o750);
  const read = await use.json('filesystem.read_file', { path: 'src/a.txt' });
  assert.deepEqual(read, { path: 'src/a.txt', content: 'zwölf', bytes: 6, sha256: changed.sha256_after });
  assert.deepEqual((await use.json('filesystem.write_file', { path: 'src/a.txt', content: 'zwölf' })).mutations, []);
  mkdirSync(at('src/deep'));
  symlinkSync('a.txt', at('src/link'));
  assert.deepEqual(await use.json('filesystem.list', { path: 'src' }), {
    path: 'src',
    entries: [
      { name: 'a.txt', kind: 'file', bytes: 6 },
      { name: 'deep', kind: 'folder', bytes: null },
      { name: 'link', kind: 'link', bytes: null },
    ],
    more: false,
  });
  assert.equal((await use.json('filesystem.read_file', { path: 'src/link' })).path, 'src/a.txt', 'a link within');
  await use.json('filesystem.write_file', { path: 'src/link', content: 'by the link' });
  assert.equal(readFileSync(at('src/a.txt'), 'utf8'), 'by the link');
  assert.ok(lstatSync(at('src/link')).isSymbolicLink());
  assert.deepEqual(readdirSync(at('src')), ['a.txt', 'deep', 'link'], 'no temporary file is left');
});

test('a folder of many files is listed in its order up to a limit', async () => {
  mkdirSync(at('many'));
  for (let file = 0; file < 1_100; file += 1) writeFileSync(at(`many/${String(file).padStart(4, '0')}`), '');
  const { entries, more } = await use.json('filesystem.list', { path: 'many' });
  assert.deepEqual([entries.length, entries[0].name, entries.at(-1).name, more], [1_000, '0000', '0999', true]);
});

test('each end of a call without a result has its own code', async () => {
  writeFileSync(at('binary'), Buffer.from([0xff, 0xfe, 0x00]));
  writeFileSync(at('large'), Buffer.alloc(8 << 20, 'x'));
  writeFileSync(at('quotes'), Buffer.alloc(600_000, '"'));
  writeFileSync(at('huge'), Buffer.alloc((8 << 20) + 1));
  execFileSync('mkfifo', [at('pipe')]);
  const ends: readonly (readonly [string, object, string])[] = [
    ['filesystem.read_file', { path: 'none' }, 'not_found'],
    ['filesystem.read_file', { path: 'none/deeper' }, 'not_found'],
    ['filesystem.read_file', { path: 'src' }, 'is_a_folder'],
    ['filesystem.read_file', { path: '.' }, 'is_a_folder'],
    ['filesystem.read_file', { path: 'large/x' }, 'not_a_folder'],
    ['filesystem.read_file', { path: 'binary' }, 'not_text'],
    ['filesystem.read_file', { path: 'large' }, 'too_large'],
    ['filesystem.read_file', { path: 'quotes' }, 'too_large'],
    ['filesystem.read_file', { path: 'pipe' }, 'not_a_file'],
    ['filesystem.list', { path: 'large' }, 'not_a_folder'],
    ['filesystem.list', { path: 'none' }, 'not_found'],
    ['filesystem.write_file', { path: 'src', content: '' }, 'is_a_folder'],
    ['filesystem.write_file', { path: 'pipe', content: '' }, 'not_a_file'],
    ['filesystem.write_file', { path: 'huge', content: '' }, 'too_large'],
    ['filesystem.write_file', { path: 'large/x', content: '' }, 'not_a_folder'],
  ];
  for (const [name, input, code] of ends) {
    const outcome = await use(name, input);
    assert.ok(outcome.kind === 'failed' && outcome.code === code, `${name} ${JSON.stringify([input, outcome])}`);
  }
});

/** Paths that lead out of the root, each as a hostile program or model makes it. */
const ESCAPES: Readonly<Record<string, () => string>> = {
  'the folder above': () => '../secret',
  'above after a folder': () => 'src/../../secret',
  'an absolute path': () => join(outside, 'secret'),
  'an absolute path within': () => at('src/a.txt'),
  'a path with NUL': () => 'src/a.txt\0.png',
  backslashes: () => '..\\secret',
  'a link to a file': () => link(join(outside, 'secret'), 'link-file'),
  'a link to a folder': () => `${link(outside, 'link-folder')}/secret`,
  'a relative link': () => link('../../../../../../etc/hostname', 'link-relative'),
  'a link to a link': () => link(link(join(outside, 'secret'), 'link-inner'), 'link-outer'),
  'a link to a missing file outside': () => link(join(outside, 'new'), 'link-missing'),
  'a link to a missing file below a folder outside': () => `${link(join(outside, 'none'), 'link-none')}/new`,
  'a link to itself': () => link('link-loop', 'link-loop'),
  'a link to the root of the system': () => `${link('/', 'link-system')}/etc/hostname`,
  'a folder whose name begins as the root does': () => {
    mkdirSync(`${workspace.root}-more`);
    writeFileSync(`${workspace.root}-more/secret`, SECRET);
    return `${link(`${workspace.root}-more`, 'link-more')}/secret`;
  },
};

function link(target: string, name: string): string {
  symlinkSync(target, at(name));
  return name;
}

test('no path and no link leads out of the root, and the denial says why', async () => {
  for (const [how, make] of Object.entries(ESCAPES)) {
    const path = make();
    for (const [name, input] of [
      ['filesystem.read_file', { path }],
      ['filesystem.write_file', { path, content: 'overwritten' }],
      ['filesystem.list', { path }],
      ['command.run', { argv: ['pwd'], folder: path }],
    ] as const) {
      const outcome = await use(name, input);
      assert.ok(outcome.kind === 'denied', `${how}, ${name}: ${JSON.stringify(outcome)}`);
      assert.equal(outcome.code, 'path_outside_root', how);
      assert.match(outcome.text, /: (write|name) |NUL|itself/, how);
    }
  }
  rmSync(`${workspace.root}-more`, { recursive: true });
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), SECRET);
  assert.deepEqual(readdirSync(outside), ['secret']);
});

test('permissions hold for the place to which a link leads', async () => {
  mkdirSync(at('closed'));
  writeFileSync(at('closed/key'), 'a key');
  symlinkSync('closed/key', at('open-link'));
  const narrow = useBuiltIn(workspace, { filesystem: { read: ['**', '!closed/**'], write: ['**', '!closed/**'] } });
  for (const path of ['closed/key', 'open-link']) {
    const read = await narrow('filesystem.read_file', { path });
    assert.ok(read.kind === 'denied' && read.code === 'path_not_permitted', JSON.stringify(read));
    assert.equal((await narrow('filesystem.write_file', { path, content: 'x' })).kind, 'denied');
  }
  assert.equal(readFileSync(at('closed/key'), 'utf8'), 'a key');
});

/** Replaces a folder by a link to `outside` and back, as fast as it can, until the flag is set; counts its rounds. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const { workerData: { folder, outside, shared } } = require('node:worker_threads');
const state = new Int32Array(shared);
while (Atomics.load(state, 0) === 0) {
  renameSync(folder, folder + '-real');
  symlinkSync(outside, folder);
  unlinkSync(folder);
  renameSync(folder + '-real', folder);
  Atomics.add(state, 1, 1);
}
`;

const RACE_MS = 700;

test('a folder that becomes a link between check and use shows nothing of outside', async () => {
  mkdirSync(at('race'));
  writeFileSync(at('race/secret'), 'inside');
  const shared = new SharedArrayBuffer(8);
  const state = new Int32Array(shared);
  const worker = new Worker(SWAPPER, { eval: true, workerData: { folder: at('race'), outside, shared } });
  const ended = new Promise((done) => worker.once('exit', done));
  const seen = new Map<string, number>();
  const isEnough = (): boolean => seen.size > 1 && seen.has('inside') && Atomics.load(state, 1) > 10;
  try {
    const began = performance.now();
    for (let ms = 0; ms < RACE_MS || (!isEnough() && ms < 5 * RACE_MS); ms = performance.now() - began) {
      const end = await raced('race');
      seen.set(end, (seen.get(end) ?? 0) + 1);
    }
  } finally {
    Atomics.store(state, 0, 1);
    await ended;
  }
  assert.ok(isEnough(), JSON.stringify([...seen]));
  assert.deepEqual(
    [...seen.keys()].filter((end) => end.startsWith('Error') || end === SECRET),
    [],
  );
});

/** The content that a read in the race gives, or the code of its fault. */
async function raced(name: string): Promise<string> {
  const asked = { name: 'secret', path: 'secret', maxBytes: 1_000 };
  try {
    const content = await inFolder({ root: workspace.root, parts: [name], byDescriptor: true }, (open) =>
      contentOf(open, asked),
    );
    return content?.data.toString() ?? 'null';
  } catch (error) {
    return error instanceof ToolFault && 'code' in error.outcome ? error.outcome.code : `Error ${String(error)}`;
  }
}

test('a write into a folder that becomes a link meanwhile reaches the folder that was opened', async () => {
  mkdirSync(at('swapped'));
  await inFolder({ root: workspace.root, parts: ['swapped'], byDescriptor: true }, async (folder) => {
    renameSync(at('swapped'), at('moved'));
    symlinkSync(outside, at('swapped'));
    await replaceFile(folder, { name: 'file', path: 'file', data: Buffer.from('x'), mode: null });
  });
  assert.equal(readFileSync(at('moved/file'), 'utf8'), 'x');
  await assert.rejects(
    inFolder({ root: workspace.root, parts: ['moved'], byDescriptor: false }, async (folder) => {
      renameSync(at('moved'), at('moved-again'));
      symlinkSync(outside, at('moved'));
      await replaceFile(folder, { name: 'file', path: 'file', data: Buffer.from('y'), mode: null });
    }),
    /changed while it was used/,
  );
  assert.deepEqual(readdirSync(outside), ['secret']);
});

test('a writer that fails leaves the old content and no temporary file', async () => {
  mkdirSync(at('kept'));
  writeFileSync(at('kept/file'), 'old');
  mkdirSync(at('kept/folder'));
  const outcome = await use('filesystem.write_file', { path: 'kept/folder', content: 'new' });
  assert.equal(outcome.kind, 'failed');
  assert.deepEqual(readdirSync(at('kept')), ['file', 'folder']);
});

test('dry_run answers with the mutation and makes none, not even a folder', async () => {
  const dry = useBuiltIn(workspace, undefined, 'dry_run');
  const planned = await dry.json('filesystem.write_file', { path: 'new/deep/file', content: 'abc' });
  assert.deepEqual(
    [planned.planned, planned.mutations[0].change, planned.mutations[0].bytes_after],
    [true, 'created', 3],
  );
  assert.ok(!existsSync(at('new')));
  writeFileSync(at('dry'), 'old');
  const [change] = (await dry.json('filesystem.write_file', { path: 'dry', content: 'newer' })).mutations;
  assert.deepEqual([change.change, change.bytes_before, change.bytes_after], ['changed', 3, 5]);
  assert.equal(readFileSync(at('dry'), 'utf8'), 'old');
  const command = await dry.json('command.run', { argv: ['touch', 'made'] });
  assert.deepEqual(command, { planned: true, argv: ['touch', 'made'], folder: '.', mutations: [] });
  assert.ok(!existsSync(at('made')));
  assert.equal((await dry.json('filesystem.read_file', { path: 'dry' })).content, 'old', 'it reads');
});

test('analysis_only denies writes and commands, and reads', async () => {
  const only = useBuiltIn(workspace, undefined, 'analysis_only');
  for (const [name, input] of [
    ['filesystem.write_file', { path: 'x', content: 'y' }],
    ['command.run', { argv: ['true'] }],
  ] as const) {
    const outcome = await only(name, input);
    assert.ok(outcome.kind === 'denied' && outcome.code === 'analysis_only', JSON.stringify(outcome));
  }
  assert.equal((await only('filesystem.list', {})).kind, 'ok');
});

test('data and manifests within the root are closed to tools, even by links', async () => {
  const root = testFolder('own');
  mkdirSync(join(root, '.hamlet'));
  writeFileSync(join(root, '.hamlet/journal.db'), 'events');
  writeFileSync(join(root, 'tools.yaml'), 'tools: []\n');
  symlinkSync('.hamlet', join(root, 'other'));
  symlinkSync('tools.yaml', join(root, 'rules'));
  const manifests = [join(root, 'tools.yaml'), join(root, 'agents.yaml')];
  const own = useBuiltIn(await openWorkspace({ root, data: join(root, '.hamlet'), manifests, environment: {} }));
  for (const [name, input] of [
    ['filesystem.read_file', { path: '.hamlet/journal.db' }],
    ['filesystem.read_file', { path: 'other/journal.db' }],
    ['filesystem.write_file', { path: 'other/new', content: '' }],
    ['filesystem.list', { path: 'other' }],
    ['filesystem.write_file', { path: 'tools.yaml', content: '' }],
    ['filesystem.write_file', { path: 'rules', content: '' }],
    ['filesystem.write_file', { path: 'agents.yaml', content: 'agents: []' }],
  ] as const) {
    const outcome = await own(name, input);
    assert.ok(outcome.kind === 'denied' && outcome.code === 'path_not_permitted', JSON.stringify([input, outcome]));
  }
  assert.equal((await own.json('filesystem.read_file', { path: 'rules' })).content, 'tools: []\n');
  assert.equal((await own('filesystem.write_file', { path: 'new', content: 'x' })).kind, 'ok');
});
