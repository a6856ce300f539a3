import { type ReactNode, useEffect, useRef } from 'react';
import { roleMay, type RoutePermission } from '@hamlet/contract';
import { LinkButton } from '../../ui/controls.tsx';
import { takeFocus } from '../../ui/take-focus.ts';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { SubNav } from './view-nav.tsx';

interface PageProps {
  readonly title: string;
  readonly intro: string;
  readonly tools?: ReactNode;
  readonly needs: RoutePermission;
  readonly children: ReactNode;
}

/** A page that covers the map, for viewers who may see it. */
export function Page({ title, intro, tools, needs, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const role = useRole();
  const view = useVillageState((state) => state.place.view);
  // A new page takes the keyboard focus, so that a screen reader begins at the title.
  useEffect(() => {
    takeFocus(heading.current);
  }, []);
  return (
    <div className="page">
      <div className="page-body">
        <SubNav view={view} />
        <header className="page-head">
          <div>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            <p>{intro}</p>
          </div>
          {roleMay(role, needs) && tools}
        </header>
        {roleMay(role, needs) ? children : <Locked needs={needs} />}
      </div>
    </div>
  );
}

function Locked({ needs }: { readonly needs: RoutePermission }) {
  const role = useRole();
  const { openSignIn } = useVillage();
  const who = roleMay('member', needs) ? 'members' : 'admins';
  if (role !== 'visitor')
    return (
      <p className="card page-locked">
        This page is for {who}; you are signed in as {role}.
      </p>
    );
  return (
    <p className="card page-locked">
      This page is for {who}. <LinkButton word="Sign in" onClick={openSignIn} /> to see it.
    </p>
  );
}
