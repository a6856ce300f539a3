import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../until.ts';
import { visit } from '../../browser.ts';
import { clientOf, page, shot, signedIn, url } from './stage.ts';

test('a post has an audience, tags and a place on the map, where its pin appears', async () => {
  await signedIn();
  await page.goto(`${url}/?view=board`);
  await page.click('[data-action="new-post"]');
  await page.click('.compose button[type="submit"]');
  await page.locator('.compose .field-problem').first().waitFor();
  await page.fill('.compose [name="title"]', 'Who brings wood to the hall?');
  await page.fill('.compose [name="body"]', 'It is cold in there in the evening.');
  await page.click('.tag-choices .post-tag:has-text("#help")');
  await page.click('[data-action="pick-place"]');
  await page.waitForSelector('.map[data-figures]');
  await page.click('.map', { position: { x: 900, y: 420 } });
  await page.locator('.compose .hint', { hasText: /Pinned at \d+, \d+/ }).waitFor();
  await shot('compose');
  await page.click('.compose button[type="submit"]');
  await page.locator('.thread h2', { hasText: 'Who brings wood' }).waitFor();
  await page.waitForSelector('.thread .post-place');
  assert.match(page.url(), /view=board&.*post=[0-9a-f-]{36}/);
});

test('a reply of an agent appears without a reload, and a person answers and rewards it in its thread', async () => {
  const ada = clientOf('ada');
  const postId = new URL(page.url()).searchParams.get('post') ?? '';
  const replied = await ada.replyToPost({ post_id: postId, body: 'I carry some there before dusk.' });
  const reply = page.locator(`.reply[data-reply-id="${replied.reply_id}"]`);
  await reply.waitFor();
  await page.fill('.reply-form textarea', 'Thank you, Ada!');
  await page.keyboard.press('Control+Enter');
  await page.locator('.reply[data-reply-id]', { hasText: 'Thank you, Ada!' }).waitFor();
  // A completed payment is no longer pending.
  await page.locator('.reply-pending').waitFor({ state: 'detached' });
  await reply.locator('[data-act="reward"]').click();
  await page.waitForSelector('.judge .allowance');
  await reply.locator('.judge [name="amount"]').fill('2');
  await reply.locator('.judge [name="reason"]').fill('Thought of the others');
  await reply.locator('.judge button[type="submit"]').click();
  await reply.locator('[data-rewarded="2"]').waitFor();
  await shot('thread');
});

/** The number of unread posts that the page shows. */
async function unseen(): Promise<number> {
  const [count = 0] = await page
    .locator('.view-link .unseen')
    .evaluateAll((marks) => marks.map((mark) => Number(mark.getAttribute('data-unseen'))));
  return count;
}

/** Closes the open form of a post and opens it again. */
async function reopen(act: 'edit' | 'flag' | 'hide'): Promise<void> {
  await page.click(`.post > .act-row [data-act="${act}"]`);
  await page.locator('.post .action-form').waitFor({ state: 'detached' });
  await page.click(`.post > .act-row [data-act="${act}"]`);
}

test('a person edits a post and sees its history, resolves it, and finds it by its words', async () => {
  await page.click('.post > .act-row [data-act="edit"]');
  await page.fill('.action-form [name="body"]', 'It is cold in there in the evening, and damp.');
  await reopen('edit');
  assert.equal(
    await page.inputValue('.action-form [name="body"]'),
    'It is cold in there in the evening, and damp.',
    'a closed form keeps the text',
  );
  await page.click('.action-form button[type="submit"]');
  await page.locator('.post > .markdown', { hasText: 'and damp' }).waitFor();
  await page.click('.post [data-action="history"]');
  await until('both texts', async () => (await page.locator('.revisions [data-revision]').count()) === 2);
  await page.click('.post > .act-row [data-act="resolve"]');
  await page.waitForSelector('[data-post-status="resolved"]');
  await page.click('[data-action="back"]');
  // Wait for the list, which is empty or shows other posts.
  await page.waitForSelector('.board-list .board-empty, .board-list .post-row');
  assert.equal(
    await page.locator('.post-row:has-text("Who brings wood")').count(),
    0,
    'the list leaves out the resolved post',
  );
  await page.click('[data-choice="all"]');
  await page.locator('.post-row[data-status="resolved"]:has-text("Who brings wood")').waitFor();
  await page.fill('.board [data-search]', 'damp');
  await until('the search is in the address', () => Promise.resolve(/find=damp/.test(page.url())));
  await page.locator('.post-row[data-status="resolved"]:has-text("Who brings wood")').waitFor();
  await page.fill('.board [data-search]', 'nothing of the kind');
  await page.locator('.board-empty', { hasText: 'No posts match' }).waitFor();
});

test('the page counts unread posts, and an admin hides and restores a flagged post', async () => {
  await visit(page, '?view=moderation');
  const member = clientOf('member');
  // Agents write posts too, so the count is relative.
  const before = await unseen();
  const posted = await member.createPost({ title: 'Buy my rope', body: 'Rope, rope, rope.', tags: ['offer'] });
  await until('it is counted', async () => (await unseen()) > before);
  await visit(page, `?view=board&posts=all&post=${posted.post_id}`);
  for (const act of ['flag', 'hide'] as const) {
    await page.click(`.post > .act-row [data-act="${act}"]`);
    await page.selectOption('.action-form [name="reason"]', 'spam');
    await page.fill('.action-form [name="note"]', `Rope again: ${act}`);
    await reopen(act);
    assert.equal(await page.inputValue('.action-form [name="reason"]'), 'spam');
    assert.equal(await page.inputValue('.action-form [name="note"]'), `Rope again: ${act}`);
  }
  await page.click('.action-form button[type="submit"]');
  await page.waitForSelector('.post[data-status="moderated"] .notice-bad');
  await visit(page, '?view=moderation');
  await page.click('[data-choice="decided"]');
  const card = page.locator(`[data-item="${posted.post_id}"]`);
  await card.locator('[data-decision="undo"]').click();
  await card.locator('.action-form button[type="submit"]').click();
  await until('the post is on the board again', async () => {
    const found = await member.raw.listPosts({ q: 'rope', author_type: 'human' });
    return found.ok && found.data.posts.some(({ post_id: id, status }) => id === posted.post_id && status === 'open');
  });
  await shot('moderation');
});

test('the chart of balances can be read with arrow keys and as a table', async () => {
  await visit(page, '?view=ledger&who=ada,bob');
  await page.waitForSelector('.plot [data-series="bob"] .plot-line[d^="M"]');
  await page.click('[data-choice="hour"]');
  await page.focus('.plot');
  await page.keyboard.press('ArrowLeft');
  await page.waitForSelector('.plot-bubble');
  assert.match((await page.getAttribute('.plot', 'aria-valuetext')) ?? '', /Bob [\d.,]+ ai\$/);
  await page.locator('.entry-row', { hasText: 'Carried the water' }).first().waitFor();
  await shot('ledger');
  await page.click('.plot-table summary');
  assert.ok((await page.locator('.plot-table tbody tr').count()) >= 2);
});

test('the sums of today name the agent that received, and another day has none', async () => {
  await visit(page, '?view=ledger');
  await page.locator('.day-table [data-agent="ada"]', { hasText: /\d\.\d\d/ }).waitFor();
  await shot('money-days');
  await page.locator('.day-bars button').first().click();
  await page.locator('.day-table', { hasText: 'No agent received or spent money' }).waitFor();
});

test("the ladder shows an agent's tier and the balance that opens the next one", async () => {
  await visit(page, '?view=ledger&agent=bob&tab=money');
  await page.waitForSelector('.rung[data-place="here"]');
  await page.waitForSelector('.unlocks[data-next] dl dt');
  await shot('ladder');
  await page.click('[data-tab="models"]');
  await page.waitForSelector('.meter[data-quota]');
});

test('the purchase form previews cost and effect, and the page then lists the purchase', async () => {
  await visit(page, '?view=market');
  await page.selectOption('.market-card [name="agent"]', 'bob');
  await page.waitForSelector('.preview[data-price="0.1"][data-affordable="true"]');
  await page.click('.market-card button[type="submit"]');
  await page.locator('.market-card .notice-good', { hasText: '500,000 more tokens an hour' }).waitFor();
  await page.waitForSelector('.purchase-row[data-state="active"][data-kind="quota"]');
  await shot('market');
});

test('an admin offers and cancels a GPU window, and the reason stays visible', async () => {
  await page.click('[data-action="new-auction"]');
  await page.fill('.action-form [name="note"]', 'The evening window');
  await page.locator('.action-form', { hasText: 'Window begins' }).locator('button[type="submit"]').click();
  await page.waitForSelector('.auction[data-state="open"] .call-off');
  await page.click('.call-off summary');
  await page.fill('.call-off [name="reason"]', 'The node is needed');
  await page.click('.call-off button[type="submit"]');
  await page.locator('.auction[data-state="cancelled"]', { hasText: 'The node is needed' }).waitFor();
});

test('an admin credits a deposit once; a large one waits for a second admin', async () => {
  await visit(page, '?view=payments');
  const credit = async (transaction: string, amount: string): Promise<void> => {
    await page.selectOption('.payment-card [name="agent"]', 'bob');
    await page.fill('.payment-card [name="transaction"]', transaction);
    await page.fill('.payment-card [name="amount"]', amount);
    await page.click('.payment-card button[type="submit"]');
  };
  await credit('5O190127TN364715T', '25');
  await page.locator('.payment-card .notice-good', { hasText: '25.00 ai$' }).waitFor();
  await page.waitForSelector('.credit-row[data-state="credited"]');
  await credit('5O190127TN364715T', '25');
  await page.waitForSelector('.payment-card .notice-bad[data-code="transaction_credited"]');
  await credit('7XY00000000000001', '5000');
  await page.locator('.payment-card .notice-waiting', { hasText: 'another admin' }).waitFor();
  await page.locator('.credit-row[data-state="proposed"]', { hasText: 'You proposed it' }).waitFor();
  // The comparison loads separately from the credits.
  await page.waitForSelector('.difference-list[data-list]');
  assert.deepEqual(
    await page
      .locator('.difference-list[data-list]')
      .evaluateAll((lists) => lists.map((list) => list.getAttribute('data-list'))),
    ['only_ours', 'only_theirs', 'amount_differs'],
  );
  await shot('payments');
});

test('an admin invites a person with a link, bans and unbans them', async () => {
  await visit(page, '?view=people');
  await page.click('[data-action="new-account"]:has-text("Invite a person")');
  await page.fill('.account-new [name="name"]', 'mo');
  await page.click('.account-new button[type="submit"]');
  assert.match(await page.innerText('[data-code]:not(.notice-bad)'), /^http\S+\/#code=hic_\S{12,}&name=mo$/);
  await page.click('[data-account-name="mo"] .person-line');
  await page.click('[data-account-name="mo"] [data-act="ban"]');
  await page.fill('[data-account-name="mo"] [name="reason"]', 'Insults agents');
  await page.click('[data-account-name="mo"] .account-form button[type="submit"]');
  await page.waitForSelector('[data-account-name="mo"][data-state="Banned"]');
  await shot('people');
  await page.click('[data-account-name="mo"] [data-act="lift"]');
  await page.click('[data-account-name="mo"] .account-form button[type="submit"]');
  await page.waitForSelector('[data-account-name="mo"][data-state="Invited"]');
});

test('the audit lists the acts of these tests, and filters by area and by words', async () => {
  await visit(page, '?view=audit');
  await page.waitForSelector('.audit-row[data-action="account.ban"]');
  await page.selectOption('.audit-filters [name="area"]', 'board');
  await until('only the board', async () => {
    const actions = await page
      .locator('.audit-row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-action') ?? ''));
    return actions.length > 0 && actions.every((action) => action.startsWith('board.'));
  });
  await page.click('.audit-row[data-action="board.hide"] .audit-open');
  await page.locator('.audit-facts', { hasText: 'spam' }).waitFor();
  await shot('audit');
});
