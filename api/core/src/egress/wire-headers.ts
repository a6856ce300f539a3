import { deny, type EgressDenial } from './judge-egress.ts';

/** Headers by lower-case name, as node:http parses them. */
export type WireHeaders = Readonly<Record<string, string | string[]>>;

/** Hop-by-hop headers (RFC 9110 7.6.1), and those between a program and the broker, which end at the broker. */
const OF_ONE_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Options of `Connection` that are not header names. */
const CONNECTION_OPTIONS: ReadonlySet<string> = new Set(['close', '']);

/**
 * Headers with which servers override the method, host or path, by the letters of their names: CGI and its descendants
 * read any other character as `_`.
 */
const OVERRIDES: readonly RegExp[] = [
  /^(x|http|original|forwarded|envoy)*method(override)?$/,
  /^(x|http|original|envoy|rewrite|rewritten|forwarded|override|accel)+(url|uri|path|host|prefix|server|redirect)(override)?$/,
  /^(forwarded|scriptname|pathinfo|requesturi|requestmethod)$/,
];

const unclear = (why: string): EgressDenial => deny('egress_request_unclear', why);

/** Options of `Connection` in lower case. node:http joins repeated headers to one text, undici makes a list. */
const optionsOf = (connection: string | readonly string[] | undefined): readonly string[] =>
  String(connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());

/**
 * The headers of a program's request without hop-by-hop ones. Refuses headers that override method, host or path.
 * Pure.
 */
export function outgoingHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): { readonly headers: WireHeaders } | EgressDenial {
  const named = optionsOf(headers['connection']).find((name) => !OF_ONE_HOP.has(name) && !CONNECTION_OPTIONS.has(name));
  if (named !== undefined)
    return unclear(
      `Connection names ${quoted(named)}, which would hide that header from the server; remove it from Connection`,
    );
  const override = Object.keys(headers).find((name) => {
    const letters = name.replaceAll(/[^a-z0-9]/g, '');
    return OVERRIDES.some((form) => form.test(letters));
  });
  if (override !== undefined)
    return unclear(
      `the header ${quoted(override)} overrides the request; send the intended method, host and path instead`,
    );
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && String(coding).toLowerCase() !== 'chunked')
    return unclear(
      `the broker does not support Transfer-Encoding ${quoted(String(coding))}; send the body chunked or whole`,
    );
  return { headers: endToEnd(headers) };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));

/** Headers to pass on: without hop-by-hop headers and those that `Connection` names. */
export function endToEnd(headers: Readonly<Record<string, string | readonly string[] | undefined>>): WireHeaders {
  const named = new Set(optionsOf(headers['connection']));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_ONE_HOP.has(name) || named.has(name)
        ? []
        : [[name, typeof value === 'string' ? value : [...value]]],
    ),
  );
}
