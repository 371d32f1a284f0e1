/** A part of the application that is loaded when it is first shown. */
import type { ComponentType, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isPageRenewed, loadPart } from '../page/loadPart.js';
import { say } from '../words/catalogue.js';
import { loadLaterStyle } from '../style/laterStyle.js';
import { loadLaterWords } from '../words/language.js';

type Loaded<Props> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly isRenewed: boolean }
  | { readonly kind: 'ready'; readonly component: ComponentType<Props> };

/** It is shown at once when it was loaded before. */
export interface LazyPart<Props> {
  (props: Props): VNode;
  load(): Promise<ComponentType<Props>>;
}

export function lazy<Name extends string, Props extends object>(
  load: () => Promise<{ readonly [Key in Name]: ComponentType<Props> }>,
  name: Name,
): LazyPart<Props> {
  let known: ComponentType<Props> | null = null;
  const loadKnown = async (): Promise<ComponentType<Props>> => {
    const [module] = await Promise.all([loadPart(load), loadLaterWords(), loadLaterStyle()]);
    return (known = module[name]);
  };
  return Object.assign(Lazy, { load: loadKnown });

  function Lazy(props: Props): VNode {
    const [state, setState] = useState<Loaded<Props>>(known === null ? { kind: 'loading' } : { kind: 'ready', component: known });
    useEffect(() => {
      if (state.kind !== 'loading') return;
      loadKnown().then(
        (component) => setState({ kind: 'ready', component }),
        async () => setState({ kind: 'failed', isRenewed: await isPageRenewed() }),
      );
    }, [state.kind]);
    const close = state.kind === 'failed' && 'onClose' in props && typeof props.onClose === 'function' ? props.onClose : null;
    // As the dialog would that did not come.
    useEffect(() => {
      if (close === null) return;
      const closeOnEscape = ({ key }: KeyboardEvent): void => void (key === 'Escape' && close());
      addEventListener('keydown', closeOnEscape);
      return () => removeEventListener('keydown', closeOnEscape);
    }, [close]);
    if (state.kind === 'ready') {
      const Component = state.component;
      return <Component {...props} />;
    }
    if (state.kind === 'loading')
      return (
        <p class="loading" role="status">
          {say('common.loading')}
        </p>
      );
    return (
      <p class="loading" role="alert">
        {say(state.isRenewed ? 'app.renewed' : 'app.partNotLoaded')}{' '}
        {state.isRenewed ? (
          <button type="button" class="button is-primary" onClick={() => location.reload()}>
            {say('app.reload')}
          </button>
        ) : (
          <button type="button" class="button is-plain" onClick={() => setState({ kind: 'loading' })}>
            {say('common.tryAgain')}
          </button>
        )}
        {close !== null && (
          <button type="button" class="button is-plain" onClick={() => close()}>
            {say('common.close')}
          </button>
        )}
      </p>
    );
  }
}
