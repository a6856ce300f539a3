import { placeOf, type Place, readUrl } from '../../client/url-state.ts';

/** The page of a link such as `/?view=runs&run=…`, and the agent beside it. */
export function linkedPlace(link: string): { readonly place: Place; readonly agent: string | null } {
  const state = readUrl(link.slice(link.indexOf('?')));
  return { place: placeOf(state), agent: state.agent };
}
