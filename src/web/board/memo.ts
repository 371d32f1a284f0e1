/**
 * A component that is rendered again only if one of its properties is another one. The one of preact/compat would make each element of the page
 * translate its properties into those of React.
 */
import { Component, createElement, type ComponentChildren, type ComponentClass, type FunctionComponent } from 'preact';

export function memo<Props extends object>(inner: FunctionComponent<Props>): ComponentClass<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return differ(this.props, next);
    }

    override render(): ComponentChildren {
      return createElement(inner, this.props);
    }
  };
}

/** Components get the same properties each time, or leave out optional ones. */
function differ(before: object, after: object): boolean {
  const old = new Map(Object.entries(before));
  const now = Object.entries(after);
  return old.size !== now.length || now.some(([name, value]) => !Object.is(value, old.get(name)));
}
