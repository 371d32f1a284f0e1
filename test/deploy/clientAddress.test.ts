import t from 'tap';
import { ClientAddresses } from '../../src/http/clientAddress.js';
import type { Exchange } from '../../src/http/exchange.js';

function addressOf(proxies: readonly string[], peer: string, forwardedFor = ''): string {
  const exchange = { peerAddress: () => peer, head: { forwardedFor } } as unknown as Exchange;
  return new ClientAddresses(proxies).of(exchange);
}

t.test('DEPLOY6 only a trusted proxy sets the client address', async (t) => {
  t.equal(addressOf(['10.0.0.0/8'], '10.1.2.3', '203.0.113.7'), '203.0.113.7', 'a network');
  t.equal(addressOf(['10.1.2.3'], '10.1.2.3', '203.0.113.7'), '203.0.113.7', 'an address');
  t.equal(addressOf(['10.1.2.3'], '10.1.2.4', '203.0.113.7'), '10.1.2.4', 'another address');
  t.equal(addressOf([], '127.0.0.1', '203.0.113.7'), '127.0.0.1', 'no proxy is trusted');
  t.equal(addressOf(['10.0.0.0/8'], '10.1.2.3'), '10.1.2.3', 'a proxy without the header');
});

t.test('DEPLOY6 entries that the client sent are ignored', async (t) => {
  t.equal(addressOf(['10.0.0.0/8'], '10.1.2.3', '192.0.2.1, 203.0.113.7'), '203.0.113.7', 'one proxy');
  t.equal(addressOf(['10.0.0.0/8'], '10.1.2.3', '192.0.2.1, 203.0.113.7, 10.9.9.9'), '203.0.113.7', 'two proxies');
  t.equal(addressOf(['10.0.0.0/8'], '10.1.2.3', 'nonsense'), 'nonsense', 'no address at all');
});

t.test('DEPLOY6 addresses are compared in every notation', async (t) => {
  const loopback = ['127.0.0.0/8', '::1'];
  const client = '2001:db8::7';
  t.equal(addressOf(loopback, '0000:0000:0000:0000:0000:0000:0000:0001', client), client);
  t.equal(addressOf(loopback, '0000:0000:0000:0000:0000:ffff:7f00:0001', client), client, 'IPv4 within IPv6');
  t.equal(addressOf(['2001:db8::/32'], '2001:0db8:0000:0000:0000:0000:0000:0001', client), '2001:db8::7');
});
