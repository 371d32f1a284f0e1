/** Something that is read when a part of the page is shown, and again when it changed. */
import { useEffect, useRef, useState } from 'preact/hooks';

export type Loaded<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly value: T };

/** The second value reads again; what was read before stays until then. A late answer does not replace the answer to a later reading. */
export function useLoaded<T>(load: () => Promise<T>, key: unknown = null): readonly [Loaded<T>, () => Promise<void>] {
  const [state, setState] = useState<Loaded<T>>({ kind: 'loading' });
  const readings = useRef({ begun: 0, shown: 0 });
  const read = async (isWanted: () => boolean = () => true): Promise<void> => {
    readings.current.begun += 1;
    const { begun } = readings.current;
    const show = (answer: Loaded<T>): void => {
      if (!isWanted() || begun < readings.current.shown) return;
      readings.current.shown = begun;
      setState(answer);
    };
    try {
      show({ kind: 'ready', value: await load() });
    } catch (error) {
      show({ kind: 'failed', error });
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
