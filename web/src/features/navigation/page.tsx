import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import type { Permission } from '@hamlet/contract'
import { roleMay } from '@hamlet/contract'
import { useRole, useVillage } from '../village-context.ts'

interface PageProps { readonly title: string; readonly intro: string; readonly tools?: ReactNode; readonly needs: Permission; readonly children: ReactNode }

/** A page over the map: a title, what it is for, and its content for those who may see it. */
export function Page({ title, intro, tools, needs, children }: PageProps): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null)
  const role = useRole()
  const { openSignIn } = useVillage()
  // A page that replaces another takes the keyboard along, so that screen readers begin here.
  useEffect(() => { heading.current?.focus({ preventScroll: true }) }, [])
  return (
    <div className="page">
      <div className="page-body">
        <header className="page-head">
          <div><h1 ref={heading} tabIndex={-1}>{title}</h1><p>{intro}</p></div>
          {roleMay(role, needs) && tools}
        </header>
        {roleMay(role, needs) ? children : <p className="card page-locked">This page is for members. <button type="button" className="link" onClick={openSignIn}>Sign in</button> to see it.</p>}
      </div>
    </div>
  )
}
