/** The frame of the screens before the login. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Logo } from '../ui/Logo.js';
import { AddressWarning } from './AddressWarning.js';
import { say } from '../words/catalogue.js';

interface SignInLayoutProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function SignInLayout({ title, children }: SignInLayoutProps) {
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
  return (
    <main class="sign-in">
      <p class="home">
        <Logo />
        <span>Switchboard</span>
      </p>
      <div class="panel">
        <h1>{title}</h1>
        <AddressWarning />
        {children}
      </div>
      <footer class="sign-in-footer">
        <a class="lone-link" href="/docs">
          {say('header.developers')}
        </a>
      </footer>
    </main>
  );
}
