/**
 * Answers the commands of a backup like kubectl, on one machine: programs "in pods" run here, on a real Postgres and a
 * real folder, and Deployments are numbers in a file. The JSON file that PRETEND_STATE names holds the state,
 * and the file beside it with the ending `.port` the port of the api's metrics.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

interface State {
  readonly logFolder: string;
  readonly replicas: Record<string, number>;
  readonly annotations: Record<string, string>;
  key: string;
  /** The containers of Postgres' pod. */
  readonly containers: string;
  readonly resources: { items: object[] };
  readonly done: string[];
}

const file = process.env['PRETEND_STATE'] ?? '';
const state = JSON.parse(readFileSync(file, 'utf8')) as State;
const args = process.argv.slice(2).filter((_, index) => index > 1);
const [verb = '', what = '', name = ''] = args;

function finish(text = ''): never {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
  if (text !== '') process.stdout.write(`${text}\n`);
  process.exit(0);
}

function runInPod(): never {
  const port = existsSync(`${file}.port`) ? readFileSync(`${file}.port`, 'utf8') : '';
  const [program = '', ...rest] = args
    .slice(args.indexOf('--') + 1)
    .map((each) => each.replaceAll('/var/lib/hamlet-log', state.logFolder).replaceAll(':9090', `:${port}`));
  // Postgres, which the container of the archive starts, refuses to run as root.
  const user = args.includes('archive') && process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534, cwd: '/' } : {};
  const { status } = spawnSync(program, rest, { stdio: 'inherit', ...user });
  process.exit(status ?? 1);
}

function get(): never {
  if (what === 'pod') finish(args.at(-1)?.endsWith('.name}') === true ? state.containers : 'true');
  if (what === 'secret') finish(Buffer.from(state.key).toString('base64'));
  if (what === 'deployment') finish(JSON.stringify({ containers: [{ name: 'api', image: 'hamlet/api:1' }] }));
  if (what === 'deployments')
    finish(
      JSON.stringify({
        items: Object.entries(state.replicas).map(([each, replicas]) => ({
          metadata: {
            name: each,
            annotations:
              each in state.annotations ? { 'hamlet.village/replicas-before-restore': state.annotations[each] } : {},
          },
          spec: { replicas },
        })),
      }),
    );
  if (what === 'pods')
    finish(
      Object.entries(state.replicas)
        .flatMap(([each, replicas]) => (replicas > 0 ? [`pod/${each}`] : []))
        .join('\n'),
    );
  finish(JSON.stringify(state.resources));
}

if (verb === 'exec') runInPod();
if (verb === 'get') get();
state.done.push(args.filter((each) => !each.startsWith('{')).join(' '));
if (verb === 'scale') state.replicas[name] = Number(args.at(-1));
if (verb === 'annotate') {
  const [key = '', value] = (args.at(-1) ?? '').split('=');
  if (value === undefined || key.endsWith('-')) delete state.annotations[name];
  else state.annotations[name] = value;
}
if (verb === 'patch')
  state.key = Buffer.from(
    (JSON.parse(readFileSync(0, 'utf8')) as { data: Record<string, string> }).data['key.pem'] ?? '',
    'base64',
  ).toString();
if (verb === 'create')
  state.resources.items.push(...(JSON.parse(readFileSync(0, 'utf8')) as { items: object[] }).items);
finish();
