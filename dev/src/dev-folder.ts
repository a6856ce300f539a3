import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

export const ROOT = resolve(import.meta.dirname, '../..');
const STATE = join(ROOT, '.hamlet');
const AGENTS = ['ada', 'bob'] as const;

/** What tools are told of the running development village. */
export const DevFile = z.object({
  url: z.string(),
  adminToken: z.string(),
  memberToken: z.string(),
  agentTokens: z.record(z.enum(AGENTS), z.string()),
  postgresUrl: z.string(),
  redisUrl: z.string(),
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
  /** Beside the database: the one means nothing without the other. */
  readonly sealedLog: string;
  readonly apiKeysFile: string;
  readonly bootstrapCodeFile: string;
  readonly secrets: z.infer<typeof Secrets>;
  readonly bootstrapCode: string;
  /** A folder of one resident. */
  resident(agentId: string): string;
}

function newToken(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('base64url')}`;
}

function writeSecret(file: string, make: () => string): string {
  if (!existsSync(file)) {
    writeFileSync(file, make(), { mode: 0o600 });
    chmodSync(file, 0o600);
  }
  return readFileSync(file, 'utf8');
}

/** Postgres runs as `nobody` under root, who cannot enter a private folder such as /root: its data then lies outside of the tree. */
function postgresFolder(folder: string): string {
  const closed = (path: string): boolean => (statSync(path).mode & 0o001) === 0 || (path !== dirname(path) && closed(dirname(path)));
  if (process.getuid?.() !== 0 || !closed(folder)) return join(folder, 'postgres');
  const outside = `/var/tmp/hamlet-dev-${createHash('sha256').update(ROOT).digest('hex').slice(0, 12)}`;
  mkdirSync(outside, { recursive: true });
  return join(outside, 'postgres');
}

/** The folder of the development village under `.hamlet`, or a test's own, with tokens that stay the same from start to start. */
export function openDevFolder(state = STATE): DevFolder {
  const folder = join(state, 'dev');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(state, 'log'), { recursive: true });
  const apiKeysFile = join(folder, 'api-keys.json');
  const bootstrapCodeFile = join(folder, 'bootstrap-code');
  const secrets = writeSecret(apiKeysFile, () =>
    JSON.stringify({
      adminToken: newToken('admin'),
      memberToken: newToken('member'),
      operatorToken: newToken('operator'),
      agentTokens: Object.fromEntries(AGENTS.map((id) => [id, newToken(id)])),
    }),
  );
  const postgresData = postgresFolder(folder);
  return {
    file: join(state, 'dev.json'),
    log: join(state, 'log', 'dev.log'),
    postgresData,
    sealedLog: join(dirname(postgresData), 'sealed-log'),
    apiKeysFile,
    bootstrapCodeFile,
    secrets: Secrets.parse(JSON.parse(secrets)),
    bootstrapCode: writeSecret(bootstrapCodeFile, () => randomBytes(9).toString('base64url')),
    resident: (agentId) => {
      const home = join(folder, 'residents', agentId);
      mkdirSync(home, { recursive: true });
      return home;
    },
  };
}

/** The development village that runs now; null where none does. */
export function readDevFile(): DevFile | null {
  const file = join(STATE, 'dev.json');
  if (!existsSync(file)) return null;
  const parsed = DevFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
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
