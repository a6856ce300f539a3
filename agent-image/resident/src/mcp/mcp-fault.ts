import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { shorten } from '@hamlet/core/shorten';

/**
 * `mcp_unreachable`: nothing was done. `mcp_died` and `mcp_timed_out`: the outcome of the call is unknown. `mcp_broken_answer`:
 * the answer violates the protocol. `mcp_refused`: the server answered with a protocol error.
 */
export type McpFaultCode = 'mcp_unreachable' | 'mcp_died' | 'mcp_timed_out' | 'mcp_broken_answer' | 'mcp_refused';

/** Maximum length of a server's text in a message. */
const QUOTED_CHARS = 500;

export class McpFault extends Error {
  readonly code: McpFaultCode;
  /** True if the server has forgotten the session of the request, which it therefore refused. */
  readonly isSessionLost: boolean;

  constructor(code: McpFaultCode, message: string, isSessionLost = false) {
    super(message);
    this.code = code;
    this.isSessionLost = isSessionLost;
  }

  /** True if the next request needs another connection. */
  get isConnectionLost(): boolean {
    return this.isSessionLost || this.code === 'mcp_died' || this.code === 'mcp_unreachable';
  }
}

export const quoted = (text: string): string =>
  shorten(text.toWellFormed().replaceAll(/\s+/g, ' ').trim(), QUOTED_CHARS);

/** The words of an error with what is known about the end of the connection. */
export function whyOf(error: unknown, trouble: string): string {
  const words = quoted(error instanceof Error ? error.message : String(error));
  return trouble === '' ? words : `${words} (${trouble})`;
}

/** Errors of a request that never reached the server. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const SESSION = /session/i;

export function faultOf(name: string, error: unknown, trouble: string): McpFault {
  if (error instanceof McpFault) return error;
  const why = whyOf(error, trouble);
  if (error instanceof SdkHttpError) return httpFault(name, error, why);
  if (error instanceof SdkError) return sdkFault(name, error, why);
  if (error instanceof ProtocolError) return new McpFault('mcp_refused', `The MCP server ${name} refused: ${why}`);
  return lineFault(name, error, why);
}

/** The fault of an error of the line itself; other errors come from reading an answer. */
function lineFault(name: string, error: unknown, why: string): McpFault {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (NOT_SENT.has(code)) return new McpFault('mcp_unreachable', `The MCP server ${name} cannot be reached: ${why}`);
  if (error instanceof TypeError || typeof code === 'string')
    return new McpFault('mcp_died', `The connection to the MCP server ${name} ended: ${why}`);
  return new McpFault('mcp_broken_answer', `The answer of the MCP server ${name} violates the protocol: ${why}`);
}

/** A refusal with a status of class 4xx did nothing. */
function httpFault(name: string, { status = 0, message }: SdkHttpError, why: string): McpFault {
  if (status === 404 || (status === 400 && SESSION.test(message)))
    return new McpFault('mcp_refused', `The MCP server ${name} has ended the session: ${why}`, true);
  if (status >= 400 && status < 500) return new McpFault('mcp_refused', `The MCP server ${name} refused: ${why}`);
  return new McpFault('mcp_died', `The connection to the MCP server ${name} ended: ${why}`);
}

function sdkFault(name: string, { code }: SdkError, why: string): McpFault {
  if (code === SdkErrorCode.RequestTimeout)
    return new McpFault('mcp_timed_out', `The MCP server ${name} does not answer: ${why}`);
  if (code === SdkErrorCode.InvalidResult || code === SdkErrorCode.UnsupportedResultType)
    return new McpFault('mcp_broken_answer', `The answer of the MCP server ${name} violates the protocol: ${why}`);
  return new McpFault('mcp_died', `The connection to the MCP server ${name} ended: ${why}`);
}
