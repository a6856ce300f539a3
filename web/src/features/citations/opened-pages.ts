import type { RunSource } from '@hamlet/contract';
import { pageKey, webLinks } from '@hamlet/core';
import { createContext, useContext, useMemo } from 'react';

export type Source = Pick<RunSource, 'url' | 'title' | 'at'> & { readonly witnessed?: boolean };

/** The keys of the pages that the run of a text opened; null if that is not known, or no run wrote the text. */
type OpenedKeys = ReadonlySet<string> | null;

const Opened = createContext<OpenedKeys>(null);
export const OpenedPagesProvider = Opened.Provider;
export const useOpenedKeys = (): OpenedKeys => useContext(Opened);

export function useKeysOf(sources: readonly Source[] | null): OpenedKeys {
  return useMemo(() => (sources === null ? null : new Set(sources.map(({ url }) => pageKey(url)))), [sources]);
}

/** The addresses in a text that the run never opened, each once. Pure. */
export function unopenedIn(text: string, opened: OpenedKeys): readonly string[] {
  if (opened === null) return [];
  const links = webLinks(text).filter(({ url }) => !opened.has(pageKey(url)));
  return [...new Map(links.map(({ url }) => [pageKey(url), url])).values()];
}

/** The host of an address, with look-alike letters in Punycode. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
