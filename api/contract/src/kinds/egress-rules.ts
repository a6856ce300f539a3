import * as z from 'zod';
import { guarded } from './guarded.ts';
import { matching, ObjectName } from './text.ts';

/** The API server estimates the cost of a pattern by these limits. */
const MAX_RULES = 32;
const MAX_PORTS = 8;
const MAX_PATHS = 8;
const MAX_PATH_CHARS = 256;
const MAX_PUSH_OPTIONS = 8;
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A host, or `*.HOST` for every name below it. */
export const Host = matching(
  '^(\\*[.])?[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$|^[0-9a-f]*:[0-9a-f:]+$',
  253,
  'write a host in lower case, for example api.example.org, or *.example.org for every name below it',
);

const Path = matching(
  '^(/[^/?#*]+|/\\*)*(/\\*\\*|/)?$',
  MAX_PATH_CHARS,
  'write a path such as /repos/team/**: * is one segment, ** at the end any number of them',
);

/** Hop-by-hop headers and those that frame the body, which cannot carry a secret. */
export const FRAMING_HEADERS = [
  'connection',
  'content-length',
  'host',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

const HEADER_MESSAGE = 'write the name of a header in lower case, such as x-api-key';
const HeaderName = guarded(matching('^[a-z0-9]+(-[a-z0-9]+)*$', 64, HEADER_MESSAGE), [
  {
    holds: (value) => !FRAMING_HEADERS.some((header) => header === value),
    rule: `!(self in ['${FRAMING_HEADERS.join("', '")}'])`,
    message: `${HEADER_MESSAGE}; connection, host and the headers that frame a body cannot carry a secret`,
  },
]);

const Ports = z.array(z.int().min(1).max(65_535)).min(1).max(MAX_PORTS);

const place = {
  host: Host.describe('Host, or *.HOST for every name below it but not for HOST itself.'),
  methods: z
    .array(z.enum(METHODS))
    .min(1)
    .max(METHODS.length)
    .optional()
    .describe(
      'HTTP methods. With methods, paths, a secret or writes: Ask, the broker reads each request; without them it passes TLS through.',
    ),
  paths: z.array(Path).min(1).max(MAX_PATHS).optional().describe('Paths, without a query.'),
};

const allowing = {
  ...place,
  ports: Ports.optional().describe('Ports; 443 if absent.'),
  bytesPerHour: z
    .int()
    .min(1)
    .max(1_000_000_000_000)
    .optional()
    .describe('Bytes in both directions in an hour, in total for all attempts under this rule.'),
};

const Denying = z.strictObject({ ...place, ports: Ports.optional().describe('Ports; all if absent.') });

const deny = z
  .array(Denying)
  .max(MAX_RULES)
  .optional()
  .describe('Hosts and requests that stay closed, even if another rule allows them.');

/** Egress rules of a tier, for agents whose specs have none. They name no secrets, because a secret belongs to one agent. */
export const TierEgress = z.strictObject({
  allow: z
    .array(z.strictObject(allowing))
    .max(MAX_RULES)
    .optional()
    .describe('Hosts that an agent of the tier may reach if its own spec lists none.'),
  deny,
});
export type TierEgress = z.infer<typeof TierEgress>;

export const AgentEgress = z.strictObject({
  allow: z
    .array(
      z.strictObject({
        ...allowing,
        secret: ObjectName.optional().describe(
          'Secret with the label hamlet.village/egress: "true"; the broker replaces its placeholder in requests with its value.',
        ),
        secretHeader: HeaderName.optional().describe(
          'Header of the secret in lower case, such as x-api-key; authorization by default. The broker puts the secret only into this header.',
        ),
        secretUser: matching('^[!-9;-~]+$', 64, 'write a user without a colon')
          .optional()
          .describe('User of Basic credentials with the secret; x-access-token by default.'),
        plaintextSecret: z
          .enum(['Allow'])
          .optional()
          .describe('Allow: the broker may send the secret without TLS. By default it sends the secret only over TLS.'),
        pushOptions: z
          .array(matching('^[ -~]+$', 200, 'write the option as git push -o sends it, such as ci.skip'))
          .max(MAX_PUSH_OPTIONS)
          .optional()
          .describe('Allowed options of git push (-o), exactly as they are sent; none by default.'),
        writes: z
          .enum(['Ask', 'Allow'])
          .optional()
          .describe(
            'Ask, the default: a person must permit each write, for example a POST. Allow: writes under this rule need no permission. Pushes, packages and checkout pages always need one.',
          ),
      }),
    )
    .max(MAX_RULES)
    .optional()
    .describe("Hosts that the agent may reach, besides those of the village; by default the list of the agent's tier."),
  deny,
});
export type AgentEgress = z.infer<typeof AgentEgress>;
