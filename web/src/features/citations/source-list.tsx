import { Time } from '../../ui/controls.tsx';
import { minuteTime } from '../../ui/time-labels.ts';
import { PageLink } from './web-link.tsx';
import { hostOf, type Source } from './opened-pages.ts';
import './citations.css';
import { visibleText } from '@hamlet/core/visible-text';

const SHOWN = 5;

export function SourceList({ sources }: { readonly sources: readonly Source[] }) {
  const [first, rest] = [sources.slice(0, SHOWN), sources.slice(SHOWN)];
  return (
    <>
      <ul className="sources">
        {first.map((source) => (
          <SourceLine key={`${source.url} ${source.at}`} source={source} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details className="more-sources">
          <summary>{rest.length} more</summary>
          <ul className="sources">
            {rest.map((source) => (
              <SourceLine key={`${source.url} ${source.at}`} source={source} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function SourceLine({ source: { url, title, at, witnessed } }: { readonly source: Source }) {
  return (
    <li className="source" data-witnessed={witnessed}>
      <PageLink url={url} word={title.trim() === '' ? hostOf(url) : visibleText(title)} />
      <span className="source-url">{visibleText(url)}</span>
      <span className="source-facts">
        <Time at={at} word={minuteTime(at)} />
        {witnessed !== undefined && (
          <small
            title={
              witnessed
                ? 'The village saw that the agent reached this host'
                : 'Only the agent reports this page: the village did not see the request'
            }
          >
            {witnessed ? 'seen' : 'claimed'}
          </small>
        )}
      </span>
    </li>
  );
}

export function UnopenedList({ urls }: { readonly urls: readonly string[] }) {
  if (urls.length === 0) return null;
  return (
    <details className="unopened">
      <summary>
        {urls.length === 1 ? '1 link was' : `${urls.length} links were`} not opened by the agent: check{' '}
        {urls.length === 1 ? 'it' : 'them'} before you trust {urls.length === 1 ? 'it' : 'them'}
      </summary>
      <ul className="sources">
        {urls.map((url) => (
          <li key={url} className="source-url">
            {visibleText(url)}
          </li>
        ))}
      </ul>
    </details>
  );
}
