/**
 * Documents name only things that exist: links and anchors, targets of make, commands, files, scripts, variables,
 * Secrets, workloads, excerpts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { test } from 'node:test';
import { MODEL_VARIABLES } from '../../agent-image/resident/src/door/model-keys.ts';
import { helpText } from '../../agent-image/resident/src/process/environment.ts';
import { usage as apiUsage } from '../../api/server/src/start/config.ts';
import { usage as operatorUsage } from '../../operator/src/config.ts';
import { REQUIREMENTS } from '../../local/village/doctor/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Folders that commands write; their contents are not in the work tree. */
const WRITTEN = /^(bench\/results|evals\/results|cli\/kubectl\/dist|web\/dist|test\/(results|output))(\/|$)/;
/** Every `HAMLET_` variable that a script outside of the three services reads. */
const SCRIPTS = ['local', 'cli', 'bench', 'test', 'kube'];

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 << 20,
})
  .split('\0')
  .filter((file) => file !== '');
const documents = tracked.filter((file) => file.endsWith('.md') && existsSync(join(ROOT, file)));
/** Documents that describe the present project. Decisions and history keep the names of their time. */
const present = documents.filter((file) => !/^docs\/adr\/|^CHANGELOG\.md$/.test(file));
const folders = new Set(tracked.flatMap((file) => file.split('/').slice(0, 1)));

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, '');
}

/** Anchors of the headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  return new Set(anchors);
}

/** Matches of the first group in a document. */
function named(file: string, pattern: RegExp): readonly string[] {
  return [...read(file).matchAll(pattern)].map(([, name = '']) => name);
}

/**
 * Names in the documents that do not exist. Throws if the pattern matches hardly any name, since the test would then
 * check nothing.
 */
function offenders(pattern: RegExp, isThere: (name: string) => boolean): readonly string[] {
  const all = present.flatMap((file) => named(file, pattern).map((name) => ({ file, name })));
  assert.ok(all.length > 2, `${pattern.source} finds only ${all.length}`);
  return all.filter(({ name }) => !isThere(name)).map(({ file, name }) => `${file}: ${name}`);
}

test('every relative link leads to a file, and its anchor to a heading', () => {
  const anchors = new Map<string, ReadonlySet<string>>();
  const broken = documents.flatMap((file) =>
    [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(ROOT, target))) return [`${file} -> ${link}`];
      if (anchor === undefined || !target.endsWith('.md')) return [];
      const found = anchors.get(target) ?? anchorsOf(read(target));
      anchors.set(target, found);
      return found.has(anchor) ? [] : [`${file} -> ${link}`];
    }),
  );
  assert.deepEqual(broken, []);
});

test('every decision fits a page and is listed, and every mention names an existing decision', () => {
  const pages = documents.filter((file) => /^docs\/adr\/\d{4}-/.test(file));
  const list = read('docs/adr/README.md');
  const [binding = '', gone = ''] = list.split('## Numbers that are gone');
  assert.ok(pages.length > 20);
  for (const page of pages) {
    const words = read(page).split(/\s+/).filter(Boolean).length;
    assert.ok(words <= 500 || page.includes('0014-dependencies'), `${page} has ${words} words`);
    assert.ok(binding.includes(`](${basename(page)})`), `docs/adr/README.md does not list ${page}`);
  }
  const present = new Set(pages.map((page) => Number(basename(page).slice(0, 4))));
  const folded = new Set([...gone.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number)));
  assert.deepEqual(
    [...folded].filter((number) => present.has(number)),
    [],
  );
  const missing = tracked
    .filter((file) => !/^docs\/adr\/|^CHANGELOG\.md$|^api\/store\/migrations\/\d/.test(file))
    .filter(
      (file) => /\.(ts|tsx|go|md|sh|ya?ml|sql|tpl|css|mjs)$|Dockerfile$/.test(file) && existsSync(join(ROOT, file)),
    )
    .flatMap((file) =>
      [...read(file).matchAll(/\bADRs? 0*(\d+)|docs\/adr\/0*(\d+)/g)]
        .map(([, word, path]) => Number(word ?? path))
        .filter((number) => !present.has(number))
        .map((number) => `${file}: ADR ${number}`),
    );
  assert.deepEqual(missing, []);
});

test('every make target that a document names exists, and README has those that an operator needs', () => {
  const targets = new Set(named('Makefile', /^([a-z-]+):/gm));
  assert.deepEqual(
    offenders(/(?:^|`|\n)(?:[A-Z_]+=\S+ )*make ([a-z][a-z-]*)/g, (target) => targets.has(target)),
    [],
  );
  for (const target of ['up', 'down', 'test', 'doctor', 'logs', 'help'])
    assert.match(read('README.md'), new RegExp(`make ${target}\\b`));
});

test('every command of the plugin and script of npm that a document names exists', () => {
  const [, list = ''] = /const COMMANDS = \[([^\]]+)\]/.exec(read('cli/kubectl/src/main.ts')) ?? [];
  const commands = new Set(list.trim().split(/[\s,.]+/));
  assert.deepEqual(
    offenders(/\bkubectl hamlet ([a-z]+)/g, (name) => commands.has(name)),
    [],
  );
  const scripts: object = JSON.parse(read('package.json')).scripts;
  for (const file of present)
    for (const name of named(file, /\bnpm run ([\w:-]+)/g)) assert.ok(Object.hasOwn(scripts, name), `${file}: ${name}`);
});

test('every value of the chart that a document sets exists', () => {
  interface Schema {
    readonly properties?: Readonly<Record<string, Schema>>;
    /** A map by name: null, or an object. */
    readonly additionalProperties?: false | { readonly anyOf?: readonly Schema[] };
  }
  const ofMap = ({ additionalProperties: each = false }: Schema): Schema | undefined =>
    each === false ? undefined : each.anyOf?.find(({ properties }) => properties !== undefined);
  const schema: Schema = JSON.parse(read('charts/hamlet/values.schema.json'));
  const isThere = (path: string): boolean =>
    path.split('.').reduce<Schema | undefined>((at, key) => at && (at.properties?.[key] ?? ofMap(at)), schema) !==
    undefined;
  assert.deepEqual(offenders(/--set ([a-z]\w*\.[\w.]+)=/g, isThere), []);
});

test('every excerpt of CONTRIBUTING.md is in the linked file', () => {
  const excerpts = [...read('CONTRIBUTING.md').matchAll(/\]\(([\w./-]+\.tsx?)\)\):\n\n```tsx?\n(.*?)```/gs)];
  assert.ok(excerpts.length >= 3, `${excerpts.length} excerpts`);
  for (const [, file = '', excerpt = ''] of excerpts) {
    assert.ok(excerpt.split('\n').length <= 26, file);
    const source = read(file);
    let from = 0;
    for (const part of excerpt.split(/^ *\/\/ …\n/m)) {
      const at = source.indexOf(part, from);
      assert.ok(at >= 0, `${file} does not contain: ${part}`);
      from = at + part.length;
    }
  }
});

test('every file, folder and script that a document names exists', () => {
  const isThere = (path: string): boolean =>
    WRITTEN.test(path) ||
    !folders.has(path.split('/')[0] ?? '') ||
    globSync(path.replaceAll(/<\w+>/g, '*').replace(/\/$/, ''), { cwd: ROOT }).length > 0;
  assert.deepEqual(offenders(/`([a-z][\w-]*\/[\w.,*{}<>/-]*[\w*}/])`/g, isThere), []);
  assert.deepEqual(offenders(/\bnode (?:--[\w=-]+ )*((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs))/g, isThere), []);
});

test('every variable that a document names is read by some program', () => {
  const scripts = tracked.filter(
    (file) =>
      SCRIPTS.includes(file.split('/')[0] ?? '') &&
      file.endsWith('.ts') &&
      file !== 'test/tidy/documents.test.ts' &&
      existsSync(join(ROOT, file)),
  );
  const known = new Set(
    [apiUsage(), operatorUsage(), helpText(), ...MODEL_VARIABLES, ...scripts.map(read)].flatMap(
      (text) => text.match(/\bHAMLET_[A-Z_]+\b/g) ?? [],
    ),
  );
  assert.deepEqual(
    offenders(/\b(HAMLET_[A-Z_]+)\b/g, (name) => known.has(name)),
    [],
  );
});

test('docs/SECRETS.md has a row for every Secret of the chart with its keys, and the workloads that documents restart exist', () => {
  const templates = globSync('charts/hamlet/templates/*', { cwd: ROOT }).map(read).join('\n');
  const secrets = named('charts/hamlet/templates/secrets.yaml', /^ {2}name: (hamlet-[a-z-]+)$/gm);
  const rows = new Map(
    [...read('docs/SECRETS.md').matchAll(/^\| `(hamlet-[a-z-]+)` \| ([^|]+) \|/gm)].map(([, name = '', keys = '']) => [
      name,
      [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key),
    ]),
  );
  assert.deepEqual([...rows.keys()].toSorted(), secrets.toSorted());
  const chart = read('charts/hamlet/templates/secrets.yaml');
  for (const [name, keys] of rows)
    assert.deepEqual(
      keys.filter((key) => !chart.includes(key)),
      [],
      name,
    );
  for (const [, names = ''] of present.flatMap((file) => [
    ...read(file).matchAll(/(?:deployment|statefulset)[ /]((?:hamlet-[a-z]+(?:-more)?(?: |\b))+)/g),
  ])) {
    for (const name of names.trim().split(' '))
      assert.ok(templates.includes(`name: ${name}\n`) || templates.includes(`"${name}"`), name);
  }
});

test('README.md lists the same requirements of the machine as make doctor, and no other document repeats them', () => {
  assert.ok(read('README.md').includes(REQUIREMENTS), REQUIREMENTS);
  assert.deepEqual(
    present.filter(
      (file) => file !== 'README.md' && /Go 1\.\d+/.test(read(file)) && /GiB of (memory|disk)/.test(read(file)),
    ),
    [],
  );
});

test('docs/GLOSSARY.md explains each word once', () => {
  const [words = ''] = read('docs/GLOSSARY.md').split('## Names that were replaced');
  const explained = [...words.matchAll(/^\| ([a-zA-Z][\w ,]*) \|/gm)]
    .flatMap(([, cell = '']) => cell.split(', '))
    .filter((word) => !['word', 'say'].includes(word));
  assert.ok(explained.length > 50);
  assert.deepEqual(
    explained.filter((word, index) => explained.indexOf(word) !== index),
    [],
  );
});
