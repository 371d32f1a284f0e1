import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Names } from '../../src/net/names.js';
import { temporaryFolder } from '../support/store/folder.js';

const SILENT = 64;
const A = 1;

/** Answers every question for an IPv4 address, but for names that begin with "slow". */
async function nameserver(t: Test): Promise<{ readonly address: string; readonly asked: Set<string> }> {
  const asked = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const name = nameIn(question);
    asked.add(name);
    if (!name.startsWith('slow')) socket.send(answerTo(question), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at] !== 0; at += 1 + (question[at] ?? 0)) labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join('.');
}

/** 192.0.2.7 for a question for IPv4; no address for others. */
function answerTo(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const type = question.readUInt16BE(end - 4);
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(type === A ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
  return type === A ? Buffer.concat([head, record]) : head;
}

t.test('HOOK4 names whose nameserver is silent hold up no other', async (t) => {
  const { address, asked } = await nameserver(t);
  const names = new Names({ nameservers: [address] });
  let failed = 0;
  const silent = Array.from({ length: SILENT }, (_, n) => names.addressesOf(`slow${n}.example`).catch(() => (failed += 1)));
  t.strictSame(await names.addressesOf('receiver.example'), ['192.0.2.7']);
  t.equal(asked.size, SILENT + 1, 'all of them were asked for');
  t.equal(failed, 0, 'while the others wait');
  await Promise.all(silent);
  t.equal(failed, SILENT, 'and are given up');
});

t.test('HOOK4 names of the hosts file and names without a dot are left to the system', async (t) => {
  const { address, asked } = await nameserver(t);
  const hostsFile = join(await temporaryFolder(t), 'hosts');
  await writeFile(hostsFile, '127.0.0.1 localhost # Receiver.example\n192.0.2.1\tother.example Receiver.Local.example\n');
  const names = new Names({ nameservers: [address], hostsFile });
  t.ok((await names.addressesOf('localhost')).length > 0);
  // The system has its own file, which does not have the name.
  await t.rejects(names.addressesOf('receiver.local.example'));
  t.equal(asked.size, 0);
  t.strictSame(await names.addressesOf('receiver.example'), ['192.0.2.7'], 'a comment names nothing');
  const withoutFile = new Names({ nameservers: [address], hostsFile: `${hostsFile}-of-nobody` });
  t.strictSame(await withoutFile.addressesOf('other.example'), ['192.0.2.7']);
});
