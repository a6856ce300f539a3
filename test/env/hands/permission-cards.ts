/** Answers the permission requests of an agent in the browser, like a person. */
import type { Locator, Page } from 'playwright-core';
import { type Permission } from '@hamlet/contract';
import { until } from '../until.ts';
import { type Village } from '../village.ts';

/** Longest wait for a request, because an agent may need a new pod first. */
const CAP_MS = 180_000;

export type PersonsAnswer = 'allow' | 'deny' | 'happened' | 'repeat' | 'always';

export class PermissionCards {
  readonly #place: Village;
  readonly #page: Page;
  readonly #agent: string;
  readonly #seen = new Set<string>();

  constructor(place: Village, page: Page, agent: string) {
    this.#place = place;
    this.#page = page;
    this.#agent = agent;
  }

  /** All requests of the agent, newest first. */
  async all(): Promise<readonly Permission[]> {
    return (await this.#place.admin.listPermissions({ agent_id: this.#agent, limit: 100 })).permissions;
  }

  /** Waits for the next pending request; throws if it is about another tool. */
  async next(tool: string, why: Permission['why'] = 'policy'): Promise<{ permission: Permission; card: Locator }> {
    const permission = await until(
      `a request of ${this.#agent} for ${tool}`,
      async () => (await this.all()).find((each) => each.state === 'pending' && !this.#seen.has(each.permission_id)),
      { capMs: CAP_MS, state: async () => (await this.all()).slice(0, 3) },
    );
    this.#seen.add(permission.permission_id);
    if (permission.tool !== tool || permission.why !== why)
      throw new Error(
        `expected ${tool} (${why}), asked ${permission.tool} (${permission.why}): ${permission.arguments}`,
      );
    const card = this.#page.locator(`.permission[data-permission-id="${permission.permission_id}"]`);
    await card.waitFor();
    return { permission, card };
  }

  /** Answers with a button of the card, and waits until the API has the answer. */
  async answer({ permission, card }: { permission: Permission; card: Locator }, answer: PersonsAnswer): Promise<void> {
    if (answer === 'always') {
      await card.locator('.always-allow summary').click();
      await card.locator('[data-always="conversation"]').click();
    } else await card.locator(`[data-answer="${answer}"]`).click();
    await until(`the answer to ${permission.tool}`, async () =>
      (await this.all()).some(({ permission_id: id, state }) => id === permission.permission_id && state !== 'pending'),
    );
  }
}
