import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyAddress } from './address.ts';

test('an address has the same class in every notation, and only public ones are public', () => {
  const classes = {
    public: ['8.8.8.8', '2606:4700::1111', '::808:808', '::ffff:8.8.8.8', '64:ff9b::808:808'],
    private: [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      'fd12::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
    ],
    loopback: ['127.0.0.1', '127.8.9.1', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    link_local: ['169.254.1.1', 'fe80::1', 'fe80::1%eth0'],
    metadata: [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      'fd00:ec2::254',
      'fd20:ce::254',
      '168.63.129.16',
      '100.100.100.200',
    ],
    multicast: ['224.0.0.1', 'ff02::1'],
    reserved: [
      '0.0.0.0',
      '::',
      '240.0.0.1',
      '255.255.255.255',
      '192.0.2.1',
      '2002:a00:1::',
      '2001::1',
      '2001:db8::1',
      '198.18.0.1',
      'example.org',
      '',
    ],
  };
  for (const [wanted, addresses] of Object.entries(classes))
    for (const address of addresses) assert.equal(classifyAddress(address), wanted, address);
});
