/* Shows the notices of the village, and opens the page Needs you. It caches nothing and answers no request of the page. */

self.addEventListener('push', (event) => {
  const { title, body } = event.data.json();
  // A notice replaces the one before it: it counts everything that waits.
  event.waitUntil(self.registration.showNotification(title, { body, tag: 'needs', renotify: true, icon: '/icon.png' }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openNeeds());
});

/** Shows the page in a window that has it already, or in a new one. */
async function openNeeds() {
  const url = new URL('/?view=needs', self.location.origin).href;
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = windows.find((each) => each.url === url);
  await (shown === undefined ? self.clients.openWindow(url) : shown.focus());
}
