import { type AgentDetail, getModelUse, type ModelOutcome, type ModelUse, roleMay, showModels } from '@hamlet/contract';
import { useLive } from '../../client/query/use-live.ts';
import { Unread, useNow } from '../../ui/controls.tsx';
import { lengthLabel, timeAgo, timeAhead } from '../../ui/time-labels.ts';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole, useTierLabel } from '../village-context.ts';
import { limitLabel } from '../market/item-labels.ts';
import { chosenLabels } from '../models/model-labels.ts';

const REFRESH_MS = 3000;
const OUTCOME_LABELS: Readonly<Record<ModelOutcome, string>> = {
  under_way: 'under way',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  not_paid: 'not paid for',
  rate_limited: 'over the request limit',
  lost: 'lost',
};

export function ModelTab({ agent }: { readonly agent: AgentDetail }) {
  const role = useRole();
  const id = agent.agent_id;
  const may = roleMay(role, 'models:read');
  const live = useLive(getModelUse, may ? { params: { agent_id: id } } : null, REFRESH_MS);
  if (!may) return <SignInHint text="Members see an agent's use of models." />;
  if (live.data === null) return <Unread refused={live.refused} />;
  return <Use use={live.data} />;
}

function Use({ use }: { readonly use: ModelUse }) {
  const now = useNow(2000);
  const tier = useTierLabel(use.tier);
  return (
    <>
      <section className="section" aria-label="Tokens of the hour">
        <TokenMeter use={use} nowMs={now} />
      </section>
      <section className="section" aria-label="Limits">
        <h3 className="section-name">Limits now</h3>
        <p className="hint">
          {limitLabel(use.limits)}. From its tier, {tier}, and what it has bought.
        </p>
      </section>
      <section className="section" aria-label="Models">
        <h3 className="section-name">Models</h3>
        <OwnModel agentId={use.agent_id} />
        {use.models.length === 0 && <p className="empty">Its tier includes no model.</p>}
        <ul className="chips">
          {use.models.map(({ model, served }) => (
            <li key={model} className="chip" data-model={model}>
              <b>{model}</b>
              {!served && ' not served here'}
            </li>
          ))}
        </ul>
      </section>
      <section className="section" aria-label="Newest requests">
        <h3 className="section-name">Newest requests{use.in_flight > 0 && ` · ${use.in_flight} under way`}</h3>
        {use.recent.length === 0 && <p className="empty">It has sent no model request yet.</p>}
        <ol className="model-rows">
          {use.recent.map(
            ({
              request_id: requestId,
              model,
              prompt_tokens: asked,
              completion_tokens: answered,
              ms,
              outcome,
              started_at: started,
            }) => (
              <li key={requestId}>
                <span>
                  <b>{model}</b> {OUTCOME_LABELS[outcome]}{' '}
                  <small>
                    {asked.toLocaleString('en')} + {answered.toLocaleString('en')} tokens
                  </small>
                </span>
                <small>{ms === null ? '' : lengthLabel(ms)}</small>
                <time dateTime={started}>{timeAgo(started, now)}</time>
              </li>
            ),
          )}
        </ol>
      </section>
    </>
  );
}

function OwnModel({ agentId }: { readonly agentId: string }) {
  const { data } = useLive(showModels, { query: { agent_id: agentId } }, REFRESH_MS);
  const model = data?.agent?.model;
  if (model === undefined) return null;
  return (
    <p className="hint" data-own-model={model?.name ?? ''}>
      {chosenLabels(model).join(' ')}
    </p>
  );
}

function TokenMeter({ use, nowMs }: { readonly use: ModelUse; readonly nowMs: number }) {
  const { quota, used, resets_at: resets } = use.tokens;
  const share = quota === 0 ? 1 : Math.min(1, used / quota);
  return (
    <div className="meter" data-used={used} data-quota={quota}>
      <p>
        <b>{used.toLocaleString('en')}</b> of {quota.toLocaleString('en')} tokens used this hour
        {resets !== null && <>; a new hour begins {timeAhead(Date.parse(resets), nowMs)}</>}
      </p>
      <span
        className="meter-bar"
        role="meter"
        aria-label="Tokens of the hour"
        aria-valuemin={0}
        aria-valuemax={quota}
        aria-valuenow={used}
        data-full={share >= 1}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  );
}
