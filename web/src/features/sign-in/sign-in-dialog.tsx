import { PASSWORD_MIN_CHARS } from '@hamlet/contract'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import type { Refused } from '../../client/api.ts'
import { Icon } from '../../ui/icon.tsx'
import { useVillage, useVillageState } from '../village-context.ts'

/** Signing in, or, with the code that the first start printed, making the first admin. */
export function SignInDialog({ code, onClose }: { readonly code: string | null; readonly onClose: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const signedIn = useVillageState((state) => state.session.kind === 'account')
  const [first, setFirst] = useState(code !== null)
  useEffect(() => { dialog.current?.showModal() }, [])
  useEffect(() => { if (signedIn) onClose() }, [signedIn, onClose])
  return (
    <dialog ref={dialog} className="dialog" onClose={onClose} aria-labelledby="sign-in-title">
      <img src="/favicon.svg" alt="" width="44" height="44" />
      <h2 id="sign-in-title">{first ? 'Welcome. Make the first account.' : 'Sign in'}</h2>
      <p className="hint">{first ? 'It becomes the admin of this village. The code was printed when the village started and works once.' : 'Visitors can look around; members read diaries, admins awaken, suspend and reboot.'}</p>
      {!window.isSecureContext && <p className="notice notice-bad"><Icon name="alert" size={16} />Browsers keep sessions only on https or localhost. Signing in will not last here.</p>}
      <SignInForm first={first} code={code ?? ''} />
      <button type="button" className="link" onClick={() => setFirst(!first)}>{first ? 'I have an account already' : 'This is a new village: use a code'}</button>
      {/* Last, so that the dialog opens with the keyboard in the form. */}
      <button type="button" className="icon-button dialog-close" onClick={onClose} aria-label="Close"><Icon name="close" /></button>
    </dialog>
  )
}

function SignInForm({ first, code }: { readonly first: boolean; readonly code: string }): ReactElement {
  const { village } = useVillage()
  const [refused, setRefused] = useState<Refused | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (form: FormData): Promise<void> => {
    const text = (key: string): string => { const value = form.get(key); return typeof value === 'string' ? value : '' }
    setBusy(true)
    const reply = first ? await village.bootstrap(text('code'), { name: text('name'), password: text('password') }) : await village.signIn(text('name'), text('password'))
    setBusy(false)
    setRefused(reply.ok ? null : reply.refused)
  }
  return (
    <form className="form" onSubmit={(event) => { event.preventDefault(); void submit(new FormData(event.currentTarget)) }}>
      {first && <label>Code<input name="code" defaultValue={code} required autoComplete="one-time-code" /></label>}
      <label>Name<input name="name" required maxLength={64} autoComplete="username" /></label>
      <label>Password<input name="password" type="password" required minLength={first ? PASSWORD_MIN_CHARS : 1} autoComplete={first ? 'new-password' : 'current-password'} /></label>
      {first && <p className="hint">At least {PASSWORD_MIN_CHARS} characters.</p>}
      {refused !== null && <p className="notice notice-bad" role="alert"><Icon name="alert" size={16} /><span><b>{refused.title}.</b> {refused.detail}</span></p>}
      <button type="submit" className="button button-strong" disabled={busy}>{busy ? 'One moment…' : first ? 'Make the account' : 'Sign in'}</button>
    </form>
  )
}
