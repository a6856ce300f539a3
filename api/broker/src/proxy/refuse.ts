import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EgressRefusalCode } from '@hamlet/contract';
import type { EgressDenial } from '@hamlet/core/egress';

export const REFUSAL_HEADER = 'hamlet-egress-code';

/** Longest reason phrase. apt reads 359 characters of it. */
const MAX_PHRASE_LENGTH = 300;

const STATUSES: Readonly<Partial<Record<EgressRefusalCode, number>>> = {
  egress_identity_refused: 407,
  egress_bad_request: 400,
  egress_path_unclear: 400,
  egress_push_unclear: 400,
  egress_name_unknown: 502,
  egress_unreachable: 502,
  egress_bytes_spent: 429,
  egress_too_many: 429,
  egress_log_unavailable: 503,
};

export const statusOf = (code: EgressRefusalCode): number => STATUSES[code] ?? 403;

const bodyOf = ({ code, message }: EgressDenial): string => `${JSON.stringify({ reason: code, message })}\n`;

/**
 * Code and message as the reason phrase of an answer in printable ASCII: the only part that apt, pip, wget, Python and Go programs show.
 */
export const phraseOf = ({ code, message }: EgressDenial): string =>
  `${code}: ${message}`.slice(0, MAX_PHRASE_LENGTH).replaceAll(/[^\x20-\x7e]/g, '?');

/** Answers a CONNECT with a refusal and ends the connection. */
export function refuseConnect(socket: Duplex, denial: EgressDenial): void {
  const status = statusOf(denial.code);
  const body = bodyOf(denial);
  const lines = [
    `HTTP/1.1 ${String(status)} ${phraseOf(denial)}`,
    `${REFUSAL_HEADER}: ${denial.code}`,
    'content-type: application/json',
    `content-length: ${String(Buffer.byteLength(body))}`,
    'connection: close',
    ...(status === 407 ? ['proxy-authenticate: Basic realm="hamlet"'] : []),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** The refusal in the form that the program shows to its user: git and go print plain text, npm the field `error`. */
function shownTo(program: string, denial: EgressDenial): { readonly type: string; readonly body: string } {
  const { code, message } = denial;
  if (/^(git\/|Go-http-client)/.test(program)) return { type: 'text/plain', body: `${code}: ${message}\n` };
  if (!program.startsWith('npm/')) return { type: 'application/json', body: bodyOf(denial) };
  const body = JSON.stringify({ reason: code, message, error: `${code}: ${message}` });
  return { type: 'application/json', body };
}

/** Answers a request with a refusal, or aborts an answer that has begun. */
export function refuseRequest(response: ServerResponse, denial: EgressDenial): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = statusOf(denial.code);
  const { type, body } = shownTo(response.req.headers['user-agent'] ?? '', denial);
  response.writeHead(status, phraseOf(denial), {
    [REFUSAL_HEADER]: denial.code,
    'content-type': type,
    ...(status === 407 ? { 'proxy-authenticate': 'Basic realm="hamlet"' } : {}),
  });
  response.end(body);
}
