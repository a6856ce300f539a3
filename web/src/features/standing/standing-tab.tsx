import { type AgentDetail, type AgentStanding, getStanding, type HeldMeasure, type Measure, roleMay } from '@hamlet/contract';
import { type ReactElement, useCallback, useState } from 'react';
import { useLive } from '../../client/ask/use-live.ts';
import { Icon } from '../../ui/icon.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useRole, useViewerId, useVillage } from '../village-context.ts';
import { LiftForm, TakeForm } from './measure-forms.tsx';
import { heldOf, heldWords, MEASURE_WORDS, OFFERED } from './measure-labels.ts';

const REFRESH_MS = 5000;

/** What the village holds against an agent: who, why, since when, until when; and for admins the means to do and undo it. */
export function StandingTab({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { api, village, openSignIn } = useVillage();
  const role = useRole();
  const id = agent.agent_id;
  const mayRead = roleMay(role, 'standing:read');
  const read = useCallback(() => api.call(getStanding, { params: { agent_id: id } }), [api, id]);
  const live = useLive(mayRead ? read : null, REFRESH_MS);
  const [open, setOpen] = useState<Measure | null>(null);
  const done = (): void => {
    setOpen(null);
    live.again();
    void village.refreshAgent(id);
  };
  const held = heldOf(agent.standing);
  return (
    <>
      {!mayRead && (
        <p className="hint">
          {held.length === 0 ? 'No restrictions.' : agent.standing.reason} Members see who did what and why.{' '}
          <button type="button" className="link" onClick={openSignIn}>
            Sign in
          </button>
        </p>
      )}
      {mayRead && live.data === null && live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data !== null && live.data.measures.length === 0 && (
        <p className="notice notice-good">
          <Icon name="check" size={16} />
          <span>No restrictions.</span>
        </p>
      )}
      {mayRead && (
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
      )}
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

function MeasureRow({ measure, agent, standing, open, onOpen, onDone }: RowProps): ReactElement {
  const held = standing?.measures.find((entry) => entry.measure === measure);
  const mayChange = roleMay(useRole(), 'standing:change');
  const Form = held === undefined ? TakeForm : LiftForm;
  return (
    <li
      className={`measure${held === undefined ? '' : ' measure-held'}`}
      data-measure={measure}
      data-held={held !== undefined}
    >
      <span className="measure-icon">
        <Icon name={MEASURE_WORDS[measure].icon} size={17} />
      </span>
      <MeasureText measure={measure} held={held} />
      {mayChange && (
        <button
          type="button"
          className={`button button-small${measure === 'kill' && held === undefined && !open ? ' button-danger' : ''}`}
          aria-expanded={open}
          onClick={() => onOpen(!open)}
        >
          {open ? 'Back' : buttonWord(measure, held)}
        </button>
      )}
      {open && <Form measure={measure} agent={agent} onDone={onDone} />}
    </li>
  );
}

function MeasureText({
  measure,
  held,
}: {
  readonly measure: Measure;
  readonly held: HeldMeasure | undefined;
}): ReactElement {
  const now = useNow(10_000);
  const viewer = useViewerId();
  const words = MEASURE_WORDS[measure];
  if (held === undefined)
    return (
      <div className="measure-text">
        <b>{words.verb}</b>
        <p>{words.does}</p>
      </div>
    );
  return (
    <div className="measure-text">
      <b>{words.state}</b>
      <p className="measure-reason">“{held.reason}”</p>
      <p>{heldWords(held, { nowMs: now, viewer })}</p>
    </div>
  );
}

function buttonWord(measure: Measure, held: HeldMeasure | undefined): string {
  return `${held === undefined ? MEASURE_WORDS[measure].verb : MEASURE_WORDS[measure].lift}…`;
}

/** What is held against an agent, above everything else about it; nothing while nothing is. */
export function HeldBanner({ agent }: { readonly agent: AgentDetail }): ReactElement | null {
  const { open } = useVillage();
  const held = heldOf(agent.standing);
  const [hardest] = held;
  if (hardest === undefined) return null;
  return (
    <p className="notice notice-bad held" role="status">
      <Icon name={MEASURE_WORDS[hardest].icon} size={16} />
      <span>
        <b>{held.map((measure) => MEASURE_WORDS[measure].state).join(', ')}.</b>{' '}
        {agent.standing.reason !== null && <>“{agent.standing.reason}” </>}
        <button type="button" className="link" onClick={() => open({ tab: 'standing' })}>
          Who and until when
        </button>
      </span>
    </p>
  );
}
