/** Where the link of an invitation leads: to a new account, or with an account straight onto the board. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError } from '../../client/index.js';
import { loadMethods } from '../state/methods.js';
import { boardPath, navigate } from '../state/route.js';
import { client, session } from '../state/session.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded, type Loaded } from '../ui/useLoaded.js';
import { Button } from '../ui/form/Button.js';
import { Refusal } from '../ui/form/Refusal.js';
import { SignInLayout } from './SignInLayout.js';
import { LoginForm } from './LoginForm.js';
import { takeLinkToken } from './linkToken.js';
import { RegisterForm } from './RegisterForm.js';
import { useSubmit } from './useSubmit.js';
import { say, sayWith } from '../words/catalogue.js';

type Invitation = Awaited<ReturnType<typeof client.invitation.preview>>;

export function InvitationScreen() {
  const token = useMemo(takeLinkToken, []);
  if (token === null) {
    return (
      <SignInLayout title={say('signIn.invitation')}>
        <p>{say('signIn.linkIncomplete')}</p>
      </SignInLayout>
    );
  }
  return <Invited token={token} />;
}

function Invited({ token }: { readonly token: string }) {
  const [invitation] = useLoaded(() => client.invitation.preview({ token }));
  const isIn = session.value.kind === 'in';
  return (
    <SignInLayout title={say('signIn.invited')}>
      {isIn && isUsedUp(invitation) ? (
        <Return token={token} />
      ) : (
        <Loading state={invitation}>
          {(shown) => (
            <>
              <Lead invitation={shown} />
              {isIn ? <Accept token={token} boardId={shown.board?.id ?? null} /> : <Outside token={token} invitation={shown} />}
            </>
          )}
        </Loading>
      )}
    </SignInLayout>
  );
}

/** Or expired, or not valid. */
function isUsedUp(invitation: Loaded<Invitation>): boolean {
  return invitation.kind === 'failed' && invitation.error instanceof ApiError && invitation.error.status === 403;
}

/** To the board, for who has joined it by this link: just now by single sign-on, or long ago. Nobody else can, so it is no way to join unasked. */
function Return({ token }: { readonly token: string }) {
  const [joined] = useLoaded(() => client.invitation.accept({ token }));
  useEffect(() => {
    if (joined.kind === 'ready') navigate(boardPath(joined.value.board_id), 'replace');
  }, [joined.kind]);
  return (
    <>
      <Loading state={joined}>{() => null}</Loading>
      <AllBoards />
    </>
  );
}

function AllBoards() {
  return (
    <p class="aside">
      <a class="lone-link" href="/">
        {say('header.allBoards')}
      </a>
    </p>
  );
}

function Lead({ invitation: { inviter, board } }: { readonly invitation: Invitation }) {
  const who = <bdi>{inviter}</bdi>;
  if (board === null) return <p>{sayWith('signIn.invitedToService', { inviter: who })}</p>;
  return <p>{sayWith('signIn.invitedToBoard', { inviter: who, board: <strong dir="auto">{board.title}</strong> })}</p>;
}

function Outside({ token, invitation: { board } }: { readonly token: string; readonly invitation: Invitation }) {
  const [hasAccount, setHasAccount] = useState(false);
  const [methods] = useLoaded(loadMethods);
  const returnTo = board === null ? '/' : boardPath(board.id);
  const sso = methods.kind === 'ready' ? methods.value.sso : null;
  // A newcomer is on the board then, and this page leads there; for others it has the button.
  const backHere = board === null ? '/' : `/app/invitation#${new URLSearchParams({ token }).toString()}`;
  return (
    <>
      {hasAccount ? <LoginForm /> : <RegisterForm invitation={{ token, returnTo }} />}
      {sso !== null && (
        <a class="button is-plain is-wide" href={`${sso.login_path}?${new URLSearchParams({ return_to: backHere, invitation: token }).toString()}`}>
          {sso.button_text}
        </a>
      )}
      <p class="aside">
        <Button kind="quiet" onClick={() => setHasAccount(!hasAccount)}>
          {hasAccount ? say('signIn.noAccountYet') : say('signIn.haveAccount')}
        </Button>
      </p>
    </>
  );
}

/** `boardId`: null if the invitation is to none. Who is on the board already is led to it. */
function Accept({ token, boardId }: { readonly token: string; readonly boardId: string | null }) {
  const [isMember] = useLoaded(async () => boardId !== null && isOn(boardId));
  const isThere = isMember.kind === 'ready' && isMember.value;
  useEffect(() => {
    if (isThere && boardId !== null) navigate(boardPath(boardId), 'replace');
  }, [isThere]);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    navigate(boardPath((await client.invitation.accept({ token })).board_id), 'replace');
  });
  return (
    <>
      {boardId !== null ? (
        <form onSubmit={submit}>
          <Refusal reason={refusal} />
          <Button kind="primary" type="submit" disabled={isBusy}>
            {say('signIn.join')}
          </Button>
        </form>
      ) : (
        <p>{say('signIn.isHere')}</p>
      )}
      <AllBoards />
    </>
  );
}

async function isOn(board_id: string): Promise<boolean> {
  try {
    return (await client.member.list({ board_id })).length > 0;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}
