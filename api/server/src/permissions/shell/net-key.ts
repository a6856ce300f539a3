import { NET_TOOLS, villageTool } from '@hamlet/contract';

const KEY_MAX_CHARS = 300;

/** `none`: no rule can hold for the call. */
type NetKey = { readonly kind: 'none' } | { readonly kind: 'key'; readonly key: string };

const urlOf = (value: unknown): URL | null => {
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : null;
  return typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
};

/**
 * The key of a call of a tool of the net that may send something; null for another tool. All calls that read share one. A call
 * that sends has method and origin as its key; where it does not name the origin, as a click, no rule can hold. Pure.
 */
export function netKeyOf(tool: string, value: unknown): NetKey | null {
  const { sends } = villageTool(tool) ?? {};
  if (sends === undefined) return null;
  if (!sends(value)) return { kind: 'key', key: 'reads' };
  const url = urlOf(value);
  if (url === null) return { kind: 'none' };
  const method = tool === 'http' ? NET_TOOLS.http.input.safeParse(value).data?.method : 'sends';
  const key = `${method ?? ''} ${url.origin}`;
  return method === undefined || key.length > KEY_MAX_CHARS ? { kind: 'none' } : { kind: 'key', key };
}
