/** The second factor of password logins: codes of an app, and recovery codes for when it is lost. */
import { useState } from 'preact/hooks';
import { useSubmit } from '../signIn/useSubmit.js';
import { notify } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Loading } from '../ui/Loading.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Secret } from '../ui/form/Secret.js';
import { Section } from '../ui/Section.js';
import { useLoaded } from '../ui/useLoaded.js';
import { QrImage } from './QrImage.js';
import { say, sayWith } from '../words/catalogue.js';

interface Setup {
  readonly secret: string;
  readonly uri: string;
}

export function SecondFactor() {
  const [factors, read] = useLoaded(() => client.auth.factors());
  const [setup, setSetup] = useState<Setup | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const done = (recoveryCodes: readonly string[]): void => {
    setSetup(null);
    setCodes(recoveryCodes);
    void read();
  };
  return (
    <Section title={say('factor.title')} lead={say('factor.lead')}>
      {codes !== null && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      <Loading state={factors}>
        {({ totp, recovery_codes_left }) => {
          if (totp.state === 'on') return <TurnedOn left={recovery_codes_left} onCodes={done} onOff={() => void read()} />;
          return setup === null ? <Begin onBegun={setSetup} /> : <Confirm setup={setup} onConfirmed={done} />;
        }}
      </Loading>
    </Section>
  );
}

function Begin({ onBegun }: { readonly onBegun: (setup: Setup) => void }) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const { secret, otpauth_uri } = await client.auth.beginTotp({ password: textOf(form, 'password') });
    onBegun({ secret, uri: otpauth_uri });
  });
  return (
    <form onSubmit={submit}>
      <Refusal reason={refusal} />
      <Field label={say('factor.password')} name="password" type="password" autocomplete="current-password" required />
      <Button type="submit" disabled={isBusy}>
        {say('factor.setUp')}
      </Button>
    </form>
  );
}

function Confirm({ setup, onConfirmed }: { readonly setup: Setup; readonly onConfirmed: (codes: readonly string[]) => void }) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    onConfirmed((await client.auth.confirmTotp({ code: textOf(form, 'code').trim() })).recovery_codes);
  });
  return (
    <form onSubmit={submit}>
      <QrImage text={setup.uri} label={say('factor.qrCode')} />
      <p>{sayWith('factor.addTo', { link: <a href={setup.uri}>{say('factor.openApp')}</a> })}</p>
      <Secret label={say('factor.key')} value={setup.secret} />
      <Refusal reason={refusal} />
      <Field label={say('factor.codeShown')} name="code" autocomplete="one-time-code" inputMode="numeric" required />
      <Button kind="primary" type="submit" disabled={isBusy}>
        {say('factor.turnOn')}
      </Button>
    </form>
  );
}

function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  return (
    <div role="status">
      <p>{say('factor.keepCodes')}</p>
      <Secret label={say('factor.codes')} value={codes.join('\n')} />
      <Button onClick={onDone}>{say('factor.kept')}</Button>
    </div>
  );
}

interface TurnedOnProps {
  readonly left: number;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onOff: () => void;
}

function TurnedOn({ left, onCodes, onOff }: TurnedOnProps) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const proof = { password: textOf(form, 'password'), code: textOf(form, 'code').trim() };
    if (textOf(form, 'what') === 'codes') {
      onCodes((await client.auth.renewRecoveryCodes(proof)).recovery_codes);
    } else {
      await client.auth.removeTotp(proof);
      notify('info', say('factor.isOff'));
      onOff();
    }
  });
  return (
    <form onSubmit={submit}>
      <p>{say('factor.isOn', { count: left })}</p>
      <Refusal reason={refusal} />
      <div class="fields">
        <Field label={say('factor.password')} name="password" type="password" autocomplete="current-password" required />
        <Field label={say('factor.aCode')} name="code" autocomplete="one-time-code" required />
      </div>
      <div class="field">
        <label for="factor-what">{say('factor.whatToDo')}</label>
        <select id="factor-what" name="what">
          <option value="codes">{say('factor.newCodes')}</option>
          <option value="off">{say('factor.turnOff')}</option>
        </select>
      </div>
      <Button type="submit" disabled={isBusy}>
        {say('factor.doIt')}
      </Button>
    </form>
  );
}
