import { type MouseEvent, useEffect, useRef } from 'react';
import type { View } from '../../client/url-state.ts';
import { Icon } from '../../ui/controls.tsx';
import { UnreadMark } from '../away/unread-mark.tsx';
import { useUnread } from '../away/use-unread.ts';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { addressOf, groupOf, GROUPS, openedBy, PAGE_LABELS, seenBy } from './page-groups.ts';

export function ViewNav() {
  const view = useVillageState((state) => state.place.view);
  const role = useRole();
  return (
    <nav className="view-nav" aria-label="Pages">
      {GROUPS.filter((group) => seenBy(group, role)).map((group) => {
        const to = openedBy(group, role);
        return (
          <ViewLink
            key={group.word}
            to={to}
            className="view-link"
            current={group === groupOf(view)}
            title={`${group.hint} (${GROUPS.indexOf(group) + 1})`}
          >
            <Icon name={group.icon} size={17} />
            <span>{group.word}</span>
            {to === 'board' && <UnreadPosts />}
          </ViewLink>
        );
      })}
    </nav>
  );
}

function UnreadPosts() {
  return <UnreadMark texts={useUnread().posts.size} />;
}

export function SubNav({ view }: { readonly view: View }) {
  const role = useRole();
  const nav = useRef<HTMLElement>(null);
  // A phone shows only a part of the row: scrolls it, never the page.
  useEffect(() => {
    const row = nav.current;
    const current = row?.querySelector<HTMLElement>('[aria-current]') ?? null;
    if (row !== null && current !== null) row.scrollLeft = current.offsetLeft - row.offsetLeft;
  }, [view]);
  const pages = groupOf(view).views.filter((page) => page === view || seenBy({ views: [page] }, role));
  if (pages.length < 2) return null;
  return (
    <nav ref={nav} className="sub-nav" aria-label={groupOf(view).word}>
      {pages.map((page) => (
        <ViewLink key={page} to={page} className="sub-link" current={page === view} title={PAGE_LABELS[page].hint}>
          {PAGE_LABELS[page].word}
        </ViewLink>
      ))}
    </nav>
  );
}

type LinkProps = Readonly<{ to: View; className: string; current: boolean; title: string; children: React.ReactNode }>;

export function ViewLink({ to, className, current, title, children }: LinkProps) {
  const { open, fetchPage } = useVillage();
  const go = (event: MouseEvent): void => {
    // With a modifier key the browser opens the link in a new tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open({ view: to, run: null });
  };
  return (
    <a
      className={className}
      href={addressOf(to)}
      aria-current={current ? 'page' : undefined}
      title={title}
      data-view={to}
      onClick={go}
      onPointerEnter={() => fetchPage(to)}
      onFocus={() => fetchPage(to)}
    >
      {children}
    </a>
  );
}
