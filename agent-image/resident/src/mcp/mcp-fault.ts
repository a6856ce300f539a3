/**
 * `mcp_unreachable`: nothing was done. `mcp_died` and `mcp_timed_out`: the outcome of the call is unknown. `mcp_broken_answer`:
 * the answer violates the protocol or the server's own schema. `mcp_refused`: the server answered with a protocol error.
 */
import { shorten } from '@hamlet/core/shorten';
export type McpFaultCode = 'mcp_unreachable' | 'mcp_died' | 'mcp_timed_out' | 'mcp_broken_answer' | 'mcp_refused';

/** Maximum length of a server's text in a message. */
const QUOTED_CHARS = 500;

export class McpFault extends Error {
  readonly code: McpFaultCode;
  constructor(code: McpFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const quoted = (text: string): string => shorten(text.replaceAll(/\s+/g, ' ').trim(), QUOTED_CHARS);
