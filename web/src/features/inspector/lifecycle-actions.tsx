import { type AgentDetail, roleMay } from '@hamlet/contract';
import { Button, IconButton, LinkButton, Notice, OwnedNotice } from '../../ui/controls.tsx';
import type { Session } from '../../client/app-state.ts';
import { type LifecycleState, locks, notAllowed, type Verb } from '../../client/lifecycle.ts';
import { useStore } from '../../client/store.ts';
import type { IconName } from '../../ui/icon-paths.ts';
import { useVillage, useVillageState } from '../village-context.ts';

const BUTTONS: readonly {
  readonly verb: Verb;
  readonly word: string;
  readonly icon: IconName;
  readonly hint: string;
}[] = [
  {
    verb: 'awaken',
    word: 'Awaken',
    icon: 'sun',
    hint: 'Start its pod; it comes back to the village with its home and memory.',
  },
  { verb: 'suspend', word: 'Suspend', icon: 'sleep', hint: 'Stop its pod; home and memory are kept.' },
  {
    verb: 'reboot',
    word: 'Reboot',
    icon: 'reboot',
    hint: 'Start a new run cycle at once, without waiting for the old one.',
  },
];

export function LifecycleActions({ agent }: { readonly agent: AgentDetail }) {
  const { lifecycle } = useVillage();
  const session = useVillageState((state) => state.session);
  const state = useStore(lifecycle.states, (states) => states.get(agent.agent_id));
  const role = session.kind === 'account' ? session.account.role : 'visitor';
  return (
    <div className="lifecycle">
      <div className="lifecycle-buttons" role="group" aria-label="Life">
        {BUTTONS.map(({ verb, word, icon, hint }) => {
          const reason = notAllowed(verb, { power: agent.power, role, pending: locks(state, verb) });
          return (
            <Button
              look="plain"
              icon={icon}
              word={word}
              key={verb}
              aria-disabled={reason !== null}
              title={reason ?? hint}
              data-verb={verb}
              onClick={() => {
                if (reason === null) void lifecycle.ask(agent, verb);
              }}
            />
          );
        })}
      </div>
      {!roleMay(role, 'agent:lifecycle') && <Denied session={session} />}
      {state !== undefined && <LifecycleNote agent={agent} state={state} />}
    </div>
  );
}

function Denied({ session }: { readonly session: Session }) {
  const { openSignIn } = useVillage();
  if (session.kind === 'account')
    return <p className="hint">Only admins may change an agent's life; you are signed in as {session.account.role}.</p>;
  return (
    <p className="hint">
      You are looking as a visitor. <LinkButton word="Sign in" onClick={openSignIn} /> as an admin to use these.
    </p>
  );
}

const DOING: Readonly<Record<Verb, string>> = { awaken: 'Awakening', suspend: 'Suspending', reboot: 'Rebooting' };

function LifecycleNote({ agent, state }: Readonly<{ agent: AgentDetail; state: LifecycleState }>) {
  const { lifecycle } = useVillage();
  const close = (
    <IconButton icon="close" iconPx={14} label="Dismiss" onClick={() => lifecycle.dismiss(agent.agent_id)} />
  );
  if (state.kind === 'refused')
    return (
      <OwnedNotice
        refused={state.refused}
        onTakeOver={() => void lifecycle.ask(agent, state.verb, true)}
        onDismiss={() => lifecycle.dismiss(agent.agent_id)}
      />
    );
  if (state.kind === 'asking' || state.kind === 'pending')
    return (
      <Notice tone="waiting" icon="spinner" data-change={state.kind} end={state.kind === 'pending' && close}>
        <b>{DOING[state.verb]}.</b> {state.text}
      </Notice>
    );
  if (state.kind === 'late')
    return (
      <Notice tone="waiting" data-change="late" end={close}>
        <b>{DOING[state.verb]} takes longer than usual.</b> {state.text}
      </Notice>
    );
  return (
    <Notice tone="good" end={close}>
      {state.text}
    </Notice>
  );
}
