import { formatAiDollars, type BoughtItem, type GpuLane, type PurchaseItem, type PurchaseView } from '@hamlet/contract';
import type { BoughtDevices, PurchaseRow } from '@hamlet/store';

export function gpuView({ lane, resourceName, count }: BoughtDevices): GpuLane {
  return { lane, resource_name: resourceName, count };
}

function boughtItem({ kind, quota, amount, model, devices }: PurchaseRow): BoughtItem {
  if (kind === 'quota' && quota !== null && amount !== null) return { kind, limit: quota, amount };
  if (kind === 'model' && model !== null) return { kind, model };
  if (kind === 'gpu' && devices !== null) return { kind, ...gpuView(devices) };
  if (kind === 'priority') return { kind };
  throw new Error(`a purchase of the kind ${kind} lacks its details`);
}

export function purchaseView(row: PurchaseRow): PurchaseView {
  return {
    purchase_id: row.purchaseId,
    agent_id: row.agentId,
    item: boughtItem(row),
    price: formatAiDollars(row.price),
    ledger_entry_id: row.transferId,
    auction_id: row.auctionId,
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
    state: row.state,
    bought_by: { role: row.byRole, id: row.byId },
    bought_at: row.boughtAt.toISOString(),
  };
}

/** A purchase in words. It is the note of the ledger entry, so a retry with the same key must produce the same note. Pure. */
export function describeItem(item: PurchaseItem, seconds: number): string {
  switch (item.kind) {
    case 'quota':
      return `${item.amount} more ${item.limit} for ${seconds} s`;
    case 'priority':
      return `priority for ${seconds} s`;
    case 'model':
      return `model ${item.model} for ${seconds} s`;
    case 'gpu':
      return `GPU ${item.lane} for ${seconds} s${item.starts_at === undefined ? '' : ` from ${item.starts_at}`}`;
  }
}
