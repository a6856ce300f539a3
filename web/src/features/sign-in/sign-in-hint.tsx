import { LinkButton } from '../../ui/controls.tsx';
import { useVillage } from '../village-context.ts';

export function SignInHint({ text }: { readonly text: string }) {
  const { openSignIn } = useVillage();
  return (
    <p className="hint">
      {text} <LinkButton word="Sign in" onClick={openSignIn} />
    </p>
  );
}
