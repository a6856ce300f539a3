import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, openDevFolder, readDevFile } from './dev-folder.ts';
import { builtWeb, startDevVillage } from './dev-village.ts';
import { chooseModel } from './model-choice.ts';

const USAGE = `hamlet dev: api, Postgres and Redis on loopback, without Kubernetes

usage: make dev [DETACH=1] [RESIDENTS=1] [PORT=8080] [MODEL=URL [MODEL_NAME=name] [MODEL_LARGE=name] [MODEL_KEY=key]]
       node local/dev/src/main.ts [--detach] [--stop] [--help]

  --detach     returns when the village is ready; --stop ends it
  RESIDENTS=1  also starts the residents of ada and bob, so that the map is alive
  PORT         port of the api (default: any free port)
  MODEL        address of a model server with OpenAI's wire, such as http://127.0.0.1:8000/v1; the village's small and
               large are its model MODEL_NAME, and large is MODEL_LARGE if that is set. The key is MODEL_KEY, or in the
               file MODEL_KEY_FILE. Small requests find out what the model can do; MODEL_WIRE=chat
               or completions (a base model, such as that of make model) leaves them out

.hamlet/dev.json has the addresses, and a token for each role.
`;
const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 30_000;
const POLL_MS = 100;

async function until(limitMs: number, done: () => boolean): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += POLL_MS) {
    if (done()) return true;
    await sleep(POLL_MS);
  }
  return done();
}

async function stop(): Promise<number> {
  const running = readDevFile();
  if (running === null) {
    console.log('no development village is running');
    return 0;
  }
  process.kill(running.pid, 'SIGTERM');
  if (await until(STOP_LIMIT_MS, () => !isAlive(running.pid))) return 0;
  console.error(`error: process ${running.pid} did not end within ${STOP_LIMIT_MS / 1_000} s`);
  return 1;
}

async function detach(): Promise<number> {
  const { log } = openDevFolder();
  const output = openSync(log, 'a');
  const child = spawn(process.execPath, [import.meta.filename], { detached: true, stdio: ['ignore', output, output] });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  await until(READY_LIMIT_MS, () => ended || readDevFile() !== null);
  child.unref();
  const running = readDevFile();
  if (running === null) {
    console.error(`error: the development village did not start; see ${log}`);
    return 1;
  }
  console.log(`${running.url} (process ${running.pid}, log ${log}); .hamlet/dev.json has the tokens`);
  return 0;
}

async function foreground(): Promise<void> {
  const folder = openDevFolder();
  const { PORT, RESIDENTS } = process.env;
  const model = await chooseModel(process.env);
  const village = await startDevVillage(folder, {
    port: PORT === undefined || PORT === '' ? null : Number(PORT),
    residents: RESIDENTS === '1',
    model,
  });
  if (model !== null) console.log(`\n  language model: ${model.model} at ${model.baseUrl}`);
  console.log(
    `\n  ${village.file.url}\n  first admin: open it and use the code ${folder.bootstrapCode}\n  tokens for tools: .hamlet/dev.json\n`,
  );
  const end = (): void => void village.stop().then(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

async function main(args: readonly string[]): Promise<number | null> {
  if (args.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  if (args.includes('--stop')) return stop();
  const running = readDevFile();
  if (running !== null) {
    console.log(`the development village is already running: ${running.url}`);
    return 0;
  }
  if (builtWeb() === null)
    console.error(
      'warning: the web is not built, so / answers 404. Fix: run make dev, or npm run build --workspace @hamlet/web',
    );
  if (args.includes('--detach')) return detach();
  await foreground();
  return null;
}

try {
  const code = await main(process.argv.slice(2));
  if (code !== null) process.exit(code);
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
