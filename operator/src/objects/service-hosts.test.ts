import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsText, nextHosts, serviceView, type ServiceView } from './service-hosts.ts';

const service = (name: string, clusterIP?: string): ServiceView =>
  serviceView({
    metadata: { name, uid: name, resourceVersion: '1' },
    spec: clusterIP === undefined ? {} : { clusterIP },
  });

test('hosts are in the order of their names, and a Service without an address is none', () => {
  const services = [
    service('hamlet-broker', '10.96.0.12'),
    service('none', 'None'),
    service('hamlet-api-agents', '10.96.0.11'),
  ];
  const hosts = nextHosts([], [...services, service('new')]);
  assert.equal(hostsText(hosts), 'hamlet-api-agents=10.96.0.11 hamlet-broker=10.96.0.12');
  assert.equal(hostsText([]), '');
});

test('a Service that is gone keeps its last address until it comes back with another one', () => {
  const first = nextHosts([], [service('hamlet-broker', '10.96.0.12')]);
  assert.deepEqual(nextHosts(first, []), first);
  assert.equal(hostsText(nextHosts(first, [service('hamlet-broker', '10.96.0.13')])), 'hamlet-broker=10.96.0.13');
});
