/** A service that nobody has used yet: its first account, which is a superuser. */
import { useMemo } from 'preact/hooks';
import { forgetMethods, loadMethods } from '../state/methods.js';
import { client } from '../state/session.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';
import { SignInLayout } from './SignInLayout.js';
import { AccountForm } from './RegisterForm.js';
import { takeLinkToken } from './linkToken.js';

export function SetupScreen() {
  const token = useMemo(takeLinkToken, []);
  const [methods] = useLoaded(loadMethods);
  return (
    <SignInLayout title="Create the first account">
      <Loading state={methods}>
        {({ setup }) =>
          setup === null && token === null ? (
            <>
              <p>This service is set up already.</p>
              <p class="aside">
                <a href="/app/login">Log in</a>
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
      <p>Welcome. Nobody is here yet: this account administers the service, and can invite everybody else.</p>
      <AccountForm
        action="Create the account"
        create={async (account, form) => {
          const given = token ?? textOf(form, 'token').trim();
          await client.auth.setup(given === '' ? account : { ...account, token: given });
          forgetMethods();
        }}
      >
        {asksToken && (
          <Field
            label="Setup token"
            name="token"
            autocomplete="off"
            required
            autoFocus
            isName
            hint="From the file setup-token in the data folder of the service. A start on a terminal shows a link that has it."
          />
        )}
      </AccountForm>
    </>
  );
}
