import { z } from 'zod';
import { FRAMING_HEADERS } from '../kinds/egress-rules.ts';

/** Limits of egress rules, which come from untrusted manifests. */
export const MAX_EGRESS_RULES = 100;
/** In total: rules of village, tier, agent, its repository and registries. */
const MAX_POLICY_RULES = 300;
const MAX_HOST_LENGTH = 253;
const MAX_PATH_LENGTH = 1024;

/** `example.org`, an address, or `*.example.org` for every name below it but not for `example.org` itself. */
export const HostPattern = z
  .string()
  .max(MAX_HOST_LENGTH)
  .regex(/^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$|^[0-9a-f:]+$/);

/** Segments of a path: `*` is any one segment, `**` at the end is any number of them. */
export const PathPattern = z
  .string()
  .max(MAX_PATH_LENGTH)
  .regex(/^(\/[^/?#*]+|\/\*)*(\/\*\*|\/)?$/);

export const HttpMethod = z.string().regex(/^[A-Z]{3,16}$/);

/** A header name in lower case that can carry a secret. */
export const HeaderName = z
  .string()
  .max(64)
  .regex(new RegExp(`^(?!(?:${FRAMING_HEADERS.join('|')})$)[a-z0-9]+(-[a-z0-9]+)*$`));
export const SecretUser = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[!-9;-~]*$/);
export const MAX_PUSH_OPTIONS = 16;
export const PushOption = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[ -~]*$/);

/** An egress rule. Without methods and paths, the broker tunnels bytes unread. */
export const EgressRule = z.strictObject({
  host: HostPattern,
  ports: z.array(z.int().min(1).max(65_535)).min(1).max(16).default([443]),
  methods: z.array(HttpMethod).min(1).max(16).optional(),
  paths: z.array(PathPattern).min(1).max(32).optional(),
  /** Bytes in both directions in an hour, in total for all attempts under this rule. */
  bytesPerHour: z.int().min(1).max(1e12).optional(),
  /** The broker replaces the placeholder of this secret in requests with its value. */
  secret: z.string().max(253).optional(),
  /** Header of the secret; `authorization` by default. */
  secretHeader: HeaderName.optional(),
  /** User of Basic credentials with the secret; `x-access-token` by default. */
  secretUser: SecretUser.optional(),
  /** `Allow`: the broker may send the secret without TLS. */
  plaintextSecret: z.literal('Allow').optional(),
  /** Allowed options of pushes (`git push -o`); none by default. */
  pushOptions: z.array(PushOption).max(MAX_PUSH_OPTIONS).optional(),
  /** `Allow`: writes under this rule need no person's permission. */
  writes: z.enum(['Ask', 'Allow']).optional(),
});
export type EgressRule = z.infer<typeof EgressRule>;

/** Hosts and requests that stay closed even if a rule allows them; on all ports if none are given. */
export const EgressBan = EgressRule.pick({ host: true, methods: true, paths: true }).extend({
  ports: EgressRule.shape.ports.unwrap().optional(),
});
export type EgressBan = z.infer<typeof EgressBan>;

const MAX_CLOSED_CIDRS = 64;
const Cidr = z.union([z.cidrv4(), z.cidrv6()]);

/** A host in the owner's network that pods may reach; all other private addresses are refused. */
export const PrivateOpening = z.strictObject({
  host: HostPattern,
  cidr: z.string().max(49),
  ports: z.array(z.int().min(1).max(65_535)).min(1).max(16),
});
export type PrivateOpening = z.infer<typeof PrivateOpening>;

export const REGISTRIES = ['apt', 'pip', 'npm', 'crates', 'go'] as const;
export type Registry = (typeof REGISTRIES)[number];

/** An enabled package registry, with the base address of its index. */
const Upstream = z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(MAX_PATH_LENGTH) });

/** All that the broker needs to judge the attempts of one agent. */
export const EgressPolicy = z.strictObject({
  version: z.string().max(64),
  allow: z.array(EgressRule).max(MAX_POLICY_RULES),
  deny: z.array(EgressBan).max(MAX_POLICY_RULES),
  openings: z.array(PrivateOpening).max(MAX_EGRESS_RULES),
  /** Networks with public addresses that count as the owner's own. */
  closedCidrs: z.array(Cidr).max(MAX_CLOSED_CIDRS).default([]),
  registries: z.partialRecord(z.enum(REGISTRIES), Upstream).default({}),
});
export type EgressPolicy = z.infer<typeof EgressPolicy>;

/** `true`: the usual index. An address: another index, with the further hosts that it links to in `hosts`. */
const RegistrySwitch = z.union([z.boolean(), Upstream.extend({ hosts: z.array(HostPattern).max(16).default([]) })]);

const SEARCH_URLS = { brave: 'https://api.search.brave.com/res/v1/web/search' } as const;

/** The service behind the tool `web_search`: SearxNG with its JSON answers, or the API of Brave. */
export const SearchService = z
  .strictObject({
    kind: z.enum(['searxng', 'brave']),
    url: z
      .url({ protocol: /^https?$/ })
      .max(MAX_PATH_LENGTH)
      .optional(),
    secretName: z.string().min(1).max(253).optional(),
  })
  .transform(({ kind, url = SEARCH_URLS.brave, secretName = null }) => ({ kind, url, secret: secretName }))
  .refine(({ kind, url }) => kind === 'brave' || url !== SEARCH_URLS.brave, 'searxng needs the url of its /search')
  .refine(({ kind, secret }) => kind === 'searxng' || secret !== null, 'brave needs the secretName of its key');

export const OUTSIDE_AGENT_NAME_MAX_CHARS = 40;
const MAX_OUTSIDE_AGENTS = 16;

/** An agent of another system, which the tool `call_agent` calls over A2A 1.0 (JSON-RPC). */
export const OutsideAgent = z
  .strictObject({
    name: z
      .string()
      .max(OUTSIDE_AGENT_NAME_MAX_CHARS)
      .regex(/^[a-z][a-z0-9-]*$/, "write lower case letters, digits and '-', for example weather"),
    /** The address of its JSON-RPC interface, as its card names it. */
    url: z
      .url({ protocol: /^https?$/ })
      .max(MAX_PATH_LENGTH)
      .refine((url) => PathPattern.safeParse(URL.parse(url)?.pathname).success, 'write an address with a plain path')
      .refine((url) => URL.parse(url)?.username === '', 'write an address without a user: name a Secret'),
    /** Secret with the bearer token of the requests; also in `secretNames`. */
    secretName: z.string().min(1).max(253).optional(),
    /** `Allow`: its calls need no permission of a person in the broker. */
    writes: z.enum(['Ask', 'Allow']).default('Ask'),
  })
  .transform(({ secretName = null, ...agent }) => ({ ...agent, secret: secretName }));

/** The village's egress rules for all agents. Its denials override rules of tiers and agents. */
export const VillageEgress = z.strictObject({
  allow: z
    .array(
      EgressRule.omit({
        secret: true,
        secretHeader: true,
        secretUser: true,
        plaintextSecret: true,
        pushOptions: true,
        writes: true,
      }),
    )
    .max(MAX_EGRESS_RULES)
    .default([]),
  deny: z.array(EgressBan).max(MAX_EGRESS_RULES).default([]),
  openings: z.array(PrivateOpening).max(MAX_EGRESS_RULES).default([]),
  closedCidrs: z.array(Cidr).max(MAX_CLOSED_CIDRS).default([]),
  registries: z.partialRecord(z.enum(REGISTRIES), RegistrySwitch).default({}),
  search: SearchService.nullable().default(null),
  agents: z
    .array(OutsideAgent)
    .max(MAX_OUTSIDE_AGENTS)
    .refine((agents) => new Set(agents.map(({ name }) => name)).size === agents.length, 'give each agent its own name')
    .default([]),
});
export type VillageEgress = z.infer<typeof VillageEgress>;

/** Codes of the broker's refusals: stable, and part of the audit. */
export const EGRESS_REFUSALS = [
  'egress_not_allowed',
  'egress_denied',
  'egress_address_refused',
  'egress_name_unknown',
  'egress_unreachable',
  'egress_name_differs',
  'egress_not_tls',
  'egress_path_unclear',
  'egress_bytes_spent',
  'egress_too_many',
  'egress_agent_stopped',
  'egress_identity_refused',
  'egress_log_unavailable',
  'egress_bad_request',
  'egress_request_unclear',
  'egress_push_ref',
  'egress_push_unclear',
  'egress_push_option',
  'egress_secret_refused',
  'egress_secret_returned',
  'egress_answer_unreadable',
  'egress_registry_off',
  'egress_git_refused',
  'egress_no_run',
  'egress_run_cancelled',
  'egress_policy_denied',
  'egress_person_denied',
  'egress_permission_expired',
  'egress_permission_stale',
  'egress_write_withdrawn',
  'egress_write_differs',
] as const;
export type EgressRefusalCode = (typeof EGRESS_REFUSALS)[number];

export const isEgressRefusal = (code: string): code is EgressRefusalCode =>
  (EGRESS_REFUSALS as readonly string[]).includes(code);

/**
 * Kinds of writes that leave a pod: a push of git to the agent's own branches or elsewhere, a publication in a registry
 * of packages, a checkout page, and every other request that changes something.
 */
export const EGRESS_WRITES = ['push', 'push_elsewhere', 'publish', 'checkout', 'write'] as const;
export type EgressWriteKind = (typeof EGRESS_WRITES)[number];

/** Tool names for writes that leave a pod, in permissions, effects and run events. No tool has these names. */
export const EGRESS_TOOLS: Readonly<Record<EgressWriteKind, string>> = {
  push: 'git_push',
  push_elsewhere: 'git_push_elsewhere',
  publish: 'publish_package',
  checkout: 'open_checkout',
  write: 'send_request',
};

/** Tool name of a request to open a host that no rule opens. No tool has this name. */
export const REACH_HOST = 'reach_host';

/** Seconds for which a program waits in the broker until an admin opens a host. The request stays open for longer. */
export const EGRESS_HOST_HELD_S = 120;

/** All names under which the broker asks people. */
export const BROKER_TOOLS: readonly string[] = [...Object.values(EGRESS_TOOLS), REACH_HOST];

export const isEgressTool = (tool: string): boolean => BROKER_TOOLS.includes(tool);

/** Requests that only an admin may allow: they open a host, or a push leaves the agent's own branches. */
export const ADMIN_TOOLS: readonly string[] = [REACH_HOST, EGRESS_TOOLS.push_elsewhere];

export const needsAdmin = (tool: string): boolean => ADMIN_TOOLS.includes(tool);

/** The placeholder that programs in a pod use instead of a secret. It is useless without the broker. */
export const placeholderOf = (name: string): string => `hamlet-placeholder-${name}`;
