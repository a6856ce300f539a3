import type { ReactElement } from 'react';
import { LinkButton } from '../../ui/controls.tsx';
import { useVillage } from '../village-context.ts';

/** A text that says who may see a part of the page, with a button to sign in. */
export function SignInHint({ text }: { readonly text: string }): ReactElement {
  const { openSignIn } = useVillage();
  return (
    <p className="hint">
      {text} <LinkButton word="Sign in" onClick={openSignIn} />
    </p>
  );
}
