import { getRun, RUN_STATES } from '@hamlet/contract';
import { useLive } from '../../client/query/use-live.ts';
import { LinkButton, RefusedNotice, Unread, useNow } from '../../ui/controls.tsx';
import { Choices, FilterChip, SelectField } from '../../ui/fields.tsx';
import { useAgentNames, useVillage, useVillageState } from '../village-context.ts';
import { Page } from '../navigation/page.tsx';
import { RunList, RunRow } from './run-list.tsx';
import { STATE_LABELS } from './run-labels.ts';
import { useRuns } from './use-runs.ts';

const PAGE = 50;
const REFRESH_MS = 2000;

export function RunsPage() {
  return (
    <Page title="Runs" intro="Tasks that people and schedules gave to agents." needs="runs:read">
      <Filters />
      <Found />
    </Page>
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
        onChange={(state) => open({ state, run: null })}
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
        onChange={(who) => open({ who: who === '' ? null : who, run: null })}
      />
      {place.schedule !== null && (
        <FilterChip
          word="Schedule"
          value={place.schedule}
          label="Runs of every schedule"
          onEnd={() => open({ schedule: null })}
        />
      )}
      {narrowed && (
        <LinkButton word="Show all" onClick={() => open({ who: null, state: null, schedule: null, run: null })} />
      )}
    </div>
  );
}

function Found() {
  const { open } = useVillage();
  const { who, schedule, state, run } = useVillageState((all) => all.place);
  const live = useRuns({ agent: who, schedule, state, page: PAGE });
  const listed = live.rows?.some(({ run_id: id }) => id === run) ?? true;
  const empty =
    who === null && schedule === null && state === null ? (
      <>
        <b>No runs yet.</b> Choose an agent and give it a task, or create a schedule.
      </>
    ) : (
      'No runs match.'
    );
  return (
    <>
      {run !== null && !listed && <OneRun key={run} id={run} />}
      <div className="card">
        <RunList live={live} opened={run} onOpen={(id) => open({ run: id })} withAgent empty={empty} />
      </div>
    </>
  );
}

/** The run in the address, if it is not in the list because it is older or the filters leave it out. */
function OneRun({ id }: { readonly id: string }) {
  const { open } = useVillage();
  const now = useNow(1000);
  const live = useLive(getRun, { params: { run_id: id } }, REFRESH_MS);
  if (live.data === null)
    return live.refused === null ? (
      <Unread refused={null} word="Loading the run…" />
    ) : (
      <RefusedNotice refused={live.refused} onDismiss={() => open({ run: null })} />
    );
  return (
    <section className="card one-run" aria-label="The run of this address">
      <ol className="runs runs-wide">
        <RunRow
          run={live.data.run}
          now={now}
          open
          onOpen={() => open({ run: null })}
          withAgent
          onChanged={live.again}
        />
      </ol>
    </section>
  );
}
