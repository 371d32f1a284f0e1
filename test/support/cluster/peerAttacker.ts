/** An attacker with access to NATS and to the key of the instances. */
import { connect, type NatsConnection } from 'nats';
import type { Test } from 'tap';
import { machineNow } from '../../../src/domain/machineClock.js';
import { RemoteMessages } from '../../../src/cluster/asking/remoteMessages.js';
import type { PartitionCommand, PartitionName } from '../../../src/partitions/messages.js';
import { splitMessage } from '../../../src/bus/messageParts.js';
import { natsOptions } from '../../../src/nats/natsOptions.js';
import { readClusterKey } from '../../../src/store/folder/clusterKey.js';
import { folderIdentity } from '../../../src/store/folder/record/folderIdentity.js';
import { SealedMessages } from '../../../src/wire/sealedMessages.js';

const INBOX = 'inbox.attacker';
const LARGEST_PART_BYTES = 500 * 1024;

export class PeerAttacker {
  readonly messages: RemoteMessages;
  /** The answers to each ask. */
  readonly answers = new Map<number, Uint8Array[]>();
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #sealed: SealedMessages;
  #asks = 0;

  private constructor(connection: NatsConnection, dataDir: string, shards: number) {
    this.#connection = connection;
    this.#prefix = `boards.${folderIdentity(dataDir)}`;
    this.#sealed = new SealedMessages({ key: readClusterKey(dataDir), sender: 'attacker' });
    this.messages = new RemoteMessages(shards);
    connection.subscribe(`${this.#prefix}.${INBOX}.*`, {
      callback: (_error, { subject, data }) => {
        const id = Number(subject.split('.').at(-1));
        const answer = this.#sealed.open(data, { subject, replyTo: '' });
        this.answers.set(id, [...(this.answers.get(id) ?? []), answer.slice()]);
      },
    });
  }

  static async connect(t: Test, url: string, dataDir: string, shards: number): Promise<PeerAttacker> {
    const connection = await connect({ ...natsOptions(url, 'attacker'), noEcho: false });
    t.teardown(() => connection.close());
    return new PeerAttacker(connection, dataDir, shards);
  }

  /** As someone without the key. */
  publishRaw(subject: string, bytes: Uint8Array): void {
    this.#connection.publish(`${this.#prefix}.${subject}`, bytes);
  }

  publish(subject: string, message: Uint8Array): void {
    for (const part of split(message)) this.publishPart(subject, part);
  }

  /** One part of a message, sealed. */
  publishPart(subject: string, part: Uint8Array): void {
    this.publishRaw(subject, this.#sealed.close(part, { subject: `${this.#prefix}.${subject}`, replyTo: '' }));
  }

  /** The subject of asks to the instance whose heartbeat comes next. */
  async findAskSubject(): Promise<string> {
    const subscription = this.#connection.subscribe(`${this.#prefix}.instances`, { max: 1 });
    for await (const { data } of subscription) {
      // The first byte marks a complete message.
      const heartbeat = this.#sealed.open(data, { subject: `${this.#prefix}.instances`, replyTo: '' }).subarray(1);
      return `instance.${this.messages.decodeHeartbeat(heartbeat).info.id}.ask`;
    }
    throw new Error('the connection was closed before a heartbeat came');
  }

  /** The id of the ask, for `answers`. */
  ask(subject: string, message: Uint8Array): number {
    this.#asks += 1;
    const place = { subject: `${this.#prefix}.${subject}`, replyTo: `${this.#prefix}.${INBOX}.${this.#asks}` };
    for (const part of split(message)) this.#connection.publish(place.subject, this.#sealed.close(part, place), { reply: place.replyTo });
    return this.#asks;
  }

  batch(partition: PartitionName, ...commands: readonly unknown[]): Uint8Array {
    const encoded = commands.map((command) => this.messages.encodeCommand(command as PartitionCommand));
    return this.messages.encodeBatch(partition, machineNow(), encoded);
  }

  /** Receives every message below the prefix. */
  listen(receive: (subject: string, bytes: Uint8Array) => void): void {
    this.#connection.subscribe('>', { callback: (_error, { subject, data }) => receive(subject, data.slice()) });
  }

  /** Resolves when NATS has accepted everything that was sent. */
  flush(): Promise<void> {
    return this.#connection.flush();
  }
}

function split(message: Uint8Array): Iterable<Uint8Array> {
  return splitMessage(message, { largestPart: LARGEST_PART_BYTES, randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)) });
}
