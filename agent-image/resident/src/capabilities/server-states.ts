import type { AgentConfig, Capability } from '@hamlet/contract';
import { has, lacks } from './capability.ts';

export type ServerState =
  | { readonly ok: true; readonly tools: number; readonly leftOut?: readonly string[] }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** The known states of the Agent's MCP servers. Mutable, because servers open later. */
export class ServerStates {
  readonly #states = new Map<string, ServerState>();

  note(server: string, state: ServerState): void {
    this.#states.set(server, state);
  }

  capabilities(servers: AgentConfig['mcp_servers']): readonly Capability[] {
    return servers.map(({ name, url }) => {
      const subject = ['mcp', name] as const;
      const state = this.#states.get(name);
      if (state === undefined)
        return lacks(
          subject,
          'it was not opened, because the engine of the agent did not start',
          "check the agent's model (spec.model)",
        );
      if (state.ok) return has(subject, toolsOf(state));
      return lacks(subject, `${state.code}: ${state.message}`, fixOf(state.code, url));
    });
  }
}

const toolsOf = ({ tools, leftOut = [] }: Extract<ServerState, { ok: true }>): string =>
  leftOut.length === 0 ? `${tools} tools` : `${tools} tools; left out: ${leftOut.join('; ')}`;

function fixOf(code: string, url: string | null): string {
  if (code === 'mcp_starting') return 'wait: a first start may take minutes';
  return url === null
    ? 'correct its command, then reboot the agent'
    : 'correct its address, allow its host in spec.egress, then reboot the agent';
}
