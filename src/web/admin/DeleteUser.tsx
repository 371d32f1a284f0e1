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
    <Dialog
      title={
        <>
          Delete <bdi>{nameOf(user)}</bdi>?
        </>
      }
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <p>The account is gone for good, with its sessions and keys. Boards and cards stay; the person leaves them.</p>
        <Refusal reason={refusal} />
        <Field
          label="Give boards without another owner to"
          name="heir"
          isName
          hint="Username or e-mail address. Without it, the last owner of a board is not deleted."
        />
        <footer class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={isBusy}>{`Delete ${user.username}`}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

async function idOf(name: string): Promise<string> {
  const found = await client.admin.listUsers({ search: name });
  const user = found.find(({ username, email }) => [username, email].some((each) => each.toLocaleLowerCase() === name.toLocaleLowerCase()));
  if (user === undefined) throw new InputError(`There is no user ${name}.`);
  return user.id;
}
