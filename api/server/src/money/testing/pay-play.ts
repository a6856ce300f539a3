import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Credit, LedgerEntry } from '@hamlet/contract';
import type { TestClient } from '@hamlet/test/env/client';
import { eventually } from '../../testing/test-village.ts';
import { bodyOf, NOTIFICATIONS, type Notice } from './notifications.ts';
import type { PayPalStandIn, SignedDelivery, SignOptions } from './paypal-stand-in.ts';

let payments = 0;

/** A new id in PayPal's format: 17 capitals and digits. */
export function newPaymentId(letter: string): string {
  payments += 1;
  return `${letter}${String(payments).padStart(5, '0')}${randomUUID().replaceAll('-', '').slice(0, 11)}`.toUpperCase();
}

/** Acts and reads for tests of payments. */
export class PayPlay {
  readonly url: string;
  readonly admin: TestClient;
  readonly standIn: PayPalStandIn;

  constructor(url: string, admin: TestClient, standIn: PayPalStandIn) {
    this.url = url;
    this.admin = admin;
    this.standIn = standIn;
  }

  async send(
    { headers, body }: SignedDelivery,
    url = this.url,
  ): Promise<{ readonly status: number; readonly code: string | null }> {
    const response = await fetch(`${url}/payments/paypal/webhook`, {
      method: 'POST',
      headers: { ...headers },
      body: typeof body === 'string' ? body : Buffer.from(body),
    });
    const answer = (await response.json()) as { code?: string };
    return { status: response.status, code: answer.code ?? null };
  }

  /** Signs and sends a notification of PayPal. */
  async notify(notice: Notice, options: SignOptions = {}): Promise<number> {
    return (await this.send(this.standIn.sign(bodyOf(notice), options))).status;
  }

  async balance(agentId: string): Promise<string> {
    return (await this.admin.getBalance({ agent_id: agentId })).balance;
  }

  async entries(agentId: string): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await this.admin.getLedger({
        agent_id: agentId,
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
      });
      entries.push(...page.entries);
      cursor = page.next_cursor;
    }
    return entries;
  }

  async credit(transactionId: string): Promise<Credit | undefined> {
    const { credits } = await this.admin.listCredits({ limit: 100 });
    return credits.find((credit) => credit.provider_transaction_id === transactionId);
  }

  /** Waits until the net amount of a payment's credit is `net`. */
  async stands(captureId: string, net: string): Promise<void> {
    await eventually(`${net} of ${captureId}`, async () => (await this.credit(captureId))?.net === net);
  }

  /** Waits until a payment is delayed for this reason. */
  async waits(captureId: string, why: string): Promise<void> {
    await eventually(`${captureId} waits: ${why}`, async () => {
      const { waiting } = await this.admin.getReconciliation();
      return waiting.some((payment) => payment.provider_transaction_id === captureId && payment.why === why);
    });
  }

  /** Adds a payment to the stand-in and sends its notification. Returns the id of its capture. */
  async paid(customId: string, value: string): Promise<string> {
    const captureId = newPaymentId('C');
    this.standIn.books.pay(captureId, { value, customId });
    assert.equal(await this.notify(NOTIFICATIONS.capture('COMPLETED', captureId, { value, customId })), 200);
    return captureId;
  }
}
