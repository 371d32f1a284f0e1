/** Deletes an account for good, after a question that names it. */
import type { PublicUser } from '../../client/index.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { InputError } from '../state/notices.js';
import { nameOf } from '../state/people.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { say, sayWith } from '../words/catalogue.js';

interface DeleteUserProps {
  readonly user: PublicUser;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export function DeleteUser({ user, onDeleted, onClose }: DeleteUserProps) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const heir = textOf(form, 'heir').trim();
    const given = heir === '' ? {} : { give_boards_to: await idOf(heir) };
    await client.admin.deleteUser({ user_id: user.id }, given);
    onDeleted();
    onClose();
  });
  return (
    <Dialog title={<>{sayWith('deleteUser.title', { name: <bdi>{nameOf(user)}</bdi> })}</>} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{say('deleteUser.text')}</p>
        <Refusal reason={refusal} />
        <Field label={say('deleteUser.heir')} name="heir" isName hint={say('deleteUser.heirHint')} />
        <footer class="dialog-actions">
          <Button onClick={onClose}>{say('common.cancel')}</Button>
          <Button kind="danger" type="submit" disabled={isBusy}>
            {say('deleteUser.delete', { name: user.username })}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

async function idOf(name: string): Promise<string> {
  const found = await client.admin.listUsers({ search: name });
  const user = found.find(({ username, email }) => [username, email].some((each) => each.toLocaleLowerCase() === name.toLocaleLowerCase()));
  if (user === undefined) throw new InputError(say('deleteUser.noSuch', { name }));
  return user.id;
}
