import type { ReactElement } from 'react';
import { useVillage } from '../village-context.ts';

/** Says for whom a part of the page is, with a way to sign in. */
export function SignInHint({ text }: { readonly text: string }): ReactElement {
  const { openSignIn } = useVillage();
  return (
    <p className="hint">
      {text}{' '}
      <button type="button" className="link" onClick={openSignIn}>
        Sign in
      </button>
    </p>
  );
}
