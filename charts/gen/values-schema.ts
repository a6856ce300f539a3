/** The schema of the chart's values. Every object is closed, so that helm refuses a misspelt value instead of ignoring it. */
import { MODEL_SERVERS } from './model-servers-schema.ts';
import { byName, closed, name, quantity, text, type Schema } from './schema-parts.ts';

const amounts = closed({ cpu: quantity, memory: quantity, 'ephemeral-storage': quantity });
const resources = closed({ requests: amounts, limits: amounts });
const aiDollars: Schema = { type: 'string', pattern: '^(0|[1-9][0-9]{0,8})([.][0-9]{1,6})?$' };
// No commas, because the chart joins the groups with commas.
const groups: Schema = { type: 'array', items: { type: 'string', pattern: '^[^,]+$' } };
const replicas: Schema = { type: 'integer', minimum: 1, maximum: 16 };
// At least 24 characters, so that a token cannot be guessed.
const token: Schema = { type: 'string', minLength: 24, maxLength: 256, pattern: '^[A-Za-z0-9_-]+$' };

const labels: Schema = { type: 'object', maxProperties: 16, additionalProperties: { type: 'string', maxLength: 63 } };

/** Names in /etc/hosts of a pod. */
const hostAliases: Schema = {
  type: 'array',
  items: closed({ ip: text, hostnames: { type: 'array', items: { type: 'string' } } }),
};
const occasion: Schema = { enum: ['run', 'turn'] };
const toolNames: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 64,
  items: { type: 'string', pattern: '^[a-z][a-zA-Z0-9_.:/-]{0,63}$' },
};
const exampleCalls: Schema = {
  type: 'array',
  maxItems: 32,
  items: { ...closed({ tool: text, when: occasion }), required: ['tool'] },
};
const ruleExamples: Schema = {
  type: 'array',
  maxItems: 32,
  items: {
    ...closed({ tool: text, when: occasion, command: { type: 'string', minLength: 1, maxLength: 2_000 } }),
    required: ['tool'],
  },
};
/** A rule of HAMLET_TOOL_RULES; the api checks it again, with its examples. */
const toolRule: Schema = {
  ...closed({
    tools: toolNames,
    when: occasion,
    verdict: { enum: ['allow', 'ask', 'deny'] },
    reason: { type: 'string', minLength: 1, maxLength: 512 },
    tainted: { enum: ['allow'] },
    examples: closed({ match: ruleExamples, not: ruleExamples }),
    matches: exampleCalls,
    misses: exampleCalls,
  }),
  required: ['tools', 'verdict'],
};

const ports: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 16,
  items: { type: 'integer', minimum: 1, maximum: 65_535 },
};
const texts = (maxItems: number): Schema => ({
  type: 'array',
  minItems: 1,
  maxItems,
  items: { type: 'string', minLength: 1 },
});
const place = { host: { type: 'string', minLength: 1, maxLength: 253 }, ports, methods: texts(16), paths: texts(32) };
/** Parts of HAMLET_EGRESS_FILE; the api checks them again, with the forms of hosts and paths. */
const egressRule: Schema = {
  ...closed({ ...place, bytesPerHour: { type: 'integer', minimum: 1 } }),
  required: ['host'],
};
const egressBan: Schema = { ...closed(place), required: ['host'] };
const opening: Schema = { ...closed({ host: place.host, cidr: text, ports }), required: ['host', 'cidr', 'ports'] };
const registry: Schema = {
  anyOf: [
    { type: 'boolean' },
    {
      ...closed({
        url: { type: 'string', pattern: '^https?://' },
        hosts: { type: 'array', maxItems: 16, items: text },
      }),
      required: ['url'],
    },
  ],
};

const messenger: Schema = closed({
  url: { type: 'string', pattern: '^https?://[^/ ]+/?$' },
  secretNames: { type: 'array', maxItems: 100, items: { ...name, minLength: 1 } },
});

/** An entry of HAMLET_REPOSITORIES; the api checks it again. */
const repositoryMembers: Schema = {
  ...closed({
    repository: { type: 'string', minLength: 1, maxLength: 1_000 },
    members: { type: 'array', minItems: 1, maxItems: 200, items: { type: 'string', minLength: 1, maxLength: 64 } },
  }),
  required: ['repository', 'members'],
};

/** Values of the images and of the api. */
const PROCESSES: Schema = {
  global: { type: 'object' },
  image: closed({
    registry: text,
    tag: text,
    pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
    pullSecrets: { type: 'array', items: name },
  }),
  images: closed({ api: text, operator: text, agent: text, postgres: text, redis: text }),
  core: closed({ nodeName: name }),
  api: closed({
    replicas,
    migrateMapTo: text,
    hostAliases,
    turnDays: { type: 'integer', minimum: 0, maximum: 36_500 },
    sessionDays: { type: 'integer', minimum: 0, maximum: 36_500 },
    toolRules: { type: 'array', maxItems: 64, items: toolRule },
    editableRules: { type: 'boolean' },
    repositories: { type: 'array', maxItems: 100, items: repositoryMembers },
    keys: closed({ adminToken: token, memberToken: token }),
    resources,
  }),
};

/** Money, sign-in and the sealed log. */
const VILLAGE: Schema = {
  economy: closed({
    dailyAllowance: aiDollars,
    timeZone: { type: 'string', pattern: '^(UTC|[A-Z][A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$' },
    creditLimit: aiDollars,
    rewardLimit: { anyOf: [aiDollars, { const: '' }] },
    prices: { type: 'object' },
  }),
  payments: closed({
    paypal: closed({
      mode: { enum: ['off', 'sandbox', 'live'] },
      secretName: name,
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
      rate: aiDollars,
      proxyUrl: text,
    }),
  }),
  oidc: closed({
    issuer: text,
    clientId: text,
    secretName: name,
    name: { type: 'string', maxLength: 64 },
    scope: text,
    groupsClaim: text,
    adminGroups: groups,
    memberGroups: groups,
    publicUrl: text,
  }),
  models: closed({
    config: { type: 'object' },
    keysSecretName: name,
    subscription: { type: 'object' },
    textDays: { type: 'integer', minimum: 0, maximum: 90 },
    ...MODEL_SERVERS,
  }),
  log: closed({ storage: quantity, storageClassName: name }),
};

/** Agents of other systems; the api checks them again. */
const outsideAgent: Schema = {
  ...closed({
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,39}$' },
    url: { type: 'string', pattern: '^https?://' },
    secretName: name,
    writes: { enum: ['Ask', 'Allow'] },
  }),
  required: ['name', 'url'],
};

/** The service of web_search; the api checks it again. */
const search: Schema = {
  anyOf: [
    { type: 'null' },
    {
      ...closed({
        kind: { enum: ['searxng', 'brave'] },
        url: { type: 'string', pattern: '^https?://' },
        secretName: name,
      }),
      required: ['kind'],
    },
  ],
};

/** The name of a server, not an address: its certificate is checked by the name. */
const serverName: Schema = {
  type: 'string',
  pattern: '^(([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])*[a-z]([a-z0-9-]*[a-z0-9])?)?$',
  maxLength: 253,
};
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
/** Postgres and Redis outside of the village. */
const outside = {
  host: serverName,
  port,
  secretName: name,
  caSecretName: name,
  cidrs: { type: 'array', maxItems: 16, items: { type: 'string', pattern: '^[0-9a-f.:]+/[0-9]{1,3}$' } },
};
const database: Schema = { type: 'string', pattern: '^[a-z_][a-z0-9_]{0,62}$' };

const monitor: Schema = closed({
  enabled: { type: 'boolean' },
  interval: { type: 'string', pattern: '^[1-9][0-9]*(s|m)$' },
  labels,
});

const CLUSTER: Schema = {
  operator: closed({ replicas, resources }),
  broker: closed({ replicas, rootsSecretName: name, hostAliases, resources }),
  monitoring: closed({
    prometheusRule: { type: 'boolean' },
    runbookUrl: { type: 'string', pattern: '^(https?://[^#]+)?$' },
    podMonitor: monitor,
    serviceMonitor: monitor,
    modelServers: { type: 'boolean' },
    dashboards: closed({ enabled: { type: 'boolean' }, labels, folder: { type: 'string', maxLength: 64 } }),
    scraperNamespaces: { type: 'array', maxItems: 16, items: name },
  }),
  tracing: closed({
    endpoint: { type: 'string', pattern: '^(https?://[^ ?@]+)?$', maxLength: 512 },
    sampleRatio: { type: 'number', minimum: 0, maximum: 1 },
  }),
  figures: closed({
    enabled: { type: 'boolean' },
    kubeletRootsSecretName: name,
    dcgmUrl: { type: 'string', pattern: '^(http://[^ ]+)?$', maxLength: 512 },
    memoryGuard: closed({
      enabled: { type: 'boolean' },
      availablePercent: { type: 'number', minimum: 0, maximum: 50 },
      stalledPercent: { type: 'number', minimum: 1, maximum: 100 },
    }),
  }),
  seats: closed({ reserve: closed({ cpu: quantity, memory: quantity }) }),
  egress: closed({
    allow: { type: 'array', maxItems: 100, items: egressRule },
    deny: { type: 'array', maxItems: 100, items: egressBan },
    openings: { type: 'array', maxItems: 100, items: opening },
    closedCidrs: { type: 'array', maxItems: 64, items: { type: 'string', maxLength: 49 } },
    registries: closed(Object.fromEntries(['apt', 'pip', 'npm', 'crates', 'go'].map((each) => [each, registry]))),
    search,
    agents: { type: 'array', maxItems: 16, items: outsideAgent },
    secretNames: { type: 'array', maxItems: 100, items: { ...name, minLength: 1 } },
    days: { type: 'integer', minimum: 0, maximum: 36_500 },
  }),
  channels: closed({
    telegram: messenger,
    slack: messenger,
  }),
  mail: closed({
    host: { type: 'string', pattern: '^[A-Za-z0-9.:-]{0,253}$' },
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    tls: { enum: ['starttls', 'tls', 'none'] },
    from: { type: 'string', pattern: '^$|^[^@ ,<>]+@[^@ ,<>]+$', maxLength: 254 },
    user: { type: 'string', maxLength: 254 },
    secretName: name,
  }),
  push: closed({
    enabled: { type: 'boolean' },
    contact: { type: 'string', pattern: '^$|^https://[^ ]+$|^mailto:[^@ ]+@[^ ]+$', maxLength: 254 },
    hosts: {
      type: 'array',
      maxItems: 20,
      items: { type: 'string', pattern: '^([*][.])?[a-z0-9-]+([.][a-z0-9-]+)+$', maxLength: 253 },
    },
  }),
  agentPods: closed({
    tools: { enum: ['full', 'slim'] },
    storageClassName: name,
    userNamespaces: { enum: ['On', 'Off'] },
    appArmor: { enum: ['RuntimeDefault', 'Off'] },
    handsImages: { type: 'array', items: { type: 'string', pattern: '^[^, ]+$' } },
  }),
  postgres: closed({
    external: closed({ ...outside, database }),
    archive: closed({
      enabled: { type: 'boolean' },
      gibibytes: { type: 'integer', minimum: 1, maximum: 65_536 },
      storageClassName: name,
      days: { type: 'integer', minimum: 1, maximum: 365 },
      hours: { type: 'integer', minimum: 1, maximum: 168 },
      resources,
    }),
    storage: quantity,
    storageClassName: name,
    resources,
  }),
  redis: closed({ external: closed({ ...outside, tls: { type: 'boolean' } }), resources }),
  ingress: closed({
    host: text,
    className: name,
    tlsSecretName: name,
    annotations: { type: 'object', additionalProperties: text },
    trustedProxies: text,
    proxyHops: { type: 'integer', minimum: 1, maximum: 10 },
  }),
};

/** The schema of the whole file; `kinds` has the schema of each kind's spec by its plural name. */
export function valuesSchema(kinds: Readonly<Record<string, object>>): Schema {
  const { agents, entitlements } = kinds as Record<string, Schema>;
  if (agents === undefined || entitlements === undefined)
    throw new Error('the CRDs of agents and entitlements are missing');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'make charts: from charts/gen/values-schema.ts and crds/bases',
    ...closed({
      ...PROCESSES,
      ...VILLAGE,
      ...CLUSTER,
      entitlements: byName(entitlements, 253),
      agents: byName(without(agents, ['power', 'rebootedAt']), 40),
    }),
  };
}

/** A kind's spec as a closed JSON schema, without the keywords that only the API server reads. */
export function specSchema(crd: unknown): Schema {
  const { spec } = crd as { spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: Schema } } } }[] } };
  const schema = spec.versions[0]?.schema.openAPIV3Schema.properties.spec;
  if (schema === undefined) throw new Error('a CRD has no version with a schema');
  return closeSchema(schema);
}

function closeSchema(schema: Schema): Schema {
  const entries = Object.entries(schema)
    .filter(([key]) => !key.startsWith('x-kubernetes-') && key !== 'default')
    .map(([key, value]) => [key, closeKeyword(key, value)]);
  const result = Object.fromEntries(entries) as Schema;
  return 'properties' in result && !('additionalProperties' in result)
    ? { ...result, additionalProperties: false }
    : result;
}

function closeKeyword(key: string, value: unknown): unknown {
  if (key === 'properties')
    return Object.fromEntries(
      Object.entries(value as Record<string, Schema>).map(([field, child]) => [field, closeSchema(child)]),
    );
  if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object')
    return closeSchema(value as Schema);
  return value;
}

function without(schema: Schema, fields: readonly string[]): Schema {
  const properties = Object.entries(schema['properties'] as Schema).filter(([field]) => !fields.includes(field));
  return { ...schema, properties: Object.fromEntries(properties) };
}
