import t from 'tap';
import { nextDigest } from '../../src/domain/content/digestTime.js';

t.test('MAIL41 the mail of the day comes at eight by the clock of its reader', async (t) => {
  for (const [after, zone, expected] of [
    ['2030-01-01T00:00:00.000Z', null, '2030-01-01T08:00:00.000Z'],
    ['2030-01-01T08:00:00.000Z', null, '2030-01-02T08:00:00.000Z'],
    ['2030-01-01T06:59:59.999Z', 'Europe/Vienna', '2030-01-01T07:00:00.000Z'],
    ['2030-01-01T07:00:00.000Z', 'Europe/Vienna', '2030-01-02T07:00:00.000Z'],
    ['2030-06-30T23:30:00.000Z', 'Europe/Vienna', '2030-07-01T06:00:00.000Z'],
    // The clocks change in the night between.
    ['2030-03-30T12:00:00.000Z', 'Europe/Vienna', '2030-03-31T06:00:00.000Z'],
    ['2030-10-26T12:00:00.000Z', 'Europe/Vienna', '2030-10-27T07:00:00.000Z'],
    ['2030-01-01T00:00:00.000Z', 'America/Los_Angeles', '2030-01-01T16:00:00.000Z'],
    ['2030-01-01T15:59:00.000Z', 'America/Los_Angeles', '2030-01-01T16:00:00.000Z'],
    ['2030-01-01T17:00:00.000Z', 'Pacific/Kiritimati', '2030-01-01T18:00:00.000Z'],
    ['2030-01-01T18:00:00.000Z', 'Pacific/Kiritimati', '2030-01-02T18:00:00.000Z'],
    ['2030-01-01T00:00:00.000Z', 'Asia/Kathmandu', '2030-01-01T02:15:00.000Z'],
  ] as const) {
    t.equal(nextDigest(after, zone), expected, `${after} in ${zone}`);
  }
});

t.test('MAIL41 it is always within 25 hours, also where the clocks jump', async (t) => {
  for (const zone of ['Europe/Vienna', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Chatham']) {
    let last = '';
    for (let at = Date.parse('2030-01-01T00:00:00.000Z'); at < Date.parse('2031-01-01T00:00:00.000Z'); at += 11 * 3_600_000) {
      const next = nextDigest(new Date(at).toISOString(), zone);
      const ahead = Date.parse(next) - at;
      if (ahead <= 0 || ahead > 25 * 3_600_000 || next < last) t.fail(`${new Date(at).toISOString()} in ${zone}: ${next}`);
      last = next;
    }
    t.pass(zone);
  }
});
