import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsText, nextHosts, serviceView, withAddress, type ServiceView } from './service-hosts.ts';

const service = (name: string, clusterIP?: string): ServiceView =>
  serviceView({
    metadata: { name, uid: name, resourceVersion: '1' },
    spec: clusterIP === undefined ? {} : { clusterIP },
  });

test('hosts are sorted by name, and a Service without an address is omitted', () => {
  const services = [
    service('hamlet-broker', '10.96.0.12'),
    service('none', 'None'),
    service('hamlet-api-agents', '10.96.0.11'),
  ];
  const hosts = nextHosts([], [...services, service('new')]);
  assert.equal(hostsText(hosts), 'hamlet-api-agents=10.96.0.11 hamlet-broker=10.96.0.12');
  assert.equal(hostsText([]), '');
});

test('a deleted Service keeps its last address until it returns with another one', () => {
  const first = nextHosts([], [service('hamlet-broker', '10.96.0.12')]);
  assert.deepEqual(nextHosts(first, []), first);
  assert.equal(hostsText(nextHosts(first, [service('hamlet-broker', '10.96.0.13')])), 'hamlet-broker=10.96.0.13');
});

test('a URL gets the address of its Service, and another host stays', () => {
  const hosts = nextHosts([], [service('hamlet-broker', '10.96.0.12'), service('six', 'fd00::12')]);
  assert.equal(withAddress('http://hamlet-broker:3128', hosts), 'http://10.96.0.12:3128');
  assert.equal(withAddress('http://six:8081/x', hosts), 'http://[fd00::12]:8081/x');
  assert.equal(withAddress('http://hamlet-broker.other:3128', hosts), 'http://hamlet-broker.other:3128');
});
