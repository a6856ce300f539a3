import type { Run, RunOffer } from '@hamlet/contract';
import { acceptOffer, listOffers, OFFER_REASON_MAX_CHARS, refuseOffer } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import { useState } from 'react';
import { useFormDraft } from '../../client/drafts.ts';
import { type Intent, useIntent, useLive } from '../../client/query/use-live.ts';
import { Badge, Button, Notice, Part, RefusedNotice } from '../../ui/controls.tsx';
import { Form, TextField } from '../../ui/fields.tsx';
import { moneyLabel } from '../../client/labels.ts';
import { useActorLabel, useViewerId } from '../village-context.ts';
import { type Delivery, deliverySentence, mayDecide, OFFER_STATE_LABELS, offerSentence } from './offer-labels.ts';
import { Markdown } from '../markdown/markdown.tsx';
import './offers.css';

const LIVE_MS = 10_000;
const SETTLED_MS = 30_000;

/** @param delivery what the run delivered, which the decision is about */
export function RunOfferView({ run, delivery }: Readonly<{ run: Run; delivery: Delivery }>) {
  const ended = isSettled(run.state);
  const live = useLive(
    listOffers,
    { query: { run_id: run.run_id } },
    { everyMs: ended ? SETTLED_MS : LIVE_MS, version: run.state },
  );
  const viewer = useViewerId();
  const offer = live.data?.offers[0];
  if (offer === undefined) return null;
  const { word, tone } = OFFER_STATE_LABELS[offer.state];
  return (
    <Part name="Offer" className="run-offer" data-offer={offer.state}>
      <p>
        <b>{moneyLabel(offer.amount)}</b> <Badge tone={tone}>{word}</Badge>
      </p>
      <OfferSentence offer={offer} run={run} />
      {offer.reason !== null && <Markdown className="offer-reason" text={offer.reason} />}
      {mayDecide(offer, run, viewer) && <Decision offer={offer} delivery={delivery} onDecided={live.again} />}
    </Part>
  );
}

function OfferSentence({ offer, run }: Readonly<{ offer: RunOffer; run: Run }>) {
  const from = useActorLabel(offer.offered_by.id, offer.offered_by.role);
  return <p className="hint">{offerSentence(offer, run, from)}</p>;
}

type DecisionProps = Readonly<{ offer: RunOffer; onDecided: () => void }>;

function Decision({ offer, delivery, onDecided }: DecisionProps & { readonly delivery: Delivery }) {
  const [refusing, setRefusing] = useState(false);
  const intent = useIntent();
  const params = { run_id: offer.run_id };
  const accept = async (): Promise<void> => {
    await intent.call(acceptOffer, { params }, 'accept');
    // A refusal may say that the offer has ended meanwhile.
    onDecided();
  };
  if (refusing)
    return <RefuseForm offer={offer} intent={intent} onBack={() => setRefusing(false)} onDecided={onDecided} />;
  const isWhole = delivery.missing.length === 0;
  const price = moneyLabel(offer.amount);
  return (
    <>
      {isWhole ? (
        <p className="hint">{deliverySentence(delivery)}</p>
      ) : (
        <Notice tone="bad" role="status" data-missing={delivery.missing.length}>
          {deliverySentence(delivery)}
        </Notice>
      )}
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      <div className="button-row">
        <Button
          look={isWhole ? 'strong' : 'small'}
          word={isWhole ? `Accept and pay ${price}` : `Pay ${price} all the same`}
          aria-disabled={intent.busy}
          onClick={() => void accept()}
          data-action="accept-offer"
        />
        <Button word="Refuse…" onClick={() => setRefusing(true)} data-action="refuse-offer" />
      </div>
    </>
  );
}

interface RefuseProps extends DecisionProps {
  readonly intent: Intent;
  readonly onBack: () => void;
}

function RefuseForm({ offer, intent, onBack, onDecided }: RefuseProps) {
  const { draft, of, forget } = useFormDraft(`refuse-offer-${offer.run_id}`, { reason: '' }, intent.changed);
  const words = draft.reason.trim();
  const refuse = async (): Promise<void> => {
    if (words === '' || intent.busy) return;
    const data = await intent.call(
      refuseOffer,
      { params: { run_id: offer.run_id }, body: { reason: words } },
      'refuse',
    );
    if (data !== null) forget();
    onDecided();
  };
  return (
    <Form aria-label="Refuse the result" onSend={refuse}>
      <TextField
        label="Reason"
        name="offer-reason"
        rows={2}
        autoFocus
        maxLength={OFFER_REASON_MAX_CHARS}
        {...of('reason')}
        placeholder="What is missing? The agent reads this."
      />
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      <div className="button-row">
        <Button look="danger" word="Refuse the result" type="submit" aria-disabled={words === '' || intent.busy} />
        <Button word="Back" onClick={onBack} />
      </div>
    </Form>
  );
}
