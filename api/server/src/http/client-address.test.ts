import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress, countedAddress, proxyTrust, type ProxyTrust } from './client-address.ts';

const trusting = (networks: string, hops = 1): ProxyTrust => proxyTrust(networks, hops);

function seen(peer: string, forwardedFor: string | undefined, trust: ProxyTrust): string {
  const request = {
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    socket: { remoteAddress: peer },
  };
  return clientAddress(request, trust);
}

test('the API reads X-Forwarded-For only from a trusted proxy, and only the last address in it', () => {
  assert.equal(seen('203.0.113.7', '198.51.100.1', trusting('loopback')), '203.0.113.7');
  assert.equal(seen('127.0.0.1', '198.51.100.1', trusting('loopback')), '198.51.100.1');
  assert.equal(seen('::ffff:10.42.0.9', 'forged, 198.51.100.1', trusting('10.42.0.0/16')), '198.51.100.1');
  assert.equal(seen('10.42.0.9', undefined, trusting('uniquelocal')), '10.42.0.9');
  assert.equal(seen('10.42.0.9', 'no address', trusting('uniquelocal')), '10.42.0.9');
  assert.equal(seen('2001:db8::1', '198.51.100.1', trusting('2001:db8::/32')), '198.51.100.1');
});

test('a caller in a trusted network cannot claim another address', () => {
  assert.equal(seen('10.42.0.9', '198.51.100.1, 192.168.1.20', trusting('uniquelocal')), '192.168.1.20');
  assert.equal(seen('10.42.0.9', '198.51.100.1, 192.168.1.20', trusting('uniquelocal', 2)), '198.51.100.1');
});

test('an IPv6 address counts as its 64-bit network, an IPv4 address as itself', () => {
  assert.equal(countedAddress('198.51.100.1'), '198.51.100.1');
  assert.equal(countedAddress('2001:db8:0:7::1'), '2001:db8:0:7::/64');
  assert.equal(countedAddress('2001:DB8:0:07:aaaa:bbbb:cccc:dddd'), '2001:db8:0:7::/64');
  assert.equal(countedAddress('::1'), '0:0:0:0::/64');
  assert.notEqual(countedAddress('2001:db8:0:8::1'), countedAddress('2001:db8:0:7::1'));
  assert.equal(countedAddress(''), '');
});

test('the error for an invalid network names it', () => {
  for (const text of ['nonsense', '10.0.0.0/33', '::/129', '10.0.0.0/x', 'loopback, 10.0.0'])
    assert.throws(() => proxyTrust(text, 1), /is not an address/);
});
