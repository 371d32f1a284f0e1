/** Something that is read when a part of the page is shown, and again when it changed. */
import { useEffect, useState } from 'preact/hooks';

export type Loaded<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly value: T };

/** The second value reads again; what was read before stays until then. */
export function useLoaded<T>(load: () => Promise<T>, key: unknown = null): readonly [Loaded<T>, () => Promise<void>] {
  const [state, setState] = useState<Loaded<T>>({ kind: 'loading' });
  const read = async (isWanted: () => boolean = () => true): Promise<void> => {
    try {
      const value = await load();
      if (isWanted()) setState({ kind: 'ready', value });
    } catch (error) {
      if (isWanted()) setState({ kind: 'failed', error });
    }
  };
  useEffect(() => {
    let isShown = true;
    void read(() => isShown);
    return () => {
      isShown = false;
    };
  }, [key]);
  return [state, () => read()];
}
