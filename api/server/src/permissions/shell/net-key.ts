import { NET_TOOLS, villageTool } from '@hamlet/contract';

const KEY_MAX_CHARS = 300;

/** `none`: no rule can cover the call. */
type NetKey = { readonly kind: 'none' } | { readonly kind: 'key'; readonly key: string };

const urlOf = (value: unknown): URL | null => {
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : null;
  return typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
};

/** Method and origin of a sending call, or the listed agent that it calls; null if it names none. */
function sendingKey(tool: string, value: unknown): string | null {
  if (tool === 'call_agent') {
    const { data } = NET_TOOLS.call_agent.input.safeParse(value);
    return data === undefined ? null : `calls ${data.agent}`;
  }
  const url = urlOf(value);
  const method = tool === 'http' ? NET_TOOLS.http.input.safeParse(value).data?.method : 'sends';
  return url === null || method === undefined ? null : `${method} ${url.origin}`;
}

/**
 * The key of a net tool's call that may send something; null for another tool. All reading calls share one key. The key
 * of a sending call has method and origin, or the agent that it calls; if the call names none, such as a click, no rule
 * can cover it. Pure.
 */
export function netKeyOf(tool: string, value: unknown): NetKey | null {
  const { sends } = villageTool(tool) ?? {};
  if (sends === undefined) return null;
  if (!sends(value)) return { kind: 'key', key: 'reads' };
  const key = sendingKey(tool, value);
  return key === null || key.length > KEY_MAX_CHARS ? { kind: 'none' } : { kind: 'key', key };
}
