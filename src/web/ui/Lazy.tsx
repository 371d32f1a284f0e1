/** A part of the application that is loaded when it is first shown. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../words/catalogue.js';
import { loadLaterStyle } from '../style/laterStyle.js';
import { loadLaterWords } from '../words/language.js';

type Loaded<Props> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'ready'; readonly component: ComponentType<Props> };

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [state, setState] = useState<Loaded<Props>>(known === null ? { kind: 'loading' } : { kind: 'ready', component: known });
    useEffect(() => {
      if (state.kind !== 'loading') return;
      Promise.all([load(), loadLaterWords(), loadLaterStyle()]).then(
        ([component]) => {
          known = component;
          setState({ kind: 'ready', component });
        },
        () => setState({ kind: 'failed' }),
      );
    }, [state.kind]);
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
        {say('app.partNotLoaded')}{' '}
        <button type="button" class="button is-plain" onClick={() => setState({ kind: 'loading' })}>
          {say('common.tryAgain')}
        </button>
      </p>
    );
  };
}
