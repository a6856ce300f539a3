import { pageKey } from '@hamlet/core';
import { hostOf, useOpenedKeys } from './opened-pages.ts';
import './citations.css';
import { visibleText } from '@hamlet/core/visible-text';

/** A link in a text: active if the run opened the page, marked if it did not, plain text if that is not known. */
export function WebLink({ url, name }: Readonly<{ url: string; name: string | null }>) {
  const opened = useOpenedKeys();
  if (opened === null) return <>{name === null ? url : `${name} (${url})`}</>;
  const shown = name === null ? visibleText(url) : `${visibleText(name)} (${hostOf(url)})`;
  if (opened.has(pageKey(url))) return <PageLink url={url} word={shown} />;
  return (
    <span className="link-unopened" title={`${url} · the agent did not open this page`}>
      {shown} <span className="link-mark">not opened</span>
    </span>
  );
}

/** A link to a web page, which gets no referrer. */
export function PageLink({ url, word }: Readonly<{ url: string; word: string }>) {
  return (
    <a className="page-link" href={url} target="_blank" rel="noopener noreferrer nofollow" referrerPolicy="no-referrer">
      {word}
    </a>
  );
}
