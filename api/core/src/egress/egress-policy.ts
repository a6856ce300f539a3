import {
  PathPattern,
  REGISTRIES,
  type EgressPolicy,
  type EgressRule,
  type Registry,
  type VillageEgress,
} from '@hamlet/contract/broker';
import type { AgentEgress, AgentSpec, TierEgress, EgressBan } from '@hamlet/contract';
import type { Sha256 } from '../sealed-log/hashing.ts';
import { concerns, type Destination } from './judge-egress.ts';
import { canonicalPath, fitsPath } from './path.ts';

/** Payment providers with all their subdomains: an agent pays only in aiDollars. */
const PROVIDERS = [
  '2checkout.com',
  'adyen.com',
  'adyenpayments.com',
  'afterpay.com',
  'affirm.com',
  'alipay.com',
  'amazonpay.com',
  'authorize.net',
  'binance.com',
  'bitpay.com',
  'braintree-api.com',
  'braintreegateway.com',
  'cash.app',
  'checkout.com',
  'coinbase.com',
  'cybersource.com',
  'fastspring.com',
  'gocardless.com',
  'klarna.com',
  'kraken.com',
  'lemonsqueezy.com',
  'mangopay.com',
  'mercadopago.com',
  'mollie.com',
  'moonpay.com',
  'nowpayments.io',
  'paddle.com',
  'paypal.com',
  'paypal.me',
  'paypalobjects.com',
  'paysafe.com',
  'paystack.com',
  'payoneer.com',
  'plaid.com',
  'razorpay.com',
  'revolut.com',
  'skrill.com',
  'square.link',
  'squareup.com',
  'squareupsandbox.com',
  'stripe.com',
  'stripe.network',
  'sumup.com',
  'transferwise.com',
  'venmo.com',
  'wepay.com',
  'wise.com',
  'worldpay.com',
  'zellepay.com',
] as const;

export const PAYMENT_BANS: readonly EgressBan[] = PROVIDERS.flatMap((host) => [{ host }, { host: `*.${host}` }]);

const READING = ['GET', 'HEAD'];

/** The usual index of each registry, and the hosts that it links to. */
export const USUAL_REGISTRIES: Readonly<Record<Registry, { readonly url: string; readonly hosts: readonly string[] }>> =
  {
    apt: { url: 'http://deb.debian.org/', hosts: ['security.debian.org'] },
    pip: { url: 'https://pypi.org/simple/', hosts: ['files.pythonhosted.org'] },
    npm: { url: 'https://registry.npmjs.org/', hosts: [] },
    crates: { url: 'https://index.crates.io/', hosts: ['static.crates.io', 'crates.io'] },
    go: { url: 'https://proxy.golang.org/', hosts: ['sum.golang.org'] },
  };

export interface EgressLayers {
  readonly village: VillageEgress;
  readonly tier: TierEgress | undefined;
  readonly agent: Pick<AgentSpec, 'egress' | 'repository'> | undefined;
}

type WrittenRule = NonNullable<AgentEgress['allow']>[number];

/** Rules as written in manifests, without defaults. */
function writtenRules(rules: readonly WrittenRule[] = []): readonly EgressRule[] {
  return rules.map(({ ports = [443], ...rest }) => ({ ...rest, ports }));
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'http:' ? 80 : 443;
}

interface OpenRegistry {
  readonly name: Registry;
  readonly url: string;
  readonly hosts: readonly string[];
}

function openRegistries(village: VillageEgress): readonly OpenRegistry[] {
  return REGISTRIES.flatMap((name) => {
    const given = village.registries[name];
    if (given === undefined || given === false) return [];
    const { url, hosts } = given === true ? USUAL_REGISTRIES[name] : given;
    return [{ name, url, hosts }];
  });
}

function rulesOfRegistry({ url, hosts }: OpenRegistry): readonly EgressRule[] {
  const index = new URL(url);
  return [
    { host: index.hostname, ports: [portOf(index)], methods: [...READING] },
    ...hosts.map((host) => ({ host, ports: [...new Set([portOf(index), 443])], methods: [...READING] })),
  ];
}

/** The paths at which git requests a repository, with and without the suffix `.git`; empty for a name that git hosts refuse. */
function pathsOf(pathname: string): readonly string[] {
  const bare = pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  const paths = [`${bare}.git/**`, `${bare}/**`];
  return bare !== '' && paths.every((path) => PathPattern.safeParse(path).success) ? paths : [];
}

/** Opens exactly the repository of the spec over HTTPS; the broker does not carry SSH. */
function rulesOfRepository(repository: AgentSpec['repository']): readonly EgressRule[] {
  if (repository === undefined || !URL.canParse(repository.url)) return [];
  const url = new URL(repository.url);
  const paths = pathsOf(url.pathname);
  if (url.protocol !== 'https:' || paths.length === 0) return [];
  const { secretName: secret } = repository;
  return [
    {
      host: url.hostname,
      ports: [portOf(url)],
      methods: ['GET', 'POST'],
      paths: [...paths],
      ...(secret === undefined ? {} : { secret }),
    },
  ];
}

/**
 * Requests for packages. Other pages on the index's host, such as issues of a forge with a registry, can contain text
 * from strangers.
 */
function packagesOf(registry: OpenRegistry): readonly EgressRule[] {
  const { pathname } = new URL(registry.url);
  // A pip index keeps its files next to its path `simple`; next to `/simple` of pypi.org are pages about packages.
  const place = pathname.replace(/\/+$/, '').replace(/(?<=.)\/\+?simple$/, '');
  const [index, ...linked] = rulesOfRegistry(registry);
  return index === undefined ? [] : [{ ...index, paths: [`${place}/**`] }, ...linked];
}

/** The requests of git over HTTPS, below the address of a repository. Pages beside them can have words of strangers. */
const GIT_REQUESTS = ['info/refs', 'git-upload-pack', 'git-receive-pack'] as const;
const gitRequests = ({ paths = [] }: EgressRule): readonly string[] =>
  paths.flatMap((open) => GIT_REQUESTS.map((request) => open.replace(/\*\*$/, request)));

type Asked = Destination & Readonly<{ method: string | null; path: string | null; proposals?: boolean | undefined }>;

/**
 * True if a request goes to a source that an admin chose for the agent: its own repository, as git reads and writes it, or
 * a registry that the village opened: below the address of its index, or at a host that it links to. False for a tunnel,
 * whose requests are unknown, for a fetch of proposals, which strangers make, and for other pages of the repository, even at a host that a registry links to. Pure.
 */
export function isSupply({ village, agent }: Pick<EgressLayers, 'village' | 'agent'>, asked: Asked): boolean {
  const { method, proposals = false } = asked;
  const path = canonicalPath(asked.path ?? '');
  if (method === null || path === null || proposals) return false;
  const isHere = concerns(asked);
  const isAt = ({ paths = ['/**'] }: EgressRule): boolean => paths.some((open) => fitsPath(open, path));
  const own = rulesOfRepository(agent?.repository).filter((rule) => isHere(rule) && isAt(rule));
  if (own.length > 0) return own.flatMap(gitRequests).some((request) => fitsPath(request, path));
  return (
    READING.includes(method) &&
    openRegistries(village)
      .flatMap(packagesOf)
      .some((rule) => isHere(rule) && isAt(rule))
  );
}

/** The header of Brave's API key. */
const SEARCH_KEY_HEADER = 'x-subscription-token';
/** Hourly bytes of searches by one agent: the rate of its tier limits only calls of the tool, this limits all programs. */
const SEARCH_BYTES_PER_HOUR = 50_000_000;

/** Opens only the search of the village's service; the broker adds its key. */
function rulesOfSearch(search: VillageEgress['search']): readonly EgressRule[] {
  if (search === null) return [];
  const { url: address, secret } = search;
  const url = new URL(address);
  return [
    {
      host: url.hostname,
      ports: [portOf(url)],
      methods: ['GET'],
      paths: [url.pathname],
      bytesPerHour: SEARCH_BYTES_PER_HOUR,
      ...(secret === null ? {} : { secret, secretHeader: SEARCH_KEY_HEADER }),
    },
  ];
}

/** Hourly bytes of calls of one agent to one agent outside. */
const CALLS_BYTES_PER_HOUR = 20_000_000;

/** Opens only the interface of each agent outside; the broker adds its token. */
function rulesOfAgents(agents: VillageEgress['agents']): readonly EgressRule[] {
  return agents.map(({ url: address, secret, writes }) => {
    const url = new URL(address);
    return {
      host: url.hostname,
      ports: [portOf(url)],
      methods: ['POST'],
      paths: [url.pathname],
      bytesPerHour: CALLS_BYTES_PER_HOUR,
      ...(secret === null ? {} : { secret }),
      ...(writes === 'Allow' ? { writes } : {}),
    };
  });
}

/**
 * The egress rules of one agent: those of the village and its repository, and the list of its spec, else of its tier.
 * All their denials apply, and payment providers are always denied. The version is the hash of the rules. Pure.
 */
export function egressPolicyOf({ village, tier, agent }: EgressLayers, sha256: Sha256): EgressPolicy {
  const registries = openRegistries(village);
  const { allow: own = tier?.allow, deny = [] } = agent?.egress ?? {};
  const rules = {
    allow: [
      ...writtenRules(own),
      ...rulesOfRepository(agent?.repository),
      ...rulesOfSearch(village.search),
      ...rulesOfAgents(village.agents),
      ...village.allow,
      ...registries.flatMap(rulesOfRegistry),
    ],
    deny: [...PAYMENT_BANS, ...village.deny, ...(tier?.deny ?? []), ...deny],
    openings: village.openings,
    closedCidrs: village.closedCidrs,
    registries: Object.fromEntries(registries.map(({ name, url }) => [name, { url }])),
  };
  const bytes = sha256(new TextEncoder().encode(JSON.stringify(rules)));
  return { version: [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''), ...rules };
}
