import t from 'tap';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';

t.test('AUTH28 a request that names another user than its credential is refused, and changes nothing', async (t) => {
  const { api } = await startTestApp(t);
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const rename = (id: string): Promise<{ status: number; body: unknown }> =>
    api.request('PATCH', '/auth/me', { token: ann.token, headers: { 'expected-user': id }, json: { firstname: id } });
  t.match(await rename(ben.id), { status: 401, body: { detail: 'The session is that of another user' } });
  const { body } = await api.request<{ firstname: string | null }>('GET', '/auth/me', { token: ann.token });
  t.not(body.firstname, ben.id);
  t.match(await rename(ann.id), { status: 200, body: { firstname: ann.id } });
});
