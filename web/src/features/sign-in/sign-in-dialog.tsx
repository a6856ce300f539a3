import {
  ACCOUNT_CODE_PREFIX,
  getLoginOptions,
  type LoginOptions,
  PASSWORD_MIN_CHARS,
  type RefusalEntry,
  REFUSALS,
} from '@hamlet/contract';
import { useEffect, useState } from 'react';
import { Button, Dialog, Icon, LinkButton, Notice, RefusedNotice } from '../../ui/controls.tsx';
import type { Refused, Reply } from '../../client/api.ts';
import type { Invitation } from '../../client/url-state.ts';
import { useVillage, useVillageState } from '../village-context.ts';

type Way = 'password' | 'first' | 'code';
const WAY_LABELS: Readonly<Record<Way, { readonly title: string; readonly hint: string; readonly button: string }>> = {
  password: {
    title: 'Sign in',
    hint: 'Visitors can look around; members write, reward and give work; admins run the village.',
    button: 'Sign in',
  },
  first: {
    title: 'Welcome. Make the first account.',
    hint: 'It becomes the admin of this village. The code was printed when the village started and works once.',
    button: 'Make the account',
  },
  code: {
    title: 'Use a one-time code',
    hint: 'An admin gave it to you. It sets your password, once.',
    button: 'Set the password',
  },
};

type DialogProps = Readonly<{
  invitation: Invitation | null;
  failed: string | null;
  onClose: () => void;
}>;

const NOT_INVITED = { code: null, name: null };

/** With the code of an invitation or a reset in the address, only the password is left to write. */
const WITH_CODE: Readonly<Partial<Record<Way, { readonly title: string; readonly hint: string }>>> = {
  code: { title: 'Set your password', hint: 'The admin’s link has filled in the code, which works once.' },
};

function wordsOf(way: Way, code: string): { readonly title: string; readonly hint: string } {
  return (code === '' ? undefined : WITH_CODE[way]) ?? WAY_LABELS[way];
}

/** The dialog focuses this field when it opens. React's `autoFocus` would act earlier, on a hidden field. */
function takesFocus(field: HTMLInputElement | null): void {
  field?.setAttribute('autofocus', '');
}

function wayOf(code: string | null): Way {
  if (code === null) return 'password';
  return code.startsWith(ACCOUNT_CODE_PREFIX) ? 'code' : 'first';
}

/** `failed` is the reason of a failed sign-in at the identity provider. */
export function SignInDialog({ invitation, failed, onClose }: DialogProps) {
  const { code, name } = invitation ?? NOT_INVITED;
  const { api } = useVillage();
  const signedIn = useVillageState((state) => state.session.kind === 'account');
  const [way, setWay] = useState<Way>(wayOf(code));
  const [options, setOptions] = useState<LoginOptions | null>(null);
  useEffect(() => {
    if (signedIn) onClose();
  }, [signedIn, onClose]);
  useEffect(() => {
    let here = true;
    void api.call(getLoginOptions, {}).then((reply) => {
      if (here && reply.ok) setOptions(reply.data);
    });
    return () => {
      here = false;
    };
  }, [api]);
  const given = way === wayOf(code) ? (code ?? '') : '';
  const words = wordsOf(way, given);
  return (
    <Dialog
      title={words.title}
      image={<img src="/favicon.svg" alt="" width="44" height="44" />}
      onClose={onClose}
      onCross={onClose}
    >
      <p className="hint">{words.hint}</p>
      {failed !== null && (
        <Notice tone="bad">
          <b>Not signed in.</b> {failureText(failed)}.
        </Notice>
      )}
      <ConnectionWarning options={options} />
      {options !== null && options.oidc !== null && way === 'password' && <Provider oidc={options.oidc} />}
      <SignInForm key={way} way={way} code={given} name={name} />
      <Ways way={way} onWay={setWay} first={options?.bootstrap ?? true} />
    </Dialog>
  );
}

function ConnectionWarning({ options }: { readonly options: LoginOptions | null }) {
  if (options === null ? window.isSecureContext : options.private_connection) return null;
  return <Notice tone="bad">Browsers keep sessions only on https or localhost. Signing in will not last here.</Notice>;
}

function Provider({ oidc }: { readonly oidc: NonNullable<LoginOptions['oidc']> }) {
  const back = `${window.location.pathname}${window.location.search}`;
  return (
    <>
      <a
        className="button button-strong provider"
        href={`${oidc.path}?return_to=${encodeURIComponent(back)}`}
        data-action="oidc"
      >
        <Icon name="login" size={16} />
        Sign in with {oidc.name}
      </a>
      <p className="or">
        <span>or by password</span>
      </p>
    </>
  );
}

function Ways({ way, onWay, first }: Readonly<{ way: Way; onWay: (way: Way) => void; first: boolean }>) {
  const others: readonly (readonly [Way, string, boolean])[] = [
    ['password', 'I have a password', true],
    ['code', 'I have a one-time code from an admin', true],
    ['first', 'This is a new village: use its code', first],
  ];
  return (
    <div className="ways">
      {others
        .filter(([key, , shown]) => key !== way && shown)
        .map(([key, word]) => (
          <LinkButton word={word} key={key} onClick={() => onWay(key)} data-way={key} />
        ))}
    </div>
  );
}

/** The title of a refusal, by the code that the identity provider's redirect put into the address. */
function failureText(code: string): string {
  const known: Readonly<Record<string, RefusalEntry | undefined>> = REFUSALS;
  return known[code]?.title ?? 'The identity provider refused the sign-in';
}

type FormProps = Readonly<{ way: Way; code: string; name: string | null }>;

/** `name` is the name of the account whose code stands in the address: the person signs in with it later. */
function SignInForm({ way, code, name }: FormProps) {
  const invited = way === 'code' && code !== '' ? name : null;
  const { session } = useVillage();
  const [refused, setRefused] = useState<Refused | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (form: FormData): Promise<void> => {
    const text = (key: string): string => {
      const value = form.get(key);
      return typeof value === 'string' ? value : '';
    };
    const send: Readonly<Record<Way, () => Promise<Reply<unknown>>>> = {
      password: () => session.signIn(text('name'), text('password')),
      first: () => session.bootstrap(text('code'), { name: text('name'), password: text('password') }),
      code: () => session.redeem(text('code'), text('password')),
    };
    setBusy(true);
    const reply = await send[way]();
    setBusy(false);
    setRefused(reply.ok ? null : reply.refused);
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      {way !== 'password' && (
        <label>
          Code
          <input name="code" defaultValue={code} required autoComplete="one-time-code" spellCheck={false} />
        </label>
      )}
      {(way !== 'code' || invited !== null) && <NameField invited={invited} />}
      <PasswordField isNew={way !== 'password'} focused={way === 'code' && code !== ''} />
      {refused !== null && <RefusedNotice refused={refused} />}
      <Button look="strong" word={busy ? 'One moment…' : WAY_LABELS[way].button} type="submit" disabled={busy} />
    </form>
  );
}

function NameField({ invited }: { readonly invited: string | null }) {
  const given = invited === null ? {} : { value: invited, readOnly: true };
  return (
    <label>
      {invited === null ? 'Name' : 'Your name, with which you sign in from now on'}
      <input name="name" required maxLength={64} autoComplete="username" {...given} />
    </label>
  );
}

function PasswordField({ isNew, focused }: { readonly isNew: boolean; readonly focused: boolean }) {
  return (
    <>
      <label>
        {isNew ? 'New password' : 'Password'}
        <input
          name="password"
          type="password"
          required
          minLength={isNew ? PASSWORD_MIN_CHARS : 1}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          ref={focused ? takesFocus : undefined}
        />
      </label>
      {isNew && <p className="hint">At least {PASSWORD_MIN_CHARS} characters.</p>}
    </>
  );
}
