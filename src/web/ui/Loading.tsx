import type { ComponentChildren } from 'preact';
import { reasonOf } from '../state/notices.js';
import type { Loaded } from './useLoaded.js';
import { say } from '../words/catalogue.js';

interface LoadingProps<T> {
  readonly state: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows what was read, or that it is being read or could not be. */
export function Loading<T>({ state, children }: LoadingProps<T>) {
  switch (state.kind) {
    case 'loading':
      return (
        <p class="hint" role="status">
          {say('common.loading')}
        </p>
      );
    case 'failed':
      return (
        <p class="refusal" role="alert">
          {reasonOf(state.error)}
        </p>
      );
    case 'ready':
      return <>{children(state.value)}</>;
  }
}
