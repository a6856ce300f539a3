import { type ModelCredential, type ModelPriceView, putModelPrices } from '@hamlet/contract';
import { useState } from 'react';
import { useDialogDraft } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { Button, FormDialog, RefusedNotice } from '../../ui/controls.tsx';
import { FieldProblem, Form, TextField } from '../../ui/fields.tsx';
import { priceDraftOf, type PriceRow, readPrices } from './price-draft.ts';

interface PriceProps {
  readonly credential: ModelCredential;
  readonly prices: readonly ModelPriceView[];
  readonly onClose: (saved: boolean) => void;
}

/**
 * The prices of a connected provider per million tokens. They are informative; the ledger charges the price of the
 * tier.
 */
export function PriceForm({ credential, prices, onClose }: PriceProps) {
  const { name, agent_id: agent, provider } = credential;
  const [tried, setTried] = useState(false);
  const intent = useIntent();
  const { draft, write, unsaved } = useDialogDraft(() => {
    const own = prices.filter(
      (price) => price.provider === name && price.agent_id === agent && price.source === 'stored',
    );
    return priceDraftOf(provider?.models.map(({ model }) => model) ?? [], own);
  }, intent.changed);
  const read = readPrices(draft);
  const save = async (): Promise<void> => {
    setTried(true);
    if (!read.ok) return;
    const body = { ...read.body, ...(agent === null ? {} : { agent_id: agent }) };
    const data = await intent.call(putModelPrices, { params: { name }, body });
    if (data !== null) onClose(true);
  };
  return (
    <FormDialog title={`Prices of ${name}`} {...unsaved} onClose={() => onClose(false)}>
      <Form className="price-form" noValidate onSend={save}>
        <p className="hint">
          Prices for a million tokens. They show what answers cost you at the provider; agents pay the price of their
          tier.
        </p>
        <TextField
          label="Currency"
          name="currency"
          maxLength={12}
          value={draft.currency}
          onChange={(currency) => write({ currency })}
        />
        <PriceRows rows={draft.rows} onChange={(rows) => write({ rows })} />
        <FieldProblem text={tried && !read.ok ? read.problem : undefined} />
        {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
        <Button look="strong" word={intent.busy ? 'One moment…' : 'Save prices'} type="submit" />
      </Form>
    </FormDialog>
  );
}

const COLUMNS = [
  ['prompt', 'Prompt'],
  ['cached', 'Cached prompt'],
  ['completion', 'Answer'],
] as const;

type RowsProps = Readonly<{ rows: readonly PriceRow[]; onChange: (rows: readonly PriceRow[]) => void }>;

function PriceRows({ rows, onChange }: RowsProps) {
  return (
    <table className="times price-table">
      <thead>
        <tr>
          <th scope="col">Model</th>
          {COLUMNS.map(([key, word]) => (
            <th key={key} scope="col">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={row.model}>
            <th scope="row">
              <code>{row.model}</code>
            </th>
            {COLUMNS.map(([key, word]) => (
              <td key={key}>
                <input
                  name={`price-${key}`}
                  inputMode="decimal"
                  autoComplete="off"
                  aria-label={`${word}, ${row.model}`}
                  placeholder={key === 'cached' ? 'as prompt' : '0.00'}
                  value={row[key]}
                  onChange={(event) =>
                    onChange(rows.map((each, index) => (index === at ? { ...each, [key]: event.target.value } : each)))
                  }
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
