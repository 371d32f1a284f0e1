import t from 'tap';
import { dateOf, dueState, fieldsOf } from '../../src/web/dates/dates.js';

/** Noon of a day here, wherever that is. */
const now = new Date(2030, 0, 15, 12).getTime();
const state = (due_at: string | null, completed_at: string | null = null) => dueState({ due_at, completed_at }, now);
const at = (day: number, hour: number): string => new Date(2030, 0, day, hour).toISOString();

t.test('a day lasts until midnight here; a moment is past when it is over', async (t) => {
  t.equal(state(null), null);
  t.equal(state('2030-01-14'), 'overdue');
  t.equal(state('2030-01-15'), 'today');
  t.equal(state('2030-01-16'), 'soon');
  t.equal(state('2030-01-17'), 'soon');
  t.equal(state('2030-01-18'), 'later');
  t.equal(state(at(15, 11)), 'overdue');
  t.equal(state(at(15, 13)), 'today');
  t.equal(state(at(16, 1)), 'soon');
  t.equal(state(at(19, 1)), 'later');
  t.equal(state('2030-01-14', '2030-01-15'), 'done', 'what is done is not overdue');
  t.equal(state(null, '2030-01-15'), null, 'there is no date to show');
});

t.test('the fields of a form hold a date and give it back', async (t) => {
  t.strictSame(fieldsOf(null), { day: '', time: '' });
  t.strictSame(fieldsOf('2030-01-15'), { day: '2030-01-15', time: '' });
  t.strictSame(fieldsOf(at(15, 9)), { day: '2030-01-15', time: '09:00' });
  t.equal(dateOf('', ''), null);
  t.equal(dateOf('', '09:00'), null);
  t.equal(dateOf('2030-01-15', ''), '2030-01-15');
  t.equal(dateOf('2030-01-15', '09:00'), at(15, 9));
});
