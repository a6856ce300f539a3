import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

export const ROOT = resolve(import.meta.dirname, '../../..');
const STATE = join(ROOT, '.hamlet');
const AGENTS = ['ada', 'bob'] as const;

/** `.hamlet/dev.json`: addresses and tokens of the running development village, for tools. */
export const DevFile = z.object({
  url: z.string(),
  adminToken: z.string(),
  memberToken: z.string(),
  agentTokens: z.record(z.enum(AGENTS), z.string()),
  postgresUrl: z.string(),
  redisUrl: z.string(),
  sealedLog: z.string().optional(),
  pid: z.int().positive(),
});
export type DevFile = z.infer<typeof DevFile>;

const Secrets = z.object({
  adminToken: z.string(),
  memberToken: z.string(),
  operatorToken: z.string(),
  agentTokens: z.record(z.enum(AGENTS), z.string()),
});

export interface DevFolder {
  readonly file: string;
  readonly log: string;
  readonly postgresData: string;
  /** The folder of the sealed log, beside the database because each is useless without the other. */
  readonly sealedLog: string;
  readonly apiKeysFile: string;
  /** The folder with the API key of the language model. */
  readonly modelKeys: string;
  readonly credentialKeys: string;
  readonly bootstrapCodeFile: string;
  readonly secrets: z.infer<typeof Secrets>;
  readonly bootstrapCode: string;
  resident(agentId: string): string;
}

const newToken = (prefix: string): string => `${prefix}_${randomBytes(24).toString('base64url')}`;

/** Writes a file for its owner alone. It is renamed into place, so a killed writer leaves no partial file. */
export function writePrivate(file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, text, { mode: 0o600 });
  renameSync(partial, file);
}

function writeSecret(file: string, make: () => string): string {
  if (!existsSync(file)) writePrivate(file, make());
  const text = readFileSync(file, 'utf8');
  if (text === '') throw new Error(`${file} is empty. Fix: remove it; make dev writes a new one`);
  return text;
}

function readSecrets(file: string, text: string): z.infer<typeof Secrets> {
  const read = Secrets.safeParse(jsonOf(text));
  if (!read.success)
    throw new Error(
      `${file} does not contain the tokens of the development village. Fix: remove it; make dev writes new tokens`,
    );
  return read.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * If this process is root, Postgres runs as the user nobody, which cannot enter folders such as /root. The data is then
 * in a folder outside of the tree, one for each state folder.
 */
function postgresFolder(state: string, folder: string): string {
  const closed = (path: string): boolean =>
    (statSync(path).mode & 0o001) === 0 || (path !== dirname(path) && closed(dirname(path)));
  if (process.getuid?.() !== 0 || !closed(folder)) return join(folder, 'postgres');
  const outside = `/var/tmp/hamlet-dev-${createHash('sha256')
    .update(state === STATE ? ROOT : state)
    .digest('hex')
    .slice(0, 12)}`;
  mkdirSync(outside, { recursive: true });
  return join(outside, 'postgres');
}

/**
 * Opens `.hamlet`, the folder of the development village, or the folder of a test. The tokens stay the same between
 * starts.
 */
export function openDevFolder(state = STATE): DevFolder {
  const folder = join(state, 'dev');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(state, 'log'), { recursive: true });
  const apiKeysFile = join(folder, 'api-keys.json');
  const bootstrapCodeFile = join(folder, 'bootstrap-code');
  const modelKeys = join(folder, 'model-keys');
  const credentialKeys = join(folder, 'credential-keys');
  for (const secret of [modelKeys, credentialKeys]) mkdirSync(secret, { recursive: true, mode: 0o700 });
  writeSecret(join(credentialKeys, 'first'), () => randomBytes(32).toString('base64'));
  writeSecret(join(credentialKeys, 'current'), () => 'first');
  const secrets = writeSecret(apiKeysFile, () =>
    JSON.stringify({
      adminToken: newToken('admin'),
      memberToken: newToken('member'),
      operatorToken: newToken('operator'),
      agentTokens: Object.fromEntries(AGENTS.map((id) => [id, newToken(id)])),
    }),
  );
  const postgresData = postgresFolder(state, folder);
  return {
    file: join(state, 'dev.json'),
    log: join(state, 'log', 'dev.log'),
    postgresData,
    sealedLog: join(dirname(postgresData), 'sealed-log'),
    apiKeysFile,
    modelKeys,
    credentialKeys,
    bootstrapCodeFile,
    secrets: readSecrets(apiKeysFile, secrets),
    bootstrapCode: writeSecret(bootstrapCodeFile, () => randomBytes(9).toString('base64url')),
    resident: (agentId) => {
      const home = join(folder, 'residents', agentId);
      mkdirSync(home, { recursive: true });
      return home;
    },
  };
}

/** The running development village; null if none runs. Removes an unreadable or stale file. */
export function readDevFile(state = STATE): DevFile | null {
  const file = join(state, 'dev.json');
  if (!existsSync(file)) return null;
  const parsed = DevFile.safeParse(jsonOf(readFileSync(file, 'utf8')));
  if (parsed.success && isAlive(parsed.data.pid)) return parsed.data;
  rmSync(file, { force: true });
  return null;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
