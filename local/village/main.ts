/** The commands behind the Makefile that start, watch and end a village. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { backup } from './backup/backup.ts';
import { restore, sourceOf } from './backup/restore.ts';
import { buildPrograms } from './cluster.ts';
import { down } from './commands/down.ts';
import { logs } from './commands/logs.ts';
import { upCurrent } from './commands/up-current.ts';
import { up } from './commands/up.ts';
import { doctor } from './doctor/doctor.ts';
import { Failure, printFailure } from './failure.ts';
import { hostArchitecture } from './images/architecture.ts';
import { referenceOf } from './images/build.ts';
import { buildImagesFor } from './images/foreign/build.ts';
import { buildWeb } from './images/web.ts';
import { currentPlace, localPlace, type Place } from './kubectl.ts';
import { NODE, ROOT } from './paths.ts';
import { readSettings, type Settings } from './settings.ts';
import { runSteps, type StepContext } from './steps.ts';

const USAGE = `usage: local/village/main.ts COMMAND

  up       starts the village: cluster, images, charts; prints the URL and the first login
  down     ends the village and the dev servers of this checkout, and keeps the village's data
  dev      runs api, Postgres and Redis on loopback, without Kubernetes
  logs     follows the village's logs
  backup   writes a backup of the village to one file
  restore  replaces the data of the running village by a backup, or by its own of an earlier moment
  doctor   checks everything that the village depends on, and prints the fixes
  images   builds the container images whose inputs changed
  programs builds the programs of the local cluster whose sources changed

environment:
  CLUSTER=current          kubectl's current context instead of a local cluster
  IMAGE_REGISTRY=host/path registry to which CLUSTER=current pushes images
  ARCH=arm64               architectures of the images: arm64, amd64, both with a comma, or all (default: this machine's; CLUSTER=current: those of its nodes)
  YES=1                    answers yes to the question of restore, and of up with CLUSTER=current
  PORT=8080                port of the local village
  VALUES=file              up: values of the chart of your own, kept for later starts; VALUES=off: none
  NAMESPACE=hamlet         namespace of the village
  WIPE=1                   down also removes the village's data
  FRESH=1                  up starts a new village, and sets the kept data aside until down WIPE=1
  FILE=path                the backup file to write or to restore
  UNTIL=2026-11-30T03:12:07Z the moment to restore, in UTC, if the village keeps an archive
  WHO=name                 logs of api, operator, broker, postgres, redis or an agent
  DETACH=1 RESIDENTS=1     dev returns when ready; dev also starts ada and bob
  MODEL=URL                up, dev: address of a model server with OpenAI's wire; small and large are its models.
                           MODEL=scripted: the scripted mind again
  MODEL_NAME= MODEL_LARGE= names of the models there, if it has several
  MODEL_KEY= or MODEL_KEY_FILE=path its key; up stores it in a Secret
  MODEL_WIRE=chat|completions   leaves out the small requests that find out what the model can do; completions is a base model
  HAMLET_CACHE=folder      folder of the build results`;

const COMMANDS: Readonly<Record<string, (settings: Settings) => Promise<void>>> = {
  up: async (settings) => (settings.cluster === 'current' ? upCurrent(settings) : up(settings)),
  down,
  dev: async () => dev(),
  logs: async (settings) => logs(await placeOf(settings), settings.who),
  backup: async (settings) => void (await backup(await placeOf(settings), settings.file)),
  restore: async (settings) => restore(await placeOf(settings), sourceOf(settings), settings),
  doctor: async (settings) => {
    if (!(await doctor(settings))) process.exitCode = 1;
  },
  images: async ({ architectures = [hostArchitecture()], tools }) => {
    await runSteps('Hamlet: images', [
      { name: 'web', work: buildWeb },
      ...architectures.map((architecture) => ({
        name: `images for ${architecture}`,
        work: async (context: StepContext) =>
          (await buildImagesFor(architecture, context, { tools })).map(referenceOf).join('\n  '),
      })),
    ]);
  },
  programs: async () => runSteps('Hamlet: programs of the local cluster', [{ name: 'programs', work: buildPrograms }]),
};

async function placeOf({ cluster, namespace }: Settings): Promise<Place> {
  return (cluster === 'current' ? currentPlace : localPlace)(namespace);
}

/** Builds the web, then runs the dev servers, which serve it, in the foreground until they end. */
async function dev(): Promise<void> {
  await runSteps('Hamlet: dev', [{ name: 'web', work: buildWeb }]);
  const flags = process.env['DETACH'] ? ['--detach'] : [];
  const child = spawn(NODE, [join(ROOT, 'local/dev/src/main.ts'), ...flags], { cwd: ROOT, stdio: 'inherit' });
  // Ctrl-C reaches the whole process group: the servers end on their own, and this process waits for them.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.exitCode = await new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve(code ?? 1)),
  );
}

async function main(name: string | undefined): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h' || process.argv.includes('--help')) {
    console.log(USAGE);
    return;
  }
  const command = COMMANDS[name];
  if (command === undefined) throw new Failure(`${name} is not a command`, 'local/village/main.ts --help lists them');
  const settings = readSettings(process.env);
  // The programs that a command starts must not find the key in their environment; make repeats it in its own variables.
  if (name !== 'dev') for (const each of ['MODEL_KEY', 'MAKEFLAGS', 'MAKEOVERRIDES']) delete process.env[each];
  await command(settings);
}

try {
  await main(process.argv[2]);
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
