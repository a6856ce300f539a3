import { z } from 'zod';

/** Limits of the rules about what leaves a pod: they come from manifests, which strangers may write. */
export const MAX_EGRESS_RULES = 100;
/** Those of village, tier and agent, of its repository and of registries together. */
const MAX_POLICY_RULES = 300;
const MAX_HOST_LENGTH = 253;
const MAX_PATH_LENGTH = 1024;

/** `example.org`, an address, or `*.example.org` for every name below it, without the name itself. */
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

/** A header name in lower case. Headers of one hop and of the body's frame never carry a secret. */
export const HeaderName = z
  .string()
  .max(64)
  .regex(/^(?!(?:connection|content-length|host|te|trailer|transfer-encoding|upgrade)$)[a-z0-9]+(-[a-z0-9]+)*$/);
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

/** A way out of a pod. Without methods and paths, the broker passes bytes on unread. */
export const EgressRule = z.strictObject({
  host: HostPattern,
  ports: z.array(z.int().min(1).max(65_535)).min(1).max(16).default([443]),
  methods: z.array(HttpMethod).min(1).max(16).optional(),
  paths: z.array(PathPattern).min(1).max(32).optional(),
  /** Bytes in both directions within an hour, over all attempts by this rule. */
  bytesPerHour: z.int().min(1).max(1e12).optional(),
  /** The broker sends the value of this secret where the program sent its placeholder. */
  secret: z.string().max(253).optional(),
  /** Header of the secret; `authorization` if absent. */
  secretHeader: HeaderName.optional(),
  /** User of Basic credentials with the secret; `x-access-token` if absent. */
  secretUser: SecretUser.optional(),
  /** `Allow`: the secret may leave without TLS. */
  plaintextSecret: z.literal('Allow').optional(),
  /** Options of pushes (`git push -o`) that may leave; none if absent. */
  pushOptions: z.array(PushOption).max(MAX_PUSH_OPTIONS).optional(),
  /** `Allow`: writes by this rule need no permission of a person. */
  writes: z.enum(['Ask', 'Allow']).optional(),
});
export type EgressRule = z.infer<typeof EgressRule>;

/** A part of the outside that stays closed even if a rule allows it. Without ports it holds for all of them. */
export const EgressBan = EgressRule.pick({ host: true, methods: true, paths: true }).extend({
  ports: EgressRule.shape.ports.unwrap().optional(),
});
export type EgressBan = z.infer<typeof EgressBan>;

const MAX_CLOSED_CIDRS = 64;
const Cidr = z.union([z.cidrv4(), z.cidrv6()]);

/** A host of the owner's own network that pods may reach: without such an entry every private address is refused. */
export const PrivateOpening = z.strictObject({
  host: HostPattern,
  cidr: z.string().max(49),
  ports: z.array(z.int().min(1).max(65_535)).min(1).max(16),
});
export type PrivateOpening = z.infer<typeof PrivateOpening>;

export const REGISTRIES = ['apt', 'pip', 'npm', 'crates', 'go'] as const;
export type Registry = (typeof REGISTRIES)[number];

/** A registry of packages that is switched on: the base address of its index. */
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

/** `true`: the usual index. An address: another one; further hosts that it sends programs to are in `hosts`. */
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

/** The village's part of what agents may reach. Its denials override every rule of tiers and agents. */
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
});
export type VillageEgress = z.infer<typeof VillageEgress>;

/** Why the broker let nothing out. Each is stable, and stands in the audit. */
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
 * Kinds of writes that leave a pod: a push of git, a publication in a registry of packages, a checkout page,
 * and every other request that changes something.
 */
export const EGRESS_WRITES = ['push', 'publish', 'checkout', 'write'] as const;
export type EgressWriteKind = (typeof EGRESS_WRITES)[number];

/** The names by which permissions, effects and events of runs show writes that leave a pod. No call of a run has them. */
export const EGRESS_TOOLS: Readonly<Record<EgressWriteKind, string>> = {
  push: 'git_push',
  publish: 'publish_package',
  checkout: 'open_checkout',
  write: 'send_request',
};

export function isEgressTool(tool: string): boolean {
  return Object.values(EGRESS_TOOLS).includes(tool);
}

/** The text that a program in a pod has in place of a secret. It is worth nothing outside of the broker. */
export const placeholderOf = (name: string): string => `hamlet-placeholder-${name}`;
