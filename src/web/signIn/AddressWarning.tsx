import { addressTrouble, loadMethods } from '../state/methods.js';
import { useLoaded } from '../ui/useLoaded.js';

/** Before a password is typed in vain. */
export function AddressWarning() {
  const [methods] = useLoaded(loadMethods);
  const trouble = methods.kind === 'ready' ? addressTrouble(methods.value) : null;
  if (trouble === null) return null;
  return (
    <div class="refusal" role="alert">
      <p>{trouble.text}</p>
      <p>
        <a href={trouble.href}>{trouble.address}</a>
      </p>
    </div>
  );
}
