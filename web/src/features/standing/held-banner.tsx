import type { AgentDetail } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { useVillage } from '../village-context.ts';
import { heldOf, MEASURE_WORDS } from './measure-words.ts';

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
