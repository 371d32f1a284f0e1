/** A new service: its first account, which is a superuser. */
import { useMemo } from 'preact/hooks';
import { forgetMethods, loadMethods } from '../state/methods.js';
import { client } from '../state/session.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';
import { SignInLayout } from './SignInLayout.js';
import { AccountForm } from './RegisterForm.js';
import { takeLinkToken } from './linkToken.js';
import { say } from '../words/catalogue.js';

export function SetupScreen() {
  const token = useMemo(takeLinkToken, []);
  const [methods] = useLoaded(loadMethods);
  return (
    <SignInLayout title={say('setup.title')}>
      <Loading state={methods}>
        {({ setup }) =>
          setup === null && token === null ? (
            <>
              <p>{say('setup.isDone')}</p>
              <p class="aside">
                <a href="/app/login">{say('signIn.logIn')}</a>
              </p>
            </>
          ) : (
            <FirstAccount token={token} asksToken={token === null && setup === 'token'} />
          )
        }
      </Loading>
    </SignInLayout>
  );
}

function FirstAccount({ token, asksToken }: { readonly token: string | null; readonly asksToken: boolean }) {
  return (
    <>
      <p>{say('setup.lead')}</p>
      <AccountForm
        action={say('setup.create')}
        create={async (account, form) => {
          const given = token ?? textOf(form, 'token').trim();
          await client.auth.setup(given === '' ? account : { ...account, token: given });
          forgetMethods();
        }}
      >
        {asksToken && <Field label={say('setup.token')} name="token" autocomplete="off" required autoFocus isName hint={say('setup.tokenHint')} />}
      </AccountForm>
    </>
  );
}
