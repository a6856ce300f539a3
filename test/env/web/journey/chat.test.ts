import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from '../../browser.ts';
import { page, shot, signedIn } from './stage.ts';

test('a message is answered in the chat with the label of the scripted mind, and the transcript survives a reload', async () => {
  await signedIn();
  await visit(page, '?view=tiers&agent=ada&tab=chat');
  await page.fill('.composer textarea', 'Go to the library.');
  await page.press('.composer textarea', 'Enter');
  await page.locator('.exchange .bubble', { hasText: 'Go to the library.' }).waitFor();
  await page.waitForSelector('.exchange[data-state="answered"] .answer .scripted');
  await shot('chat');
  await page.reload();
  await page.locator('.exchange .bubble', { hasText: 'Go to the library.' }).waitFor();
  await page.waitForSelector('.exchange[data-state="answered"] .answer');
});

test('a paused conversation holds messages, a draft survives, and Stop cancels a waiting message', async () => {
  await page.click('[data-action="menu"]');
  await page.click('[data-action="pause"]');
  await page.waitForSelector('[data-action="resume"]');
  await page.fill('.composer textarea', 'Come back.');
  await page.click('[data-tab="now"]');
  await page.click('[data-tab="chat"]');
  assert.equal(await page.inputValue('.composer textarea'), 'Come back.');
  await page.press('.composer textarea', 'Enter');
  await page.locator('.message-facts', { hasText: 'the conversation is paused' }).waitFor();
  await page.click('[data-action="stop"]');
  await page.waitForSelector('.exchange[data-state="cancelled"]');
  await page.click('[data-action="back"]');
  await page.locator('.conversation-row', { hasText: 'Paused' }).waitFor();
});
