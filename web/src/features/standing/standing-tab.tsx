import type { AgentDetail, AgentStanding, HeldMeasure, Measure } from '@hamlet/contract';
import {
  banAgent,
  freezeAgent,
  getStanding,
  killAgent,
  liftBan,
  liftFreeze,
  liftKill,
  liftQuarantine,
  liftTokenRevocation,
  quarantineAgent,
  revokeAgentToken,
  roleMay,
} from '@hamlet/contract';
import { useState } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Icon, LinkButton, Notice, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { ActorName } from '../actor-name.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { heldLabel, heldOf, MEASURE_LABELS, OFFERED } from './measure-labels.ts';
import { ReasonForm } from './reason-form.tsx';

const REFRESH_MS = 5000;
const TAKE = {
  quarantine: quarantineAgent,
  freeze: freezeAgent,
  ban: banAgent,
  kill: killAgent,
  revoke_token: revokeAgentToken,
} as const;
const LIFT = {
  quarantine: liftQuarantine,
  freeze: liftFreeze,
  ban: liftBan,
  kill: liftKill,
  revoke_token: liftTokenRevocation,
} as const;

export function HeldBanner({ agent }: { readonly agent: AgentDetail }) {
  const { open } = useVillage();
  const held = heldOf(agent.standing);
  const [hardest] = held;
  if (hardest === undefined) return null;
  return (
    <Notice tone="bad" icon={MEASURE_LABELS[hardest].icon} role="status" className="held">
      <b>{held.map((measure) => MEASURE_LABELS[measure].state).join(', ')}.</b>{' '}
      {agent.standing.reason !== null && <>“{agent.standing.reason}” </>}
      <LinkButton word="Show author and end" onClick={() => open({ tab: 'standing' })} />
    </Notice>
  );
}

export function StandingTab({ agent }: { readonly agent: AgentDetail }) {
  const { agents, openSignIn } = useVillage();
  const id = agent.agent_id;
  const mayRead = roleMay(useRole(), 'standing:read');
  const live = useLive(getStanding, mayRead ? { params: { agent_id: id } } : null, REFRESH_MS);
  const [open, setOpen] = useState<Measure | null>(null);
  const done = (): void => {
    setOpen(null);
    live.again();
    void agents.refresh(id);
  };
  if (!mayRead)
    return (
      <p className="hint">
        {heldOf(agent.standing).length === 0 ? 'No restrictions.' : agent.standing.reason} Members see who took which
        measure, and why. <LinkButton word="Sign in" onClick={openSignIn} />
      </p>
    );
  return (
    <>
      {live.data === null && live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data?.measures.length === 0 && <Notice tone="good">No restrictions.</Notice>}
      <ul className="measures">
        {OFFERED.map((measure) => (
          <MeasureRow
            key={measure}
            measure={measure}
            agent={agent}
            standing={live.data}
            open={open === measure}
            onOpen={(on) => setOpen(on ? measure : null)}
            onDone={done}
          />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  readonly measure: Measure;
  readonly agent: AgentDetail;
  readonly standing: AgentStanding | null;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly onDone: () => void;
}

function MeasureRow({ measure, agent, standing, open, onOpen, onDone }: RowProps) {
  const held = standing?.measures.find((entry) => entry.measure === measure);
  const mayChange = roleMay(useRole(), 'standing:change');
  const { icon, verb, lift } = MEASURE_LABELS[measure];
  return (
    <li
      className={`measure${held === undefined ? '' : ' measure-held'}`}
      data-measure={measure}
      data-held={held !== undefined}
    >
      <span className="measure-icon">
        <Icon name={icon} size={17} />
      </span>
      <MeasureText measure={measure} held={held} />
      {mayChange && (
        <button
          type="button"
          className={`button button-small${measure === 'kill' && held === undefined && !open ? ' button-danger' : ''}`}
          aria-expanded={open}
          onClick={() => onOpen(!open)}
        >
          {open ? 'Back' : `${held === undefined ? verb : lift}…`}
        </button>
      )}
      {open && (
        <div className="measure-form">
          <MeasureForm measure={measure} agent={agent} held={held !== undefined} onDone={onDone} />
        </div>
      )}
    </li>
  );
}

type FormProps = Readonly<{ measure: Measure; agent: AgentDetail; held: boolean; onDone: () => void }>;

function MeasureForm({ measure, agent: { agent_id, display_name: name }, held, onDone }: FormProps) {
  const { verb, lift } = MEASURE_LABELS[measure];
  const params = { agent_id };
  if (!held)
    return (
      <ReasonForm
        draft={`take-${measure}-${agent_id}`}
        label={verb}
        word={`${verb}: ${name}`}
        send={(intent, body) => intent.call(TAKE[measure], { params, body })}
        onDone={onDone}
        withTerm
        danger
      />
    );
  return (
    <ReasonForm
      draft={`lift-${measure}-${agent_id}`}
      label={lift}
      word={`${lift}: ${name}`}
      send={(intent, { reason }) => intent.call(LIFT[measure], { params, query: reason === '' ? {} : { reason } })}
      onDone={onDone}
      optional
    />
  );
}

function MeasureText({ measure, held }: Readonly<{ measure: Measure; held: HeldMeasure | undefined }>) {
  const now = useNow(10_000);
  const { verb, does, state } = MEASURE_LABELS[measure];
  if (held === undefined)
    return (
      <div className="measure-text">
        <b>{verb}</b>
        <p>{does}</p>
      </div>
    );
  return (
    <div className="measure-text">
      <b>{state}</b>
      <p className="measure-reason">“{held.reason}”</p>
      <p>
        by <ActorName {...held.by} />, {heldLabel(held, now)}
      </p>
    </div>
  );
}
