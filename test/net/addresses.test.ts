import t from 'tap';
import { AddressGuard } from '../../src/net/addresses.js';
import { urlFlaw } from '../../src/net/guardedFetch.js';

const REFUSED = [
  ['this machine', '127.0.0.1', '127.8.9.10', '::1', '0.0.0.0', '::', '0.1.2.3'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  ['link-local', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  ['shared', '100.64.0.1', '100.127.255.255'],
  ['benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast and reserved', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a00:1', '0:0:0:0:0:ffff:169.254.169.254'],
  ['translated', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::8.8.8.8', '::ffff:0:8.8.8.8', '::8.8.8.8'],
  ['6to4 and Teredo', '2002:7f00:1::', '2002:808:808::1', '2001:0:808:808::1'],
  ['no address', 'localhost', '', '127.1', '0x7f000001', '8.8.8.8.8'],
] as const;

const PERMITTED = [
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2001:200::1',
];

t.test('HOOK4 addresses that are not of the public internet are refused in every form', async (t) => {
  const guard = new AddressGuard([]);
  for (const [what, ...addresses] of REFUSED) for (const address of addresses) t.equal(guard.permits(address), false, `${what}: ${address}`);
  for (const address of PERMITTED) t.equal(guard.permits(address), true, address);
});

t.test('HOOK4 networks of WEBHOOK_ALLOW are permitted, in every form, and no others', async (t) => {
  const guard = new AddressGuard(['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', 'fd00:1:2::3', '192.168.7.7'])
    t.equal(guard.permits(address), true, address);
  for (const address of ['10.2.0.1', 'fd00:2::1', '192.168.7.8', '127.0.0.1']) t.equal(guard.permits(address), false, address);
});

t.test('HOOK4 a URL is refused at once for its scheme, its user or its address', async (t) => {
  const refused = [
    'ftp://example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.org',
    'https://user@example.org/',
    'https://user:password@example.org/',
    'https://example.org/#part',
    'http://127.0.0.1/',
    // As URLs these are the same address.
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
  ];
  for (const url of refused) t.type(urlFlaw(url, []), 'string', url);
  for (const url of ['https://example.org/hook?key=1', 'http://8.8.8.8:8080/']) t.equal(urlFlaw(url, []), null, url);
  t.equal(urlFlaw('http://127.0.0.1:9/', ['127.0.0.0/8']), null);
});
