import type { EgressRule } from '@hamlet/contract';
import { normalHost, type Destination } from './judge-egress.ts';

/** The longest name that a person is asked about, because people do not compare a longer one letter by letter. */
const NAME_MAX_CHARS = 100;
const NAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/** Names that lead into a cluster or a private network, or that no public server has. */
const RESERVED: ReadonlySet<string> = new Set(['arpa', 'internal', 'invalid', 'local', 'localhost', 'onion', 'svc']);

/** True if an admin may be asked to open a host: a public name, never an address, a pattern or a name of a private network. Pure. */
export function isAskableHost({ host }: Pick<Destination, 'host'>): boolean {
  const last = host.slice(host.lastIndexOf('.') + 1);
  return host.length <= NAME_MAX_CHARS && NAME.test(host) && !RESERVED.has(last);
}

/** The rule of an opened host: exactly this name and port. The broker reads each request, and asks about each write. Pure. */
export const ruleOfOpenedHost = ({ host, port }: Destination): EgressRule => ({ host, ports: [port], writes: 'Ask' });

/** Servers redirect from one port of the web to the other, so one answer is about both. */
const WEB_PORTS: readonly number[] = [80, 443];

/** The host at each port that one answer is about: its own, or both ports of the web. Pure. */
export const opensWith = ({ host, port }: Destination): readonly Destination[] =>
  (WEB_PORTS.includes(port) ? WEB_PORTS : [port]).map((each) => ({ host, port: each }));

/** Hosts in one line for people: `example.org (ports 80 and 443), example.com:8443`. Pure. */
export function hostsInWords(hosts: readonly Destination[]): string {
  const byName = Map.groupBy(hosts, ({ host }) => host);
  return [...byName]
    .map(([host, at]) => {
      const ports = at.map(({ port }) => port);
      return ports.length === 1 ? `${host}:${ports.join('')}` : `${host} (ports ${ports.join(' and ')})`;
    })
    .join(', ');
}

/** True if a name has letters outside of ASCII, which a person sees only in their encoded form. Pure. */
export const isInternational = ({ host }: Pick<Destination, 'host'>): boolean =>
  host.split('.').some((label) => label.startsWith('xn--'));

/** Maximum number of hosts that one command or message opens, because a person reads them all. */
const NAMED_HOSTS_MAX = 3;
const ADDRESS = /\bhttps?:\/\/[^\s'"`<>|;&()\\]+/gi;
const PORTS: Readonly<Record<string, number | undefined>> = { 'http:': 80, 'https:': 443 };

/** The hosts that a command writes out, each once, which an admin may be asked to open. Pure. */
export function hostsInCommand(command: string): readonly Destination[] {
  const found = new Map<string, Destination>();
  for (const text of [...(command.match(ADDRESS) ?? []), ...bareAddresses(command)]) {
    const url = URL.parse(text);
    if (url === null || found.size === NAMED_HOSTS_MAX) continue;
    const host = normalHost(url.hostname);
    const port = url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port);
    if (isAskableHost({ host })) found.set(`${host}:${port}`, { host, port });
  }
  return [...found.values()];
}

/**
 * Punctuation after an address. A match begins at the first sign, because starting at each of many signs would take
 * quadratic time.
 */
const PUNCTUATION = /(?<![.,:!?\]*_])[.,:!?\]*_]+(?=\s|$)/g;

/** The hosts that a person's message writes out. Pure. */
export const hostsInMessage = (text: string): readonly Destination[] =>
  hostsInCommand(text.replaceAll(PUNCTUATION, ' '));

/**
 * Only blanks follow the beginning. A line break can also be a beginning, so matching it here would take quadratic time
 * for many empty lines.
 */
const FETCH = /(?:^|[;&|(\n])[ \t]*(curl|wget)[ \t]+([^;&|<>()`$\n]*)/g;
const QUOTED = /(['"])([^'"]*)\1/g;
const BARE = /^[a-z0-9][a-z0-9.-]*(:\d+)?([/?#]\S*)?$/i;
/** Options without a value. The word after any other option may be its value, such as the name of a file. */
const FLAG: Readonly<Record<string, RegExp | undefined>> = {
  curl: /^(-[#046fgiIjJkLnNOqRsSv]+|--(compressed|fail|head|include|insecure|location|show-error|silent|verbose))$/,
  wget: /^(-([46ckNqSv]+|n[cdv])|--(continue|no-verbose|quiet|server-response|spider|verbose)|--[a-z-]+=\S*)$/,
};

/** The addresses of `curl example.org` and `wget example.org/file`, which the two programs fetch over HTTP. */
function bareAddresses(command: string): readonly string[] {
  return [...command.replaceAll('\\\n', ' ').matchAll(FETCH)].flatMap(([, program = '', rest = '']) => {
    const words = rest
      .replaceAll(QUOTED, (_, __, text: string) => (BARE.test(text) ? text : '?'))
      .split(/\s+/)
      .filter((word) => word !== '');
    const isOperand = (at: number): boolean => !words[at - 1]?.startsWith('-') || isFlag(program, words[at - 1] ?? '');
    return words.filter((word, at) => BARE.test(word) && isOperand(at)).map((word) => `http://${word}`);
  });
}

const isFlag = (program: string, word: string): boolean => FLAG[program]?.test(word) === true;
