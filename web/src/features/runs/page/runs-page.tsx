import { RUN_STATES } from '@hamlet/contract';
import { Button, LinkButton } from '../../../ui/controls.tsx';
import { Choices, FilterChip, SelectField } from '../../../ui/fields.tsx';
import { useAgentNames, useShowAgent, useVillage, useVillageState } from '../../village-context.ts';
import { Page } from '../../navigation/page.tsx';
import { RunList } from '../run-list.tsx';
import { RunPage } from './run-page.tsx';
import { STATE_LABELS } from '../run-labels.ts';
import { useRuns } from '../use-runs.ts';

const PAGE = 50;

/** All runs; or the run in the address. */
export function RunsPage() {
  const run = useVillageState((state) => state.place.run);
  if (run !== null) return <RunPage key={run} id={run} />;
  return (
    <Page title="Runs" intro="Tasks that people and schedules gave to agents." needs="runs:read" tools={<GiveTask />}>
      <Filters />
      <Found />
    </Page>
  );
}

/** Opens the form for a task beside the runs, of the agent that the page or the panel shows. */
function GiveTask() {
  const show = useShowAgent();
  const agents = useAgentNames();
  const who = useVillageState((state) => state.place.who ?? state.selected);
  const agent = agents.find(({ id }) => id === who) ?? agents[0];
  if (agent === undefined) return null;
  return (
    <Button
      look="strong"
      icon="plus"
      word={`Give ${agent.name} a task`}
      onClick={() => show(agent.id, { tab: 'runs' })}
      data-action="give-task"
    />
  );
}

function Filters() {
  const { open } = useVillage();
  const place = useVillageState((state) => state.place);
  const agents = useAgentNames();
  const narrowed = place.who !== null || place.schedule !== null || place.state !== null;
  return (
    <div className="filters" role="group" aria-label="Narrow the runs">
      <Choices
        label="State"
        keys={[null, ...RUN_STATES]}
        value={place.state}
        wordOf={(state) => (state === null ? 'All' : STATE_LABELS[state].word)}
        onChange={(state) => open({ state })}
      />
      <SelectField
        label="Agent"
        name="agent"
        className="pick"
        value={place.who ?? ''}
        options={[
          ['', 'All agents'],
          ...(place.who === null || agents.some(({ id }) => id === place.who) ? [] : [[place.who, place.who] as const]),
          ...agents.map(({ id, name }) => [id, name] as const),
        ]}
        onChange={(who) => open({ who: who === '' ? null : who })}
      />
      {place.schedule !== null && (
        <FilterChip
          word="Schedule"
          value={place.schedule}
          label="Runs of every schedule"
          onEnd={() => open({ schedule: null })}
        />
      )}
      {narrowed && <LinkButton word="Show all" onClick={() => open({ who: null, state: null, schedule: null })} />}
    </div>
  );
}

function Found() {
  const { who, schedule, state } = useVillageState((all) => all.place);
  const live = useRuns({ agent: who, schedule, state, page: PAGE });
  const empty =
    who === null && schedule === null && state === null ? (
      <>
        <b>No runs yet.</b> Choose an agent and give it a task, or create a schedule.
      </>
    ) : (
      'No runs match.'
    );
  return (
    <div className="card">
      <RunList live={live} withAgent empty={empty} />
    </div>
  );
}
