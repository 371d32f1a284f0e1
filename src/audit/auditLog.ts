/** The audit log of this instance: every entry goes to the file here, and to the directory for all. */
import type { AuditEntry, AuditEvent } from '../domain/audit.js';
import { AppError } from '../domain/errors.js';
import type { IdSource } from '../domain/ids.js';
import type { AuditPort } from '../domain/ports/auditPort.js';
import type { Metric } from '../metrics/prometheus.js';
import type { AuditFile } from './auditFile.js';
import { AuditPace, type AuditPlace } from './auditPace.js';
import type { AuditQueue } from './auditQueue.js';

export interface AuditLogOptions {
  /** Null if the setting is off. */
  readonly file: AuditFile | null;
  readonly queue: AuditQueue;
  readonly ids: IdSource;
  readonly pace?: AuditPace;
}

/** How often counted events are looked for. */
const SUMMARY_INTERVAL_MS = 10_000;
const MAX_DEVICE_CHARACTERS = 200;
const MAX_ADDRESS_CHARACTERS = 64;

export class AuditLog implements AuditPort {
  readonly #options: AuditLogOptions;
  readonly #pace: AuditPace;
  readonly #timer: NodeJS.Timeout;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#pace = options.pace ?? new AuditPace();
    this.#timer = setInterval(() => this.#recordSummaries(false), SUMMARY_INTERVAL_MS).unref();
  }

  record(event: AuditEvent): void {
    // What has happened is refused no longer.
    if (this.#pace.take(withAddress(event), Date.now()).fate !== 'left out') this.#put(this.#entryOf(event));
  }

  async along<Result>(
    event: AuditEvent,
    change: (entry: AuditEntry | undefined) => Promise<Result>,
    isDone: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    // The address is read before the change, because the connection may end meanwhile.
    const known = withAddress(event);
    const entry = this.#entryOf(known);
    const place = this.#requirePlace(known);
    const isKept = place.fate === 'kept';
    const result = await change(isKept ? entry : undefined).catch(givingBack(place));
    if (!isDone(result)) place.giveBack();
    else if (isKept) this.#options.file?.write(entry);
    return result;
  }

  async after<Result>(
    event: AuditEvent,
    change: () => Promise<Result>,
    describe: (result: Result) => Pick<AuditEvent, 'subject' | 'details'> | null,
  ): Promise<Result> {
    const known = withAddress(event);
    const place = this.#requirePlace(known);
    const result = await change().catch(givingBack(place));
    const description = describe(result);
    if (description === null) place.giveBack();
    else if (place.fate === 'kept') this.#put(this.#entryOf({ ...known, ...description }));
    return result;
  }

  /** For an entry that another part has given to the directory. */
  writeToFile(entry: AuditEntry): void {
    this.#options.file?.write(entry);
  }

  collect(): Metric[] {
    const { file, queue } = this.#options;
    return [
      {
        kind: 'counter',
        name: 'switchboard_audit_lost_total',
        help: 'Audit entries that could not be written, by place.',
        samples: [
          { labels: { place: 'directory' }, value: queue.lostEntries },
          { labels: { place: 'file' }, value: file?.lostLines ?? 0 },
        ],
      },
      {
        kind: 'counter',
        name: 'switchboard_audit_left_out_total',
        help: 'Audit entries that were only counted, because a network or a user caused too many, by kind.',
        samples: [...this.#pace.leftOut].map(([kind, value]) => ({ labels: { kind }, value })),
      },
      {
        kind: 'gauge',
        name: 'switchboard_audit_file_failing',
        help: '1 while the audit file cannot be written.',
        samples: [{ value: file === null || file.isWritable ? 0 : 1 }],
      },
    ];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#recordSummaries(true);
    await Promise.all([this.#options.queue.close(), this.#options.file?.close()]);
  }

  #requirePlace(event: AuditEvent): AuditPlace {
    const place = this.#pace.take(event, Date.now());
    if (place.fate !== 'refused') return place;
    throw new AppError('too_many', 'You have done this too often within an hour; try again later', { retryAfter: place.retryAfter });
  }

  #recordSummaries(isLast: boolean): void {
    for (const event of this.#pace.takeSummaries(Date.now(), isLast)) this.#put(this.#entryOf(event));
  }

  #put(entry: AuditEntry): void {
    this.#options.file?.write(entry);
    this.#options.queue.add(entry);
  }

  #entryOf({ kind, user, subject, client, details }: AuditEvent): AuditEntry {
    return {
      at: new Date().toISOString(),
      id: this.#options.ids.fresh(),
      kind,
      user_id: user?.id ?? null,
      username: user?.username ?? null,
      subject_id: subject?.id ?? null,
      subject: subject?.name ?? null,
      address: client?.address().slice(0, MAX_ADDRESS_CHARACTERS) ?? null,
      device: client?.userAgent.slice(0, MAX_DEVICE_CHARACTERS) ?? null,
      details: { ...details, ...(client?.keyId === undefined ? {} : { key_id: client.keyId }) },
    };
  }
}

/** The address as it is now: also for a summary, when the connection is gone. */
function withAddress(event: AuditEvent): AuditEvent {
  if (event.client === undefined) return event;
  const address = event.client.address();
  return { ...event, client: { ...event.client, address: () => address } };
}

function givingBack(place: AuditPlace): (error: unknown) => never {
  return (error) => {
    place.giveBack();
    throw error;
  };
}
