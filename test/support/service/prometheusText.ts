/** Parses the text format of Prometheus, and reports everything that a scraper would refuse or misread. */

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const TYPES = ['counter', 'gauge', 'histogram'];

export function parsePrometheus(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no newline');
  const families = new Map<string, Family>();
  let current: { name: string; type: string; samples: Sample[] } | null = null;
  let helped = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${NAME}) \\S.*$`).exec(line);
    const type = new RegExp(`^# TYPE (${NAME}) (\\w+)$`).exec(line);
    if (help !== null) {
      helped = help[1] ?? '';
    } else if (type !== null) {
      const [, name = '', kind = ''] = type;
      if (families.has(name)) throw new Error(`${name} comes twice`);
      if (helped !== name || !TYPES.includes(kind)) throw new Error(`${line}: no help, or no such type`);
      current = { name, type: kind, samples: [] };
      families.set(name, current);
    } else {
      const sample = parseSample(line);
      if (current === null || familyOf(sample.name, current.type) !== current.name) {
        throw new Error(`${line}: not below its type`);
      }
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

/** The sum of the samples with these labels; of a histogram, of its counts. */
export function valueOf(families: Map<string, Family>, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const family = families.get(name);
  if (family === undefined) throw new Error(`there is no ${name}`);
  const wanted = family.type === 'histogram' ? `${name}_count` : name;
  return family.samples
    .filter((sample) => sample.name === wanted)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

function parseSample(line: string): Sample {
  const match = SAMPLE.exec(line);
  const value = Number(match?.[3]);
  if (match === null || !Number.isFinite(value)) throw new Error(`${line}: is not a sample`);
  const labels = [...(match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', text = '']) => [name, text]);
  return { name: match[1] ?? '', labels: Object.fromEntries(labels) as Record<string, string>, value };
}

function familyOf(sample: string, type: string): string {
  return type === 'histogram' ? sample.replace(/_(bucket|sum|count)$/, '') : sample;
}

function checkFamily({ name, type, samples }: Family): void {
  const seen = new Set(samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()])));
  if (seen.size !== samples.length) throw new Error(`${name}: the same sample comes twice`);
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`${name}: a counter's name ends in _total`);
  if (type !== 'gauge' && samples.some(({ value }) => value < 0)) throw new Error(`${name}: a count is negative`);
  if (type !== 'histogram') return;
  const buckets = new Map<string, Sample[]>();
  for (const sample of samples.filter((each) => each.name === `${name}_bucket`)) {
    const { le: _le, ...rest } = sample.labels;
    const series = JSON.stringify(rest);
    buckets.set(series, [...(buckets.get(series) ?? []), sample]);
  }
  for (const [series, all] of buckets) {
    const rising = all.every(({ value }, at) => at === 0 || value >= (all[at - 1]?.value ?? 0));
    const count = samples.find((each) => each.name === `${name}_count` && JSON.stringify(each.labels) === series);
    const last = all.at(-1);
    if (!rising || last?.labels['le'] !== '+Inf' || last.value !== count?.value) {
      throw new Error(`${name}${series}: its buckets are not cumulative up to its count`);
    }
  }
}
