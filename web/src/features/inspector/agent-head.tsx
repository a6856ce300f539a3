import type { AgentDetail } from '@hamlet/contract';
import type { ReactElement } from 'react';
import type { Row } from '../../client/app-state.ts';
import { Button } from '../../ui/button.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { useVillage, useVillageState } from '../village-context.ts';
import { doing, lifeState } from '../agent-list/agent-state.ts';

/** The agent's name and state, and buttons that show it on the map. */
export function AgentHead({ row, detail }: Readonly<{ row: Row; detail: AgentDetail | undefined }>): ReactElement {
  const following = useVillageState((state) => state.following);
  const { follow, goTo, open } = useVillage();
  const state = lifeState(row, detail);
  return (
    <header className="agent-head">
      <Avatar id={row.id} size={60} dimmed={row.asleep} />
      <div>
        <h2>{row.name}</h2>
        <p className="agent-state">
          <Badge tone={state.tone}>{state.word}</Badge>
        </p>
        <p className="agent-sentence">
          {row.name} {doing(row)}.
        </p>
      </div>
      <div className="agent-tools">
        <Button
          icon="follow"
          word={following ? 'Following' : 'Follow'}
          aria-pressed={following}
          onClick={() => {
            open({ view: 'map' });
            follow(!following);
          }}
          title="Follow (F)"
        />
        <Button
          icon="pin"
          word="Show"
          onClick={() => {
            open({ view: 'map' });
            goTo(row);
          }}
        />
        <span className="spring" />
        <Button
          className="button-stop"
          icon="power"
          word="Stop…"
          onClick={() => open({ tab: 'standing' })}
          title="Freeze, quarantine, ban or kill"
        />
      </div>
    </header>
  );
}
