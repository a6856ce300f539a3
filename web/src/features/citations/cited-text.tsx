import { pageKey } from '@hamlet/core';
import { useMemo } from 'react';
import { visibleText } from '../permissions/shown-arguments.ts';
import { hostOf, linkedParts, useOpenedKeys } from './opened-pages.ts';
import './citations.css';

/** Plain text whose web links are marked if the run never opened them. Everything else stays text. */
export function CitedText({ text }: { readonly text: string }) {
  const parts = useMemo(() => linkedParts(text), [text]);
  return (
    <>
      {parts.map((part, index) =>
        part.kind === 'text' ? part.text : <WebLink key={index} url={part.url} name={part.name} text={part.text} />,
      )}
    </>
  );
}

/** A link in a text: active if the run opened the page, otherwise marked text. */
export function WebLink({ url, name, text }: Readonly<{ url: string; name: string | null; text: string }>) {
  const opened = useOpenedKeys();
  if (opened === null) return <>{text}</>;
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
