import { AiDollars, parseAiDollars, PriceList, TimeZone, VillageRules } from '@hamlet/contract';
import { checkVillageRules, DEFAULT_VILLAGE_RULES } from '@hamlet/core';
import { listenAt } from '@hamlet/kube/service';
import { z } from 'zod';
import { MODELS_ENVIRONMENT, modelsSettingsOf } from '../gateway/models/models-environment.ts';
import { MAIL_ENVIRONMENT, mailSettingsOf } from '../notices/mail-settings.ts';
import { PUSH_ENVIRONMENT, pushSettingsOf } from '../notices/push/push-settings.ts';
import { OIDC_ENVIRONMENT, oidcSettingsOf } from '../people/oidc-settings.ts';
import { RepositoryMembers } from '../memory/repository-access.ts';
import { proxyTrust, type ProxyTrust } from '../http/client-address.ts';
import { FIGURES_ENVIRONMENT, figuresSettingsOf } from '../figures/figures-settings.ts';
import { PAYMENT_VARIABLES, paymentsConfigOf } from '../money/payments/payments-config.ts';
import { TRACING_ENVIRONMENT, tracingSettingsOf } from '../tracing/tracing-settings.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** `host:port`; port 0 stands for any free port. */
const Listen = z
  .string()
  .regex(/^(\[[0-9a-f:]+\]|[^:]+):\d{1,5}$/, 'write host:port, for example 127.0.0.1:8080')
  .transform((text): HostPort => listenAt(text));

function parsed(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: `write JSON: ${error instanceof Error ? error.message : String(error)}`,
    });
    return z.NEVER;
  }
}

const optional = (description: string) => z.string().optional().describe(description);
const required = (description: string) => z.string().min(1).describe(description);

function whole(
  description: string,
  { min, max, preset }: { readonly min: number; readonly max?: number; readonly preset: number },
) {
  const number = z.coerce.number().int().min(min);
  return (max === undefined ? number : number.max(max)).default(preset).describe(description);
}

const Environment = z.object({
  HAMLET_POSTGRES_URL: required(
    'Postgres as the role app; ?connect_timeout= is the timeout of a connection in seconds (5), ?sslmode=verify-full requires TLS, ?sslrootcert= is a file of its authorities',
  ),
  HAMLET_POSTGRES_PASSWORD: optional('password of HAMLET_POSTGRES_URL, if that has none'),
  HAMLET_REDIS_URL: required(
    'Redis, for messages, counters and jobs of the replicas; rediss:// requires TLS, ?sslrootcert= is a file of its authorities',
  ),
  HAMLET_REDIS_PASSWORD: optional('password of HAMLET_REDIS_URL, if that has none'),
  HAMLET_PEOPLE_LISTEN: Listen.default({ host: '127.0.0.1', port: 8080 }).describe(
    'host:port for people: web and API (127.0.0.1:8080)',
  ),
  HAMLET_AGENTS_LISTEN: Listen.optional().describe(
    'host:port for agents and the operator; without it the people listener serves them too',
  ),
  HAMLET_METRICS_LISTEN: Listen.default({ host: '127.0.0.1', port: 9090 }).describe(
    'host:port for /metrics (127.0.0.1:9090)',
  ),
  HAMLET_AGENT_SOURCE: z
    .enum(['kubernetes', 'samples'])
    .default('kubernetes')
    .describe('kubernetes or samples: source of the agents'),
  HAMLET_SAMPLES_DIR: optional('folder of good-agent-*.yaml and good-entitlement-*.yaml, for the source samples'),
  HAMLET_NAMESPACE: z.string().default('hamlet').describe('namespace of the village (hamlet)'),
  HAMLET_KUBECONFIG: optional('kubeconfig to use outside of a pod'),
  HAMLET_BOOTSTRAP_CODE_FILE: optional('file with the one-time code for the first admin'),
  HAMLET_API_KEYS_FILE: optional('JSON file {adminToken, memberToken, operatorToken, brokerToken, agentTokens}'),
  ...OIDC_ENVIRONMENT,
  ...MAIL_ENVIRONMENT,
  ...PUSH_ENVIRONMENT,
  HAMLET_WEB_DIR: optional('folder of the built web, served at /'),
  HAMLET_TRUSTED_PROXIES: z
    .string()
    .default('loopback')
    .describe(
      'trusted proxies, whose X-Forwarded-For the api reads: addresses, networks, loopback, linklocal, uniquelocal; comma separated (loopback)',
    ),
  HAMLET_TRUSTED_PROXY_HOPS: whole('number of trusted proxies in a row (1)', { min: 1, max: 10, preset: 1 }),
  HAMLET_RATE_LIMIT: whole('requests a minute for each address, and for each person (6000)', { min: 1, preset: 6_000 }),
  HAMLET_SOCKETS_PER_ADDRESS: whole(
    'maximum websockets of one address on a replica; its limit of connections is four times as high (250)',
    { min: 1, preset: 250 },
  ),
  HAMLET_TIME_ZONE: TimeZone.default('UTC').describe("time zone of the village's day (UTC)"),
  HAMLET_DAILY_ALLOWANCE: AiDollars.default('10').describe(
    'aiDollars that a member may give and take in a day, together (10)',
  ),
  HAMLET_REWARD_LIMIT: AiDollars.optional().describe(
    'aiDollars that an admin may give as rewards in a day (as much as HAMLET_CREDIT_LIMIT)',
  ),
  HAMLET_PRICE_LIST: z
    .string()
    .default('{}')
    .transform(parsed)
    .pipe(PriceList)
    .describe('JSON with prices of compute beyond the tier, as in price_list of GET /economy/quote ({}: the defaults)'),
  HAMLET_TOOL_RULES: z
    .string()
    .optional()
    .transform((text, context) => (text === undefined ? DEFAULT_VILLAGE_RULES : parsed(text, context)))
    .pipe(VillageRules)
    .superRefine((rules, context) => {
      for (const message of checkVillageRules(rules)) context.addIssue({ code: 'custom', message });
    })
    .describe(
      'JSON list of rules for the tools of agents, {tools, when?, verdict, reason?, tainted?, examples?} (all allowed; in a run, spending asks a person)',
    ),
  HAMLET_EDITABLE_RULES: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('true if admins may replace these rules in the web, but for the denials (true)'),
  HAMLET_REPOSITORIES: z
    .string()
    .default('[]')
    .transform(parsed)
    .pipe(RepositoryMembers)
    .describe(
      'JSON list {repository, members}: on which repositories members may open sessions and read the memory, besides those of agents ([])',
    ),
  ...PAYMENT_VARIABLES,
  ...MODELS_ENVIRONMENT,
  ...FIGURES_ENVIRONMENT,
  HAMLET_LOG_KEY_FILE: optional(
    'PEM file of the Ed25519 key that signs the sealed log; without it the api creates one in HAMLET_LOG_DIR',
  ),
  HAMLET_LOG_DIR: optional('folder for checkpoints of the sealed log, outside of the database'),
  HAMLET_LOG_ORIGIN: z
    .string()
    .regex(/^[^\s+]{1,200}$/, 'write a name without spaces or plus signs')
    .optional()
    .describe('origin of the sealed log (hamlet.village/NAMESPACE)'),
  HAMLET_TURN_DAYS: whole('days to keep the text of a turn; 0 keeps it permanently (30)', {
    min: 0,
    max: 36_500,
    preset: 30,
  }),
  HAMLET_SESSION_DAYS: whole('days to keep the texts of a session after its end; 0 keeps them permanently (30)', {
    min: 0,
    max: 36_500,
    preset: 30,
  }),
  HAMLET_TELEGRAM_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.telegram.org')
    .describe('origin of the Bot API of Telegram (https://api.telegram.org)'),
  HAMLET_SLACK_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://slack.com')
    .describe('origin of the Web API of Slack (https://slack.com)'),
  HAMLET_EGRESS_FILE: optional(
    'JSON file {allow, deny, openings, closedCidrs, registries}: the hosts that all agents may reach',
  ),
  HAMLET_EGRESS_DAYS: whole("days to keep records of agents' outgoing requests; 0 keeps them permanently (90)", {
    min: 0,
    max: 36_500,
    preset: 90,
  }),
  HAMLET_MIGRATE_MAP_TO: z
    .string()
    .max(64)
    .optional()
    .describe(
      'version of the map to which the api may move the saved world; if it refuses to start on another map, it names the version',
    ),
  ...TRACING_ENVIRONMENT,
  HAMLET_STRICT_ANSWERS: z
    .enum(['0', '1'])
    .default('0')
    .describe('1: an answer outside the contract fails; 0: the api logs it'),
  HAMLET_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('debug, info, warn or error (info)'),
});

export type Config = ReturnType<typeof readConfig>;

function readEnvironment<S extends z.ZodType>(schema: S, environment: unknown): z.output<S> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
}

/** Reads the configuration. Throws an Error that names every invalid variable and its fix. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const env = readEnvironment(
    Environment,
    Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')),
  );
  return {
    postgresUrl: withPassword(env, 'HAMLET_POSTGRES_URL', env.HAMLET_POSTGRES_PASSWORD),
    redisUrl: withPassword(env, 'HAMLET_REDIS_URL', env.HAMLET_REDIS_PASSWORD),
    peopleListen: env.HAMLET_PEOPLE_LISTEN,
    agentsListen: env.HAMLET_AGENTS_LISTEN,
    metricsListen: env.HAMLET_METRICS_LISTEN,
    agents: agentsOf(env),
    namespace: env.HAMLET_NAMESPACE,
    bootstrapCodeFile: env.HAMLET_BOOTSTRAP_CODE_FILE,
    apiKeysFile: env.HAMLET_API_KEYS_FILE,
    oidc: oidcSettingsOf(env),
    mail: mailSettingsOf(env),
    push: pushSettingsOf(env),
    webDir: env.HAMLET_WEB_DIR,
    proxyTrust: trustOf(env),
    requestsPerMinute: env.HAMLET_RATE_LIMIT,
    socketsPerAddress: env.HAMLET_SOCKETS_PER_ADDRESS,
    economy: {
      timeZone: env.HAMLET_TIME_ZONE,
      dailyAllowance: parseAiDollars(env.HAMLET_DAILY_ALLOWANCE),
      rewardLimit: parseAiDollars(env.HAMLET_REWARD_LIMIT ?? env.HAMLET_CREDIT_LIMIT),
    },
    prices: env.HAMLET_PRICE_LIST,
    rules: { rules: env.HAMLET_TOOL_RULES, editable: env.HAMLET_EDITABLE_RULES },
    repositories: env.HAMLET_REPOSITORIES,
    payments: paymentsConfigOf(env),
    models: modelsSettingsOf(env),
    figures: figuresSettingsOf(env),
    tracing: tracingSettingsOf(env),
    sealing: {
      keyFile: env.HAMLET_LOG_KEY_FILE,
      folder: env.HAMLET_LOG_DIR,
      origin: env.HAMLET_LOG_ORIGIN ?? `hamlet.village/${env.HAMLET_NAMESPACE}`,
    },
    turnDays: env.HAMLET_TURN_DAYS,
    sessionDays: env.HAMLET_SESSION_DAYS,
    telegramUrl: new URL(env.HAMLET_TELEGRAM_URL).origin,
    slackUrl: new URL(env.HAMLET_SLACK_URL).origin,
    egressFile: env.HAMLET_EGRESS_FILE,
    egressDays: env.HAMLET_EGRESS_DAYS,
    migrateMapTo: env.HAMLET_MIGRATE_MAP_TO,
    strictAnswers: env.HAMLET_STRICT_ANSWERS === '1',
    logLevel: env.HAMLET_LOG_LEVEL,
  };
}

/** The connection string with the password, which may have any characters. Throws an Error that names the variable if it is not a URL. */
function withPassword<N extends string>(
  env: Readonly<Record<N, string>>,
  name: N,
  password: string | undefined,
): string {
  if (password === undefined) return env[name];
  const url = URL.parse(env[name]);
  if (url === null)
    throw new Error(`${name}: this is not a URL. Fix: write for example postgres://app@db.example.org:5432/hamlet`);
  url.password = encodeURIComponent(password);
  return url.href;
}

function trustOf({
  HAMLET_TRUSTED_PROXIES: proxies,
  HAMLET_TRUSTED_PROXY_HOPS: hops,
}: z.infer<typeof Environment>): ProxyTrust {
  try {
    return proxyTrust(proxies, hops);
  } catch (error) {
    throw new Error(`HAMLET_TRUSTED_PROXIES: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function agentsOf(
  env: z.infer<typeof Environment>,
):
  | { readonly source: 'kubernetes'; readonly kubeconfig: string | undefined }
  | { readonly source: 'samples'; readonly folder: string } {
  if (env.HAMLET_AGENT_SOURCE === 'kubernetes') return { source: 'kubernetes', kubeconfig: env.HAMLET_KUBECONFIG };
  if (env.HAMLET_SAMPLES_DIR === undefined)
    throw new Error('HAMLET_SAMPLES_DIR: name the folder of the samples, for example crds/samples');
  return { source: 'samples', folder: env.HAMLET_SAMPLES_DIR };
}

const MigrationEnvironment = z.object({
  HAMLET_POSTGRES_URL: Environment.shape.HAMLET_POSTGRES_URL,
  HAMLET_POSTGRES_PASSWORD: Environment.shape.HAMLET_POSTGRES_PASSWORD,
  HAMLET_POSTGRES_OWNER_URL: required(
    '--migrate only: Postgres as the owner of the schema; the api itself never needs it',
  ),
  HAMLET_POSTGRES_OWNER_PASSWORD: optional('--migrate only: password of HAMLET_POSTGRES_OWNER_URL, if that has none'),
});

export interface MigrationConfig {
  readonly ownerUrl: string;
  readonly appUrl: string;
}

export function readMigrationConfig(environment: Readonly<Record<string, string | undefined>>): MigrationConfig {
  const env = readEnvironment(MigrationEnvironment, environment);
  return {
    ownerUrl: withPassword(env, 'HAMLET_POSTGRES_OWNER_URL', env.HAMLET_POSTGRES_OWNER_PASSWORD),
    appUrl: withPassword(env, 'HAMLET_POSTGRES_URL', env.HAMLET_POSTGRES_PASSWORD),
  };
}

export function usage(): string {
  const variables = Object.entries({ ...Environment.shape, ...MigrationEnvironment.shape }).map(
    ([name, schema]) => `  ${name.padEnd(28)} ${schema.description ?? ''}`,
  );
  return `hamlet api: the world, its agents, and what people do with them\n\nusage: node api/server/src/main.ts             serves\n       node api/server/src/main.ts --migrate   brings the schema up to date and ends\n       node api/server/src/main.ts --rotate-credentials   seals the stored credentials of models with the current key and ends\n\nenvironment:\n${variables.join('\n')}\n`;
}
