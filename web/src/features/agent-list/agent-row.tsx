import { memo, type ReactElement } from 'react';
import type { Row } from '../../client/app-state.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { moneyLabel } from '../money/money-labels.ts';
import { doing, lifeState } from './agent-state.ts';
import { HANDS_ICONS } from '../../ui/icon-paths.ts';
import { useVillage, useVillageState } from '../village-context.ts';

/** `place` is the position in the list. `of` is the length of the whole list, of which only a part may be rendered. */
type RowProps = Readonly<{ row: Row; withBalance: boolean; place: number; of: number }>;

/** One agent: its name, state and activity, and its balance if the list is ordered by balance. */
export const AgentRow = memo(function AgentRow({ row, withBalance, place, of }: RowProps): ReactElement {
  const tools = useVillage();
  const selected = useVillageState((state) => state.selected === row.id);
  const detail = useVillageState((state) => state.details.get(row.id));
  const state = lifeState(row, detail);
  const balance = detail?.balance ?? null;
  const choose = (): void => {
    tools.select(row.id);
    tools.goTo(row);
  };
  return (
    <li aria-setsize={of} aria-posinset={place}>
      <button
        type="button"
        className="agent-row"
        aria-current={selected}
        onClick={choose}
        onDoubleClick={() => tools.follow(true)}
        data-agent-id={row.id}
        data-x={row.x.toFixed(2)}
        data-y={row.y.toFixed(2)}
        data-node={row.node ?? ''}
        data-state={state.word}
      >
        <Avatar id={row.id} dimmed={row.asleep || !row.online} />
        <span className="agent-text">
          <span className="agent-name">
            {row.name}
            {row.speech !== null && (
              <span className="agent-speaks" title={row.speech}>
                <Icon name="speech" size={13} />
              </span>
            )}
          </span>
          <Doing row={row} />
        </span>
        {withBalance && (
          <span className="agent-balance" data-balance={balance ?? ''}>
            {balance === null ? 'not known' : moneyLabel(balance)}
          </span>
        )}
        <span className={`mark mark-${state.tone}`} title={state.word}>
          <span className="sr-only">{state.word}</span>
        </span>
      </button>
    </li>
  );
});

/** The activity and place of an agent as a sentence, with an icon for the activity of its hands. */
function Doing({ row }: { readonly row: Row }): ReactElement {
  return (
    <span className="agent-doing" data-hands={row.hands ?? undefined}>
      {row.hands !== null && <Icon name={HANDS_ICONS[row.hands]} size={13} />}
      {doing(row)}
    </span>
  );
}
