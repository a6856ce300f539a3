import type { EgressRule } from '@hamlet/contract';
import { placeholderOf } from '@hamlet/contract/broker';
import { deny, type EgressDenial, type WireHeaders } from '@hamlet/core/egress';
import type { SecretUse } from '../village.ts';

/** Defaults for the header of a rule's secret and for the user of its Basic credentials. */
const USUAL_HEADER = 'authorization';
const USUAL_USER = 'x-access-token';

type SecretRule = Pick<EgressRule, 'secret' | 'secretHeader' | 'secretUser'>;

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;

/** The scheme before the placeholder in a header: `Basic`, another word, or none. Null if the header lacks the placeholder. */
function schemeIn(value: string | string[] | undefined, placeholder: string): string | null {
  if (typeof value !== 'string') return null;
  const [, scheme = '', text = ''] = /^(?:([A-Za-z][A-Za-z0-9-]{0,30}) )?(\S+)$/.exec(value) ?? [];
  if (text === placeholder) return scheme;
  if (scheme.toLowerCase() !== 'basic') return null;
  // Programs send a token as the password, or as the user with an empty password.
  const parts = Buffer.from(text, 'base64').toString('latin1').split(':');
  return parts.length === 2 && parts.includes(placeholder) ? 'Basic' : null;
}

/** True if the rule's header contains the placeholder, which requests the secret. */
export function asksForSecret(headers: WireHeaders, rule: SecretRule): boolean {
  const { secret, secretHeader = USUAL_HEADER } = rule;
  return secret !== undefined && schemeIn(headers[secretHeader], placeholderOf(secret)) !== null;
}

/**
 * Replaces the placeholder with the secret, only in the rule's header. Keeps the program's scheme; Basic credentials get the rule's user,
 * so that a program cannot shift the encoding of the secret. Requests a whole answer without an encoding, so that the broker can check it.
 */
export function putSecret(headers: WireHeaders, rule: SecretRule, value: string): WireHeaders {
  const { secret = '', secretHeader = USUAL_HEADER, secretUser = USUAL_USER } = rule;
  const scheme = schemeIn(headers[secretHeader], placeholderOf(secret)) ?? '';
  const { range: _range, 'if-range': _ifRange, ...whole } = headers;
  const put = scheme === 'Basic' ? basic(secretUser, value) : [scheme, value].filter((part) => part !== '').join(' ');
  return { ...whole, [secretHeader]: put, 'accept-encoding': 'identity' };
}

/** Adds credentials with the placeholder of a rule to a git request without credentials. */
export function gitCredentials(
  headers: WireHeaders,
  { secret, secretHeader, secretUser = USUAL_USER }: SecretRule,
): WireHeaders {
  if (secret === undefined || secretHeader !== undefined || headers[USUAL_HEADER] !== undefined) return headers;
  return { ...headers, [USUAL_HEADER]: basic(secretUser, placeholderOf(secret)) };
}

export const noSecret = (name: string): EgressDenial =>
  deny('egress_not_allowed', `the secret ${name} of this rule does not exist; ask an admin to add it`);

/** The owner of a secret lists its hosts, so that no manifest can send it elsewhere. */
export const notForHost = ({ name, host }: SecretUse): EgressDenial =>
  deny(
    'egress_secret_refused',
    `the secret ${name} is not for ${host}; its owner adds the host to the annotation hamlet.village/egress-hosts of the Secret`,
  );

export const NOT_IN_CLEAR = deny(
  'egress_secret_refused',
  'a secret is sent only over TLS; use an https address, or ask an admin for a rule with plaintextSecret: Allow',
);
