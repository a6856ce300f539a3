/** What the address says: who is selected, where the camera is, and the code of the first start. All of it is optional. */
export interface UrlState { readonly agent: string | null; readonly x: number | null; readonly y: number | null; readonly z: number | null; readonly code: string | null }

/** Reads a query such as `?agent=ada&x=40.5&y=31&z=24`; what cannot be read is left out. */
export function readUrl(search: string): UrlState {
  const query = new URLSearchParams(search)
  return { agent: query.get('agent'), x: numberOf(query.get('x')), y: numberOf(query.get('y')), z: numberOf(query.get('z')), code: query.get('code') }
}

/** The query for a state; empty where there is nothing to say. Positions are kept to a quarter of a tile. */
export function writeUrl(state: UrlState): string {
  const query = new URLSearchParams()
  if (state.agent !== null) query.set('agent', state.agent)
  for (const key of ['x', 'y', 'z'] as const) {
    const value = state[key]
    if (value !== null) query.set(key, String(Math.round(value * 4) / 4))
  }
  if (state.code !== null) query.set('code', state.code)
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

function numberOf(text: string | null): number | null {
  if (text === null || text.trim() === '') return null
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}
