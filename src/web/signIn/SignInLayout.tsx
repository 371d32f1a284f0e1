/** The frame of the screens before the login. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Logo } from '../ui/Logo.js';
import { AddressWarning } from './AddressWarning.js';
import { say } from '../words/catalogue.js';

interface EntranceProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function SignInLayout({ title, children }: EntranceProps) {
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
  return (
    <main class="entrance">
      <p class="home">
        <Logo />
        <span>Switchboard</span>
      </p>
      <div class="panel">
        <h1>{title}</h1>
        <AddressWarning />
        {children}
      </div>
      <footer class="entrance-footer">
        <a href="/docs">{say('header.api')}</a> <a href="/redoc">{say('header.reference')}</a> <a href="/asyncapi.json">{say('header.events')}</a>
      </footer>
    </main>
  );
}
