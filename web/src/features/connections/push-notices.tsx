import {
  addMyBrowser,
  BROWSER_NAME_MAX_CHARS,
  type CallData,
  changeMyBrowser,
  forgetMyBrowser,
  type getMyNotices,
  type NoticeBrowser,
  type NoticeWants,
} from '@hamlet/contract';
import { useEffect, useState } from 'react';
import type { PushAbility } from '../../client/push/push-ability.ts';
import {
  type PushProblem,
  subscribe,
  thisAbility,
  thisEndpoint,
  thisName,
  unsubscribe,
} from '../../client/push/this-browser.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { Button, Notice, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { ActionForm, SelectField, TextField } from '../../ui/fields.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useMyNotices } from './mail-notices.tsx';

const WANTS: readonly (readonly [wants: NoticeWants, text: string])[] = [
  ['needs', 'When something needs me'],
  ['morning', 'Each morning'],
  ['off', 'Never'],
];

const ADVICE: Readonly<Record<Exclude<PushAbility, 'able'> | PushProblem, string>> = {
  blocked:
    'This browser blocks notifications of the village. Allow them in its settings for this site (the icon beside the address), then load the page again.',
  dismissed: 'The browser asked, and the question was closed: try again and choose Allow.',
  no_service:
    'This browser does not reach its push service. Some browsers switch it off in their settings for privacy, and some networks block it: allow it, then try again.',
  home_screen:
    'An iPhone or iPad notifies only from the home screen: choose Add to Home Screen in the share menu, open the village from there, and come back to this page.',
  insecure: 'Browsers are notified only over HTTPS: open the village at an address that begins with https://.',
  unable:
    'This browser cannot be notified: it has no web push. Chrome, Edge, Firefox and Safari have it outside of private windows.',
};

type Push = NonNullable<CallData<typeof getMyNotices>['push']>;

/** The browsers that the village notifies of what waits for the viewer; empty in a village without web push. */
export function PushNotices() {
  const { data, again } = useMyNotices();
  const [here, setHere] = useState<string | null | undefined>(undefined);
  useEffect(() => {
    void thisEndpoint().then(setHere);
  }, []);
  const push = data?.push ?? null;
  if (push === null) return null;
  const isListed = push.browsers.some(({ endpoint }) => endpoint === here);
  return (
    <section className="card notices-card" aria-label="Browsers">
      <h2>Browsers</h2>
      <p className="hint">
        The village notifies a browser of how many things need you, and of which kinds. The texts stay in the village.
      </p>
      {push.browsers.length > 0 && (
        <ul aria-label="Notified browsers">
          {push.browsers.map((shown) => (
            <BrowserRow key={shown.browser_id} shown={shown} isHere={shown.endpoint === here} onChanged={again} />
          ))}
        </ul>
      )}
      {!isListed && here !== undefined && (
        <ThisBrowser
          push={push}
          onAdded={(endpoint) => {
            setHere(endpoint);
            again();
          }}
        />
      )}
    </section>
  );
}

interface RowProps {
  readonly shown: NoticeBrowser;
  readonly isHere: boolean;
  readonly onChanged: () => void;
}

function BrowserRow({ shown, isHere, onChanged }: RowProps) {
  const nowMs = useNow(15_000);
  const sending = useIntent();
  const of = { params: { browser_id: shown.browser_id } };
  const choose = async (wants: NoticeWants): Promise<void> => {
    if ((await sending.call(changeMyBrowser, { ...of, body: { wants } }, wants)) !== null) onChanged();
  };
  const forget = async (): Promise<void> => {
    if ((await sending.call(forgetMyBrowser, of, 'forget')) === null) return;
    if (isHere) await unsubscribe();
    onChanged();
  };
  const last = shown.sent_at === null ? '' : `, last notice ${timeAgo(shown.sent_at, nowMs)}`;
  return (
    <li className="key-row" data-browser={shown.name}>
      <span className="key-words">
        <b>{shown.name}</b>
        <small>
          {isHere ? 'this browser, ' : ''}added {timeAgo(shown.added_at, nowMs)}
          {last}
        </small>
        {shown.failure !== null && (
          <small>
            Its push service did not take the last notice ({shown.failure}); the village tries again. If this stays,
            remove the browser and add it again.
          </small>
        )}
      </span>
      <span className="button-row browser-acts">
        <SelectField
          label={<span className="sr-only">Notify {shown.name}</span>}
          name="browser-wants"
          className="pick"
          value={shown.wants}
          options={WANTS}
          onChange={(to) => void choose(to)}
        />
        <Button
          word="Remove"
          aria-label={`Remove ${shown.name}`}
          aria-disabled={sending.busy}
          onClick={() => void forget()}
          data-action="forget-browser"
        />
      </span>
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
    </li>
  );
}

function ThisBrowser({ push, onAdded }: Readonly<{ push: Push; onAdded: (endpoint: string) => void }>) {
  const sending = useIntent();
  const [name, setName] = useState(thisName);
  const [problem, setProblem] = useState<PushProblem | null>(null);
  const ability = thisAbility();
  const add = async (): Promise<void> => {
    const made = await subscribe(push.public_key);
    setProblem(typeof made === 'string' ? made : null);
    if (typeof made === 'string') return;
    if ((await sending.call(addMyBrowser, { body: { name: name.trim(), ...made } })) !== null) onAdded(made.endpoint);
  };
  if (ability !== 'able')
    return (
      <p className="hint" data-push-advice>
        {ADVICE[ability]}
      </p>
    );
  return (
    <ActionForm
      label="Notify this browser"
      sending={sending}
      ready={name.trim() !== ''}
      word="Notify this browser"
      onSend={() => void add()}
    >
      <TextField
        label="Name of this browser"
        name="browser-name"
        value={name}
        onChange={setName}
        maxLength={BROWSER_NAME_MAX_CHARS}
      />
      {problem !== null && (
        <Notice tone="waiting">
          <span data-push-advice>{ADVICE[problem]}</span>
        </Notice>
      )}
    </ActionForm>
  );
}
